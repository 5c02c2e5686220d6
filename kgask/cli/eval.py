"""``kgask eval``: question sets over packs, figures with intervals, and runs side by side."""

from __future__ import annotations

import json
from pathlib import Path

import click

from kgask.cli.eval_make import half, make, rename
from kgask.cli.eval_run import run
from kgask.cli.eval_show import print_comparison, print_figures
from kgask.cli.eval_table import table
from kgask.cli.render import note, steps_bar

GROUP_NAMES = ("kind", "hops", "triples", "band", "retrieval", "lost")
RUN_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)


@click.group("eval", context_settings={"help_option_names": ["-h", "--help"]})
def evaluate() -> None:
    """Measure answers on question sets: run, then score, compare and report.

    Every question counts, answered or not; figures come with 95 % bootstrap intervals over the questions.
    """


for command in (run, table, make, rename, half):
    evaluate.add_command(command)


@evaluate.command("score", short_help="Figures of runs, from their predictions.")
@click.argument("outs", metavar="OUT...", nargs=-1, required=True, type=RUN_FOLDER)
@click.option("--by", multiple=True, type=click.Choice(GROUP_NAMES), help="Broken down by this too; may be repeated.")
@click.option(
    "--nli", metavar="FOLDER", type=RUN_FOLDER, help="An ONNX NLI cross-encoder: entailment of the gold, and E-C."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def score(outs: tuple[Path, ...], by: tuple[str, ...], nli: Path | None, as_json: bool) -> None:
    """Figures of the runs in OUT..., side by side where there are several."""
    from kgask.eval.folder import load
    from kgask.eval.report import run_names

    runs = [load(out) for out in outs]
    extra = []
    if nli is not None:
        from kgask.eval.nli import CrossEncoder, judge

        judge_of = CrossEncoder.load(nli)
        with steps_bar("nli", sum(len(saved.predictions) for saved in runs)) as show:
            for saved in runs:
                extra.append({"nli": judge(judge_of, saved.predictions, lambda done: show(done, "")).figures()})
    print_figures(runs, run_names(runs), as_json, by, extra)


@evaluate.command("compare", short_help="Two runs over the same questions.")
@click.argument("first", type=RUN_FOLDER)
@click.argument("second", type=RUN_FOLDER)
@click.option("--changed", type=click.IntRange(0), default=10, show_default=True, help="Changed questions listed.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def compare(first: Path, second: Path, changed: int, as_json: bool) -> None:
    """Pair two runs by question: differences with intervals, McNemar's exact test, what changed."""
    from kgask.eval.compare import compare as pair
    from kgask.eval.folder import load
    from kgask.eval.report import run_names

    runs = [load(first), load(second)]
    found = pair(*runs)
    if as_json:
        print(json.dumps(found.as_json(changed), ensure_ascii=True))
    else:
        print_comparison(found, run_names(runs), changed)


@evaluate.command("report", short_help="A Markdown and an HTML page of runs.")
@click.argument("outs", metavar="OUT...", nargs=-1, required=True, type=RUN_FOLDER)
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path), metavar="DIR", help="Folder for them.")
@click.option("--force", is_flag=True, help="Replace pages that are there.")
def report(outs: tuple[Path, ...], output: Path, force: bool) -> None:
    """Write report.md and report.html: tables, plots, what was lost and where, for the runs in OUT..."""
    from kgask.eval.folder import load
    from kgask.eval.report import write

    for file in write([load(out) for out in outs], output, force=force):
        note(f"wrote {file}")
