"""A run's figures with their intervals, whole and broken down."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kgask.errors import UsageError
from kgask.eval import metrics
from kgask.eval.folder import Saved
from kgask.eval.metrics import auroc
from kgask.eval.records import Prediction
from kgask.eval.resample import RESAMPLES, interval_of, mean_interval

UNKNOWN = "?"  # the set does not say
CONFIDENCE_FIGURES: dict[str, Callable[[np.ndarray, np.ndarray], float | None]] = {
    "calibration_error": metrics.calibration_error,
    "brier": metrics.brier,
    "auroc_of_confidence": auroc,
    "area_under_risk": metrics.area_under_risk,
}
GROUPS: dict[str, Callable[[Prediction], str]] = {
    "kind": lambda p: p.kind or UNKNOWN,
    "hops": lambda p: UNKNOWN if p.hops is None else str(p.hops),
    "triples": lambda p: str(len(p.gold.triples)) if p.gold.triples else UNKNOWN,
    "band": lambda p: p.band or UNKNOWN,
    "retrieval": lambda p: {1.0: "right", 0.0: "wrong", None: UNKNOWN}[metrics.retrieved(p)],
    "lost": lambda p: metrics.lost(p) or "right",
}
# What a breakdown and a sweep show of each group.
SHORT = ("hits_at_1", "f1", "answer_hit", "claim_right", "relation_recall", "support_recall", "abstained")


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure over ``n`` questions with the ends of its 95 % bootstrap interval."""

    value: float
    low: float
    high: float
    n: int

    def rounded(self) -> dict[str, float | int]:
        return {"value": round(self.value, 4), "low": round(self.low, 4), "high": round(self.high, 4), "n": self.n}

    def shown(self) -> str:
        """The value with its interval, as shares."""
        return f"{self.value:.4f} [{self.low:.4f}, {self.high:.4f}]"


def per_question(predictions: Sequence[Prediction], names: Sequence[str] | None = None) -> dict[str, np.ndarray]:
    """float [n] of each figure of :data:`kgask.eval.metrics.PER_QUESTION`; NaN where it does not apply."""
    chosen = names or list(metrics.PER_QUESTION)
    return {
        name: np.array([np.nan if value is None else value for value in map(metrics.PER_QUESTION[name], predictions)])
        for name in chosen
    }


def means(
    predictions: Sequence[Prediction], names: Sequence[str] | None = None, resamples: int = RESAMPLES
) -> dict[str, Figure]:
    """Means with intervals; a figure that applies to no question is left out."""
    columns = {name: values for name, values in per_question(predictions, names).items() if not np.isnan(values).all()}
    if not columns:
        return {}
    low, high = mean_interval(np.stack(list(columns.values()), axis=1), resamples)
    return {
        name: Figure(float(np.nanmean(values)), float(low[at]), float(high[at]), int((~np.isnan(values)).sum()))
        for at, (name, values) in enumerate(columns.items())
    }


def of_confidence(predictions: Sequence[Prediction], resamples: int = RESAMPLES) -> dict[str, Figure]:
    """Calibration, ranking and risk; a figure without a meaning (one class only) is left out."""
    sure, is_right = metrics.confidences_and_right(predictions)
    found = {}
    for name, statistic in CONFIDENCE_FIGURES.items():
        value = statistic(sure, is_right)
        ends = interval_of(statistic, sure, is_right, resamples)
        if value is not None and ends is not None:
            found[name] = Figure(value, *ends, len(sure))
    return found


def figures(predictions: Sequence[Prediction], resamples: int = RESAMPLES) -> dict[str, Figure]:
    """Everything over all questions. Raises :class:`UsageError` when there are none."""
    if not predictions:
        raise UsageError("no question of this run was asked yet")
    return means(predictions, None, resamples) | of_confidence(predictions, resamples)


def broken_down(
    predictions: Sequence[Prediction], by: str, names: Sequence[str] = SHORT, resamples: int = RESAMPLES
) -> dict[str, dict[str, Figure]]:
    """group -> figures, for one of :data:`GROUPS`; groups in a natural order (numbers by size)."""
    grouped: dict[str, list[Prediction]] = {}
    for prediction in predictions:
        grouped.setdefault(GROUPS[by](prediction), []).append(prediction)
    return {group: means(grouped[group], names, resamples) for group in sorted(grouped, key=_natural)}


def _natural(group: str) -> tuple[bool, bool, int, str]:
    number = int(group) if group.isdecimal() else 0
    return group == UNKNOWN, not group.isdecimal(), number, group


def counts_lost(predictions: Sequence[Prediction]) -> dict[str, int]:
    """How many questions were lost at each stage, and how many are right."""
    places = [metrics.lost(prediction) or "right" for prediction in predictions]
    return {place: places.count(place) for place in ("right", *metrics.LOST)}


def threshold_figures(saved: Saved) -> dict[str, float | None]:
    """What the models' own threshold would refuse, and how right the rest is."""
    sure, is_right = metrics.confidences_and_right(saved.predictions)
    threshold = float(saved.decides.get("default_threshold", 0.0))
    coverage, accuracy = metrics.at_threshold(sure, is_right, threshold)
    return {"threshold": threshold, "coverage": coverage, "accuracy_of_answered": accuracy}


def as_json(saved: Saved, by: Sequence[str] = (), resamples: int = RESAMPLES) -> dict[str, Any]:
    """One run's figures as plain values."""
    threshold = {name: None if x is None else round(x, 4) for name, x in threshold_figures(saved).items()}
    return {
        "run": str(saved.path),
        "finished": saved.finished,
        "questions": len(saved.predictions),
        "figures": {name: figure.rounded() for name, figure in figures(saved.predictions, resamples).items()},
        "default_threshold": threshold,
        "lost": counts_lost(saved.predictions),
        "by": {
            name: {
                group: {figure: value.rounded() for figure, value in row.items()}
                for group, row in broken_down(saved.predictions, name, resamples=resamples).items()
            }
            for name in by
        },
    }


# --- several runs as rows of texts ----------------------------------------------------------------


def side_by_side(columns: Sequence[Mapping[str, Figure]], missing: str) -> list[list[str]]:
    """A row for every figure of any run: its name, then each run's value with its interval."""
    names = dict.fromkeys(name for column in columns for name in column)
    return [[name, *(_shown(column.get(name), missing) for column in columns)] for name in names]


def _shown(figure: Figure | None, missing: str) -> str:
    return missing if figure is None else figure.shown()


def counts(runs: Sequence[Saved]) -> list[list[str]]:
    """What the models' own thresholds would do, and where questions were lost; a column a run."""
    thresholds = [threshold_figures(saved).values() for saved in runs]
    names = ("default_threshold", "default_threshold_coverage", "default_threshold_accuracy")
    rows = [[name, *map(number, values)] for name, values in zip(names, zip(*thresholds, strict=True), strict=True)]
    lost = [counts_lost(saved.predictions) for saved in runs]
    places = {place: place if place == "right" else f"lost_{place}" for place in lost[0]}
    return rows + [[name, *(str(count[place]) for count in lost)] for place, name in places.items()]


def number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


def group_rows(
    tables: Sequence[Mapping[str, Mapping[str, Figure]]], names: Sequence[str], groups: Iterable[str], missing: str
) -> tuple[list[str], list[list[str]]]:
    """Names of the figures, and (group, run, questions, figures...) of each group that a run has."""
    figures_of = list(dict.fromkeys(name for table in tables for row in table.values() for name in row))
    rows = [
        [group, name, str(size_of(table[group])), *(_shown(table[group].get(each), missing) for each in figures_of)]
        for group in groups
        for name, table in zip(names, tables, strict=True)
        if group in table
    ]
    return figures_of, rows


def size_of(row: Mapping[str, Figure]) -> int:
    """Questions of a group."""
    return max((figure.n for figure in row.values()), default=0)
