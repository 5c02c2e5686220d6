"""Runs side by side as one page: settings, figures, plots, what was lost, and wrong answers to look at."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from kgask.errors import UsageError
from kgask.eval import metrics
from kgask.eval.compare import compare
from kgask.eval.folder import Saved, read_timings, run_names
from kgask.eval.page import Block, Heading, Paragraph, Plot, Table, as_html, markdown
from kgask.eval.plots import Bar, Line, bar_plot, line_plot, stacked_bars
from kgask.eval.records import Prediction
from kgask.eval.resample import RESAMPLES
from kgask.eval.summary import (
    GROUPS,
    UNKNOWN,
    broken_down,
    counts_lost,
    figures,
    group_rows,
    side_by_side,
    size_of,
    threshold_figures,
)
from kgask.machine.files import check_output, write_whole

TITLE = "kgask eval"
SHOWN_WRONG = 12  # wrong answers of a run, spread over the stages that lost them
PLOTTED = {"hops": "Accuracy by hops", "kind": "Accuracy by kind of question"}
MOST_GROUPS = 40  # of a breakdown; the largest ones
SETTINGS = (
    "set", "split", "questions", "pack_name", "model_name", "reader_name", "method", "encoder", "prompt", "free",
    "given", "gold_hops", "options", "default_threshold", "hashes", "questions_sha256",
)  # fmt: skip


def write(runs: Sequence[Saved], out: Path, resamples: int = RESAMPLES, force: bool = False) -> tuple[Path, Path]:
    """``report.md`` and ``report.html`` in ``out``.

    Raises :class:`UsageError` for runs without predictions, and, without ``force``, for pages that are there.
    """
    if not runs:
        raise UsageError("no run to report; name the folders that 'kgask eval run -o' wrote")
    files = out / "report.md", out / "report.html"
    for file in files:
        check_output(file, force)
    blocks = page(runs, resamples)
    try:
        out.mkdir(parents=True, exist_ok=True)
        for file, text in zip(files, (markdown(blocks), as_html(TITLE, blocks)), strict=True):
            write_whole(file, text, replace=force)
    except OSError as error:
        raise UsageError(f"{error.filename or out}: cannot be written ({error.strerror})") from error
    return files


def page(runs: Sequence[Saved], resamples: int = RESAMPLES) -> list[Block]:
    names = run_names(runs)
    blocks: list[Block] = [Heading("Answers over a knowledge graph", 1), Paragraph(_about(runs))]
    blocks += [Paragraph(run.unfinished_note) for run in runs if not run.finished]
    blocks += [Heading("Figures"), _figures(runs, names, resamples), Heading("Against the first run")]
    blocks += _against_first(runs, names, resamples)
    blocks += [Heading("Sure and right"), *_confidence(runs, names)]
    for by in GROUPS:
        blocks += _breakdown(by, runs, names, resamples)
    blocks += [Heading("Where questions were lost"), _lost(runs, names)]
    blocks += [Heading("Time"), *_times(runs, names), Heading("Wrong answers")]
    for run, name in zip(runs, names, strict=True):
        blocks += [Heading(name, 3), _wrong(run.predictions)]
    return [*blocks, Heading("What decides each run"), _settings(runs, names)]


def _about(runs: Sequence[Saved]) -> str:
    return (
        f"{len(runs)} run{'s' if len(runs) > 1 else ''}; every question of a set counts, answered or not. "
        "Brackets are 95 % bootstrap intervals over the questions. Hits@1, F1 and the exact set compare ids; "
        "answer_hit and KM compare texts."
    )


# --- tables -------------------------------------------------------------------------------------


def _figures(runs: Sequence[Saved], names: Sequence[str], resamples: int) -> Table:
    rows = side_by_side([figures(run.predictions, resamples) for run in runs], "")
    rows.append(["questions", *(str(len(run.predictions)) for run in runs)])
    return Table(["figure", *names], rows)


def _against_first(runs: Sequence[Saved], names: Sequence[str], resamples: int) -> list[Block]:
    rows: list[list[str]] = []
    apart: list[Block] = []
    for run, name in zip(runs[1:], names[1:], strict=True):
        try:
            found = compare(runs[0], run, resamples)
        except UsageError as error:
            apart.append(Paragraph(str(error)))
            continue
        rows += [[name, figure, value, gain, p_value] for figure, _, value, gain, p_value in found.rows()]
    if not rows and not apart:
        return [Paragraph("There is one run.")]
    return [*apart, Table(["run", "figure", "value", f"minus {names[0]}", "p"], rows, n_text=2)] if rows else apart


def _breakdown(by: str, runs: Sequence[Saved], names: Sequence[str], resamples: int) -> list[Block]:
    """Nothing where the sets do not say, but for one run that has groups."""
    tables = [broken_down(run.predictions, by, resamples=resamples) for run in runs]
    groups = list(dict.fromkeys(group for table in tables for group in table))
    if groups == [UNKNOWN] or by == "lost":
        return []
    if len(groups) > MOST_GROUPS:
        sizes = {group: sum(size_of(table.get(group, {})) for table in tables) for group in groups}
        largest = set(sorted(groups, key=lambda group: -sizes[group])[:MOST_GROUPS])
        groups = [group for group in groups if group in largest]
    blocks: list[Block] = [Heading(f"By {'number of reference triples' if by == 'triples' else by}")]
    if by in PLOTTED:
        blocks.append(_bars(PLOTTED[by], groups, tables, names))
    columns, rows = group_rows(tables, names, groups, "")
    return [*blocks, Table([by, "run", "questions", *columns], rows, n_text=2)]


def _lost(runs: Sequence[Saved], names: Sequence[str]) -> Table:
    counts = [counts_lost(run.predictions) for run in runs]
    rows = [[place, *(str(count[place]) for count in counts)] for place in ("right", *metrics.LOST)]
    return Table(["stage", *names], rows)


def _wrong(predictions: Sequence[Prediction]) -> Table:
    """Some of each stage, in the order of the set."""
    by_stage = {stage: [one for one in predictions if metrics.lost(one) == stage] for stage in metrics.LOST}
    share = max(1, SHOWN_WRONG // max(1, sum(map(bool, by_stage.values()))))
    rows = [
        [stage, one.question, " | ".join(_gold(one)), one.written or one.answer or f"({one.reason})"]
        for stage, wrong in by_stage.items()
        for one in wrong[:share]
    ]
    return Table(["lost at", "question", "gold", "answered"], rows, n_text=4)


def _gold(prediction: Prediction) -> list[str]:
    if prediction.gold.label is not None and not prediction.gold.answers:
        return [str(prediction.gold.label).lower()]
    return [next((name for name in gold.names if name), gold.key or "") for gold in prediction.gold.answers]


def _settings(runs: Sequence[Saved], names: Sequence[str]) -> Table:
    rows = []
    for setting in SETTINGS:
        values = [run.decides.get(setting) for run in runs]
        if any(value not in (None, "") for value in values):
            rows.append([setting, *(v if isinstance(v, str) else json.dumps(v, sort_keys=True) for v in values)])
    return Table(["setting", *names], rows, n_text=1 + len(runs))


# --- plots --------------------------------------------------------------------------------------


def _confidence(runs: Sequence[Saved], names: Sequence[str]) -> list[Block]:
    lines, rows = [], []
    for run, name in zip(runs, names, strict=True):
        sure, is_right = metrics.confidences_and_right(run.predictions)
        coverage, risk = metrics.risk_coverage(sure, is_right)
        lines.append(Line(name, coverage.tolist(), risk.tolist()))
        found = threshold_figures(run)
        rows.append([name, *("-" if value is None else f"{value:.4f}" for value in found.values())])
    svg = line_plot("Risk and coverage", "coverage: share of questions answered", "risk: share of answers wrong", lines)
    about = "The surest answers are on the left; lower is better. What is not answered is wrong at the right end."
    return [Plot(svg, about), Table(["run", "default threshold", "coverage", "accuracy of answered"], rows)]


def _bars(title: str, groups: Sequence[str], tables: Sequence[dict], names: Sequence[str]) -> Plot:
    drawn = {}
    for group in groups:
        bars = []
        for at, table in enumerate(tables):
            row = table.get(group, {})
            figure = row.get("hits_at_1") or row.get("claim_right")
            if figure is not None:
                bars.append(Bar(at, figure.value, figure.low, figure.high, figure.n))
        drawn[group] = bars
    return Plot(bar_plot(title, names, drawn), f"{title}: Hits@1 by id (of claims: the verdict), with 95 % intervals.")


def _times(runs: Sequence[Saved], names: Sequence[str]) -> list[Block]:
    rows = {name: stage_means(read_timings(run.path)) for run, name in zip(runs, names, strict=True)}
    stages = list(dict.fromkeys(stage for row in rows.values() for stage in row))
    if not stages:
        return [Paragraph("No times were kept.")]
    svg = stacked_bars("Mean time per question", "ms", rows)
    table = [
        [name, *(f"{row.get(stage, 0.0):.2f}" for stage in stages), f"{sum(row.values()):.2f}"]
        for name, row in rows.items()
    ]
    about = "Mean milliseconds per question and stage, of the machine that ran it."
    return [Plot(svg, about), Table(["run", *(f"{stage} ms" for stage in stages), "sum ms"], table)]


def stage_means(timings: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Mean milliseconds of each stage over all questions, those that did not come so far counted as 0."""
    stages = list(dict.fromkeys(stage for row in timings for stage in row))
    return {stage: float(np.mean([row.get(stage, 0.0) for row in timings])) for stage in stages}
