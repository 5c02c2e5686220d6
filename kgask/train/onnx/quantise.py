"""int8 graphs: which matrices, and scales that no CPU overflows with."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from onnx import NodeProto, helper

from kgask.train.onnx.fuse import CONTRIB, Graph
from kgask.train.onnx.rows import Product, put_product

LEAST_COLUMNS = 8  # narrower matrices, such as those of one score, stay float32: they cost next to nothing
LEAST_ROWS = 2  # of an embedding
# A CPU without VNNI adds two products of uint8 and int8 in 16 bits: 255 * 128 is the most that fits.
PAIR_MOST = 128
PAIRED = 4  # weights of a column that such a CPU may take together stand within as many rows
INT8_MOST = 127


def gemm_to_matmul(graph: onnx.GraphProto) -> None:
    """Replace every Gemm (x W^T + b) by MatMul and Add, transposing each weight once.

    A weight may be shared: the decoder, unrolled over hops, shares all of its
    weights.
    """
    weights = {tensor.name: tensor for tensor in graph.initializer}
    transposed: set[str] = set()
    nodes = []
    for node in graph.node:
        if node.op_type != "Gemm":
            nodes.append(node)
            continue
        name = node.input[1]
        if name not in transposed:
            transposed.add(name)
            turned = onnx.numpy_helper.to_array(weights[name]).T.copy()
            weights[name].CopyFrom(onnx.numpy_helper.from_array(turned, name))
        biased = len(node.input) == 3
        product = f"{node.output[0]}_product" if biased else node.output[0]
        nodes.append(helper.make_node("MatMul", [node.input[0], name], [product], f"{node.name}_matmul"))
        if biased:
            nodes.append(helper.make_node("Add", [product, node.input[2]], [node.output[0]], f"{node.name}_bias"))
    del graph.node[:]
    graph.node.extend(nodes)


def without_shapes(model: onnx.ModelProto) -> bytes:
    """Serialised without intermediate shapes: fused weights keep stale ones."""
    del model.graph.value_info[:]
    return model.SerializeToString()


def column_scales(weight: np.ndarray) -> np.ndarray:
    """Scales [N] of the columns of a weight [K, N] in int8, as fine as a CPU that adds pairs in 16 bits allows.

    Two weights of one sign that are multiplied together must not add up to
    more than ``PAIR_MOST``. Large ones seldom meet, so this keeps most of the 8
    bits, where half the range for every weight would be 7.
    """
    rows = -(-len(weight) // PAIRED) * PAIRED
    groups = np.zeros((rows, weight.shape[1]), np.float32)
    groups[: len(weight)] = weight
    groups = groups.reshape(-1, PAIRED, weight.shape[1])
    pairs = [np.sort(np.maximum(signed, 0), axis=1)[:, -2:].sum(1).max(0) for signed in (groups, -groups)]
    # Half a step of rounding for each of the two.
    scales = np.maximum(np.abs(weight).max(0) / INT8_MOST, np.maximum(*pairs) / (PAIR_MOST - 1))
    return np.maximum(scales, np.finfo(np.float32).tiny).astype(np.float32)


def quantise(source: Path, target: Path) -> None:
    """int8 for matrices, with a scale per column, and uint8 for embeddings, with one scale each.

    ``source`` has no Gemm nodes (:func:`gemm_to_matmul`). Activations are scaled per row, which is a token, so that
    an answer does not depend on what else is in the batch; see :mod:`kgask.train.onnx.rows`.
    """
    model = onnx.load(str(source))
    graph = Graph(model.graph)
    nodes = list(model.graph.node)
    for node in nodes:
        if node.op_type == "Gather" and _is_matrix(graph, node.input[0], LEAST_ROWS):
            _quantise_embedding(graph, node)
    for node in nodes:
        if node.op_type == "MatMul" and _is_matrix(graph, node.input[1], LEAST_ROWS, LEAST_COLUMNS):
            _quantise_product(graph, node)
    graph.drop_unused()
    if all(opset.domain != CONTRIB for opset in model.opset_import):
        model.opset_import.append(helper.make_opsetid(CONTRIB, 1))
    target.write_bytes(without_shapes(model))


def _is_matrix(graph: Graph, name: str, rows: int, columns: int = 1) -> bool:
    tensor = graph.weights.get(name)
    return (
        tensor is not None
        and tensor.data_type == onnx.TensorProto.FLOAT
        and len(tensor.dims) == 2
        and tensor.dims[0] >= rows
        and tensor.dims[1] >= columns
    )


def _quantise_embedding(graph: Graph, node: NodeProto) -> None:
    name, output = node.input[0], node.output[0]
    parts = [f"{name}_quantized", f"{name}_scale", f"{name}_zero_point"]
    if parts[0] not in graph.weights:
        weight = graph.array(name)
        low, high = min(float(weight.min()), 0.0), max(float(weight.max()), 0.0)
        scale = np.float32((high - low) / 255 or 1.0)
        zero = np.uint8(round(-low / scale))
        rounded = np.clip(np.rint(weight / scale) + zero, 0, 255).astype(np.uint8)
        for part, value in zip(parts, (rounded, np.asarray(scale), np.asarray(zero)), strict=True):
            graph.add_weight(part, value)
    rows = f"{output}_quantized"
    gathered = helper.make_node("Gather", [parts[0], node.input[1]], [rows], axis=0)
    graph.replace(output, [gathered, helper.make_node("DequantizeLinear", [rows, *parts[1:]], [output])])


def _quantise_product(graph: Graph, node: NodeProto) -> None:
    """``node`` and the bias that is added to it, if any, become a product of int8 rows."""
    source, name = node.input
    if f"{name}_quantized" not in graph.weights:
        weight = graph.array(name)
        scales = column_scales(weight)
        graph.add_weight(f"{name}_quantized", np.rint(weight / scales).astype(np.int8))
        graph.add_weight(f"{name}_scale", scales)
    output, bias = node.output[0], ""
    add = graph.only_user(output, "Add")
    if add is not None and add.input[0] == output and add.input[1] in graph.weights:
        output, bias = add.output[0], add.input[1]
    put_product(graph, output, Product(source, f"{name}_quantized", f"{name}_scale", bias))
