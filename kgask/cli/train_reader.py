"""``kgask train reader``: train, export and quantise a reader. Needs ``kgask[train]``."""

from __future__ import annotations

from pathlib import Path

import click

from kgask.cli.render import note, steps_bar
from kgask.cli.training import FORCE

VARIANTS = ("F16", "Q8_0", "Q8_0-Q5_1", "Q4_K")  # of kgask.train.reader.ship, which --help must not load


@click.command("reader", short_help="Train the reader and write it as GGUF.")
@click.option(
    "--data",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    required=True,
    help="Folder with the question sets (see its README).",
)
@click.option(
    "--relations",
    "tables",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    multiple=True,
    help="Relation table of a pack's sources (key, label, aliases, description, inverse label); repeatable.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    help="Run folder: checkpoint, log, and the finished reader in OUT/reader. A run found there goes on.",
)
@click.option(
    "--steps",
    default=1500,
    show_default=True,
    type=click.IntRange(1),
    help="Training steps of the whole run.",
)
@click.option("--batch-size", default=32, show_default=True, type=click.IntRange(1))
@click.option("--layers", default=4, show_default=True, type=click.IntRange(1), help="Layers kept of the encoder.")
@click.option("--positions", default=1024, show_default=True, type=click.IntRange(64), help="Longest prompt in tokens.")
@click.option("--seed", "rng_seed", default=1, show_default=True, type=int)
@click.option("--learning-rate", default=2e-4, show_default=True, type=click.FloatRange(0, min_open=True))
@click.option(
    "--astray",
    default=0.05,
    show_default=True,
    type=click.FloatRange(0, 1),
    help="Share of training scenes that show another entity's triples, to be refused.",
)
@click.option(
    "--unanswerable",
    default=0.3,
    show_default=True,
    type=click.FloatRange(0, 1),
    help="Share of training scenes whose answering triple is missing.",
)
@click.option(
    "--blind",
    default=0.3,
    show_default=True,
    type=click.FloatRange(0, 1),
    help="Share of training scenes without the plan's order and marks.",
)
@click.option(
    "--crowded",
    default=0.3,
    show_default=True,
    type=click.FloatRange(0, 1),
    help="Share of training scenes of one hop with many other triples around.",
)
@click.option(
    "--encoder",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Folder of the BERT encoder to start from: Hugging Face weights, or a planner. [default: the shipped planner]",
)
@click.option(
    "--start",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Folder of an earlier run, or of a finished reader, whose weights a fresh run starts from.",
)
@click.option(
    "--minutes",
    type=click.FloatRange(0, min_open=True),
    help="Stop after so long; the same command goes on later.",
)
@click.option("--threads", default=1, show_default=True, type=click.IntRange(1))
@click.option(
    "--check-every",
    default=100,
    show_default=True,
    type=click.IntRange(1),
    help="Steps between checkpoints and held-out measurements.",
)
@click.option(
    "--measure",
    "n_measured",
    default=1000,
    show_default=True,
    type=click.IntRange(1),
    help="Held-out scenes that the finished reader is measured on.",
)
@click.option("--quantisation", default="Q8_0-Q5_1", show_default=True, type=click.Choice(VARIANTS))
@click.option("--compare", is_flag=True, help="Measure every quantisation, and keep the figures in the card.")
@FORCE
def reader(
    data: Path,
    tables: tuple[Path, ...],
    out: Path,
    steps: int,
    batch_size: int,
    layers: int,
    positions: int,
    rng_seed: int,
    learning_rate: float,
    astray: float,
    unanswerable: float,
    blind: float,
    crowded: float,
    encoder: Path | None,
    start: Path | None,
    minutes: float | None,
    threads: int,
    check_every: int,
    n_measured: int,
    quantisation: str,
    compare: bool,
    force: bool,
) -> None:
    """Train the small model that reads numbered triples, and write it as GGUF.

    Progress (loss, held-out reading accuracy, examples a second, time left) goes
    to stderr and to OUT/log.jsonl. Stopped at any time, the same command goes on
    from the last checkpoint and ends with the same weights.
    """
    from kgask.build.folder import MODEL, check_target
    from kgask.errors import ModelError

    try:
        import torch

        from kgask.corpus.scenes import SceneOptions
        from kgask.train.reader.data import load_makers
        from kgask.train.reader.loop import Recipe, Trainer
        from kgask.train.reader.model import ReaderConfig
        from kgask.train.reader.ship import FINISHED, finish
        from kgask.train.reader.start import find_start
    except ImportError as error:
        raise ModelError(f"training needs more packages ({error.name}); pip install 'kgask[train]'") from None
    check_target(out / FINISHED, force, MODEL, filter(None, (encoder, start)))
    torch.set_num_threads(threads)
    recipe = Recipe(
        ReaderConfig(layers, positions),
        rng_seed,
        batch_size,
        steps,
        learning_rate,
        check_every=check_every,
        blind=blind,
        astray=astray,
        unanswerable=unanswerable,
        crowded=crowded,
    )
    options = SceneOptions(blind=blind, astray=astray, unanswerable=unanswerable, crowded=crowded)
    makers = load_makers(data, tables, options)
    trainer = Trainer.start(recipe, makers, out, find_start(encoder, start))
    note(f"{trainer.model.n_parameters():,} parameters, step {trainer.step} of {steps}")
    with steps_bar("train reader", steps) as show:
        finished = trainer.run(minutes, show=show)
    if not finished:
        note(f"stopped at step {trainer.step} of {steps}; the same command goes on")
        return
    click.echo(str(finish(out, trainer, quantisation, n_measured, compare, force)))
