"""``kgask train reader`` and ``score-reader``: the reader from made scenes, and how well one reads such scenes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from kgask import config
from kgask.cli import training as shared
from kgask.cli.render import note, steps_bar, table
from kgask.errors import UsageError

VARIANTS = ("F16", "Q8_0", "Q8_0-Q5_1", "Q4_K")  # of kgask.train.reader.ship, which --help must not load
KINDS = ("one", "several", "none")
SCENES = ("ten distractors", "ten distractors, shuffled, no scores")
SHARES = {  # of training scenes: the default, and what they are like
    "astray": (0.05, "that show another entity's triples, to be refused"),
    "unanswerable": (0.3, "whose answering triple is missing"),
    "blind": (0.3, "without the plan's order and marks"),
    "crowded": (0.3, "of one hop with many other triples around"),
}


def _number(name: str, default: float, kind: click.ParamType, help: str | None = None) -> shared.Decorator:
    return click.option(f"--{name}", default=default, show_default=True, type=kind, help=help)


def _shares(command: Callable[..., Any]) -> Callable[..., Any]:
    for name, (default, what) in reversed(SHARES.items()):
        command = _number(name, default, click.FloatRange(0, 1), f"Share of training scenes {what}.")(command)
    return command


_DATA = shared.data()


@click.command("reader", short_help="Train the reader and write it as GGUF.")
@_DATA
@shared.RELATIONS
@shared.output(help="Run folder: checkpoint, log, and the finished reader in DIR/reader. A run found there goes on.")
@_number("steps", 1500, click.IntRange(1), "Training steps of the whole run.")
@_number("batch-size", 32, click.IntRange(1), "Scenes a step.")
@_number("layers", 4, click.IntRange(1), "Layers kept of the encoder.")
@_number("positions", 1024, click.IntRange(64), "Longest prompt in tokens.")
@_number("seed", 1, click.INT, "Seed of all randomness.")
@_number("learning-rate", 2e-4, click.FloatRange(0, min_open=True), "Of the encoder; heads learn five times as fast.")
@_shares
@click.option(
    "--encoder", type=shared.OLD_FOLDER,
    help="Folder of the BERT encoder to start from: Hugging Face weights, or a planner. [default: the shipped planner]",
)  # fmt: skip
@click.option(
    "--start", type=shared.OLD_FOLDER,
    help="Folder of an earlier run, or of a finished reader, whose weights a fresh run starts from.",
)  # fmt: skip
@click.option(
    "--minutes", type=click.FloatRange(0, min_open=True), help="Stop after so long; the same command goes on later."
)
@_number("threads", 1, click.IntRange(1), "CPU threads.")
@_number("check-every", 100, click.IntRange(1), "Steps between checkpoints and held-out measurements.")
@_number("measure", 1000, click.IntRange(1), "Held-out scenes that the finished reader is measured on.")
@click.option("--quantisation", default="Q8_0-Q5_1", show_default=True, type=click.Choice(VARIANTS))
@click.option("--compare", is_flag=True, help="Measure every quantisation, and keep the figures in the card.")
@shared.FORCE
def reader(
    data: Path,
    tables: tuple[Path, ...],
    out: Path,
    layers: int,
    positions: int,
    seed: int,
    encoder: Path | None,
    start: Path | None,
    minutes: float | None,
    threads: int,
    measure: int,
    quantisation: str,
    compare: bool,
    force: bool,
    **recipe: Any,
) -> None:
    """Train the small model that reads numbered triples, and write it as GGUF.

    Progress (loss, held-out reading accuracy, examples a second, time left) goes
    to stderr and to DIR/log.jsonl. Stopped at any time, the same command goes on
    from the last checkpoint and ends with the same weights.
    """
    shared.prepare(threads, "cpu", "gguf")
    from kgask.build.folder import MODEL, check_target
    from kgask.corpus.scene import SceneOptions
    from kgask.train.reader.data import load_makers
    from kgask.train.reader.loop import ReaderTrainer, Recipe
    from kgask.train.reader.model import ReaderConfig
    from kgask.train.reader.ship import FINISHED, finish
    from kgask.train.reader.start import find_start

    check_target(out / FINISHED, force, MODEL, filter(None, (encoder, start)))
    makers = load_makers(data, tables, SceneOptions(**{name: recipe[name] for name in SHARES}))
    settings = Recipe(ReaderConfig(layers, positions), seed, **recipe)
    trainer = ReaderTrainer(settings, makers, out, find_start(encoder, start))
    trainer.resume()
    note(f"{trainer.model.n_parameters():,} parameters, step {trainer.step} of {settings.steps}")
    with shared.watched("train reader", settings.steps) as report:
        is_done = trainer.run(report, minutes)
    if not is_done:
        note(f"stopped at step {trainer.step} of {settings.steps}; the same command goes on")
        return
    click.echo(str(finish(trainer, quantisation, measure, compare, force)))


@click.command("score-reader", short_help="Measure a reader of kgask's on invented scenes.")
@_DATA
@shared.RELATIONS
@click.option("-r", "--reader", "name", default=config.DEFAULT_READER, show_default=True, help="Reader name or folder.")
@_number("number", 1000, click.IntRange(1), "Scenes of each sort.")
@_number("seed", 1, click.INT, "Which scenes.")
@click.option("--all", "everything", is_flag=True, help="All sorts that train reader measures, not two.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def score_reader(
    data: Path, tables: tuple[Path, ...], name: str, number: int, seed: int, everything: bool, as_json: bool
) -> None:
    """Share of scenes that a reader reads right: the right triples among ten others, half of them about the same
    entity, with names and wordings that training never saw; with the plan's order and scores, and without.

    The columns are questions with one answer, with several, and with none among the lines.
    """
    shared.need(*shared.TRAINING, "gguf")
    from kgask.read.cross_encoder.reader import CrossEncoder
    from kgask.read.load import load_reader
    from kgask.train.reader.data import load_makers
    from kgask.train.reader.ship import MEASURED, measure

    reader = load_reader(config.find("model", name).path)
    if not isinstance(reader, CrossEncoder):
        raise UsageError(f"--reader {name}: the scenes are for kgask's own readers; kgask eval reading takes any")
    makers, sorts = load_makers(data, tables), tuple(MEASURED) if everything else SCENES
    scores: dict[str, dict[str, float]] = {}
    with steps_bar("score reader", len(sorts)) as show:
        for done, sort in enumerate(sorts, start=1):
            scores |= measure(reader, makers, number, seed, (sort,))
            show(done, sort)
    if as_json:
        print(json.dumps(scores))
        return
    table(("scenes", *KINDS), [(sort, *(score.get(kind, "") for kind in KINDS)) for sort, score in scores.items()])
