"""Fewer and larger nodes in an exported graph: attention, GELU and unit vectors as one node each.

ONNX Runtime fuses graphs itself, but its patterns (and those of onnxscript
0.7) miss what torch's exporter writes through ``torch.export``. The fused
operators belong to ONNX Runtime, not to the ONNX standard. A pattern is matched
by its structure; what a match takes for granted beyond that (that only padding
is masked, that scores are scaled by the square root of a head's width) is
proved by the caller, who compares the fused graph's answers with torch's.

Skip connections stay as they are: SkipLayerNormalization of ONNX Runtime 1.31
takes several times as long on the CPU as the addition and LayerNormalization.

Shapes: L tokens, D width.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from onnx import GraphProto, ModelProto, NodeProto, TensorProto, helper, numpy_helper

CONTRIB = "com.microsoft"
MASK = "attention_mask"
_MASK_KEYS = "attention_mask_int32"
# What stands between a projection and the product of scores: moves and scales values, mixes none.
_SHAPING = {"Reshape", "Transpose", "Mul"}


def fuse(model: ModelProto, n_heads: int) -> dict[str, int]:
    """Fuse in place; how many nodes of each kind were made."""
    graph = Graph(model.graph)
    made = {
        "MultiHeadAttention": _fuse_attention(graph, n_heads),
        "Gelu": _fuse_gelu(graph),
        "LpNormalization": _fuse_normalisation(graph),
    }
    graph.drop_unused()
    if all(opset.domain != CONTRIB for opset in model.opset_import):
        model.opset_import.append(helper.make_opsetid(CONTRIB, 1))
    return made


class Graph:
    """A graph with its producers, consumers and weights at hand."""

    def __init__(self, proto: GraphProto) -> None:
        self.proto = proto
        self.weights: dict[str, TensorProto] = {tensor.name: tensor for tensor in proto.initializer}
        self.maker: dict[str, NodeProto] = {}
        self.users: dict[str, list[NodeProto]] = defaultdict(list)
        self._index()

    def _index(self) -> None:
        self.maker = {output: node for node in self.proto.node for output in node.output}
        self.users = defaultdict(list)
        for node in self.proto.node:
            for name in node.input:
                self.users[name].append(node)

    def array(self, name: str) -> np.ndarray:
        return numpy_helper.to_array(self.weights[name])

    def scalar(self, name: str) -> float | None:
        """The value of a constant with one element, else None."""
        tensor = self.weights.get(name)
        value = numpy_helper.to_array(tensor) if tensor is not None else None
        return float(value.reshape(())) if value is not None and value.size == 1 else None

    def made_by(self, name: str, kind: str) -> NodeProto | None:
        node = self.maker.get(name)
        return node if node is not None and node.op_type == kind else None

    def only_user(self, name: str, kind: str) -> NodeProto | None:
        users = self.users[name]
        return users[0] if len(users) == 1 and users[0].op_type == kind else None

    def add_weight(self, name: str, value: np.ndarray) -> str:
        self.proto.initializer.append(numpy_helper.from_array(np.asarray(value, order="C"), name))
        self.weights[name] = self.proto.initializer[-1]
        return name

    def replace(self, output: str, nodes: list[NodeProto]) -> None:
        """Put ``nodes`` where ``output`` was made; what only the old maker needed becomes unused."""
        at = self._place(output)
        del self.proto.node[at]
        for offset, node in enumerate(nodes):
            self.proto.node.insert(at + offset, node)
        self._index()

    def put_before(self, output: str, node: NodeProto) -> None:
        """Put a node just before the one that makes ``output``."""
        self.proto.node.insert(self._place(output), node)
        self._index()

    def _place(self, output: str) -> int:
        return next(i for i, node in enumerate(self.proto.node) if output in node.output)

    def drop_unused(self) -> None:
        """Nodes and weights that no output depends on."""
        needed = [output.name for output in self.proto.output]
        kept: set[int] = set()
        seen: set[str] = set()
        while needed:
            name = needed.pop()
            node = self.maker.get(name)
            seen.add(name)
            if node is not None and id(node) not in kept:
                kept.add(id(node))
                needed += [source for source in node.input if source]
        nodes = [node for node in self.proto.node if id(node) in kept]
        tensors = [tensor for tensor in self.proto.initializer if tensor.name in seen]
        for field, values in ((self.proto.node, nodes), (self.proto.initializer, tensors)):
            copies = [type(value).FromString(value.SerializeToString()) for value in values]
            del field[:]
            field.extend(copies)


# --- attention --------------------------------------------------------------------------------


def _projection(graph: Graph, name: str) -> tuple[str, str, str] | None:
    """(input, weight, bias) of the linear layer that ``name`` is a reshaped and scaled form of."""
    node = graph.maker.get(name)
    while node is not None:
        if node.op_type == "Add":
            product = graph.made_by(node.input[0], "MatMul")
            if product is not None and product.input[1] in graph.weights and node.input[1] in graph.weights:
                return product.input[0], product.input[1], node.input[1]
        node = graph.maker.get(node.input[0]) if node.op_type in _SHAPING else None
    return None


def _scores(graph: Graph, name: str) -> NodeProto | None:
    """The product of queries and keys that the attention weights ``name`` come from."""
    node = graph.maker.get(name)
    softmax = False
    while node is not None and node.op_type in {"Where", "Softmax", "Add"}:
        softmax |= node.op_type == "Softmax"
        node = graph.maker.get(node.input[2] if node.op_type == "Where" else node.input[0])
    return node if softmax and node is not None and node.op_type == "MatMul" else None


def _fuse_attention(graph: Graph, n_heads: int) -> int:
    """Each softmax(Q K') V over one text becomes one product with [Q; K; V] and MultiHeadAttention."""
    made = 0
    for mixed in [node for node in graph.proto.node if node.op_type == "MatMul"]:
        scores = _scores(graph, mixed.input[0])
        found = [_projection(graph, name) for name in (*scores.input[:2], mixed.input[1])] if scores else [None]
        turned = graph.only_user(mixed.output[0], "Transpose")
        flat = graph.only_user(turned.output[0], "Reshape") if turned is not None else None
        if None in found or len({projection[0] for projection in found}) != 1 or flat is None:
            continue
        graph.replace(flat.output[0], _attention(graph, found, flat.output[0], f"attention_{made}", n_heads))
        made += 1
    if made:
        cast = helper.make_node("Cast", [MASK], [_MASK_KEYS], to=TensorProto.INT32)
        graph.proto.node.insert(0, cast)
        graph._index()
    return made


def _attention(
    graph: Graph, projections: list[tuple[str, str, str]], output: str, name: str, n_heads: int
) -> list[NodeProto]:
    weight = np.concatenate([graph.array(projection[1]) for projection in projections], axis=1)  # [D, 3D]
    bias = np.concatenate([graph.array(projection[2]) for projection in projections])
    sizes = np.asarray([len(bias) // 3] * 3, np.int64)
    inner = [f"{name}_{part}" for part in ("query", "key", "value")]
    source, stacked = projections[0][0], graph.add_weight(f"{name}_weight", weight)
    return [
        helper.make_node("MatMul", [source, stacked], [f"{name}_product"]),
        helper.make_node("Add", [f"{name}_product", graph.add_weight(f"{name}_bias", bias)], [f"{name}_qkv"]),
        helper.make_node("Split", [f"{name}_qkv", graph.add_weight(f"{name}_sizes", sizes)], inner, axis=-1),
        helper.make_node(
            "MultiHeadAttention", [*inner, "", _MASK_KEYS], [output], name, domain=CONTRIB, num_heads=n_heads
        ),
    ]


# --- element-wise -----------------------------------------------------------------------------


def _fuse_gelu(graph: Graph) -> int:
    """x * (0.5 * (1 + erf(x / sqrt 2))), as the exporter writes it, becomes Gelu."""
    made = 0
    for erf in [node for node in graph.proto.node if node.op_type == "Erf"]:
        scaled = graph.made_by(erf.input[0], "Div")
        plus = graph.only_user(erf.output[0], "Add")
        half = graph.only_user(plus.output[0], "Mul") if plus is not None else None
        last = graph.only_user(half.output[0], "Mul") if half is not None else None
        if scaled is None or last is None or last.input[0] != scaled.input[0]:
            continue
        constants = (graph.scalar(scaled.input[1]), graph.scalar(plus.input[1]), graph.scalar(half.input[0]))
        if None in constants or not np.allclose(constants, (2**0.5, 1.0, 0.5)):
            continue
        gelu = helper.make_node("Gelu", [scaled.input[0]], [last.output[0]], f"gelu_{made}", domain=CONTRIB)
        graph.replace(last.output[0], [gelu])
        made += 1
    return made


def _fuse_normalisation(graph: Graph) -> int:
    """x / max(|x|, a little), along the last axis, becomes LpNormalization, which leaves a zero vector as it is."""
    made = 0
    for norm in [node for node in graph.proto.node if node.op_type == "ReduceL2"]:
        clip = graph.only_user(norm.output[0], "Clip")
        spread = graph.only_user(clip.output[0], "Expand") if clip is not None else None
        last = graph.only_user((spread or clip or norm).output[0], "Div")
        if clip is None or last is None or last.input[0] != norm.input[0] or graph.scalar(norm.input[1]) != -1:
            continue
        unit = helper.make_node("LpNormalization", [norm.input[0]], [last.output[0]], f"unit_{made}", axis=-1, p=2)
        graph.replace(last.output[0], [unit])
        made += 1
    return made
