#!/usr/bin/env python3
"""Real clients and the conformance suite against docent: one cell of the matrix a line, exit code 1 when one fails.

    python3 tests/clients/run.py --docent target/debug/docent --conformance target/debug/docent-conformance
    python3 tests/clients/run.py --list
    python3 tests/clients/run.py … --only mcp-2.3       every cell whose name contains it

What the clients do is in checklist.py and health.py, what the suite must say in conformance.py, what is tried without a client in
bare_pipes.py, and setup.py installs what is needed.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import bare_pipes
import checklist
import conformance
import health
import setup
from sessions import Adapter, Failed, HttpServer, Inspector, Server, adapter_of

HERE = Path(__file__).resolve().parent
AT_ONCE = 2
OLDER, NEWER = "2025-11-25", "2026-07-28"
EVERY_TRANSPORT = ("stdio", "http", "sse")
# Name, adapter, mode, and the versions that must be agreed on over each transport.
CLIENTS = [
    ("mcp-2.3-auto", "mcp2", "auto", (NEWER, NEWER, NEWER)),
    ("mcp-2.3-legacy", "mcp2", "legacy", (OLDER, OLDER, OLDER)),
    ("mcp-1.30", "mcp1", "legacy", (OLDER, OLDER, OLDER)),
    # Over SSE this client never tries the newer era.
    ("fastmcp-4.1", "fastmcp4", "auto", (NEWER, NEWER, OLDER)),
    ("ts-sdk-1.32", "sdk1", "legacy", (OLDER, OLDER, OLDER)),
    ("ts-client-2.4-legacy", "client2", "legacy", (OLDER, OLDER, OLDER)),
    ("ts-client-2.4-auto", "client2", "auto", (NEWER, NEWER, NEWER)),
]
ERAS = ["legacy", "auto", "modern"]
# Those that try the tools of docs health: name, adapter, mode, transport.
HEALTH_CLIENTS = [
    ("mcp-2.3", "mcp2", "auto", "stdio"),
    ("mcp-1.30", "mcp1", "legacy", "http"),
    ("fastmcp-4.1", "fastmcp4", "auto", "stdio"),
    ("ts-client-2.4", "client2", "auto", "http"),
]


@dataclass(frozen=True)
class Binaries:
    """What is tested."""

    docent: str
    conformance: str


@dataclass(frozen=True)
class Cell:
    """One combination, and the function that tries it."""

    name: str
    run: Callable[[Binaries, setup.Tools, Path], None]


def cells() -> list[Cell]:
    """The whole matrix. The slow ones come first, so that two at a time end together."""
    found = []
    for era in ERAS:
        for transport in EVERY_TRANSPORT:
            found.append(Cell(f"inspector-{era}/{transport}", partial(inspector, transport, era)))
    for revision in conformance.REVISIONS:
        found.append(Cell(f"conformance-{revision}/product", partial(suite_on_product, revision)))
        found.append(Cell(f"conformance-{revision}/fixtures", partial(suite_on_fixtures, revision)))
    for name, adapter, mode, versions in CLIENTS:
        for transport, version in zip(EVERY_TRANSPORT, versions, strict=True):
            found.append(Cell(f"{name}/{transport}", partial(client, transport, adapter, mode, version)))
    for transport in ("stdio", "http"):
        found.append(Cell(f"inspector-strict/{transport}", partial(strict, transport)))
    for name, adapter, mode, transport in HEALTH_CLIENTS:
        found.append(Cell(f"health-{name}/{transport}", partial(health_client, transport, adapter, mode)))
    found.append(Cell("health-inspector-strict/stdio", health_strict))
    found.append(Cell("ends-with-its-input/stdio", partial(on_pipes, bare_pipes.ends_with_its_input)))
    found.append(Cell("reads-lines-in-pieces/stdio", partial(on_pipes, bare_pipes.reads_lines_in_pieces)))
    return found


def client(
    transport: str, adapter: str, mode: str, version: str, binaries: Binaries, tools: setup.Tools, folder: Path
) -> None:
    """A client's whole session."""
    with serving(transport, binaries, folder) as server, Adapter(adapter_of(adapter, tools), server, mode) as session:
        if session.version != version:
            raise Failed(f"the client and docent agreed on {session.version} instead of {version}")
        checklist.run(checklist.Session(session, folder / "docs"))


def inspector(transport: str, era: str, binaries: Binaries, tools: setup.Tools, folder: Path) -> None:
    """The same, one process a request."""
    with serving(transport, binaries, folder) as server, Inspector(tools, server, era) as session:
        checklist.run(checklist.Session(session, folder / "docs"))


def health_client(
    transport: str, adapter: str, mode: str, binaries: Binaries, tools: setup.Tools, folder: Path
) -> None:
    """A client's session with the tools of docs health."""
    with serving_repository(transport, binaries, folder) as server:
        with Adapter(adapter_of(adapter, tools), server, mode) as session:
            health.run(checklist.Session(session, folder / "repository"))


def health_strict(binaries: Binaries, tools: setup.Tools, folder: Path) -> None:
    """The inspector finds nothing to say about the tools that a repository is served with."""
    with serving_repository("stdio", binaries, folder) as server:
        expect_portable(server, tools)


def strict(transport: str, binaries: Binaries, tools: setup.Tools, folder: Path) -> None:
    """The inspector finds nothing to say about the tools' schemas."""
    with serving(transport, binaries, folder) as server:
        expect_portable(server, tools)


def expect_portable(server: Server, tools: setup.Tools) -> None:
    """The inspector's strict mode passes."""
    session = Inspector(tools, server, "legacy")
    session.options.remove("-q")
    done = session.run(["--method", "tools/list", "--strict"])
    # What it finds goes to stderr; only errors change how it ends.
    if done.returncode != 0 or "portab" in done.stderr or "schema" in done.stderr.lower():
        raise Failed(f"the inspector ended with {done.returncode}\n{done.stderr}")
    if not json.loads(done.stdout)["result"]["tools"]:
        raise Failed(f"there are no tools\n{done.stdout}")


def on_pipes(check: Callable[[list[str]], None], binaries: Binaries, _: setup.Tools, folder: Path) -> None:
    """docent on bare pipes."""
    with serving("stdio", binaries, folder) as server:
        check(server.command)


def suite_on_product(revision: str, binaries: Binaries, tools: setup.Tools, folder: Path) -> None:
    """The conformance suite against the product."""
    with serving("http", binaries, folder) as server:
        conformance.product(tools, server.url, revision)


def suite_on_fixtures(revision: str, binaries: Binaries, tools: setup.Tools, folder: Path) -> None:
    """The conformance suite against the test server."""
    with HttpServer([binaries.conformance, "--port", "0", str(folder / "docs")], "stdout") as server:
        conformance.fixtures(tools, server.url, revision)


class serving:
    """docent on a transport. Over stdio the client starts it; else it runs here for as long as the block."""

    def __init__(self, transport: str, binaries: Binaries, folder: Path, options: list[str] | None = None):
        self.transport = transport
        options = options or ["--docs", str(folder / "docs"), "--toolsets", "all", "--root", str(folder / "files")]
        self.command = [binaries.docent, "serve", "--index", str(folder / "index"), "--embedder", "hash", *options]
        self.process: HttpServer | None = None

    def __enter__(self) -> Server:
        url = ""
        if self.transport != "stdio":
            self.process = HttpServer([*self.command, "--http", "127.0.0.1:0", "--sse"], "stderr").__enter__()
            url = self.process.url
        if self.transport == "sse":
            url = url.removesuffix("/mcp") + "/sse"
        return Server(self.transport, self.command, url)

    def __exit__(self, _: object, error: BaseException | None, *__: object) -> None:
        if self.process is not None:
            self.process.__exit__()
            if isinstance(error, Failed):
                error.args = (f"{error}\nthe server said:\n{self.process.log()}",)


def serving_repository(transport: str, binaries: Binaries, folder: Path) -> serving:
    """docent on a repository that was just made."""
    health.make_repository(folder / "repository")
    return serving(transport, binaries, folder, ["--repo", str(folder / "repository")])


def attempt(cell: Cell, binaries: Binaries, tools: setup.Tools, talk: threading.Lock) -> bool:
    """Tries a cell on a fresh copy of the documents and says how it went."""
    begun = time.monotonic()
    problem = None
    with tempfile.TemporaryDirectory(prefix="docent-clients-") as folder:
        shutil.copytree(HERE / "docs", Path(folder) / "docs")
        (Path(folder) / "files").mkdir()
        try:
            cell.run(binaries, tools, Path(folder))
        except Failed as error:
            problem = str(error)
        except subprocess.TimeoutExpired as error:
            problem = f"no end within {error.timeout:.0f} s: {error.cmd}\n{error.stdout or ''}{error.stderr or ''}"
    with talk:
        print(f"{'ok  ' if problem is None else 'FAIL'}  {cell.name:<32} {time.monotonic() - begun:5.1f} s", flush=True)
        if problem is not None:
            print(textwrap.indent(problem.rstrip(), "      "), flush=True)
    return problem is None


def main() -> int:
    parser = argparse.ArgumentParser(description="Real clients and the conformance suite against docent.")
    parser.add_argument("--docent", default="target/debug/docent", help="the product [%(default)s]")
    parser.add_argument(
        "--conformance", default="target/debug/docent-conformance", help="the test server [%(default)s]"
    )
    parser.add_argument("--only", metavar="TEXT", default="", help="cells whose name contains this")
    parser.add_argument("--list", action="store_true", help="print the cells and stop")
    arguments = parser.parse_args()
    chosen = [cell for cell in cells() if arguments.only in cell.name]
    if arguments.list:
        print("\n".join(cell.name for cell in chosen))
        return 0
    if not chosen:
        sys.exit(f"error: no cell has {arguments.only!r} in its name\nhint: --list prints them all")
    binaries = Binaries(*(str(Path(path).resolve()) for path in (arguments.docent, arguments.conformance)))
    for binary in vars(binaries).values():
        if not Path(binary).is_file():
            sys.exit(f"error: {binary} is not there\nhint: cargo build -p docent -p docent-conformance")
    try:
        tools = setup.ensure()
    except setup.SetupError as error:
        sys.exit(str(error))
    begun = time.monotonic()
    talk = threading.Lock()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        passed = list(pool.map(lambda cell: attempt(cell, binaries, tools, talk), chosen))
    print(f"{sum(passed)} of {len(passed)} passed in {time.monotonic() - begun:.0f} s")
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
