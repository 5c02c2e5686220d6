"""``kgask train requantise``: an older model's activations scaled per row. Needs the package onnx."""

from __future__ import annotations

from pathlib import Path

import click

from kgask import config
from kgask.cli.render import note
from kgask.cli.training import need_torch
from kgask.errors import UsageError


@click.command(short_help="Make an older planner's answers independent of what else is asked.")
@click.argument("model")
@click.option("-o", "--out", required=True, type=click.Path(file_okay=False, path_type=Path), help="Folder to write.")
def requantise(model: str, out: Path) -> None:
    """Write the planner or encoder MODEL again with int8 scales per row instead of per batch.

    So a question's answer and confidence no longer depend on the questions beside it, and rounding costs half as
    much. The weights stay as they are. A planner gets a graph for CUDA too. So the shipped planner was made.
    """
    need_torch()
    from kgask.cli.models_about import ENCODER, PLANNER, load_card
    from kgask.methods.text_encoder import GRAPH
    from kgask.plan.providers import CPU_GRAPH
    from kgask.train.onnx.requantise import requantise as write

    found = config.find("model", model).path
    graphs = {PLANNER: CPU_GRAPH, ENCODER: GRAPH}
    role, card = load_card(found) if found.is_dir() else ("reader", {})
    if role not in graphs:
        raise UsageError(f"{model}: is a model of another kind ({role}); name a planner or an encoder")
    changed = write(found, card, graphs[role], out)
    note(f"{changed} products of {found / graphs[role]} are scaled per row in {out}")
