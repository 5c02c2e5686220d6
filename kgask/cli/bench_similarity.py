"""``kgask bench similarity``: the similarity method beside a bare script of the same."""

from __future__ import annotations

import json
from pathlib import Path

import click

from kgask.cli.render import steps_bar, table


@click.command("similarity", short_help="The similarity method against a bare script of it.")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--pack", metavar="PACK", help="Pack name or path; by default as for ask.")
@click.option("--encoder", metavar="FOLDER", help="Sentence encoder.  [default: the shipped one]")
@click.option("--limit", type=click.IntRange(1), default=400, show_default=True, help="Questions, by a fixed seed.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def similarity(file: Path, pack: str | None, encoder: str | None, limit: int, as_json: bool) -> None:
    """Ask FILE's questions of the method and of a bare script, in turn; the topic is given.

    Lines are text with [topic]<TAB>answer|answer. Whether the best triple is right,
    whether one of the first ten is, and the time of a question.
    """
    from kgask import config
    from kgask.bench.similarity import measure
    from kgask.pack.store import Pack
    from kgask.sets import registry
    from kgask.sets.gold import sample

    name = pack or str(config.load_settings().get("pack", config.DEFAULT_PACK))
    folder = config.find("model", encoder or config.DEFAULT_ENCODER).path
    with Pack.open(config.find("pack", name).path) as opened, steps_bar("ask", limit) as show:
        figures = measure(opened, folder, sample(registry.load("metaqa", file), limit), lambda done: show(done, ""))
    if as_json:
        print(json.dumps(figures))
    else:
        table(("figure", "value"), list(figures.items()))
