// Adapter for version 2 of the TypeScript client: both eras of the protocol, chosen by the mode.
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
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

const client = new Client(
  { name: "docent-test", version: "0" },
  { versionNegotiation: { mode: specification.mode } },
);
await client.connect(transport(specification));
await answer(client, client.getNegotiatedProtocolVersion());
