"""``kgask train score-reader``: reading accuracy on invented scenes. Needs ``kgask[train]``."""

from __future__ import annotations

import json
from pathlib import Path

import click

from kgask import config
from kgask.cli.render import steps_bar, table
from kgask.cli.training import need_torch
from kgask.errors import UsageError

KINDS = ("one", "several", "none")
SCENES = ("ten distractors", "ten distractors, shuffled, no scores")


@click.command("score-reader", short_help="Measure a reader of kgask's on invented scenes.")
@click.option(
    "--data", required=True, type=click.Path(path_type=Path, exists=True, file_okay=False), help="As for train reader."
)
@click.option(
    "--relations", "tables", multiple=True, type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="As for train reader.",
)  # fmt: skip
@click.option("-r", "--reader", "name", default=config.DEFAULT_READER, show_default=True, help="Reader name or folder.")
@click.option("--number", type=click.IntRange(1), default=1000, show_default=True, help="Scenes of each sort.")
@click.option("--seed", "rng_seed", type=int, default=1, show_default=True, help="Which scenes.")
@click.option("--all", "everything", is_flag=True, help="All sorts that train reader measures, not two.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def score_reader(
    data: Path, tables: tuple[Path, ...], name: str, number: int, rng_seed: int, everything: bool, as_json: bool
) -> None:
    """Share of scenes that a reader reads right: the right triples among ten others, half of them about the same
    entity, with names and wordings that training never saw; with the plan's order and scores, and without.

    The columns are questions with one answer, with several, and with none among the lines.
    """
    need_torch()
    from kgask.read.cross_encoder.reader import LlamaReader
    from kgask.train.reader.data import load_makers
    from kgask.train.reader.ship import MEASURED, measure

    reader = LlamaReader.load(config.find("model", name).path)
    if not isinstance(reader, LlamaReader):
        raise UsageError(f"--reader {name}: the scenes are for kgask's own readers; kgask bench reading takes any")
    makers, sorts = load_makers(data, tables), tuple(MEASURED) if everything else SCENES
    scores = {}
    with steps_bar("score reader", len(sorts)) as show:
        for done, sort in enumerate(sorts, start=1):
            scores |= measure(reader, makers, number, rng_seed, (sort,))
            show(done, sort)
    if as_json:
        print(json.dumps(scores))
        return
    table(("scenes", *KINDS), [(sort, *(score.get(kind, "") for kind in KINDS)) for sort, score in scores.items()])
