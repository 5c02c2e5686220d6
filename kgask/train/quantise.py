"""int8 graphs: what the quantiser of ONNX Runtime needs before it is right and quick."""

from __future__ import annotations

from pathlib import Path

import onnx


def gemm_to_matmul(graph: onnx.GraphProto) -> None:
    """Replace every Gemm (x W^T + b) by MatMul and Add, transposing each weight once.

    The quantiser of onnxruntime 1.31 does this itself, but transposes a weight
    that several nodes share once per node: the decoder, unrolled over hops,
    shares all of its weights, and square ones came out wrong without an error.
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
        nodes.append(onnx.helper.make_node("MatMul", [node.input[0], name], [product], f"{node.name}_matmul"))
        if biased:
            nodes.append(onnx.helper.make_node("Add", [product, node.input[2]], [node.output[0]], f"{node.name}_bias"))
    del graph.node[:]
    graph.node.extend(nodes)


def without_shapes(model: onnx.ModelProto) -> bytes:
    """Serialised without intermediate shapes: fused weights keep stale ones, and the quantiser trips."""
    del model.graph.value_info[:]
    return model.SerializeToString()


def quantise(source: Path, target: Path) -> None:
    """int8 for matrices and embeddings, with scales per output channel.

    ``source`` has no Gemm nodes (:func:`gemm_to_matmul`). Activations are
    scaled per call, over the whole batch. Weights use 7 of the 8 bits: a CPU
    without VNNI adds two products in 16 bits, and full ones overflow there in
    silence (a small random encoder was off by 18 % instead of 1.5 %; with 7 bits
    every CPU gives the same answers).
    """
    from onnxruntime.quantization import QuantType, quantize_dynamic

    quantize_dynamic(
        str(source),
        str(target),
        weight_type=QuantType.QInt8,
        per_channel=True,
        reduce_range=True,
        # What fused nodes put out has no type that shape inference knows.
        extra_options={"DefaultTensorType": onnx.TensorProto.FLOAT},
    )
