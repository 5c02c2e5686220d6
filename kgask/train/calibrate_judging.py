"""What a judge's word on queries counts beside the plan's: powers by which candidates compete, then the confidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import minimize

from kgask.answer.fuse import log_odds
from kgask.answer.judging import FEATURES, POWERS, Candidate, Judging, answering, best_of, judged_features
from kgask.methods.alternatives import PROPOSED
from kgask.methods.understand import calibrated
from kgask.plan.card import MIN_CONFIDENCE, Calibration
from kgask.train.calibrate import fit

RIDGE = 0.02  # on the powers: a few questions must not make a judge almighty


@dataclass(frozen=True, slots=True)
class Shown:
    """One of the things that a question may ask for, as it was shown to the judge."""

    features: Mapping[str, float]  # of the plan; none of what the graph proposed
    share: float  # of the confidence in the first of its kind
    judged: float
    alike: float
    is_query: bool
    is_proposed: bool
    right: bool
    comes_to: object = None  # as :class:`kgask.answer.judging.Candidate` has it
    doubts: Mapping[str, float] = field(default_factory=dict)  # the same


@dataclass(frozen=True, slots=True)
class Judged:
    """What a judge said of one question; the planner's own choice is the first, if there is one."""

    shown: tuple[Shown, ...]
    any_does: float
    has_first: bool


def candidates(judged: Judged, paths: Calibration, queries: Calibration) -> list[Candidate]:
    """The candidates as these calibrations believe them."""
    return [
        Candidate(
            _plan(one, paths, queries),
            one.judged,
            one.alike,
            at == 0 and judged.has_first,
            one.is_proposed,
            one.is_query,
            one.comes_to,
            one.doubts,
        )
        for at, one in enumerate(judged.shown)
    ]


def _plan(one: Shown, paths: Calibration, queries: Calibration) -> float:
    if one.is_proposed:
        return log_odds(PROPOSED)
    return log_odds(one.share * calibrated(queries if one.is_query else paths, one.features))


def fit_judging(
    seen: Sequence[Judged],
    weights: np.ndarray,
    paths: Calibration,
    queries: Calibration,
    names: Sequence[str] = FEATURES,
    is_claim: bool = False,
) -> Judging | None:
    """``weights`` [n] of the questions, ``names`` of what the confidence is made of; None where a judge was asked of
    none. What may answer a question (:func:`kgask.answer.judging.answering`) may be less than what competes."""
    if not seen:
        return None
    told = [candidates(one, paths, queries) for one in seen]
    powers = _fit_powers(seen, told, weights)
    rows, targets, kept = [], [], []
    for at, (one, shown) in enumerate(zip(seen, told, strict=True)):
        places = range(len(shown)) if is_claim else answering(shown, powers)
        if not places:
            continue
        chosen = best_of([shown[place] for place in places], powers)
        values = judged_features([shown[place] for place in places], chosen, powers, one.any_does)
        rows.append([values[name] for name in names])
        targets.append(float(one.shown[places[chosen]].right))
        kept.append(at)
    confidence, _ = fit(np.array(rows), np.array(targets), names, weights[kept])
    return Judging(powers, confidence, MIN_CONFIDENCE)


def _fit_powers(seen: Sequence[Judged], told: Sequence[Sequence[Candidate]], weights: np.ndarray) -> dict[str, float]:
    """A conditional logit over the questions where a candidate is right and another is not."""
    telling = [at for at, one in enumerate(seen) if len({shown.right for shown in one.shown}) == 2]
    rows = [
        np.array([[one.plan, one.judged, one.alike, one.is_proposed, one.left_out] for one in told[at]], float)
        for at in telling
    ]
    masks = [np.array([shown.right for shown in seen[at].shown]) for at in telling]
    counts = weights[telling] / max(weights[telling].sum(), 1e-12)

    def loss(powers: np.ndarray) -> float:
        total = RIDGE * float((powers**2).sum())
        for values, right, count in zip(rows, masks, counts, strict=True):
            scores = values @ powers
            total += count * (np.logaddexp.reduce(scores) - np.logaddexp.reduce(scores[right]))
        return total

    bounds = [(0.0, 3.0), (0.0, 3.0), (0.0, 3.0), (-8.0, 2.0), (0.0, 3.0)]
    found = minimize(loss, np.array([0.5, 0.1, 0.1, 0.0, 0.1]), method="L-BFGS-B", bounds=bounds).x
    return {name: round(float(value), 4) for name, value in zip(POWERS, found, strict=True)}
