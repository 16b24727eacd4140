// Adapter for version 1 of the TypeScript SDK: what most clients in use are built with.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { answer, specification } from "./loop.mjs";

function transport({ transport, command, url }) {
  switch (transport) {
    case "stdio":
      return new StdioClientTransport({ command: command[0], args: command.slice(1) });
    case "http":
      return new StreamableHTTPClientTransport(new URL(url));
    default:
      return new SSEClientTransport(new URL(url));
  }
}

const client = new Client({ name: "docent-test", version: "0" });
const connection = transport(specification);
// Only the transport learns which version was agreed on.
let version;
connection.setProtocolVersion = ((tell) => (agreed) => {
  version = agreed;
  tell?.call(connection, agreed);
})(connection.setProtocolVersion);
await client.connect(connection);
await answer(client, version);
