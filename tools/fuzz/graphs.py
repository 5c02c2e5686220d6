"""A model file that is well made and asks for too much, or does not fit: ONNX graphs and GGUF headers."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np

_LONG = 1 << 40
_ODD_SIZES = (0, 1, 2, 7, 383, 385, 1 << 20, _LONG)
_ODD_NUMBERS = (0, 1, 2, 0x7F, 0xFF, 0x7FFF, 0xFFFF, 1 << 31, (1 << 32) - 1, 1 << 40, (1 << 63) - 1, (1 << 64) - 1)
_GGUF_PARTS = (400, 4_000, 1 << 20)  # bytes from the start: counts, settings, words and tensors


def gguf(rng: random.Random, path: Path) -> str:
    """A number of the header becomes an odd one."""
    data = bytearray(path.read_bytes())
    at, form = rng.randrange(4, rng.choice(_GGUF_PARTS)), rng.choice("IQ")
    number = rng.choice(_ODD_NUMBERS) & ((1 << 8 * struct.calcsize(form)) - 1)
    struct.pack_into(f"<{form}", data, at, number)
    path.unlink()
    path.write_bytes(data)
    return f"{form} {number} at byte {at}"


def onnx(rng: random.Random, path: Path) -> str:
    """One part of a graph becomes another; the file stays one that ``onnx`` reads."""
    import onnx

    model = onnx.load(path, load_external_data=False)
    how = rng.choice(_CHANGES)(rng, model)
    path.unlink()
    path.write_bytes(model.SerializeToString())
    return how


def _loop(rng: random.Random, model: object) -> str:
    """A loop of 2^62 rounds, or a branch, before all else or in a branch of a branch."""
    from onnx import TensorProto, helper

    info = helper.make_tensor_value_info
    step = helper.make_node("Identity", ["go"], ["on"])
    given = [info("at", TensorProto.INT64, []), info("go", TensorProto.BOOL, [])]
    body = helper.make_graph([step], "body", given, [info("on", TensorProto.BOOL, [])])
    node = helper.make_node("Loop", ["often", "yes"], [], body=body)
    if rng.random() < 0.5:
        branch = helper.make_graph([node, helper.make_node("Identity", ["yes"], ["same"])], "branch", [],
                                   [info("same", TensorProto.BOOL, [])])  # fmt: skip
        node = helper.make_node("If", ["yes"], ["chosen"], then_branch=branch, else_branch=branch)
    model.graph.node.insert(0, node)  # type: ignore[attr-defined]
    model.graph.initializer.extend(  # type: ignore[attr-defined]
        [
            helper.make_tensor("often", TensorProto.INT64, [], [1 << 62]),
            helper.make_tensor("yes", TensorProto.BOOL, [], [True]),
        ]
    )
    return f"{node.op_type} without end"


def _vast(rng: random.Random, model: object) -> str:
    """More memory than there is, at the first run or when the graph is simplified."""
    from onnx import TensorProto, helper

    side = rng.choice([1 << 16, 1 << 18, _LONG])
    model.graph.initializer.append(helper.make_tensor("sides", TensorProto.INT64, [2], [side, side]))  # type: ignore[attr-defined]
    model.graph.node.insert(0, helper.make_node("ConstantOfShape", ["sides"], ["vast"]))  # type: ignore[attr-defined]
    model.graph.output.append(helper.make_tensor_value_info("vast", TensorProto.FLOAT, [side, side]))  # type: ignore[attr-defined]
    return f"a constant of {side} x {side}"


def _weights(rng: random.Random, model: object) -> str:
    """A tensor has another width, no numbers, or comes from another file."""
    tensor = rng.choice(model.graph.initializer)  # type: ignore[attr-defined]
    kind = rng.choice(["sizes", "numbers", "type", "elsewhere"])
    if kind == "sizes":
        at = rng.randrange(len(tensor.dims)) if tensor.dims else None
        tensor.dims[:] = [rng.choice(_ODD_SIZES)] if at is None else [
            rng.choice(_ODD_SIZES) if place == at else n for place, n in enumerate(tensor.dims)]  # fmt: skip
    elif kind == "numbers":
        fill = rng.choice([np.nan, np.inf, -np.inf, 0.0, 3e38])
        tensor.raw_data = np.full(max(1, len(tensor.raw_data) // 4), fill, np.float32).tobytes()[: len(tensor.raw_data)]
    elif kind == "type":
        tensor.data_type = rng.choice([0, 1, 6, 7, 8, 9, 10, 16, 99])
    else:
        tensor.ClearField("raw_data")
        tensor.data_location = 1
        name = rng.choice(["/dev/zero", "../../../../../../etc/passwd", "nothing", "/dev/stdin", ""])
        tensor.external_data.add(key="location", value=name)
        return f"{tensor.name[:40]} from {name!r}"
    return f"{tensor.name[:40]}: other {kind}"


def _node(rng: random.Random, model: object) -> str:
    """A step is lost, doubled, unknown, or has other settings."""
    nodes = model.graph.node  # type: ignore[attr-defined]
    at = rng.randrange(len(nodes))
    kind, name = rng.choice(["lost", "unknown", "crossed", "set otherwise"]), f"{nodes[at].op_type} {at}"
    if kind == "lost":
        del nodes[at]
    elif kind == "unknown":
        nodes[at].op_type, nodes[at].domain = rng.choice([("Nothing", ""), ("Mine", "x.y"), (nodes[at].op_type, "z")])
    elif kind == "crossed" and nodes[at].input:
        nodes[at].input[0] = rng.choice(nodes).output[0]
    for attribute in nodes[at % len(nodes)].attribute if kind == "set otherwise" else ():
        attribute.i, attribute.f = rng.choice([-1, 0, 5, 1 << 62]), rng.choice([-1.0, 1e30])
        attribute.ints[:] = [rng.choice([-9, 0, 1 << 40]) for _ in attribute.ints]
    return f"{name} {kind}"


def _edges(rng: random.Random, model: object) -> str:
    """What goes in or comes out is called otherwise, of another type or width, doubled or lost."""
    ends = rng.choice([model.graph.input, model.graph.output])  # type: ignore[attr-defined]
    at = rng.randrange(len(ends))
    end, kind = ends[at], rng.choice(["name", "type", "width", "lost"])
    name, tensor = end.name, end.type.tensor_type
    if kind == "name":
        end.name = rng.choice(["", "x", "\x1b[2J", "y" * 5000])
    elif kind == "type":
        tensor.elem_type = rng.choice([1, 6, 7, 8, 9, 11])
    elif kind == "width" and tensor.shape.dim:
        rng.choice(tensor.shape.dim).dim_value = rng.choice(_ODD_SIZES)
    elif kind == "lost":
        del ends[at]
    return f"{name}: {kind}"


def _about(rng: random.Random, model: object) -> str:
    """Versions, and what the file says of itself."""
    kind = rng.choice(["ir", "opset", "notes"])
    if kind == "ir":
        model.ir_version = rng.choice([0, 1, 99, _LONG])  # type: ignore[attr-defined]
    elif kind == "opset":
        model.opset_import[0].version = rng.choice([-1, 0, 1, 999])  # type: ignore[attr-defined]
    else:
        found = model.metadata_props  # type: ignore[attr-defined]
        for entry in found:
            entry.value = rng.choice(["", "\x1b[2J", "[" * 100_000, "9" * 5000])
        found.add(key="mine", value="x" * 100_000)
    return f"other {kind}"


_CHANGES: tuple[Callable[[random.Random, object], str], ...] = (
    _loop,
    _vast,
    _weights,
    _weights,
    _node,
    _node,
    _edges,
    _about,
)
