"""A torch module -> an ONNX graph without what only torch needs, and how far the graph is from the module."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from torch import Tensor, nn

from kgask.errors import ModelError
from kgask.train.onnx.fuse import fuse
from kgask.train.onnx.quantise import gemm_to_matmul, without_shapes

OPSET = 18
PARITY = 1e-4  # largest difference of a number between torch and float32 ONNX that is written


def write_graph(
    module: nn.Module,
    inputs: tuple[Tensor, ...],
    path: Path,
    names: tuple[Sequence[str], Sequence[str]],
    shapes: Sequence[Mapping[int, str]],
    n_heads: int | None = None,
    notes: Callable[[onnx.ModelProto], dict[str, Any]] | None = None,
) -> None:
    """Trace ``module`` with ``inputs`` and write its float32 graph.

    ``names`` are those of inputs and outputs; ``shapes`` names, for each input, the dimensions that may change. With
    ``n_heads`` the graph is made ready for int8: products are MatMul nodes, attention is fused (0: it has none that
    can be). ``notes`` go into the graph's metadata, as JSON.
    """
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)  # it names operators of packages that are not needed
    named = {name: torch.export.Dim(name) for shape in shapes for name in shape.values()}
    program = torch.onnx.export(
        module,
        inputs,
        input_names=list(names[0]),
        output_names=list(names[1]),
        opset_version=OPSET,
        dynamo=True,
        verbose=False,
        dynamic_shapes=tuple({axis: named[name] for axis, name in shape.items()} for shape in shapes),
    )
    model = program.model_proto
    if n_heads is not None:
        gemm_to_matmul(model.graph)
    if n_heads:
        fuse(model, n_heads)
    if notes is not None:
        texts = {name: json.dumps(note, separators=(",", ":")) for name, note in notes(model).items()}
        onnx.helper.set_model_props(model, texts)
    for node in model.graph.node:
        del node.metadata_props[:]  # where in torch's code, and in which folder of this machine, a node comes from
    path.write_bytes(without_shapes(model))


def run_graph(path: Path, feeds: Iterable[Mapping[str, np.ndarray]], outputs: Sequence[str]) -> list[np.ndarray]:
    """The outputs of a graph for one feed after another, joined along their first axis."""
    import onnxruntime

    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    parts = [session.run(list(outputs), dict(feed)) for feed in feeds]
    return [np.concatenate(found) for found in zip(*parts, strict=True)]


def checked(found: Sequence[np.ndarray], expected: Sequence[np.ndarray]) -> float:
    """The largest difference of a number of a float32 graph from torch; ModelError when it is too large."""
    difference = max(float(np.abs(a - b).max()) for a, b in zip(found, expected, strict=True))
    if not difference <= PARITY:  # NaN too
        raise ModelError(f"ONNX differs from torch by {difference:.2e}, more than {PARITY:.0e}")
    return difference


def write_tokenizer(encoder: Path, target: Path) -> None:
    """The tokenizer without padding or truncation of its own, on one line."""
    tokenizer = json.loads((encoder / "tokenizer.json").read_text(encoding="utf-8"))
    tokenizer["padding"] = tokenizer["truncation"] = None
    target.write_text(json.dumps(tokenizer, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")
