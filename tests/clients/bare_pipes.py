"""What pipes do and client libraries hide: lines that come in pieces, and an end while the client waits for news."""

from __future__ import annotations

import json
import queue
import subprocess
import time

from sessions import ANSWER_TIMEOUT_S, Failed, lines_of

# Clients give a server two seconds to end before they kill it.
END_TIMEOUT_S = 1.5
PAUSE_S = 0.3
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


def ends_with_its_input(command: list[str]) -> None:
    """docent ends when its client goes away, even while the client waits for news."""
    with Docent(command) as docent:
        docent.send(request(1, "subscriptions/listen", notifications={"toolsListChanged": True}))
        acknowledged = docent.receive()
        if acknowledged.get("method") != "notifications/subscriptions/acknowledged":
            raise Failed(f"expected an acknowledgement; got {acknowledged}")
        time.sleep(PAUSE_S)
        docent.process.stdin.close()
        try:
            code = docent.process.wait(END_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            raise Failed(f"docent still runs {END_TIMEOUT_S} s after its input ended") from None
    if code != 0:
        raise Failed(f"docent ended with {code}")


def reads_lines_in_pieces(command: list[str]) -> None:
    """A line of which a part arrives before, and a part after another answer was sent, is one line."""
    with Docent(command) as docent:
        second = request(2, "tools/call", name="get_status", arguments={})
        docent.send(request(1, "tools/list") + second[:40])
        docent.receive()
        time.sleep(PAUSE_S)
        docent.send(second[40:])
        answer = docent.receive()
        if answer.get("id") != 2 or "result" not in answer:
            raise Failed(f"expected an answer to the second request; got {answer}")


class Docent:
    """A server on bare pipes that is gone after the block."""

    def __init__(self, command: list[str]):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen(command, text=True, encoding="utf-8", **pipes)
        self.lines = lines_of(self.process.stdout)

    def __enter__(self) -> "Docent":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()

    def send(self, text: str) -> None:
        self.process.stdin.write(text)
        self.process.stdin.flush()

    def receive(self) -> dict:
        try:
            line = self.lines.get(timeout=ANSWER_TIMEOUT_S)
        except queue.Empty:
            raise Failed(f"no answer within {ANSWER_TIMEOUT_S} s") from None
        if line is None:
            raise Failed("docent ended without an answer")
        return json.loads(line)


def request(number: int, method: str, **params: object) -> str:
    params = {"_meta": META, **params}
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n"
