"""Confidence in paths, in queries and, with a reader, in both: fitted together, measured on what a fit did not see.

Figures are weighted as the mixture is (:func:`kgask.train.calibrate_asked.weights_of`). Every one is of questions in
wordings that the fit behind it was not given, or, by pack, about packs that it was not given.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np

from kgask.answer.fuse import Weighing, best_of, log_odds, weighed_features
from kgask.answer.judging import Judging, answering
from kgask.answer.word import Word
from kgask.cards import write_card
from kgask.config import MODEL_CARD
from kgask.errors import ModelError
from kgask.methods.query_features import FEATURES as QUERY_FEATURES
from kgask.methods.understand import calibrated
from kgask.plan.card import UNCALIBRATED, Calibration
from kgask.train.calibrate import ANSWERABLE, fit
from kgask.train.calibrate import FEATURES as PATH_FEATURES
from kgask.train.calibrate_asked import Seen, weights_of
from kgask.train.calibrate_judging import candidates, fit_judging
from kgask.train.calibrate_reader import fit_weighing

MOST_WRONG = 0.04  # of all that is asked, printed and wrong at the default threshold
FEW_WRONG = 0.0495  # of the printed answers: under 5 %, there too
THRESHOLDS = tuple(round(0.5 + 0.01 * step, 2) for step in range(49))
FOLDS = 5
BINS = 10
COUNTS = ("hops", "steps")  # features that are no doubts
LEAST_OF_OTHERS = 200  # questions about small graphs, which nothing was trained on, for a fit on them alone
LEAST_QUERIES = 40  # that a calibration of queries is fitted on
LEAST_PRINTED = 0.02  # share of the answerable: fewer say nothing about a threshold
MOVED = 0.005  # share of what was read whose verdict may change beyond the margin
WORTH = 0.001  # of Brier score: a reader that is worth less says nothing that the plan does not


@dataclass(frozen=True, slots=True)
class Confidences:
    """What a plan's answer, a query's and a read answer are believed by."""

    paths: Calibration
    queries: Calibration
    weighing: Weighing | None = None  # None without a reader that judges lines
    judging: Judging | None = None  # None without one that judges queries


@dataclass(frozen=True, slots=True)
class Outcome:
    """One question as fitted confidences see it."""

    seen: Seen
    by_plan: float
    confidence: float  # with reader or judge, where that was asked
    right: bool  # of what is chosen then


@dataclass(frozen=True, slots=True)
class Kept:
    """Answers at a threshold: the share of the printed that is wrong, and of the answerable that get an answer.

    ``wrong_of_all`` is the share of all that is asked that is printed and wrong.
    ``hits_at_1`` is of the answerable without a threshold, ``error`` the expected calibration error over
    :data:`BINS` bins of all that comes to something.
    """

    threshold: float
    wrong: float
    wrong_of_all: float
    coverage: float
    hits_at_1: float
    brier: float
    error: float


@dataclass(frozen=True, slots=True)
class Figures:
    """What plan, reader or judge keep of questions that the fit behind them did not see."""

    kept: Kept  # at the default threshold
    few_wrong: Kept  # where under 5 % of the printed are wrong
    queries: Kept  # of those for which a query was chosen
    by_source: dict[str, Kept]
    by_pack: dict[str, Kept]  # of a fit on the other packs
    reliability: list[tuple[float, float, float]]  # of each bin: mean confidence, share that is right, share of all
    repaired: int  # answerable questions that the plan alone does not answer right
    spoiled: int  # that only the plan alone does
    margin: float  # log-odds between plan and threshold from which on it changes next to nothing


@dataclass(frozen=True, slots=True)
class Fitted:
    """The fit on all questions, and the figures of each that has a say: the plan alone, and with reader or judge."""

    confidences: Confidences
    n_asked: int
    n_answerable: int
    plan: Figures
    reader: Figures | None
    judge: Figures | None


@dataclass(frozen=True, slots=True)
class Folders:
    """Whose cards are written; None leaves one alone."""

    plan: Path | None
    reader: Path | None = None
    judge: Path | None = None


Who = Literal["plan", "reader", "judge"]


# --- fits ---------------------------------------------------------------------------------------


def fit_confidences(seen: Sequence[Seen], with_reader: bool = False) -> Confidences:
    """Raises ModelError when nothing led anywhere. Without queries theirs stays as it is."""
    weights = weights_of(seen)
    paths = _fit_on(seen, weights, False, PATH_FEATURES)
    queries = _fit_on(seen, weights, True, QUERY_FEATURES)
    if paths is None:
        raise ModelError("no question to calibrate confidence on led anywhere; the cards stay as they are")
    queries = queries or UNCALIBRATED
    asked = [at for at, one in enumerate(seen) if one.judged is not None]
    # Of packs with relations that the planner was trained on, its word is worth more than of anybody else's.
    of_others = [at for at in asked if seen[at].is_table]
    rows = of_others if len(of_others) >= LEAST_OF_OTHERS else asked
    told = [one for at in rows if (one := seen[at].judged) is not None]
    judging = fit_judging(told, weights[rows], paths, queries)
    weighing = fit_weighing(seen, paths, weights) if with_reader else None
    return Confidences(paths, queries, weighing, judging)


def _fit_on(seen: Sequence[Seen], weights: np.ndarray, is_query: bool, names: Sequence[str]) -> Calibration | None:
    rows = [at for at, one in enumerate(seen) if one.features and one.is_query is is_query]
    if not rows or (is_query and len(rows) < LEAST_QUERIES):
        return None
    values = np.array([[seen[at].features.get(name, 0.0) for name in names] for at in rows])
    right = np.array([float(seen[at].plan_right) for at in rows])
    return fit(values, right, names, weights[rows], [name for name in names if name not in COUNTS])[0]


def outcome(one: Seen, by: Confidences, who: Who = "plan") -> Outcome:
    """What is believed of one question; nothing of what is refused whatever the confidence."""
    if one.is_refused:
        return Outcome(one, 0.0, 0.0, False)
    plan = calibrated(by.queries if one.is_query else by.paths, one.features) if one.features else 0.0
    if who == "judge" and one.judged is not None and by.judging is not None:
        told = candidates(one.judged, by.paths, by.queries)
        places = answering(told, by.judging.powers)
        if not places:
            return Outcome(one, plan, 0.0, False)
        place, sure = by.judging.choose([told[at] for at in places], one.judged.any_does)
        return Outcome(one, plan, sure, one.judged.shown[places[place]].right)
    if who == "reader" and by.weighing is not None and one.standings:
        chosen = best_of(one.standings, by.weighing.powers)
        values = weighed_features(one.standings, chosen, by.weighing.powers, plan)
        return Outcome(one, plan, calibrated(by.weighing.confidence, values), one.right[one.standings.index(chosen)])
    return Outcome(one, plan, plan, one.plan_right and bool(one.features))


def fit_all(seen: Sequence[Seen], with_reader: bool) -> Fitted:
    """The fit on all questions, with thresholds and figures of fits that each saw other wordings."""
    by_wording = _held_out(seen, [zlib.crc32(one.wording.encode()) % FOLDS for one in seen], with_reader)
    packs = [_part_of(one) for one in seen]
    by_pack = _held_out(seen, packs, with_reader) if len(set(packs)) > 1 else []
    whole = fit_confidences(seen, with_reader)
    plan = _figures(by_wording, by_pack, "plan")
    reader = _figures(by_wording, by_pack, "reader") if whole.weighing is not None else None
    judge = _figures(by_wording, by_pack, "judge") if whole.judging is not None else None
    if whole.weighing is not None and reader is not None:
        least, margin = reader.kept.threshold, reader.margin
        whole = replace(whole, weighing=replace(whole.weighing, min_confidence=least, margin=margin))
    if whole.judging is not None and judge is not None:
        least, margin = judge.kept.threshold, judge.margin
        whole = replace(whole, judging=replace(whole.judging, min_confidence=least, margin=margin))
    return Fitted(whole, len(seen), sum(one.answerable for one in seen), plan, reader, judge)


Believed = list[tuple[Seen, Confidences]]  # each question with fits that did not see it


def _part_of(one: Seen) -> str:
    """What is left out together: a pack, or a few of the small ones."""
    return f"small graphs {zlib.crc32(one.pack.encode()) % FOLDS}" if one.is_table else one.pack


def _held_out(seen: Sequence[Seen], parts: Sequence[object], with_reader: bool) -> Believed:
    """Each part's questions with the fits on the other parts."""
    found: dict[int, Confidences] = {}
    for part in sorted(set(parts), key=str):
        rest = [one for one, of in zip(seen, parts, strict=True) if of != part]
        if any(one.features and not one.is_query for one in rest):
            fitted = fit_confidences(rest, with_reader and any(one.standings for one in rest))
            found |= {at: fitted for at, of in enumerate(parts) if of == part}
    return [(seen[at], found[at]) for at in sorted(found)]


def _figures(by_wording: Believed, by_pack: Believed, who: Who) -> Figures:
    """At the default threshold of these questions."""
    found = [outcome(one, by, who) for one, by in by_wording]
    others = [outcome(one, by, who) for one, by in by_pack]
    at = at_default(found)
    least = at.threshold
    answerable = [one for one in found if one.seen.answerable and not one.seen.is_refused]
    return Figures(
        at,
        _least(found, lambda one: one.wrong <= FEW_WRONG),
        kept([one for one in found if one.seen.is_query], least),
        {name: kept([one for one in found if one.seen.source == name], least) for name in _names(found, "source")},
        {name: kept([one for one in others if one.seen.pack == name], least) for name in _names(others, "pack")},
        reliability(found),
        sum(one.right and not one.seen.plan_right for one in answerable),
        sum(one.seen.plan_right and not one.right for one in answerable),
        _margin(_asked(found, who, least), least),
    )


def _asked(found: Sequence[Outcome], who: Who, least: float) -> list[Outcome]:
    """The questions that a reader was asked, or the judge where the plan alone would have answered."""
    if who == "judge":
        return [one for one in found if one.seen.judged is not None and one.by_plan >= least]
    return [one for one in found if one.seen.standings] if who == "reader" else []


def _names(found: Iterable[Outcome], field: str) -> list[str]:
    return sorted({getattr(one.seen, field) for one in found})


def _margin(read: Sequence[Outcome], least: float) -> float:
    """Log-odds between plan and threshold from which on reading changes next to nothing; 0: it is worth nothing."""
    if not read:
        return 0.0
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
    return _least(found, lambda at: at.wrong_of_all <= MOST_WRONG and at.wrong <= FEW_WRONG)


def _least(found: Sequence[Outcome], is_good: Callable[[Kept], bool]) -> Kept:
    for threshold in THRESHOLDS:
        at = kept(found, threshold)
        if is_good(at) and at.coverage >= LEAST_PRINTED:
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
        float(weights[printed & ~right].sum()),
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


def write_cards(folders: Folders, planner: str, fitted: Fitted, packs: Sequence[str]) -> None:
    """Put the fits into the cards, each in one rename; ``planner`` is the hash of the one that was fitted beside."""
    about = {"packs": list(packs), "questions": fitted.n_asked, "answerable": fitted.n_answerable}
    about |= {"weighted_to_answerable": round(ANSWERABLE, 4)}
    by = fitted.confidences
    if folders.plan is not None:
        plan = {"calibration": asdict(by.paths), "min_confidence": fitted.plan.kept.threshold}
        plan |= {"calibration_scores": about | _scores(fitted.plan)}
        if by.queries is not UNCALIBRATED:
            queries = asdict(fitted.plan.queries)
            plan |= {"query_calibration": asdict(by.queries), "query_calibration_scores": queries}
        _change_card(folders.plan, plan)
    words: tuple[tuple[Path | None, Word | None, Figures | None], ...] = (
        (folders.reader, by.weighing, fitted.reader),
        (folders.judge, by.judging, fitted.judge),
    )
    for folder, said, figures in words:
        if folder is not None and said is not None and figures is not None:
            changed = {"repaired": figures.repaired, "spoiled": figures.spoiled}
            scores = about | _scores(figures) | changed
            _change_card(folder, {said.card_key: said.as_card() | {"planner": planner, "scores": scores}})


def _scores(figures: Figures) -> dict[str, object]:
    few = {"where_5%_are_wrong": asdict(figures.few_wrong)}
    several: dict[str, object] = few | {
        "by_source": _dicts(figures.by_source),
        "by_pack_left_out": _dicts(figures.by_pack),
    }
    return asdict(figures.kept) | several | {"reliability": [list(one) for one in figures.reliability]}


def _dicts(several: dict[str, Kept]) -> dict[str, object]:
    return {name: asdict(one) for name, one in several.items()}


def _change_card(folder: Path, changed: dict[str, object]) -> None:
    path = folder / MODEL_CARD
    try:
        write_card(folder, json.loads(path.read_text(encoding="utf-8")) | changed)
    except (OSError, ValueError) as error:
        raise ModelError(f"{path}: cannot be changed ({error})") from error
