"""The part that all Python adapters share: requests come in as JSON lines, answers of the client go out the same way.

A request is {"method": "tools/call", "params": {…}}, an answer {"result": {…}} in the form that travels over the wire, or
{"error": "…"}. The first line out says which protocol version was agreed on. The end of the input ends the session.
"""

import json
import sys
from collections.abc import Awaitable, Callable

import anyio.to_thread

Methods = dict[str, Callable[..., Awaitable]]


def specification() -> dict:
    """What the driver wants: {"transport", "mode", and "command" or "url"}."""
    return json.loads(sys.argv[1])


async def answer(protocol_version: str | None, methods: Methods) -> None:
    """Answers requests until the input ends."""
    say({"result": {"protocolVersion": protocol_version}})
    while line := await anyio.to_thread.run_sync(sys.stdin.readline):
        request = json.loads(line)
        try:
            result = await methods[request["method"]](**request["params"])
            say({"result": result.model_dump(by_alias=True, mode="json")})
        except Exception as error:  # noqa: BLE001: whatever the client raises is what the driver must see
            say({"error": f"{type(error).__name__}: {error}"})


def say(message: dict) -> None:
    print(json.dumps(message), flush=True)
