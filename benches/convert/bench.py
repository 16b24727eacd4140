#!/usr/bin/env python3
"""Time of conversion against markitdown on the same files, in one run.

usage: bench.py CORPUS EXAMPLE [--docent PROGRAM] [--rounds N]

CORPUS is a folder made by `corpus.py`; EXAMPLE is the built example `convert` of docent-convert. markitdown runs in its fastest
fair form: one warm process and one MarkItDown object; imports and a first conversion of every format are not counted, and the
time is taken around each call. docent is measured twice: (a) the library in one process, and (b) with `--docent`, the program
`docent convert FILE...`, which runs each file in a process of its own. Files are read from the page cache by all of them.
A conversion counts as failed when it raises, or when it yields fewer than 5 letters.

Needs: pip install 'markitdown[all]'. Prints a table in Markdown.
"""
import argparse, io, logging, statistics, subprocess, sys, time, warnings
from contextlib import redirect_stderr
from pathlib import Path

parser = argparse.ArgumentParser()
parser.add_argument("corpus", type=Path)
parser.add_argument("example")
parser.add_argument("--docent")
parser.add_argument("--rounds", type=int, default=3)
arguments = parser.parse_args()
files = sorted(path for path in arguments.corpus.iterdir() if path.suffix not in (".tsv",))


def kind(path):
    return path.suffix.lstrip(".").lower()


def letters(text):
    return sum(char.isalpha() for char in text)


def run_markitdown():
    """Seconds and outcome for each file."""
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    from markitdown import MarkItDown
    converter = MarkItDown(enable_plugins=False)
    seen, out = set(), {}
    with redirect_stderr(io.StringIO()):
        for path in files:
            if kind(path) not in seen:
                seen.add(kind(path))
                try:
                    converter.convert_local(str(path))
                except Exception:
                    pass
        for path in files:
            start = time.perf_counter()
            try:
                text, error = converter.convert_local(str(path)).text_content, ""
            except Exception as problem:
                text, error = "", f"{type(problem).__name__}: {str(problem).splitlines()[0][:120] if str(problem) else ''}"
            seconds = time.perf_counter() - start
            if not error and letters(text) < 5:
                error = "no text"
            out[path] = (seconds, error)
    return out


def run_example():
    command = [arguments.example, "--here", *map(str, files)]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    out = {}
    for path, line in zip(files, lines):
        shown, milliseconds, _, size, outcome, _ = line.split("\t")
        error = outcome if shown == "-" else "no text" if int(size) < 5 else ""
        out[path] = (float(milliseconds) / 1000, error)
    return out


def run_program():
    """The whole program over all files; only the sum is known."""
    start = time.perf_counter()
    subprocess.run([arguments.docent, "convert", "--json", *map(str, files)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - start


# Rounds of all of them take turns, so that a busy machine slows all of them; the middle one of each file counts.
rounds = {"markitdown": [], "docent": [], "program": []}
for number in range(arguments.rounds):
    rounds["docent"].append(run_example())
    if arguments.docent:
        rounds["program"].append(run_program())
    rounds["markitdown"].append(run_markitdown())
    print("round", number + 1, "done", file=sys.stderr)


def middle(name, path):
    return statistics.median(one[path][0] for one in rounds[name])


def failed(name, path):
    return rounds[name][-1][path][1]


print("| format | files | markitdown failed | docent failed | markitdown s | docent s | ratio |\n|---|---|---|---|---|---|---|")
kinds = sorted({kind(path) for path in files}, key=lambda name: -sum(kind(path) == name for path in files))
for name in [*kinds, "all", "both converted"]:
    chosen = [path for path in files if name in (kind(path), "all")]
    if name == "both converted":
        chosen = [path for path in files if not failed("markitdown", path) and not failed("docent", path)]
    theirs, ours = (sum(middle(which, path) for path in chosen) for which in ("markitdown", "docent"))
    lost = [sum(bool(failed(which, path)) for path in chosen) for which in ("markitdown", "docent")]
    ratio = f"{theirs / ours:.0f} ×" if ours >= 0.001 else "-"
    print(f"| {name} | {len(chosen)} | {lost[0]} | {lost[1]} | {theirs:.2f} | {ours:.3f} | {ratio} |")
if arguments.docent:
    whole = statistics.median(rounds["program"])
    theirs = sum(middle("markitdown", path) for path in files)
    print(f"\nThe program with a process for each file: {whole:.2f} s for all files, {theirs / whole:.1f} × as fast as markitdown.")
for which in ("docent", "markitdown"):
    print(f"\nFailed with {which}:\n")
    for path in files:
        if failed(which, path):
            print(f"- {path.name}: {failed(which, path)}")
