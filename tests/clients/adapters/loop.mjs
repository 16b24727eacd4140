// The part that both TypeScript adapters share; loop.py says what goes in and out.
import { createInterface } from "node:readline";

/** What the driver wants: {transport, mode, and command or url}. */
export const specification = JSON.parse(process.argv[2]);

/** Answers requests until the input ends. */
export async function answer(client, protocolVersion) {
  const methods = {
    "tools/list": (params) => client.listTools(params),
    "tools/call": (params) => client.callTool(params),
    "resources/list": (params) => client.listResources(params),
    "resources/read": (params) => client.readResource(params),
    "resources/templates/list": (params) => client.listResourceTemplates(params),
    "prompts/list": (params) => client.listPrompts(params),
    "prompts/get": (params) => client.getPrompt(params),
    "completion/complete": (params) => client.complete(params),
  };
  say({ result: { protocolVersion } });
  for await (const line of createInterface({ input: process.stdin })) {
    const { method, params } = JSON.parse(line);
    try {
      say({ result: await methods[method](params) });
    } catch (error) {
      say({ error: `${error.name}: ${error.message}` });
    }
  }
  await client.close();
}

function say(message) {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}
