"""What a reader's word counts beside the plan's: fitted on questions that neither was trained on.

The same probes as for the planner's own confidence (:mod:`kgask.train.calibrate`): held-out wordings about entities
of a pack that have the relation, that lack it, and about names that the pack does not know. Every
probe is planned, followed and read once; then

1. the powers of the reader's log-odds beside the plan's log-probability are the maximum of the likelihood that a right
   route wins (a conditional logit over the routes of each question), and
2. the confidence is a logistic regression of "the winner is right" on what both say.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from kgask.config import MODEL_CARD
from kgask.errors import ModelError, UsageError
from kgask.pipeline import MIN_CONFIDENCE, READ_FROM, TOP_K, AskOptions, Pipeline
from kgask.plan.card import RigelCard
from kgask.reached import calibrated, features
from kgask.retrieve.evidence import gather
from kgask.train.calibrate import Probe, fit
from kgask.train.data import PathExample
from kgask.train.mix import load_corpus
from kgask.types import Question
from kgask.weigh import (
    CARD_KEY,
    FEATURES,
    POWERS,
    Standing,
    Weighing,
    best_of,
    standings,
    weighed_features,
)

RIDGE = 0.02  # on the powers: a few questions must not make a reader almighty
MOST_WRONG = 0.05  # of the printed answers, at the default threshold


@dataclass(frozen=True, slots=True)
class Seen:
    """What plan and reader said of one probe."""

    answerable: bool
    plan_confidence: float  # 0 where the plan reaches nothing
    plan_right: bool
    standings: tuple[Standing, ...]  # none where nothing was read
    right: tuple[bool, ...]  # of each standing


@dataclass(frozen=True, slots=True)
class Kept:
    """Answers at a threshold: shares of the printed that are wrong, and of the answerable that get one."""

    threshold: float
    wrong: float
    coverage: float
    hits_at_1: float  # of the answerable, without a threshold
    brier: float


@dataclass(frozen=True, slots=True)
class WeighingReport:
    """Figures come from the halves of the probes that each half's fit did not see."""

    weighing: Weighing
    n_probes: int
    n_answerable: int
    plan: Kept
    both: Kept
    repaired: int  # answerable probes that only plan and reader together answer right
    spoiled: int  # that only the plan alone does


def held_out_examples(data: Path, model: Path) -> list[PathExample]:
    """The questions that the planner in ``model`` kept for measuring; UsageError where its card does not say which."""
    config = RigelCard.load(model).content.get("config")
    try:
        wanted = [*config["shares"], *config["vocabularies"]]
        seed = int(config["rng_seed"])
    except (TypeError, KeyError, ValueError):
        raise UsageError(f"{model}: its card does not say what it was trained on; --model rigel does") from None
    return [example for example in load_corpus(data, seed, wanted).held_out if example.vocabulary == "wikidata"]


def look(
    pipeline: Pipeline, probes: Sequence[Probe], report: Callable[[int], None] = lambda done: None
) -> list[Seen]:
    """Plan, follow and read every probe, without a threshold; the pipeline has a reader that judges lines."""
    found = []
    for done, probe in enumerate(probes, 1):
        found.append(_look_at(pipeline, probe))
        report(done)
    if not any(seen.standings for seen in found):
        raise ModelError("no probe was read: this reader does not judge lines, or the packs have nothing to ask about")
    return found


def _look_at(pipeline: Pipeline, probe: Probe) -> Seen:
    question = Question(probe.text)
    reached = pipeline.understand(question, AskOptions())
    if reached is None or not reached.routes:
        return Seen(bool(probe.answers), 0.0, False, (), ())
    confidence = calibrated(pipeline.planner.card.calibration, features(reached))
    right = [set(route.answers.tolist()) <= probe.answers for route in reached.routes]
    if confidence < READ_FROM:
        return Seen(bool(probe.answers), confidence, right[0], (), ())
    evidence = gather(pipeline.pack, [walk for route in reached.routes for walk in route.walks], TOP_K)
    reading = pipeline.reader.read(question, evidence, pipeline.pack)
    judged = standings(reached.routes, evidence, reading.line_probs, pipeline.pack)
    by_route = {id(route): is_right for route, is_right in zip(reached.routes, right, strict=True)}
    shown = tuple(by_route[id(standing.route)] for standing in judged)
    return Seen(bool(probe.answers), confidence, right[0], tuple(judged), shown)


def fit_weighing(seen: Sequence[Seen]) -> Weighing:
    """Powers, then the confidence; ``seen`` holds at least one probe that was read."""
    powers = _fit_powers(seen)
    rows, targets = [], []
    for one in seen:
        if one.standings:
            chosen = best_of(one.standings, powers)
            values = weighed_features(one.standings, chosen, powers, one.plan_confidence)
            rows.append([values[name] for name in FEATURES])
            targets.append(one.right[one.standings.index(chosen)])
    confidence, _ = fit(np.array(rows), np.array(targets, float), FEATURES)
    return Weighing(powers, confidence)


def _fit_powers(seen: Sequence[Seen]) -> dict[str, float]:
    """Of the probes where a shown route is right and another is not."""
    telling = [one for one in seen if any(one.right) and not all(one.right)]
    rows = [np.array([[s.best, s.mean] for s in one.standings]) for one in telling]
    plans = [np.array([s.score(dict.fromkeys(POWERS, 0.0)) for s in one.standings]) for one in telling]
    masks = [np.array(one.right) for one in telling]

    def loss(powers: np.ndarray) -> float:
        total = 0.0
        for said, plan, right in zip(rows, plans, masks, strict=True):
            scores = plan + said @ powers
            total += np.logaddexp.reduce(scores) - np.logaddexp.reduce(scores[right])
        return total / max(1, len(rows)) + RIDGE * float((powers**2).sum())

    found = minimize(loss, np.full(len(POWERS), 0.1), method="L-BFGS-B", bounds=[(0.0, 3.0)] * len(POWERS)).x
    return {name: round(float(value), 4) for name, value in zip(POWERS, found, strict=True)}


def cross_checked(seen: Sequence[Seen]) -> WeighingReport:
    """The fit on all of them, with figures of two fits that each saw the other half."""
    halves = [list(seen[0::2]), list(seen[1::2])]
    outcomes = [row for at, half in enumerate(halves) for row in _outcomes(half, fit_weighing(halves[1 - at]))]
    answerable = [row for row in outcomes if row.answerable]
    return WeighingReport(
        fit_weighing(seen),
        len(seen),
        len(answerable),
        _kept([(row.answerable, row.plan_confidence, row.plan_right) for row in outcomes]),
        _kept([(row.answerable, row.confidence, row.right) for row in outcomes]),
        sum(row.right and not row.plan_right for row in answerable),
        sum(row.plan_right and not row.right for row in answerable),
    )


@dataclass(frozen=True, slots=True)
class _Outcome:
    answerable: bool
    plan_confidence: float
    plan_right: bool
    confidence: float
    right: bool


def _outcomes(seen: Sequence[Seen], weighing: Weighing) -> list[_Outcome]:
    found = []
    for one in seen:
        confidence, right = one.plan_confidence, one.plan_right
        if one.standings:
            chosen = best_of(one.standings, weighing.powers)
            values = weighed_features(one.standings, chosen, weighing.powers, one.plan_confidence)
            confidence, right = calibrated(weighing.confidence, values), one.right[one.standings.index(chosen)]
        found.append(_Outcome(one.answerable, one.plan_confidence, one.plan_right, confidence, right))
    return found


def _kept(rows: Sequence[tuple[bool, float, bool]], threshold: float = MIN_CONFIDENCE) -> Kept:
    """Of (answerable, confidence, right)."""
    printed = [row for row in rows if row[1] >= threshold]
    answerable = max(1, sum(row[0] for row in rows))
    wrong = sum(not right for _, _, right in printed) / max(1, len(printed))
    coverage = sum(can for can, _, _ in printed) / answerable
    hits = sum(right for can, _, right in rows if can) / answerable
    brier = float(np.mean([(confidence - right) ** 2 for _, confidence, right in rows]))
    return Kept(threshold, round(wrong, 4), round(coverage, 4), round(hits, 4), round(brier, 4))


def write_weighing(reader: Path, report: WeighingReport, about: dict[str, object]) -> None:
    """Put the weighing into the card of a reader folder, in one rename."""
    path = reader / MODEL_CARD
    try:
        card = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ModelError(f"{path}: cannot be read ({error})") from error
    card[CARD_KEY] = report.weighing.as_card() | about
    beside = path.with_name(path.name + ".tmp")
    beside.write_text(json.dumps(card, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    os.replace(beside, path)
