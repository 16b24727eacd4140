"""Adapter for version 2 of the `mcp` package: both eras of the protocol, chosen by the mode."""

import anyio
from loop import answer, specification
from mcp import Client, StdioServerParameters
from mcp.client.sse import sse_client
from mcp_types import ResourceTemplateReference


def server(spec: dict):
    match spec["transport"]:
        case "stdio":
            command, *arguments = spec["command"]
            return StdioServerParameters(command=command, args=arguments)
        case "http":
            return spec["url"]
        case _:
            return sse_client(spec["url"])


async def main() -> None:
    spec = specification()
    async with Client(server(spec), mode=spec["mode"]) as client:

        async def complete(ref: dict, argument: dict, context: dict):
            return await client.complete(ResourceTemplateReference(uri=ref["uri"]), argument, context["arguments"])

        methods = {
            "tools/list": client.list_tools,
            "tools/call": client.call_tool,
            "resources/list": client.list_resources,
            "resources/read": client.read_resource,
            "resources/templates/list": client.list_resource_templates,
            "prompts/list": client.list_prompts,
            "prompts/get": client.get_prompt,
            "completion/complete": complete,
        }
        await answer(client.protocol_version, methods)


anyio.run(main)
