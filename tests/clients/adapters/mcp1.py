"""Adapter for version 1 of the `mcp` package: what most clients in use are built with."""

import anyio
from loop import answer, specification
from mcp import ClientSession, StdioServerParameters
from mcp.client.sse import sse_client
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import ResourceTemplateReference


def streams(spec: dict):
    match spec["transport"]:
        case "stdio":
            command, *arguments = spec["command"]
            return stdio_client(StdioServerParameters(command=command, args=arguments))
        case "http":
            return streamable_http_client(spec["url"])
        case _:
            return sse_client(spec["url"])


async def main() -> None:
    async with streams(specification()) as (read, write, *_), ClientSession(read, write) as client:

        async def complete(ref: dict, argument: dict, context: dict):
            reference = ResourceTemplateReference(type="ref/resource", uri=ref["uri"])
            return await client.complete(reference, argument, context["arguments"])

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
        hello = await client.initialize()
        await answer(hello.protocolVersion, methods)


anyio.run(main)
