"""What every client must be able to do with the tools of docs health: one list of steps, on a small repository.

The repository is made here. Its guide names a file and two targets of a Makefile that were there when it was written; a
later commit takes one target out, so that the guide has one claim that has drifted, and git knows since when.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from checklist import Session, expect, go_through
from sessions import Failed

GUIDE = """# Workshop

## Building

Type `make lantern` to build everything from `src/lantern.c`.

## Polishing

Type `make varnish` before you ship.
"""
TARGETS = {"lantern": "lantern:\n\tcc src/lantern.c\n", "varnish": "varnish:\n\ttouch src/lantern.c\n"}
CHECKED_WITHIN_S = 60
SEEN_WITHIN_S = 30


def make_repository(root: Path) -> None:
    """Two commits: everything is right, then a target is gone."""
    (root / "docs").mkdir(parents=True)
    (root / "src").mkdir()
    (root / "src" / "lantern.c").write_text("int main(void) { return 0; }\n")
    (root / "docs" / "guide.md").write_text(GUIDE)
    (root / "README.md").write_text("# Workshop\n\nIt all begins in `src/lantern.c`.\n")
    git(root, "init", "--quiet", "--initial-branch", "main")
    git(root, "remote", "add", "origin", "https://github.com/acme/workshop.git")
    for message, names in [("a workshop", ["lantern", "varnish"]), ("no more varnish", ["lantern"])]:
        (root / "Makefile").write_text("\n".join(TARGETS[name] for name in names))
        git(root, "add", "--all")
        git(root, "commit", "--quiet", "--message", message)


def git(root: Path, *arguments: str) -> None:
    identity = {f"GIT_{who}_{what}": "a@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    nobody = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", *arguments], cwd=root, env={**os.environ, **identity, **nobody}, check=True)


def the_repository_is_checked_in_the_background(session: Session) -> None:
    def whole() -> dict:
        return session.call("get_doc_health")["health"]

    health = until(whole, lambda health: health["total_claims"] > 0, CHECKED_WITHIN_S)
    figures = [health[name] for name in ("total_claims", "verified", "drifted", "uncertain", "pending")]
    expect(figures[2:] == [1, 0, 0] and figures[0] == figures[1] + 1 >= 3, "one claim has drifted", health)
    expect(health["score"] == figures[1] / figures[0], "the score is the share of what holds", health)
    expect(health["hotspots"] == ["docs/guide.md"], "the guide is where the trouble is", health)


def a_file_and_a_folder_are_counted(session: Session) -> None:
    file, folder = (session.call("get_doc_health", path=path)["health"] for path in ("docs/guide.md", "docs"))
    expect(file == folder and list(file["by_file"]) == ["docs/guide.md"], "the folder has one file", [file, folder])


def stale_documents_are_listed(session: Session) -> None:
    stale = session.call("list_stale_docs", max_results=1)["stale_docs"]
    expect([it["file"] for it in stale] == ["docs/guide.md"], "the guide is stale", stale)
    expect((stale[0]["drifted_claims"], stale[0]["uncertain_claims"]) == (1, 0), "for one claim", stale)
    expect(stale[0]["last_verified"].endswith("Z"), "the time is ISO 8601", stale)


def a_topic_comes_with_what_broke(session: Session) -> None:
    section = session.call("get_docs", query="varnish")["sections"][0]
    expect((section["file"], section["section"]) == ("docs/guide.md", "Polishing"), "the section is found", section)
    expect(section["verification_status"] == "drifted" and section["health_score"] == 0, "it has drifted", section)
    problem = section["problems"][0]
    expect("no more varnish" in problem["reason"], "the reason names the commit", problem)
    verified = session.call("get_docs", query="make", verified_only=True)["sections"]
    expect([it["section"] for it in verified] == ["Building"], "only what holds is left", verified)


def hits_of_a_search_are_marked(session: Session) -> None:
    hit = session.first_hit("varnish before you ship")
    expect(hit["verification"]["status"] == "drifted", "the hit says that it has drifted", hit)
    expect("no more varnish" in hit["verification"]["reasons"][0], "and since which commit", hit)
    found = session.call("search_docs", query="make", verified_only=True)["results"]
    statuses = {it["verification"]["status"] for it in found}
    expect(statuses == {"verified"}, "only what holds is searched", found)


def a_report_is_acknowledged(session: Session) -> None:
    said = {"claim_text": "Type `make lantern` to build everything", "actual_behavior": "It builds one file"}
    answer = session.call("report_drift", doc_file="docs/guide.md", line_number=5, **said, evidence_files=["Makefile"])
    expect(answer["acknowledged"] is True and answer["claim_id"] == answer["report_id"], "it is kept", answer)
    expect(answer["matched_claim_id"] is not None, "its claim is recognised", answer)
    answer = session.call("report_drift", doc_file="docs/guide.md", claim_text="x" * 2001, actual_behavior="y")
    expect(answer["truncated"] is True, "a long text is cut, and that is said", answer)


def what_is_wrong_with_a_call_is_an_error(session: Session) -> None:
    for tool, arguments, message in [
        ("get_docs", {"query": ""}, "query must be a non-empty string"),
        ("get_docs", {"query": " "}, "query must be a non-empty string"),
        ("get_doc_health", {"path": "nowhere.md"}, "No documentation claims found for path 'nowhere.md'."),
        ("get_doc_health", {"path": "../Makefile"}, "No documentation claims found for path '../Makefile'."),
        ("list_stale_docs", {"max_results": 101}, "max_results must be between 1 and 100"),
        ("report_drift", {"doc_file": "a.md", "claim_text": "x"}, "actual_behavior is required"),
    ]:
        try:
            answer = session.client.ask("tools/call", {"name": tool, "arguments": arguments})
        except Failed as error:
            expect(message in str(error), f"{tool} says {message!r}", str(error))
        else:
            expect(False, f"{tool} refuses {arguments}", answer)


def an_edit_changes_the_verdict(session: Session) -> None:
    guide = session.docs / "docs" / "guide.md"
    guide.write_text(guide.read_text().replace("make varnish", "make lantern"))

    def stale() -> list:
        return session.call("list_stale_docs")["stale_docs"]

    until(stale, lambda stale: stale == [], SEEN_WITHIN_S)


def an_edit_outside_of_the_indexed_folder_is_seen(session: Session) -> None:
    def claims() -> int:
        return session.call("get_doc_health", path="README.md")["health"]["total_claims"]

    before = claims()
    with open(session.docs / "README.md", "a", encoding="utf-8") as readme:
        readme.write("\nHow it is built stands in `Makefile`.\n")
    until(claims, lambda count: count == before + 1, SEEN_WITHIN_S)


STEPS: list[Callable[[Session], None]] = [
    the_repository_is_checked_in_the_background,
    a_file_and_a_folder_are_counted,
    stale_documents_are_listed,
    a_topic_comes_with_what_broke,
    hits_of_a_search_are_marked,
    a_report_is_acknowledged,
    what_is_wrong_with_a_call_is_an_error,
    an_edit_changes_the_verdict,
    an_edit_outside_of_the_indexed_folder_is_seen,
]


def run(session: Session) -> None:
    """All steps."""
    go_through(STEPS, session)


def until(ask: Callable, holds: Callable[..., bool], limit_s: float):
    """Asks until the answer is right."""
    end = time.monotonic() + limit_s
    while not holds(answer := ask()):
        expect(time.monotonic() < end, f"what was asked changes within {limit_s:.0f} s", answer)
        time.sleep(0.3)
    return answer
