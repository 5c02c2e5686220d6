"""Figures of runs as tables and JSON, for the commands of ``kgask eval``."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from kgask.cli.render import note, table

if TYPE_CHECKING:
    from kgask.eval.compare import Comparison
    from kgask.eval.folder import Saved
    from kgask.eval.summary import Figure


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
    _print_columns(columns, names)
    _print_counts(runs, names)
    for more, name in zip(extra, names, strict=False):
        for group, values in more.items():
            table((group, name), [(figure, value) for figure, value in values.items()], title=f"{group}, {name}")
    for dimension in by:
        _print_groups(dimension, runs, names)


def _print_columns(columns: Sequence[Mapping[str, Figure]], names: Sequence[str]) -> None:
    shown = list(dict.fromkeys(name for column in columns for name in column))
    if len(columns) == 1:
        found = columns[0].items()
        rows = [(name, *(f"{end:.4f}" for end in (one.value, one.low, one.high)), one.n) for name, one in found]
        table(("figure", "value", "low", "high", "questions"), rows)
        return
    table(("figure", *names), [(name, *(_cell(column.get(name)) for column in columns)) for name in shown])


def _cell(figure: Figure | None) -> str:
    return "-" if figure is None else figure.shown()


def _print_counts(runs: Sequence[Saved], names: Sequence[str]) -> None:
    """What the models' own threshold would do, and where questions were lost."""
    from kgask.eval import summary

    thresholds = [summary.threshold_figures(saved) for saved in runs]
    rows = [
        (label, *(_number(one[name]) for one in thresholds))
        for name, label in (
            ("threshold", "default_threshold"),
            ("coverage", "default_threshold_coverage"),
            ("accuracy_of_answered", "default_threshold_accuracy"),
        )
    ]
    lost = [summary.counts_lost(saved.predictions) for saved in runs]
    rows += [(name if name == "right" else f"lost_{name}", *(str(count[name]) for count in lost)) for name in lost[0]]
    table(("", *names), rows)


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


def _print_groups(dimension: str, runs: Sequence[Saved], names: Sequence[str]) -> None:
    from kgask.eval import summary

    tables = [summary.broken_down(saved.predictions, dimension) for saved in runs]
    figures = list(dict.fromkeys(name for found in tables for row in found.values() for name in row))
    several = len(runs) > 1
    rows = [
        (
            dimension, group, *([name] if several else []), max((one.n for one in row.values()), default=0),
            *(_cell(row.get(figure)) for figure in figures),
        )
        for group in dict.fromkeys(group for found in tables for group in found)
        for name, found in zip(names, tables, strict=True)
        if (row := found.get(group)) is not None
    ]  # fmt: skip
    table(("by", "group", *(["run"] if several else []), "questions", *figures), rows, title=f"by {dimension}")


def print_sweep(name: str, values: Sequence[str], runs: Sequence[Saved], as_json: bool) -> None:
    """One row a value of the swept option."""
    from kgask.eval import summary

    if as_json:
        found = [{name: value, **summary.as_json(saved)} for value, saved in zip(values, runs, strict=True)]
        print(json.dumps(found, ensure_ascii=True))
        return
    columns = [summary.means(saved.predictions, summary.SHORT) for saved in runs]
    figures = list(dict.fromkeys(figure for column in columns for figure in column))
    pairs = zip(values, columns, strict=True)
    rows = [(value, *(_cell(column.get(figure)) for figure in figures)) for value, column in pairs]
    table((name, *figures), rows)


def print_comparison(found: Comparison, names: Sequence[str], n_changed: int) -> None:
    """Figures of both, what McNemar's test says, and the questions that changed."""
    rows = [
        (
            name, f"{first:.4f}", f"{second:.4f}", f"{gain.mean:+.4f} [{gain.low:+.4f}, {gain.high:+.4f}]",
            f"{gain.p_value:.3g}",
        )
        for name, (first, second, gain) in found.differences.items()
    ]  # fmt: skip
    tally = f"-{found.only_first} +{found.only_second}"
    rows.append(("right, McNemar", str(found.n), str(found.n), tally, f"{found.p_value:.3g}"))
    table(("figure", *names, "difference", "p"), rows)
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
