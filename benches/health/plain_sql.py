#!/usr/bin/env python3
"""The queries of DocAlign's specification (its Appendix F), as they stand there, over the claims that health_speed kept.

    cargo run --release -p docent-mcp --example health_speed -- --keep /tmp/health-speed
    python3 benches/health/plain_sql.py /tmp/health-speed

Python's sqlite3 with the specification's tables and indexes: full text over `claim_text`, LIKE when that finds nothing, counts
with GROUP BY. No protocol, no search by meaning, no evidence: only the rows, and what is answered as JSON text. The questions are
those of health_speed, which writes them down beside the database.
"""

from __future__ import annotations

import json
import sqlite3
import sys
import time
from collections.abc import Callable
from pathlib import Path

TABLES = """
CREATE TABLE claims (id TEXT PRIMARY KEY, repo_id TEXT, source_file TEXT, line_number INTEGER, claim_text TEXT, claim_type TEXT,
    keywords TEXT, verification_status TEXT, last_verified_at TEXT, section_heading TEXT);
CREATE INDEX idx_claims_repo ON claims (repo_id);
CREATE VIRTUAL TABLE claims_fulltext USING fts5 (claim_text, content='claims', tokenize='porter');
"""
COLUMNS = (
    "id, repo_id, source_file, line_number, claim_text, claim_type, keywords, verification_status, last_verified_at,"
    " section_heading"
)
FULL_TEXT = f"""
SELECT {", ".join("c." + name for name in COLUMNS.split(", "))} FROM claims_fulltext f JOIN claims c ON c.rowid = f.rowid
WHERE c.repo_id = ? AND claims_fulltext MATCH ? ORDER BY rank LIMIT 20
"""
LIKE = f"""
SELECT {COLUMNS} FROM claims WHERE repo_id = ? AND (claim_text LIKE '%' || ? || '%'
    OR EXISTS (SELECT 1 FROM json_each(keywords) WHERE value = ?)) ORDER BY last_verified_at DESC LIMIT 20
"""
COUNTS = """
SELECT source_file, claim_type, verification_status, COUNT(*) FROM claims
WHERE repo_id = ?1 AND (?2 IS NULL OR source_file = ?2 OR source_file LIKE ?2 || '%')
GROUP BY source_file, claim_type, verification_status
"""
STALE = """
SELECT source_file, COUNT(*) FILTER (WHERE verification_status = 'drifted') AS drifted,
    COUNT(*) FILTER (WHERE verification_status = 'uncertain') AS uncertain, MAX(last_verified_at) AS last
FROM claims WHERE repo_id = ?1 GROUP BY source_file
HAVING drifted > 0 OR uncertain > 0 OR last < ?2 OR last IS NULL
ORDER BY drifted DESC, uncertain DESC, last ASC NULLS FIRST LIMIT ?3
"""


def filled(folder: Path) -> tuple[sqlite3.Connection, str]:
    """The specification's tables, with the claims that were kept."""
    connection = sqlite3.connect(":memory:")
    connection.executescript(TABLES)
    kept = sqlite3.connect(f"file:{folder / 'index' / 'health.sqlite'}?mode=ro", uri=True)
    rows = kept.execute(f"SELECT {COLUMNS} FROM claims").fetchall()
    connection.executemany(f"INSERT INTO claims ({COLUMNS}) VALUES ({', '.join('?' * 10)})", rows)
    connection.execute("INSERT INTO claims_fulltext (claims_fulltext) VALUES ('rebuild')")
    return connection, rows[0][1]


def get_docs(connection: sqlite3.Connection, repo: str, asked: dict) -> str:
    words = " ".join('"' + word.replace('"', "") + '"' for word in asked["query"].split())
    rows = connection.execute(FULL_TEXT, (repo, words)).fetchall()
    rows = rows or connection.execute(LIKE, (repo, asked["query"], asked["query"])).fetchall()
    sections: dict[tuple, list] = {}
    for row in rows:
        sections.setdefault((row[2], row[9]), []).append(row)
    return json.dumps([
        {"file": file, "section": section, "content": "\n".join(row[4] for row in claims),
         "last_verified": max(row[8] for row in claims), "claims_in_section": len(claims)}
        for (file, section), claims in sections.items()
    ])  # fmt: skip


def get_doc_health(connection: sqlite3.Connection, repo: str, asked: dict) -> str:
    path = asked.get("path", "").lstrip("./") or None
    files: dict[str, dict[str, int]] = {}
    types: dict[str, int] = {}
    for file, kind, status, count in connection.execute(COUNTS, (repo, path)):
        standing = files.setdefault(file, {"total": 0})
        standing["total"] += count
        standing[status] = standing.get(status, 0) + count
        types[kind] = types.get(kind, 0) + count
    return json.dumps({"by_file": files, "by_type": types})


def list_stale_docs(connection: sqlite3.Connection, repo: str, asked: dict) -> str:
    return json.dumps(connection.execute(STALE, (repo, "2026-01-01", asked["max_results"])).fetchall())


TOOLS: dict[str, Callable[[sqlite3.Connection, str, dict], str]] = {
    "get_docs": get_docs,
    "get_doc_health": get_doc_health,
    "list_stale_docs": list_stale_docs,
}


def main() -> None:
    folder = Path(sys.argv[1])
    connection, repo = filled(folder)
    print(f"{'call':<44} {'plain SQL p50':>14} {'p95':>9}   {'docent p50':>11} {'p95':>9}   ratio of p95")
    for line in (folder / "asked.jsonl").read_text().splitlines():
        asked = json.loads(line)
        if asked["tool"] not in TOOLS:
            continue
        times = []
        for arguments in asked["arguments"]:
            begun = time.perf_counter()
            TOOLS[asked["tool"]](connection, repo, arguments)
            times.append((time.perf_counter() - begun) * 1e3)
        times = sorted(times[1:])
        half, most = (times[int((len(times) - 1) * share)] for share in (0.5, 0.95))
        ours = asked["p50"], asked["p95"]
        print(f"{asked['what']:<44} {half:>11.2f} ms {most:>6.2f} ms   {ours[0]:>8.2f} ms {ours[1]:>6.2f} ms   {most / ours[1]:.1f}")


if __name__ == "__main__":
    main()
