"""Four servers on one database under the load of 64 clients while a fifth process indexes documents that change.

    cargo build --release -p docent && cargo build --release -p docent-web --example load
    python3 benches/postgres/load.py --docent target/release/docent --load target/release/examples/load \\
        --docs DOCS --queries QUERIES.jsonl ADDRESS [--seconds 120]

ADDRESS names an empty database; DOCS is copied, and the copy is edited. The clients speak MCP over HTTP, revision 2026-07-28;
four calls of five are searches, the fifth reads something that was found. Afterwards 64 clients ask the same database in plain
SQL through psycopg, in one Python process, with vectors of passages for those of the queries: no model, no protocol, no ranking
beyond reciprocal ranks. `docent check` has the last word.
"""

import argparse
import asyncio
import json
import os
import pathlib
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

SERVERS, CLIENTS = 4, 16


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def wait_for(port: int) -> None:
    for _ in range(600):
        with socket.socket() as tried:
            if tried.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    sys.exit("a server did not start")


def edit_and_index(docent: str, clone: pathlib.Path, environment: dict, over: threading.Event, told: dict) -> None:
    """Adds a line to some pages, indexes, and again."""
    draw, pages = random.Random(1), sorted((clone / "docs").rglob("*.md"))
    while not over.is_set():
        for page in draw.sample(pages, 5):
            with page.open("a") as text:
                text.write(f"\nChanged for the {told['rounds'] + 1}. time, number {draw.randrange(10**6)}.\n")
        begun = time.perf_counter()
        done = subprocess.run([docent, "index", "--quiet"], cwd=clone, env=environment, capture_output=True, text=True)
        told["times"].append(time.perf_counter() - begun)
        told["rounds"] += 1
        if done.returncode:
            told["errors"].append(done.stderr)


def percentiles(times: list) -> str:
    times = sorted(times)
    at = [f"{times[int(len(times) * share)]:.1f}" for share in (0.5, 0.95, 0.99)]
    return f"p50 {at[0]} ms, p95 {at[1]} ms, p99 {at[2]} ms, max {times[-1]:.1f} ms"


async def plain_sql(address: str, queries: list, seconds: float) -> None:
    import psycopg
    from pgvector.psycopg import register_vector_async
    from psycopg_pool import AsyncConnectionPool

    with psycopg.connect(address, autocommit=True) as connection:
        model, dimensions = connection.execute("SELECT id, dimensions FROM docent.models WHERE died IS NULL").fetchone()
        connection.execute(
            """CREATE SCHEMA reference;
            CREATE TABLE reference.words AS SELECT p.collection_id, p.id AS passage, to_tsvector('english', p.text) AS words, p.text
                FROM docent.passages p JOIN docent.documents d ON d.collection_id = p.collection_id AND d.id = p.id >> 32
                WHERE d.died IS NULL;
            CREATE INDEX ON reference.words USING gin (words);
            ALTER TABLE reference.words ADD PRIMARY KEY (passage);
            ANALYZE reference.words"""
        )
        connection.execute(
            f"""CREATE TABLE reference.vectors AS SELECT passage, embedding::halfvec({dimensions}) AS embedding FROM docent.vectors_m{model};
            CREATE INDEX ON reference.vectors USING hnsw (embedding halfvec_cosine_ops); ANALYZE reference.vectors"""
        )
        vectors = [row[0] for row in connection.execute("SELECT embedding::text FROM reference.vectors LIMIT 2000")]
    sql = f"""
WITH near AS (
    SELECT passage, row_number() OVER () AS rank FROM (
        SELECT passage FROM reference.vectors ORDER BY embedding <=> %(vector)s::halfvec({dimensions}) LIMIT 200) n),
named AS (
    SELECT passage, row_number() OVER () AS rank FROM (
        SELECT passage FROM reference.words, to_tsquery('english', %(words)s) AS query WHERE words @@ query
        ORDER BY ts_rank_cd(words, query) DESC LIMIT 200) n)
SELECT passage, text FROM near FULL JOIN named USING (passage) JOIN reference.words USING (passage)
ORDER BY coalesce(1.0 / (60 + near.rank), 0) + coalesce(1.0 / (60 + named.rank), 0) DESC LIMIT 5"""

    async def prepared(connection):
        await register_vector_async(connection)
        await connection.execute("SET hnsw.ef_search = 200; SET jit = off")

    times, errors, end = [], [], time.perf_counter() + seconds
    options = {"autocommit": True, "prepare_threshold": 1}
    async with AsyncConnectionPool(address, kwargs=options, configure=prepared, min_size=8, max_size=32, timeout=120, open=False) as pool:

        async def client(number: int):
            draw = random.Random(number)
            while time.perf_counter() < end:
                words = [word for word in "".join(c if c.isalnum() else " " for c in draw.choice(queries)).split()]
                begun = time.perf_counter()
                try:
                    async with pool.connection() as connection:
                        found = await connection.execute(sql, {"vector": draw.choice(vectors), "words": " | ".join(words)})
                        await found.fetchall()
                    times.append((time.perf_counter() - begun) * 1000)
                except Exception as error:  # whatever goes wrong is counted
                    errors.append(str(error))

        await asyncio.gather(*(client(number) for number in range(SERVERS * CLIENTS)))
    print(f"plain SQL: {len(times) / seconds:.0f} searches a second, {len(errors)} errors, {percentiles(times)}")
    for error in errors[:3]:
        print(f"  {error}")


def main() -> int:
    parser = argparse.ArgumentParser(formatter_class=argparse.RawDescriptionHelpFormatter, description=__doc__)
    parser.add_argument("--docent", required=True, type=os.path.abspath)
    parser.add_argument("--load", required=True, type=os.path.abspath)
    parser.add_argument("--docs", required=True, type=pathlib.Path)
    parser.add_argument("--queries", required=True, type=pathlib.Path)
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument("address")
    args = parser.parse_args()
    environment = os.environ | {"DOCENT_DATABASE_URL": args.address}
    with tempfile.TemporaryDirectory() as work:
        clone = pathlib.Path(work) / "clone"
        shutil.copytree(args.docs, clone / "docs")
        (clone / ".git").mkdir()
        (clone / ".git/config").write_text('[remote "origin"]\n\turl = https://github.com/acme/docs.git\n')
        begun = time.perf_counter()
        subprocess.run([args.docent, "index", "--quiet"], cwd=clone, env=environment, check=True)
        print(f"indexed in {time.perf_counter() - begun:.0f} s")
        ports = [free_port() for _ in range(SERVERS)]
        servers = [
            subprocess.Popen(
                [args.docent, "serve", "--http", f"127.0.0.1:{port}", "--quiet"], cwd=clone, env=environment, stderr=subprocess.PIPE, text=True
            )
            for port in ports
        ]
        told = {"rounds": 0, "times": [], "errors": []}
        try:
            for port in ports:
                wait_for(port)
            over = threading.Event()
            indexer = threading.Thread(target=edit_and_index, args=(args.docent, clone, environment, over, told))
            indexer.start()
            loads = [
                subprocess.Popen(
                    [args.load, "http", f"127.0.0.1:{port}", str(server.pid), args.queries, str(CLIENTS), str(args.seconds)],
                    stdout=subprocess.PIPE,
                    text=True,
                )
                for port, server in zip(ports, servers)
            ]
            for number, load in enumerate(loads):
                lines = load.communicate()[0].splitlines()
                memory = [line for line in lines if line.startswith("memory")]
                print(f"server {number + 1}: {memory[-1]}")
                print("\n".join(f"  {line}" for line in lines if not line.startswith("memory")), flush=True)
            over.set()
            indexer.join()
        finally:
            for server in servers:
                server.terminate()
        print(f"the fifth process indexed {told['rounds']} times, {percentiles([t * 1000 for t in told['times']])}; {len(told['errors'])} errors")
        for error in told["errors"][:3]:
            print(f"  {error}")
        print(subprocess.run([args.docent, "check"], cwd=clone, env=environment, capture_output=True, text=True).stdout.strip())
    queries = [json.loads(line)["text"] for line in args.queries.read_text().splitlines() if line.strip()]
    asyncio.run(plain_sql(args.address, queries, args.seconds / 2))
    return 1 if told["errors"] else 0


if __name__ == "__main__":
    sys.exit(main())
