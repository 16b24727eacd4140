"""Asks the same judged questions of the embedded store and of a PostgreSQL database, and compares the answers.

    python3 benches/postgres/parity.py --docent target/release/docent SETS_FOLDER ADDRESS

Each folder below SETS_FOLDER with a corpus.jsonl is a set in BEIR form; queries-NAME.jsonl with qrels-NAME.tsv are further
questions on the same corpus. ADDRESS names an empty database, which is empty again afterwards. Vectors come from the
user's cache where it has them (`DOCENT_CACHE_DIR`). Prints a table in Markdown; exit code 1 when nDCG@10 of a set differs by
more than .01, or when 300 questions, drawn from all sets alike, share less than 95 % of their ten best chunks.
"""

import argparse
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

COLLECTION = "eval"
MOST_APART = 0.01
LEAST_SHARED = 0.95
SAMPLE = 300


def questions(folder: pathlib.Path):
    """Name, queries and judgements of every set of questions in a folder."""
    if (folder / "queries.jsonl").is_file():
        yield folder.name, []
    for queries in sorted(folder.glob("queries-*.jsonl")):
        name = queries.stem.removeprefix("queries-")
        qrels = folder / f"qrels-{name}.tsv"
        if qrels.is_file():
            yield f"{folder.name}/{name}", ["--queries", queries, "--qrels", qrels]


class Docent:
    def __init__(self, program: str, address: str, work: pathlib.Path):
        self.program, self.work = program, work
        plain = {name: value for name, value in os.environ.items() if not name.endswith("DATABASE_URL")}
        self.environments = {"embedded": plain, "postgres": plain | {"DOCENT_DATABASE_URL": address}}

    def call(self, store: str, *args) -> str:
        done = subprocess.run([self.program, *args], env=self.environments[store], cwd=self.work, capture_output=True, text=True)
        if done.returncode not in (0, 1):
            sys.exit(f"{done.stderr}\nin: docent {' '.join(map(str, args))}")
        return done.stdout

    def ask(self, store: str, folder: pathlib.Path, extra: list) -> dict:
        out = self.work / f"{store}.json"
        out.unlink(missing_ok=True)
        # Naming an index makes `eval` keep it, and with a database that is where it goes.
        index = self.work / folder.name
        self.call(store, "eval", "run", folder, "-k", "10", "--cached", "--index", index, "--quiet", "--out", out, *extra)
        return json.loads(out.read_text())

    def kept(self) -> list:
        return json.loads(self.call("postgres", "collections", "--json"))["collections"]


def shared(one: dict, two: dict) -> float:
    """The share of the first answer's chunks that the second has, too."""
    first, second = ({hit["chunk_id"] for hit in case["returned"]} for case in (one, two))
    return len(first & second) / len(first) if first else float(not second)


def main() -> int:
    parser = argparse.ArgumentParser(formatter_class=argparse.RawDescriptionHelpFormatter, description=__doc__)
    parser.add_argument("--docent", required=True, type=os.path.abspath)
    parser.add_argument("sets", type=pathlib.Path)
    parser.add_argument("address")
    args = parser.parse_args()
    folders = sorted(path.parent.resolve() for path in args.sets.glob("*/corpus.jsonl"))
    if not folders:
        sys.exit(f"error: {args.sets} holds no set\nhint: a set is a folder with corpus.jsonl, queries.jsonl and qrels.tsv")
    failed, pairs = [], []
    with tempfile.TemporaryDirectory() as work:
        docent = Docent(args.docent, args.address, pathlib.Path(work))
        if docent.kept():
            sys.exit("error: the database holds documents already\nhint: name an empty one")
        print("| questions | how many | chunks | nDCG@10 embedded | PostgreSQL | of the ten best shared | the same order | p50 / p95 embedded | PostgreSQL |")
        print("|---|---|---|---|---|---|---|---|---|")
        for folder in folders:
            for name, extra in questions(folder):
                one, two = (docent.ask(store, folder, extra) for store in ("embedded", "postgres"))
                cases = list(zip(one["cases"], two["cases"], strict=True))
                pairs.append(cases)
                share = sum(shared(*case) for case in cases) / len(cases)
                same = sum([hit["chunk_id"] for hit in a["returned"]] == [hit["chunk_id"] for hit in b["returned"]] for a, b in cases)
                ndcg = [run["overall"]["ndcg_at_10"]["mean"] for run in (one, two)]
                times = ["{p50:.1f} / {p95:.1f} ms".format(**run["overall"]["latency_ms"]) for run in (one, two)]
                print(
                    f"| {name} | {len(cases)} | {two['facts']['chunks']} | {ndcg[0]:.4f} | {ndcg[1]:.4f} | {share:.2%} "
                    f"| {same} of {len(cases)} | {times[0]} | {times[1]} |",
                    flush=True,
                )
                if abs(ndcg[0] - ndcg[1]) > MOST_APART:
                    failed.append(f"{name}: nDCG@10 is {ndcg[0]:.4f} and {ndcg[1]:.4f}")
            docent.call("postgres", "remove", COLLECTION)
    draw = random.Random(1)
    sample = [case for cases in pairs for case in draw.sample(cases, min(len(cases), -(-SAMPLE // len(pairs))))]
    everything = [case for cases in pairs for case in cases]
    if len(sample) < SAMPLE:
        left = [case for case in everything if case not in sample]
        sample += draw.sample(left, min(len(left), SAMPLE - len(sample)))
    share = sum(shared(*case) for case in sample) / len(sample)
    print(f"\n{len(sample)} questions drawn from all sets share {share:.2%} of their ten best chunks.")
    if share < LEAST_SHARED:
        failed.append(f"only {share:.2%} of the ten best chunks are shared")
    for line in failed:
        print(f"error: {line}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
