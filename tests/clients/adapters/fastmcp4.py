"""Adapter for the client of `fastmcp`."""

import anyio
from fastmcp import Client
from fastmcp.client.transports import SSETransport, StdioTransport, StreamableHttpTransport
from loop import answer, specification
from mcp_types import ResourceTemplateReference


def transport(spec: dict):
    match spec["transport"]:
        case "stdio":
            command, *arguments = spec["command"]
            return StdioTransport(command=command, args=arguments)
        case "http":
            return StreamableHttpTransport(spec["url"])
        case _:
            return SSETransport(spec["url"])


async def main() -> None:
    spec = specification()
    async with Client(transport(spec), mode=spec["mode"]) as client:

        async def complete(ref: dict, argument: dict, context: dict):
            return await client.complete_mcp(ResourceTemplateReference(uri=ref["uri"]), argument, context["arguments"])

        methods = {
            "tools/list": client.list_tools_mcp,
            "tools/call": client.call_tool_mcp,
            "resources/list": client.list_resources_mcp,
            "resources/read": client.read_resource_mcp,
            "resources/templates/list": client.list_resource_templates_mcp,
            "prompts/list": client.list_prompts_mcp,
            "prompts/get": client.get_prompt_mcp,
            "completion/complete": complete,
        }
        await answer(client.protocol_version, methods)


anyio.run(main)
