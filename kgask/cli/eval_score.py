"""``kgask eval score``, ``compare`` and ``report``: what the predictions of runs say."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kgask.cli.figures import FOLDER, printing
from kgask.cli.options import Command
from kgask.cli.render import note, steps_bar, table

if TYPE_CHECKING:
    from kgask.eval.compare import Comparison
    from kgask.eval.folder import Saved

GROUP_NAMES = ("kind", "hops", "triples", "band", "retrieval", "lost")
OUTS = click.argument("outs", metavar="OUT...", nargs=-1, required=True, type=FOLDER)


@printing("score")
@OUTS
@click.option("--by", multiple=True, type=click.Choice(GROUP_NAMES), help="Broken down by this too; may be repeated.")
@click.option("--wrong", type=click.IntRange(0), default=0, metavar="N", help="N wrong answers of each run to stderr.")
@click.option(
    "--nli", metavar="FOLDER", type=FOLDER, help="An ONNX NLI cross-encoder: entailment of the gold, and E-C."
)
def score(outs: tuple[Path, ...], by: tuple[str, ...], wrong: int, nli: Path | None, as_json: bool) -> None:
    """Figures of the runs in OUT..., side by side where there are several."""
    from kgask.eval.folder import load, run_names

    runs = [load(out) for out in outs]
    extra = []
    if nli is not None:
        from kgask.eval.nli import CrossEncoder, judge

        judge_of = CrossEncoder.load(nli)
        with steps_bar("nli", sum(len(saved.predictions) for saved in runs)) as show:
            for saved in runs:
                extra.append({"nli": judge(judge_of, saved.predictions, lambda done: show(done, ""))})
    for saved in runs:
        note_wrong(saved, wrong)
    print_figures(runs, run_names(runs), as_json, by, extra)


@printing("compare")
@click.argument("first", type=FOLDER)
@click.argument("second", type=FOLDER)
@click.option("--changed", type=click.IntRange(0), default=10, show_default=True, help="Changed questions listed.")
def compare(first: Path, second: Path, changed: int, as_json: bool) -> None:
    """Pair two runs by question: differences with intervals, McNemar's exact test, what changed."""
    from kgask.eval.compare import compare as pair
    from kgask.eval.folder import load, run_names

    runs = load(first), load(second)
    found = pair(*runs)
    if as_json:
        print(json.dumps(found.as_json(changed), ensure_ascii=True))
    else:
        print_comparison(found, run_names(runs), changed)


@click.command("report", cls=Command)
@OUTS
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path), metavar="DIR", help="Folder for them.")
@click.option("--force", is_flag=True, help="Replace pages that are there.")
def report(outs: tuple[Path, ...], output: Path, force: bool) -> None:
    """Write report.md and report.html: tables, plots, what was lost and where, for the runs in OUT..."""
    from kgask.eval.folder import load
    from kgask.eval.report import write

    for file in write([load(out) for out in outs], output, force=force):
        note(f"wrote {file}")


# --- tables -------------------------------------------------------------------------------------


def note_wrong(saved: Saved, most: int) -> None:
    """The first wrong answers, with the stage that lost each."""
    from kgask.eval import metrics

    wrong = [(stage, one) for one in saved.predictions if (stage := metrics.lost(one))]
    for stage, one in wrong[:most]:
        note(f"lost at {stage}: {one.question} -> {one.written or one.answer or one.reason}")


def print_figures(
    runs: Sequence[Saved],
    names: Sequence[str],
    as_json: bool,
    by: Sequence[str] = (),
    extra: Sequence[Mapping[str, Any]] = (),
) -> None:
    """One run as figures with intervals, several side by side; ``extra`` are figures of each run from elsewhere."""
    from kgask.eval import summary

    for saved in runs:
        if not saved.finished:
            note(saved.unfinished_note)
    if as_json:
        beside = extra or [{} for _ in runs]
        found = [summary.as_json(saved, by) | dict(more) for saved, more in zip(runs, beside, strict=True)]
        print(json.dumps(found[0] if len(found) == 1 else found, ensure_ascii=True))
        return
    columns = [summary.figures(saved.predictions) for saved in runs]
    if len(columns) == 1:
        ends = [(name, (one.value, one.low, one.high), one.n) for name, one in columns[0].items()]
        rows = [(name, *(f"{end:.4f}" for end in three), n) for name, three, n in ends]
        table(("figure", "value", "low", "high", "questions"), rows)
    else:
        table(("figure", *names), summary.side_by_side(columns, "-"))
    table(("", *names), summary.counts(runs))
    for more, name in zip(extra, names, strict=False):
        for group, values in more.items():
            table((group, name), list(values.items()), title=f"{group}, {name}")
    for dimension in by:
        tables = [summary.broken_down(saved.predictions, dimension) for saved in runs]
        groups = dict.fromkeys(group for found in tables for group in found)
        heads, rows_of = summary.group_rows(tables, names, groups, "-")
        named = slice(1, 2 if len(runs) > 1 else 1)  # one run is not named
        heads = ["by", "group", *["run"][named.start - 1 : named.stop - 1], "questions", *heads]
        table(heads, [(dimension, row[0], *row[named], *row[2:]) for row in rows_of], title=f"by {dimension}")


def print_sweep(name: str, values: Sequence[str], runs: Sequence[Saved], as_json: bool) -> None:
    """One row a value of the swept option."""
    from kgask.eval import summary

    if as_json:
        found = [{name: value, **summary.as_json(saved)} for value, saved in zip(values, runs, strict=True)]
        print(json.dumps(found, ensure_ascii=True))
        return
    columns = [summary.means(saved.predictions, summary.SHORT) for saved in runs]
    figures, *_ = zip(*(rows := summary.side_by_side(columns, "-")), strict=True)
    table((name, *figures), [(value, *(row[at] for row in rows)) for at, value in enumerate(values, 1)])


def print_comparison(found: Comparison, names: Sequence[str], n_changed: int) -> None:
    """Figures of both, what McNemar's test says, and the questions that changed."""
    table(("figure", *names, "difference", "p"), found.rows())
    changed = [
        (
            "gained" if one.gained else "lost", one.first.id, one.first.question,
            one.first.answer or "-", one.second.answer or "-",
        )
        for one in found.changed[:n_changed]
    ]  # fmt: skip
    if changed:
        table(("change", "id", "question", *names), changed)
    if len(found.changed) > n_changed:
        note(f"{len(found.changed) - n_changed} more questions changed; --changed {len(found.changed)} lists all")
    for name, (before, after) in found.unlike.items():
        note(f"the runs differ in {name}: {json.dumps(before, sort_keys=True)} and {json.dumps(after, sort_keys=True)}")
