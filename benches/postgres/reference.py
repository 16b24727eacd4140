"""Plain SQL for the same searches on the same database: what a Python program with psycopg and pgvector would do.

    cargo run --release -p docent-store-postgres --example scale -- ADDRESS 1000000 fill index search queries.jsonl
    python3 benches/postgres/reference.py ADDRESS queries.jsonl [--clients 64 --seconds 60]

Hybrid search as pgvector's own examples have it: the nearest by `<=>` and the best by `ts_rank_cd`, 200 of each, joined by
reciprocal ranks in one statement. Vectors and their index are docent's; words get a table of their own here, with `tsvector`
and GIN, in a schema `reference` that is made once and can be dropped. Every connection prepares its statements.

`all`: every word has to be in the passage, as `plainto_tsquery` has it. `any`: one is enough, which is what BM25 ranks.
Needs psycopg[binary,pool] and pgvector.
"""

import argparse
import asyncio
import json
import random
import time

import psycopg
from pgvector import HalfVector
from pgvector.psycopg import register_vector, register_vector_async
from psycopg_pool import AsyncConnectionPool

TABLE = """
CREATE SCHEMA IF NOT EXISTS reference;
CREATE TABLE reference.words AS
    SELECT p.collection_id, p.id AS passage, d.path, d.facets::jsonb ->> 'kind' AS kind, to_tsvector('simple', p.text) AS words
    FROM docent.passages p JOIN docent.documents d ON d.collection_id = p.collection_id AND d.id = p.id >> 32;
ALTER TABLE reference.words ADD PRIMARY KEY (collection_id, passage);
CREATE INDEX ON reference.words USING gin (words);
CREATE INDEX ON reference.words (kind);
ANALYZE reference.words
"""

# On vectors `v` and on words `w`: a filter that needs more than the collection joins the two.
FILTERS = {
    "everything": ("true", False),
    "half of the collections": ("{t}.collection_id = ANY(%(half)s)", False),
    "one collection of ten": ("{t}.collection_id = %(one)s", False),
    "one folder of 16": ("w.path LIKE 'f07/%%'", True),
    "one value of 100": ("w.kind = 'k7'", True),
}


def statement(name: str, combine: str, model: int, dimensions: int) -> str:
    condition, joins = FILTERS[name]
    join = "JOIN reference.words w USING (collection_id, passage)" if joins else ""
    query = "plainto_tsquery('simple', %(words)s)" if combine == "all" else "to_tsquery('simple', %(any)s)"
    return f"""
WITH near AS (
    SELECT passage, row_number() OVER () AS rank FROM (
        SELECT v.passage FROM docent.vectors_m{model} v {join} WHERE {condition.format(t='v')}
        ORDER BY v.embedding::halfvec({dimensions}) <=> %(vector)s LIMIT 200) n),
named AS (
    SELECT passage, row_number() OVER () AS rank FROM (
        SELECT w.passage FROM reference.words w, {query} AS query WHERE w.words @@ query AND {condition.format(t='w')}
        ORDER BY ts_rank_cd(w.words, query) DESC LIMIT 200) n)
SELECT passage, coalesce(1.0 / (60 + near.rank), 0) + coalesce(1.0 / (60 + named.rank), 0) AS score
FROM near FULL JOIN named USING (passage) ORDER BY score DESC LIMIT 10"""


SETTINGS = "SET hnsw.iterative_scan = relaxed_order; SET hnsw.ef_search = 200; SET jit = off; SET statement_timeout = '20s'"


def told(times: list) -> str:
    times = sorted(times)
    return f"{times[len(times) // 2]:.1f} / {times[len(times) * 95 // 100]:.1f}"


def alone(address: str, questions: list, model: int, dimensions: int, numbers: dict, most: int) -> None:
    print(f"{'median / p95 in ms':24} {'all words':>18} {'any word':>18}")
    overall = {"all": [], "any": []}
    with psycopg.connect(address, autocommit=True, prepare_threshold=1) as connection:
        register_vector(connection)
        connection.execute(SETTINGS)
        for name in FILTERS:
            shown = []
            for combine in overall:
                times, late = [], 0
                sql = statement(name, combine, model, dimensions)
                for values in [question | numbers for question in questions if question["filter"] == name][:most]:
                    begun = time.perf_counter()
                    try:
                        connection.execute(sql, values).fetchall()
                    except psycopg.errors.QueryCanceled:
                        late += 1
                    times.append((time.perf_counter() - begun) * 1000)
                overall[combine] += times
                shown.append(told(times) + (f" ({late} late)" if late else ""))
            print(f"{name:24} {shown[0]:>18} {shown[1]:>18}", flush=True)
    print(f"{'all of them':24} {told(overall['all']):>18} {told(overall['any']):>18}")


async def together(address: str, questions: list, model: int, dimensions: int, numbers: dict, clients: int, seconds: float) -> None:
    async def prepared(connection):
        await register_vector_async(connection)
        await connection.execute(SETTINGS)

    options = {"autocommit": True, "prepare_threshold": 1}
    async with AsyncConnectionPool(address, kwargs=options, configure=prepared, min_size=8, max_size=32, open=False) as pool:
        times, errors, end = [], 0, time.perf_counter() + seconds

        async def client(number: int):
            nonlocal errors
            draw = random.Random(number)
            while time.perf_counter() < end:
                question = draw.choice(questions)
                begun = time.perf_counter()
                try:
                    async with pool.connection() as connection:
                        found = await connection.execute(statement(question["filter"], "all", model, dimensions), question | numbers)
                        await found.fetchall()
                    times.append((time.perf_counter() - begun) * 1000)
                except (psycopg.Error, TimeoutError):
                    errors += 1

        await asyncio.gather(*(client(number) for number in range(clients)))
    print(f"{clients} clients, {seconds:.0f} s: {len(times) / seconds:.0f} calls a second, {errors} errors, p50 / p95 {told(times)} ms")


def main() -> None:
    parser = argparse.ArgumentParser(formatter_class=argparse.RawDescriptionHelpFormatter, description=__doc__)
    parser.add_argument("address")
    parser.add_argument("queries", type=argparse.FileType())
    parser.add_argument("--most", type=int, default=200, help="queries of each kind")
    parser.add_argument("--clients", type=int, default=0, help="ask as so many at the same time")
    parser.add_argument("--seconds", type=float, default=60)
    args = parser.parse_args()
    questions = [json.loads(line) for line in args.queries]
    for question in questions:
        question["any"] = " | ".join(question["words"].split())
        question["vector"] = HalfVector(question["vector"])
    with psycopg.connect(args.address, autocommit=True) as connection:
        if connection.execute("SELECT to_regclass('reference.words')").fetchone()[0] is None:
            begun = time.perf_counter()
            connection.execute(TABLE)
            print(f"words with GIN made in {time.perf_counter() - begun:.0f} s")
        model, dimensions = connection.execute("SELECT id, dimensions FROM docent.models WHERE died IS NULL").fetchone()
        ids = dict(connection.execute("SELECT name, id FROM docent.collections").fetchall())
    numbers = {"half": [ids[name] for name in sorted(ids)[:5]], "one": ids[min(ids)]}
    alone(args.address, questions, model, dimensions, numbers, args.most)
    if args.clients:
        asyncio.run(together(args.address, questions, model, dimensions, numbers, args.clients, args.seconds))


if __name__ == "__main__":
    main()
