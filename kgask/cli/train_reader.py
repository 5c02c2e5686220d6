"""``kgask train reader``: train, export and quantise a reader. Needs ``kgask[train]``."""

from __future__ import annotations

from pathlib import Path

import click

from kgask.cli.render import note, steps_bar


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
@click.option("--size", default="192x4", show_default=True, help="Width x layers.")
@click.option(
    "--vocabulary",
    default=6144,
    show_default=True,
    type=click.IntRange(400),
    help="Tokens, control tokens included.",
)
@click.option("--seed", "rng_seed", default=1, show_default=True, type=int)
@click.option("--learning-rate", default=1.5e-3, show_default=True, type=click.FloatRange(0, min_open=True))
@click.option(
    "--astray",
    default=0.06,
    show_default=True,
    type=click.FloatRange(0, 1),
    help="Share of training scenes that show another entity's triples, to be refused.",
)
@click.option(
    "--start",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Folder of an earlier run whose weights a fresh run starts from.",
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
@click.option("--plain-start", is_flag=True, help="Start token embeddings at random instead of from MiniLM.")
@click.option("--fp32", is_flag=True, help="No bf16 autocast.")
@click.option(
    "--plan-trust",
    default=1.0,
    show_default=True,
    type=click.FloatRange(1.0),
    help="How many times its probability the plan's own reply counts at answer time.",
)
@click.option("--quantisation", default="Q8_0", show_default=True, type=click.Choice(["F16", "Q8_0", "Q4_K"]))
def reader(
    data: Path,
    tables: tuple[Path, ...],
    out: Path,
    steps: int,
    batch_size: int,
    size: str,
    vocabulary: int,
    rng_seed: int,
    learning_rate: float,
    astray: float,
    start: Path | None,
    minutes: float | None,
    threads: int,
    check_every: int,
    n_measured: int,
    plain_start: bool,
    fp32: bool,
    plan_trust: float,
    quantisation: str,
) -> None:
    """Train the small model that reads numbered triples, and write it as GGUF.

    Progress (loss, held-out reading accuracy, examples a second, time left) goes
    to stderr and to OUT/log.jsonl. Stopped at any time, the same command goes on
    from the last checkpoint and ends with the same weights.
    """
    from kgask.errors import ModelError, UsageError

    try:
        import torch

        from kgask.train.reader_data import load_makers
        from kgask.train.reader_loop import Recipe, Trainer
        from kgask.train.reader_model import ReaderConfig
        from kgask.train.reader_scenes import SceneOptions
        from kgask.train.reader_ship import finish
    except ImportError as error:
        raise ModelError(f"training needs more packages ({error.name}); pip install 'kgask[train]'") from None
    try:
        width, layers = (int(part) for part in size.split("x"))
        model = ReaderConfig(n_vocab=vocabulary, n_embd=width, n_layer=layers, n_ff=width * 8 // 3 // 32 * 32)
    except ValueError as error:
        raise UsageError(f"--size {size}: {error}; for example 192x4") from None
    torch.set_num_threads(threads)
    recipe = Recipe(
        model,
        rng_seed,
        batch_size,
        steps,
        learning_rate,
        check_every=check_every,
        word_start=not plain_start,
        bf16=not fp32,
        astray=astray,
    )
    trainer = Trainer.start(recipe, load_makers(data, tables, SceneOptions(astray=astray)), out, start)
    note(f"{trainer.model.n_parameters():,} parameters, step {trainer.step} of {steps}")
    with steps_bar("train reader", steps) as show:
        finished = trainer.run(minutes, show=show)
    if not finished:
        note(f"stopped at step {trainer.step} of {steps}; the same command goes on")
        return
    click.echo(str(finish(out, trainer, quantisation, n_measured, plan_trust)))
