"""Builds all-MiniLM-L6-v2 as ONNX graphs from its weights, plain and with fused operators, and quantises them.

The published exports cannot be had from a package registry, so the graph is written out here operator by operator.
"""

import math

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

HIDDEN, HEADS, HEAD, LAYERS = 384, 12, 32, 6


def build(tensors, path, fused):
    """Writes a float32 model; `fused` uses the attention, GELU and layer norm operators of ONNX Runtime."""
    graph = Graph(tensors, fused)
    hidden = graph.embeddings()
    mask = graph.mask()
    for layer in range(LAYERS):
        hidden = graph.layer(hidden, mask, f"encoder.layer.{layer}.")
    graph.nodes.append(helper.make_node("Identity", [hidden], ["last_hidden_state"]))
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, ["b", "s"]) for name in ("input_ids", "attention_mask")]
    outputs = [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["b", "s", HIDDEN])]
    definition = helper.make_graph(graph.nodes, "minilm", inputs, outputs, graph.constants)
    operators = [helper.make_opsetid("", 17)] + ([helper.make_opsetid("com.microsoft", 1)] if fused else [])
    onnx.save(helper.make_model(definition, opset_imports=operators, ir_version=8), path)


def quantise(source, target, fused, signed):
    """Dynamic int8 quantisation, per channel, as ONNX Runtime's own tool does it."""
    from onnxruntime.quantization import QuantType, quantize_dynamic

    quantize_dynamic(
        source,
        target,
        per_channel=True,
        weight_type=QuantType.QInt8 if signed else QuantType.QUInt8,
        op_types_to_quantize=["MatMul", "Gather"] + (["Attention"] if fused else []),
        extra_options={"MatMulConstBOnly": True, "DefaultTensorType": TensorProto.FLOAT},
    )


class Graph:
    def __init__(self, tensors, fused):
        self.tensors, self.fused = tensors, fused
        self.nodes, self.constants = [], []

    def constant(self, array):
        name = f"constant_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def integers(self, *values):
        return self.constant(np.array(values, np.int64))

    def scalar(self, value):
        return self.constant(np.float32(value))

    def operator(self, kind, inputs, **attributes):
        name = f"{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], name=name, **attributes))
        return name

    def fused_operator(self, kind, inputs, **attributes):
        return self.operator(kind, inputs, domain="com.microsoft", **attributes)

    def weights(self, name):
        return self.tensors[name + ".weight"].T.copy(), self.tensors[name + ".bias"]

    def linear(self, x, weight, bias):
        product = self.operator("MatMul", [x, self.constant(weight)])
        return self.operator("Add", [product, self.constant(bias)])

    def norm(self, x, name):
        sides = [self.constant(self.tensors[f"{name}.{part}"]) for part in ("weight", "bias")]
        return self.operator("LayerNormalization", [x, *sides], axis=-1, epsilon=1e-12)

    def add_and_norm(self, x, update, name):
        if not self.fused:
            return self.norm(self.operator("Add", [x, update]), name)
        sides = [self.constant(self.tensors[f"{name}.{part}"]) for part in ("weight", "bias")]
        return self.fused_operator("SkipLayerNormalization", [update, x, *sides], epsilon=1e-12)

    def embeddings(self):
        words = self.operator("Gather", [self.constant(self.tensors["embeddings.word_embeddings.weight"]), "input_ids"])
        positions = self.tensors["embeddings.position_embeddings.weight"]
        positions = positions + self.tensors["embeddings.token_type_embeddings.weight"][0]
        length = self.operator("Gather", [self.operator("Shape", ["input_ids"]), self.integers(1)], axis=0)
        cut = self.operator("Slice", [self.constant(positions), self.integers(0), length, self.integers(0)])
        return self.norm(self.operator("Add", [words, cut]), "embeddings.LayerNorm")

    def mask(self):
        if self.fused:
            return self.operator("Cast", ["attention_mask"], to=TensorProto.INT32)
        mask = self.operator("Cast", ["attention_mask"], to=TensorProto.FLOAT)
        mask = self.operator("Unsqueeze", [mask, self.integers(1, 2)])
        return self.operator("Mul", [self.operator("Sub", [mask, self.scalar(1)]), self.scalar(10000)])

    def layer(self, x, mask, prefix):
        context = self.attention(x, mask, prefix + "attention.self.")
        update = self.linear(context, *self.weights(prefix + "attention.output.dense"))
        x = self.add_and_norm(x, update, prefix + "attention.output.LayerNorm")
        weight, bias = self.weights(prefix + "intermediate.dense")
        if self.fused:
            product = self.operator("MatMul", [x, self.constant(weight)])
            inner = self.fused_operator("BiasGelu", [product, self.constant(bias)])
        else:
            inner = self.gelu(self.linear(x, weight, bias))
        update = self.linear(inner, *self.weights(prefix + "output.dense"))
        return self.add_and_norm(x, update, prefix + "output.LayerNorm")

    def gelu(self, x):
        error = self.operator("Erf", [self.operator("Div", [x, self.scalar(math.sqrt(2))])])
        share = self.operator("Mul", [self.operator("Add", [error, self.scalar(1)]), self.scalar(0.5)])
        return self.operator("Mul", [x, share])

    def attention(self, x, mask, prefix):
        parts = [self.weights(prefix + name) for name in ("query", "key", "value")]
        if self.fused:
            weight = np.concatenate([weight for weight, _ in parts], axis=1)
            bias = np.concatenate([bias for _, bias in parts])
            inputs = [x, self.constant(weight), self.constant(bias), mask]
            return self.fused_operator("Attention", inputs, num_heads=HEADS)

        def heads(part, order, scale=1.0):
            weight, bias = part
            y = self.linear(x, weight * np.float32(scale), bias * np.float32(scale))
            split = self.operator("Reshape", [y, self.integers(0, 0, HEADS, HEAD)])
            return self.operator("Transpose", [split], perm=order)

        query = heads(parts[0], [0, 2, 1, 3], 1 / math.sqrt(HEAD))
        key = heads(parts[1], [0, 2, 3, 1])
        value = heads(parts[2], [0, 2, 1, 3])
        scores = self.operator("Add", [self.operator("MatMul", [query, key]), mask])
        context = self.operator("MatMul", [self.operator("Softmax", [scores], axis=-1), value])
        merged = self.operator("Transpose", [context], perm=[0, 2, 1, 3])
        return self.operator("Reshape", [merged, self.integers(0, 0, HIDDEN)])
