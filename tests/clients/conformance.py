"""Runs of the MCP conformance suite: the product with a list of known failures, and the test server without one.

The suite tests a server through tools, resources and prompts of fixed names. The product has none of them, so the
scenarios that need one are listed in baseline-REVISION.yml; a test here keeps everything else out of those lists. The
test server has them all and must pass every scenario that a revision requires.
"""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from sessions import Failed
from setup import Tools

HERE = Path(__file__).resolve().parent
REVISIONS = ["2025-11-25", "2026-07-28"]
RUN_TIMEOUT_S = 120
LINES_SHOWN = 60
# Scenarios that any server can pass without fixtures. They must never be in a list of known failures.
NEEDS_NO_FIXTURE = {
    "caching",
    "dns-rebinding-protection",
    "http-header-validation",
    "input-required-result-unsupported-methods",
    "ping",
    "prompts-list",
    "resources-list",
    "resources-subscribe",
    "resources-unsubscribe",
    "sep-2164-resource-not-found",
    "server-initialize",
    "server-session-lifecycle",
    "server-sse-multiple-streams",
    "server-stateless",
    "tools-list",
}
# Single checks of those scenarios that do need a fixture.
CHECKS_WITH_FIXTURE = {
    "server-stateless:sep-2575-server-rejects-undeclared-capability",
    "server-stateless:sep-2575-missing-capability-http-400",
    "server-stateless:sep-2575-http-server-no-independent-requests-on-stream",
    "server-stateless:sep-2575-server-no-log-without-loglevel",
    "server-stateless:sep-2575-server-sends-tools-list-changed-on-subscription",
}
# An extension that docent does not have.
EXTENSION = re.compile(r"tasks-")


def product(tools: Tools, url: str, revision: str) -> None:
    """The product fails exactly what the baseline lists."""
    baseline = HERE / f"baseline-{revision}.yml"
    check_baseline(baseline)
    with tempfile.TemporaryDirectory() as results:
        run = suite(tools, url, revision, results, "--expected-failures", str(baseline))
        check_all_ran(tools, revision, results)
        # What a revision does not require cannot fail a run, so the suite's own verdict is not enough.
        excused = {entry.partition(":")[0] for entry in entries(baseline)}
        wrong = {name: why for name, why in failing(results).items() if name in NEEDS_NO_FIXTURE - excused}
    if run.returncode != 0 or wrong:
        raise Failed(report(run, wrong))


def fixtures(tools: Tools, url: str, revision: str) -> None:
    """The test server passes everything, warnings included."""
    with tempfile.TemporaryDirectory() as results:
        run = suite(tools, url, revision, results)
        check_all_ran(tools, revision, results)
        wrong = {name: why for name, why in failing(results).items() if not EXTENSION.match(name)}
    if run.returncode != 0 or wrong:
        raise Failed(report(run, wrong))


def check_baseline(baseline: Path) -> None:
    """Only what needs a fixture may be listed."""
    wrong = [entry for entry in entries(baseline) if entry not in CHECKS_WITH_FIXTURE]
    wrong = [entry for entry in wrong if entry.partition(":")[0] in NEEDS_NO_FIXTURE]
    if wrong:
        raise Failed(f"{baseline.name} lists what needs no fixture: {', '.join(wrong)}")


def entries(baseline: Path) -> list[str]:
    return re.findall(r"^\s+- (\S+)", baseline.read_text(), re.MULTILINE)


def suite(tools: Tools, url: str, revision: str, results: str, *options: str) -> subprocess.CompletedProcess:
    program = tools.modules / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
    command = [str(tools.node), str(program), "server", "--url", url, "--requirements", revision, "-o", results, *options]
    return subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=RUN_TIMEOUT_S,
        check=False,
    )


def check_all_ran(tools: Tools, revision: str, results: str) -> None:
    """A scenario that did not run has not passed."""
    required = tools.modules / "@modelcontextprotocol" / "conformance" / "requirements" / f"{revision}.yaml"
    section = re.search(r"^server:\n((?:  - \S+\n)+)", required.read_text(), re.MULTILINE)
    missing = set(re.findall(r"- (\S+)", section[1] if section else "")) - {name for name, _ in checks(results)}
    if section is None or missing:
        raise Failed(f"these scenarios did not run: {', '.join(sorted(missing))}")


def failing(results: str) -> dict[str, list[str]]:
    """Scenario → what failed or was warned about."""
    found: dict[str, list[str]] = {}
    for name, check in checks(results):
        if check["status"] in ("FAILURE", "WARNING"):
            found.setdefault(name, []).append(f"{check['id']}: {check.get('errorMessage', '')}")
    return found


def checks(results: str) -> Iterator[tuple[str, dict]]:
    """Every check with the name of its scenario."""
    for file in sorted(Path(results).glob("server-*/checks.json")):
        # The folder is server-NAME-TIME.
        name = re.sub(r"^server-(.*)-\d{4}-\d\d-\d\dT.*$", r"\1", file.parent.name)
        for check in json.loads(file.read_text()):
            yield name, check


def report(run: subprocess.CompletedProcess, wrong: dict[str, list[str]]) -> str:
    """What failed, and the suite's summary without what went well or was expected."""
    _, _, summary = run.stdout.partition("=== SUMMARY ===")
    plain = re.sub(r"\x1b\[\d*m", "", summary or run.stdout)
    lines = [line for line in plain.splitlines() if line.strip() and not re.match(r"\s*[✓~]", line)]
    return "\n".join([f"the suite ended with {run.returncode}", json.dumps(wrong, indent=2), *lines[-LINES_SHOWN:]])
