"""``kgask bench``: figures that anyone can reproduce, from data at a path."""

from __future__ import annotations

import json
from pathlib import Path

import click

from kgask.cli.render import note, steps_bar, table


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def bench() -> None:
    """Measure kgask: cold start, warm questions, answers on question sets."""


@bench.command("cold")
@click.option("--runs", type=click.IntRange(1), default=7, show_default=True, help="Counted runs of each command.")
def cold(runs: int) -> None:
    """A whole kgask process against a bare script that loads the same models, in turn."""
    from kgask.bench.cold_start import measure

    found = measure(runs)
    rows = [
        ("kgask", f"{found.kgask.wall_s:.3f}", f"{found.kgask.peak_mib:.0f}"),
        ("bare script", f"{found.bare.wall_s:.3f}", f"{found.bare.peak_mib:.0f}"),
        ("ratio, difference", f"{found.time_ratio:.2f}", f"{found.more_mib:+.0f}"),
    ]
    table(("command", "wall s (median)", "peak MiB"), rows)


@bench.command("warm")
@click.option("--pack", help="Pack name or path; by default as for ask.")
@click.option("--runs", type=click.IntRange(1), default=50, show_default=True, help="Counted questions.")
def warm(pack: str | None, runs: int) -> None:
    """A second question in the same process, reader included."""
    from kgask.bench.warm import measure

    found = measure(pack, runs)
    rows = [(stage, f"{ms:.2f}") for stage, ms in found.items()]
    table(("stage", "ms (median)"), rows)


@bench.command("paths")
@click.argument("questions", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--pack", help="Pack name or path; by default as for ask.")
@click.option("--model", help="Planner name or path.")
@click.option("--given", is_flag=True, help="Give the topic (in brackets) instead of linking it.")
@click.option("--limit", type=click.IntRange(1), help="Only this many questions, drawn with a fixed seed.")
@click.option("--with-reader", is_flag=True, help="Read with the reader; by default the plan alone answers.")
@click.option("--misses", type=click.IntRange(0), default=0, help="Print this many wrong answers to stderr.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def paths(
    questions: Path,
    pack: str | None,
    model: str | None,
    given: bool,
    limit: int | None,
    with_reader: bool,
    misses: int,
    as_json: bool,
) -> None:
    """Hits@1 on QUESTIONS: lines of "text with [topic]<TAB>answer|answer" (MetaQA's form; .gz is fine).

    Brackets are removed before asking, so the topic is linked, unless --given.
    """
    from kgask.bench.datasets import bracketed
    from kgask.bench.run import run
    from kgask.pipeline import Pipeline

    asked = bracketed(questions, limit)
    reader = "" if with_reader else None
    with Pipeline.open(pack, model=model, reader=reader) as pipeline, steps_bar("ask", len(asked)) as show:
        report = run(pipeline, asked, given, lambda done: show(done, ""))
    for miss in report.misses[:misses]:
        note(miss)
    figures = report.figures()
    if as_json:
        print(json.dumps(figures))
    else:
        table(("figure", "value"), list(figures.items()))
