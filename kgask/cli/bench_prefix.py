"""``kgask bench prefix``: what the prefix cache saves."""

from __future__ import annotations

import json
from pathlib import Path

import click

from kgask.cli.render import table


@click.command("prefix", short_help="What the prefix cache saves.")
@click.option("--pack", metavar="PACK", help="Pack name or path; by default as for ask.")
@click.option("-r", "--reader", "model", metavar="GGUF", type=click.Path(exists=True, path_type=Path),
              help="A GGUF file; by default a random one of 3 million parameters.")  # fmt: skip
@click.option("--prompt", default="kgask", show_default=True, help="A prompt's name or file.")
@click.option("--facts", type=click.IntRange(1, 60), default=10, show_default=True, help="Facts in the prompt.")
@click.option("--runs", type=click.IntRange(1), default=7, show_default=True, help="Counted runs of each way.")
@click.option("--threads", type=click.IntRange(1), help="By default as for ask.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def prefix(
    pack: str | None, model: Path | None, prompt: str, facts: int, runs: int, threads: int | None, as_json: bool
) -> None:
    """Time to the first decision of a new process, with the prefix cache and without it, in turn."""
    from kgask import config
    from kgask.bench.prefix import measure
    from kgask.pack.store import Pack

    name = pack or str(config.load_settings().get("pack", config.DEFAULT_PACK))
    with Pack.open(config.find("pack", name).path) as opened:
        figures = measure(opened, model, prompt, facts, runs, threads)
    if as_json:
        print(json.dumps(figures))
    else:
        table(("figure", "value"), list(figures.items()))
