"""Confidence in paths, in queries and, with a reader, in both: fitted together, measured on what a fit did not see.

Figures are weighted as the mixture is (:func:`kgask.train.calibrate_asked.weights_of`). Every one is of questions in
wordings that the fit behind it was not given, or, by pack, about packs that it was not given.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from kgask.answer.fuse import CARD_KEY, Weighing, best_of, log_odds, weighed_features
from kgask.cards import write_card
from kgask.config import MODEL_CARD
from kgask.errors import ModelError
from kgask.methods.query_features import FEATURES as QUERY_FEATURES
from kgask.methods.understand import calibrated
from kgask.plan.card import UNCALIBRATED, Calibration, RigelCard
from kgask.train.calibrate import ANSWERABLE, fit
from kgask.train.calibrate import FEATURES as PATH_FEATURES
from kgask.train.calibrate_asked import Seen, weights_of
from kgask.train.calibrate_reader import fit_weighing

MOST_WRONG = 0.0495  # of the printed answers, at the default threshold: under 5 %
THRESHOLDS = tuple(round(0.5 + 0.01 * step, 2) for step in range(49))
FOLDS = 5
BINS = 10
COUNTS = ("hops", "steps")  # features that are no doubts
LEAST_QUERIES = 40  # that a calibration of queries is fitted on
LEAST_PRINTED = 0.02  # share of the answerable: fewer say nothing about a threshold
MOVED = 0.005  # share of what was read whose verdict may change beyond the margin
WORTH = 0.001  # of Brier score: a reader that is worth less says nothing that the plan does not


@dataclass(frozen=True, slots=True)
class Confidences:
    """What a plan's answer, a query's and a read answer are believed by."""

    paths: Calibration
    queries: Calibration
    weighing: Weighing | None = None  # None without a reader


@dataclass(frozen=True, slots=True)
class Outcome:
    """One question as fitted confidences see it."""

    seen: Seen
    by_plan: float
    confidence: float  # with the reader, where there is one
    right: bool  # of what is chosen, with the reader where there is one


@dataclass(frozen=True, slots=True)
class Kept:
    """Answers at a threshold: the share of the printed that is wrong, and of the answerable that get an answer.

    ``hits_at_1`` is of the answerable without a threshold, ``error`` the expected calibration error over
    :data:`BINS` bins of all that comes to something.
    """

    threshold: float
    wrong: float
    coverage: float
    hits_at_1: float
    brier: float
    error: float


@dataclass(frozen=True, slots=True)
class Fitted:
    """The fit on all questions, and what fits keep on those that they did not see."""

    confidences: Confidences
    n_asked: int
    n_answerable: int
    by_plan: Kept
    by_both: Kept | None
    queries: Kept  # of those for which a query was chosen
    by_source: dict[str, Kept]
    by_pack: dict[str, Kept]  # of a fit on the other packs
    reliability: list[tuple[float, float, float]]  # of each bin: mean confidence, share that is right, share of all
    repaired: int  # answerable questions that only plan and reader together answer right
    spoiled: int  # that only the plan alone does


# --- fits ---------------------------------------------------------------------------------------


def fit_confidences(seen: Sequence[Seen], with_reader: bool = False) -> Confidences:
    """Raises ModelError when nothing led anywhere. Without queries theirs stays as it is."""
    weights = weights_of(seen)
    paths = _fit_on(seen, weights, False, PATH_FEATURES)
    queries = _fit_on(seen, weights, True, QUERY_FEATURES)
    if paths is None:
        raise ModelError("no question to calibrate confidence on led anywhere; the cards stay as they are")
    return Confidences(paths, queries or UNCALIBRATED, fit_weighing(seen, paths, weights) if with_reader else None)


def _fit_on(seen: Sequence[Seen], weights: np.ndarray, is_query: bool, names: Sequence[str]) -> Calibration | None:
    rows = [at for at, one in enumerate(seen) if one.features and one.is_query is is_query]
    if not rows or (is_query and len(rows) < LEAST_QUERIES):
        return None
    values = np.array([[seen[at].features.get(name, 0.0) for name in names] for at in rows])
    right = np.array([float(seen[at].plan_right) for at in rows])
    return fit(values, right, names, weights[rows], [name for name in names if name not in COUNTS])[0]


def outcome(one: Seen, by: Confidences) -> Outcome:
    """What is believed of one question."""
    if not one.features:
        return Outcome(one, 0.0, 0.0, False)
    plan = calibrated(by.queries if one.is_query else by.paths, one.features)
    if by.weighing is None or not one.standings:
        return Outcome(one, plan, plan, one.plan_right)
    chosen = best_of(one.standings, by.weighing.powers)
    values = weighed_features(one.standings, chosen, by.weighing.powers, plan)
    return Outcome(one, plan, calibrated(by.weighing.confidence, values), one.right[one.standings.index(chosen)])


def fit_all(seen: Sequence[Seen], with_reader: bool) -> Fitted:
    """The fit on all questions, with thresholds and figures of fits that each saw other wordings."""
    folds = [zlib.crc32(one.wording.encode()) % FOLDS for one in seen]
    found = _held_out(seen, folds, with_reader)
    packs = [one.pack for one in seen]
    by_pack = _held_out(seen, packs, with_reader) if len(set(packs)) > 1 else []
    by_plan = at_default([replace(one, confidence=one.by_plan, right=one.seen.plan_right) for one in found])
    by_both = at_default(found) if with_reader else None
    least = (by_both or by_plan).threshold
    whole = fit_confidences(seen, with_reader)
    if whole.weighing is not None:
        margin = _margin(found, least)
        whole = replace(whole, weighing=replace(whole.weighing, min_confidence=least, margin=margin))
    answerable = [one for one in found if one.seen.answerable]
    return Fitted(
        whole,
        len(seen),
        len(answerable),
        by_plan,
        by_both,
        kept([one for one in found if one.seen.is_query], least),
        {name: kept([one for one in found if one.seen.source == name], least) for name in _names(found, "source")},
        {name: kept([one for one in by_pack if one.seen.pack == name], least) for name in _names(by_pack, "pack")},
        reliability(found),
        sum(one.right and not one.seen.plan_right for one in answerable),
        sum(one.seen.plan_right and not one.right for one in answerable),
    )


def _held_out(seen: Sequence[Seen], parts: Sequence[object], with_reader: bool) -> list[Outcome]:
    """What fits on the other parts believe of each part's questions."""
    found: dict[int, Outcome] = {}
    for part in sorted(set(parts), key=str):
        rest = [one for one, of in zip(seen, parts, strict=True) if of != part]
        if any(one.features and not one.is_query for one in rest):
            fitted = fit_confidences(rest, with_reader and any(one.standings for one in rest))
            found |= {at: outcome(seen[at], fitted) for at, of in enumerate(parts) if of == part}
    return [found[at] for at in sorted(found)]


def _names(found: Iterable[Outcome], field: str) -> list[str]:
    return sorted({getattr(one.seen, field) for one in found})


def _margin(found: Sequence[Outcome], least: float) -> float:
    """Log-odds between plan and threshold from which on reading changes next to nothing; 0: it is worth nothing."""
    read = [one for one in found if one.seen.standings]
    weights = weights_of([one.seen for one in read])
    plan, both = (
        float(weights @ [(sure - right) ** 2 for sure, right in pairs])
        for pairs in (
            [(one.by_plan, one.seen.plan_right) for one in read],
            [(one.confidence, one.right) for one in read],
        )
    )
    if plan - both < WORTH:
        return 0.0
    away = np.array([abs(log_odds(one.by_plan) - log_odds(least)) for one in read])
    changed = [(one.by_plan >= least) != (one.confidence >= least) for one in read]
    changed = np.array(changed) | [one.right != one.seen.plan_right for one in read]
    far = np.sort(away[changed])[::-1]
    allowed = int(MOVED * len(read))
    return round(float(far[allowed]), 2) if len(far) > allowed else 0.0


# --- figures ------------------------------------------------------------------------------------


def at_default(found: Sequence[Outcome]) -> Kept:
    """At the least threshold from 0.5 on that keeps wrong answers rare and prints some; else at the last."""
    for threshold in THRESHOLDS:
        at = kept(found, threshold)
        if at.wrong <= MOST_WRONG and at.coverage >= LEAST_PRINTED:
            return at
    return at


def kept(found: Sequence[Outcome], threshold: float) -> Kept:
    """Figures of the printed, at a threshold."""
    seen = [one.seen for one in found]
    weights = weights_of(seen)
    sure = np.array([one.confidence for one in found])
    right = np.array([one.right for one in found], bool)
    can = np.array([one.answerable for one in seen], bool)
    printed = (sure >= threshold) & (sure > 0)
    figures = (
        float(weights[printed & ~right].sum() / max(weights[printed].sum(), 1e-12)),
        _share(weights, printed & can, can),
        _share(weights, right & can, can),
        float(weights @ (sure - right) ** 2),
        sum(abs(mean - share) * part for mean, share, part in reliability(found)),
    )
    return Kept(threshold, *(round(figure, 4) for figure in figures))


def _share(weights: np.ndarray, part: np.ndarray, whole: np.ndarray) -> float:
    return float(weights[part].sum() / max(weights[whole].sum(), 1e-12))


def reliability(found: Sequence[Outcome]) -> list[tuple[float, float, float]]:
    """Of each bin of confidence: its mean, the share that is right, its share of what comes to something."""
    weights = weights_of([one.seen for one in found])
    sure = np.array([one.confidence for one in found])
    right = np.array([one.right for one in found], bool)
    weights = weights * (sure > 0)
    places = np.minimum((sure * BINS).astype(int), BINS - 1)
    total = max(float(weights.sum()), 1e-12)
    bins = []
    for place in range(BINS):
        here = weights * (places == place)
        if mass := float(here.sum()):
            figures = (float(here @ sure) / mass, float(here @ right) / mass, mass / total)
            bins.append((round(figures[0], 4), round(figures[1], 4), round(figures[2], 4)))
    return bins


# --- cards --------------------------------------------------------------------------------------


def write_cards(
    model: Path, reader: Path | None, fitted: Fitted, packs: Sequence[str], keep_plan: bool = False
) -> None:
    """Put the fits into the cards of the planner and of the reader, each in one rename."""
    about = {"packs": list(packs), "questions": fitted.n_asked, "answerable": fitted.n_answerable}
    about |= {"weighted_to_answerable": round(ANSWERABLE, 4)}
    by, curve = fitted.confidences, [list(one) for one in fitted.reliability]
    if not keep_plan:
        several = {"by_source": _dicts(fitted.by_source), "by_pack_left_out": _dicts(fitted.by_pack)}
        scores = about | asdict(fitted.by_plan) | several | {"reliability": curve}
        plan = {"calibration": asdict(by.paths), "min_confidence": fitted.by_plan.threshold}
        plan |= {"calibration_scores": scores}
        if by.queries is not UNCALIBRATED:
            plan |= {"query_calibration": asdict(by.queries), "query_calibration_scores": asdict(fitted.queries)}
        _change_card(model, plan)
    if reader is not None and by.weighing is not None and fitted.by_both is not None:
        scores = about | asdict(fitted.by_both) | {"repaired": fitted.repaired, "spoiled": fitted.spoiled}
        planner = RigelCard.load(model).hash
        _change_card(reader, {CARD_KEY: by.weighing.as_card() | {"planner": planner, "scores": scores}})


def _dicts(several: dict[str, Kept]) -> dict[str, object]:
    return {name: asdict(one) for name, one in several.items()}


def _change_card(folder: Path, changed: dict[str, object]) -> None:
    path = folder / MODEL_CARD
    try:
        write_card(folder, json.loads(path.read_text(encoding="utf-8")) | changed)
    except (OSError, ValueError) as error:
        raise ModelError(f"{path}: cannot be changed ({error})") from error
