"""A model folder whose int8 graph scales activations per batch -> one whose graph scales them per row, same weights."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from google.protobuf.message import DecodeError

from kgask.cards import file_entry, write_card
from kgask.errors import ModelError, UsageError
from kgask.plan.providers import CPU_GRAPH, CUDA_GRAPH, FULL_GRAPH
from kgask.train.onnx.rows import scale_by_rows, write_cuda_graph

RECIPE = "its activations scaled per row instead of per batch: kgask train requantise"


def requantise(source: Path, card: dict[str, Any], graph: str, out: Path) -> int:
    """Write the new folder ``out``, its card last; how many products were changed. A planner gets a graph for CUDA.

    ``card`` is that of ``source``, ``graph`` the name of its ONNX file. Raises UsageError when ``out`` exists or there
    is nothing to change, ModelError for a file that is no graph.
    """
    try:
        out.mkdir(parents=True)
    except FileExistsError:
        raise UsageError(f"{out}: exists; name a new folder") from None
    try:
        changed = scale_by_rows(source / graph, out / graph)
    except DecodeError as error:
        raise ModelError(f"{source / graph}: not an ONNX graph") from error
    if not changed and (graph != CPU_GRAPH or CUDA_GRAPH in card["files"]):
        (out / graph).unlink()
        out.rmdir()
        raise UsageError(f"{source}: nothing in it is scaled per batch; it can stay as it is")
    kept = [name for name in card["files"] if name not in (graph, CUDA_GRAPH, FULL_GRAPH)]
    for name in kept:
        shutil.copyfile(source / name, out / name)
    names = [graph, *kept]
    if graph == CPU_GRAPH:
        write_cuda_graph(out / graph, out / CUDA_GRAPH)
        names.append(CUDA_GRAPH)
    recipe = "; ".join(filter(None, [card.get("recipe"), RECIPE * bool(changed)]))
    about = {"quantisation": "int8, scales per row"} if "quantisation" in card else {}
    files = {name: file_entry(out / name) for name in sorted(names)}
    write_card(out, {**card, **about, "recipe": recipe, "files": files})
    return changed
