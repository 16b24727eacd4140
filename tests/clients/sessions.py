"""Sessions of real clients with docent: programs asked in JSON lines, and the inspector, which is run once a request.

Both look the same from outside: `ask(method, params)` gives the result as it travels over the wire.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from setup import Tools

ANSWER_TIMEOUT_S = 30
START_TIMEOUT_S = 30
END_TIMEOUT_S = 10
# The inspector ends with this when a tool answered with an error, which is an answer like any other.
INSPECTOR_TOOL_ERROR = 5


class Failed(Exception):
    """A client or a server did not do what it should; the text is for people."""


@dataclass(frozen=True)
class Server:
    """How a client reaches docent: as a command that it starts, or at an address."""

    transport: str
    command: list[str]
    url: str


class Adapter:
    """A client program, asked line by line."""

    can_complete = True

    def __init__(self, program: list[str], server: Server, mode: str):
        wanted = {"transport": server.transport, "mode": mode, "command": server.command, "url": server.url}
        self.said = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")
        self.process = subprocess.Popen(
            [*program, json.dumps(wanted)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.said,
            text=True,
            encoding="utf-8",
            start_new_session=True,
        )
        self.answers = lines_of(self.process.stdout)
        self.version = None

    def __enter__(self) -> "Adapter":
        try:
            self.version = self.answer("the connection")["protocolVersion"]
        except BaseException as error:
            self.__exit__(None, error)
            raise
        return self

    def __exit__(self, _: object, error: BaseException | None, *__: object) -> None:
        # How the client ends is not looked at: some trip over a notice that arrives while they close.
        self.process.stdin.close()
        try:
            self.process.wait(END_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            stop(self.process)
            if error is None:
                raise Failed(f"the client did not end within {END_TIMEOUT_S} s\n{self.log()}") from None
        finally:
            self.said.close()

    def ask(self, method: str, params: dict) -> dict:
        try:
            print(json.dumps({"method": method, "params": params}), file=self.process.stdin, flush=True)
        except BrokenPipeError:
            pass  # The missing answer tells more.
        return self.answer(method)

    def answer(self, what: str) -> dict:
        try:
            line = self.answers.get(timeout=ANSWER_TIMEOUT_S)
        except queue.Empty:
            raise Failed(f"no answer to {what} within {ANSWER_TIMEOUT_S} s\n{self.log()}") from None
        if line is None:
            raise Failed(f"the client ended at {what}\n{self.log()}")
        answer = json.loads(line)
        if "error" in answer:
            raise Failed(f"{what}: {answer['error']}\n{self.log()}")
        return answer["result"]

    def log(self) -> str:
        self.said.seek(0)
        return self.said.read().strip()


class Inspector:
    """The inspector's command line: one process, and with stdio one server, a request."""

    can_complete = False
    version = None

    def __init__(self, tools: Tools, server: Server, era: str):
        self.program = [str(tools.node), str((tools.modules / ".bin" / "mcp-inspector").resolve()), "--cli"]
        self.options = ["--protocol-era", era, "--format", "json", "-q"]
        match server.transport:
            case "stdio":
                self.target = ["--", *server.command]
            case "http":
                self.target = ["--transport", "http", "--server-url", server.url]
            case _:
                self.target = ["--transport", "sse", "--server-url", server.url]

    def __enter__(self) -> "Inspector":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def ask(self, method: str, params: dict) -> dict:
        match method:
            case "tools/call":
                what = ["--tool-name", params["name"], "--tool-args-json", json.dumps(params["arguments"])]
            case "resources/read":
                what = ["--uri", params["uri"]]
            case "prompts/get":
                pairs = [f"{name}={value}" for name, value in params["arguments"].items()]
                what = ["--prompt-name", params["name"], "--prompt-args", *pairs]
            case _:
                what = []
        done = self.run(["--method", method, *what])
        if done.returncode not in (0, INSPECTOR_TOOL_ERROR):
            raise Failed(f"{method}: the inspector ended with {done.returncode}\n{done.stdout}{done.stderr}")
        answer = json.loads(done.stdout)
        return answer.get("result", answer)

    def run(self, arguments: list[str]) -> subprocess.CompletedProcess:
        with tempfile.TemporaryDirectory() as home:
            # Nobody's own catalogue of servers takes part.
            environment = {**os.environ, "HOME": home}
            environment.pop("MCP_CATALOG_PATH", None)
            return subprocess.run(
                [*self.program, *arguments, *self.options, *self.target],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                env=environment,
                timeout=ANSWER_TIMEOUT_S,
                check=False,
            )


class HttpServer:
    """A server process that says on which address it listens."""

    def __init__(self, command: list[str], says_on: str):
        pipe = {says_on: subprocess.PIPE}
        other = {"stderr" if says_on == "stdout" else "stdout": subprocess.DEVNULL}
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, text=True, encoding="utf-8", start_new_session=True, **pipe, **other
        )
        self.lines = lines_of(self.process.stdout or self.process.stderr)
        self.said: list[str] = []

    def __enter__(self) -> "HttpServer":
        until = time.monotonic() + START_TIMEOUT_S
        while (left := until - time.monotonic()) > 0:
            try:
                line = self.lines.get(timeout=left)
            except queue.Empty:
                break
            if line is None:
                break
            self.said.append(line)
            if line.rstrip().endswith("/mcp"):
                self.url = line[line.index("http://") :].strip()
                return self
        stop(self.process)
        raise Failed(f"the server did not say where it listens\n{self.log()}")

    def __exit__(self, *_: object) -> None:
        stop(self.process)

    def log(self) -> str:
        """What the server has said so far."""
        while not self.lines.empty():
            self.said.append(self.lines.get() or "")
        return "".join(self.said)


def stop(process: subprocess.Popen) -> None:
    """Ends a process and whatever it started."""
    for how in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, how)
        except ProcessLookupError:
            pass
        try:
            process.wait(END_TIMEOUT_S)
            return
        except subprocess.TimeoutExpired:
            continue


def lines_of(stream: IO[str]) -> "queue.SimpleQueue[str | None]":
    """The lines of a stream as they come, then None."""
    lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()

    def read() -> None:
        for line in stream:
            lines.put(line)
        lines.put(None)

    threading.Thread(target=read, daemon=True).start()
    return lines


def adapter_of(name: str, tools: Tools) -> list[str]:
    """The command of an adapter."""
    folder = Path(__file__).parent / "adapters"
    python = {"mcp2": tools.mcp2, "mcp1": tools.mcp1, "fastmcp4": tools.fastmcp4}.get(name)
    if python is not None:
        return [str(python), str(folder / f"{name}.py")]
    # Node looks for packages beside the script that asks for them.
    home = tools.modules.parent / "adapters"
    home.mkdir(exist_ok=True)
    for script in (f"{name}.mjs", "loop.mjs"):
        copy = home / f"{script}.{os.getpid()}.{threading.get_ident()}"
        copy.write_bytes((folder / script).read_bytes())
        copy.replace(home / script)
    return [str(tools.node), str(home / f"{name}.mjs")]
