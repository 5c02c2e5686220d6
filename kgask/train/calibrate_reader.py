"""What a reader's word counts beside the plan's: fitted on questions that neither was trained on.

The same probes as for the planner's own confidence (:mod:`kgask.train.calibrate`): held-out wordings about entities
of a pack that have the relation, that lack it, and about names that the pack does not know. Every
probe is planned, followed and read once, and those of a pack whose relations have several names once more
under other names; then

1. the powers of the reader's log-odds beside the plan's log-probability are the maximum of the likelihood that a right
   route wins (a conditional logit over the routes of each question), and
2. the confidence is a logistic regression of "the winner is right" on what both say.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from kgask.answer.fuse import (
    CARD_KEY,
    FEATURES,
    POWERS,
    Standing,
    Weighing,
    best_of,
    standings,
    weighed_features,
)
from kgask.answer.pipeline import READ_FROM, Pipeline
from kgask.answer.request import TOP_K, AskOptions
from kgask.cards import write_card
from kgask.config import MODEL_CARD
from kgask.corpus.examples import MASK, PathExample
from kgask.corpus.mix import load_corpus
from kgask.errors import ModelError, UsageError
from kgask.methods.protocol import Scope
from kgask.methods.understand import calibrated, features
from kgask.pack.records import RelationText
from kgask.pack.store import Pack
from kgask.plan.card import MIN_CONFIDENCE, Calibration, RigelCard
from kgask.sets.rows import lines_of
from kgask.train.calibrate import ANSWERABLE, Probe, fit, kind_weights
from kgask.train.calibrate import FEATURES as PLAN_FEATURES
from kgask.types import Question

RIDGE = 0.02  # on the powers: a few questions must not make a reader almighty
MOST_WRONG = 0.0495  # of the printed answers, at the default threshold: under 5 %
THRESHOLDS = tuple(round(0.5 + 0.02 * step, 2) for step in range(25))
FOLDS = 5


@dataclass(frozen=True, slots=True)
class Seen:
    """What plan and reader said of one probe."""

    answerable: bool
    features: dict[str, float]  # of the plan; empty where it reaches nothing
    plan_right: bool
    standings: tuple[Standing, ...]  # none where nothing was read
    right: tuple[bool, ...]  # of each standing


@dataclass(frozen=True, slots=True)
class Kept:
    """Answers at a threshold: the share of the printed that is wrong, and of the answerable that get an answer."""

    threshold: float
    wrong: float
    coverage: float
    hits_at_1: float  # of the answerable, without a threshold
    brier: float


@dataclass(frozen=True, slots=True)
class Fitted:
    """Both confidences, and what they keep; figures are of probes that the fit behind them did not see."""

    plan: Calibration
    weighing: Weighing | None  # None without a reader
    n_probes: int
    n_answerable: int
    by_plan: Kept
    by_both: Kept | None
    repaired: int  # answerable probes that only plan and reader together answer right
    spoiled: int  # that only the plan alone does


def held_out_examples(data: Path, model: Path) -> list[PathExample]:
    """The questions that the planner in ``model`` kept for measuring; UsageError where its card does not say which."""
    config = RigelCard.load(model).content.get("config")
    try:
        wanted = [name for name, share in (config["shares"] | config["vocabularies"]).items() if share > 0]
        seed = int(config["rng_seed"])
    except (TypeError, KeyError, ValueError):
        raise UsageError(f"{model}: its card does not say what it was trained on; --model rigel does") from None
    return [example for example in load_corpus(data, seed, wanted).held_out if example.vocabulary == "wikidata"]


def read_examples(path: Path) -> list[PathExample]:
    """Questions from a file: ``text with [MASK]<TAB>path``, the path as relation keys with ``-`` where inverse.

    Raises UsageError with file and line for anything else.
    """
    found = []
    for number, line in lines_of(path):
        text, _, path_text = line.partition("\t")
        steps = path_text.split()
        if MASK not in text or not steps:
            raise UsageError(f"{path}:{number}: expected 'text with {MASK}<TAB>P50 -P106' (keys, '-' where inverse)")
        found.append(PathExample(text, tuple((step.lstrip("-"), step.startswith("-")) for step in steps), "file"))
    return found


class RewordedPack(Pack):
    """A pack that calls every relation by another of its names and says nothing else about it.

    A planner has met the usual labels in training; the packs that people bring have labels of their own, and there
    it errs more often. What a reader is worth shows where the plan errs.
    """

    @classmethod
    def of(cls, path: Path, rng_seed: int) -> RewordedPack | None:
        """None where the relations have no other names."""
        pack, rng = cls.open(path), random.Random(rng_seed)
        assert isinstance(pack, RewordedPack)
        if not any(text.aliases for text in pack.relations()):
            pack.close()
            return None
        pack._words = [
            RelationText(text.key, rng.choice(text.aliases or (text.label,)), (), "", "") for text in pack.relations()
        ]
        return pack

    _words: list[RelationText] | None = None

    def relations(self) -> list[RelationText]:
        return super().relations() if self._words is None else self._words

    def relation_labels(self) -> list[str]:
        return [text.label for text in self.relations()]


def look(pipeline: Pipeline, probes: Sequence[Probe], report: Callable[[int], None] = lambda done: None) -> list[Seen]:
    """Plan, follow and (where the pipeline has a reader) read every probe, without a threshold."""
    found = []
    for done, probe in enumerate(probes, 1):
        found.append(_look_at(pipeline, probe))
        report(done)
    return found


def _look_at(pipeline: Pipeline, probe: Probe) -> Seen:
    question = Question(probe.text)
    found = pipeline.understand(question, AskOptions())
    if found.understood is None or not found.hypotheses:
        return Seen(bool(probe.answers), {}, False, (), ())
    values = features(found.understood)
    right = [set(one.answers.tolist()) <= probe.answers for one in found.hypotheses]
    if pipeline.reader is None or found.confidence < READ_FROM:
        return Seen(bool(probe.answers), values, right[0], (), ())
    evidence = pipeline.retriever.evidence(found, pipeline.pack, Scope(TOP_K))
    reading = pipeline.reader.read(question, evidence, pipeline.pack)
    judged = standings(found.hypotheses, evidence, reading.line_probs, pipeline.pack)
    is_right = {id(one): whether for one, whether in zip(found.hypotheses, right, strict=True)}
    shown = tuple(is_right[id(standing.hypothesis)] for standing in judged)
    return Seen(bool(probe.answers), values, right[0], tuple(judged), shown)


# --- fits ---------------------------------------------------------------------------------------


def fit_plan(seen: Sequence[Seen]) -> Calibration:
    """Confidence of the plan alone, from every probe that reached something."""
    reached = [one for one in seen if one.features]
    if not reached:
        raise ModelError("no question to calibrate confidence on led anywhere; the cards stay as they are")
    rows = np.array([[one.features[name] for name in PLAN_FEATURES] for one in reached])
    counts = kind_weights([one.answerable for one in seen])
    weights = np.array([counts[one.answerable] for one in reached])
    return fit(rows, np.array([float(one.plan_right) for one in reached]), PLAN_FEATURES, weights)[0]


def fit_weighing(seen: Sequence[Seen], plan: Calibration, min_confidence: float = MIN_CONFIDENCE) -> Weighing:
    """Powers, then the confidence; ModelError when nothing was read."""
    powers = _fit_powers(seen)
    rows, targets, weights = [], [], []
    counts = kind_weights([one.answerable for one in seen])
    for one in seen:
        if one.standings:
            weights.append(counts[one.answerable])
            chosen = best_of(one.standings, powers)
            values = weighed_features(one.standings, chosen, powers, calibrated(plan, one.features))
            rows.append([values[name] for name in FEATURES])
            targets.append(float(one.right[one.standings.index(chosen)]))
    if not rows:
        raise ModelError("no probe was read: this reader does not judge lines; its card stays as it is")
    confidence, _ = fit(np.array(rows), np.array(targets), FEATURES, np.array(weights))
    return Weighing(powers, confidence, min_confidence)


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


def fit_both(seen: Sequence[Seen], with_reader: bool) -> Fitted:
    """The fit on all probes, with figures and thresholds of fits that each saw another part."""
    outcomes: list[_Outcome] = []
    for fold in range(FOLDS):
        rest = [one for at, one in enumerate(seen) if at % FOLDS != fold]
        plan = fit_plan(rest)
        weighing = fit_weighing(rest, plan) if with_reader else None
        outcomes += [_outcome(one, plan, weighing) for at, one in enumerate(seen) if at % FOLDS == fold]
    answerable = [row for row in outcomes if row.answerable]
    by_plan = _kept_by_default([(row.answerable, row.plan_confidence, row.plan_right) for row in outcomes])
    both = [(row.answerable, row.confidence, row.right) for row in outcomes]
    by_both = _kept_by_default(both) if with_reader else None
    plan = fit_plan(seen)
    return Fitted(
        plan,
        fit_weighing(seen, plan, by_both.threshold) if by_both else None,
        len(seen),
        len(answerable),
        by_plan,
        by_both,
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


def _outcome(one: Seen, plan: Calibration, weighing: Weighing | None) -> _Outcome:
    by_plan = calibrated(plan, one.features) if one.features else 0.0
    confidence, right = by_plan, one.plan_right
    if weighing is not None and one.standings:
        chosen = best_of(one.standings, weighing.powers)
        values = weighed_features(one.standings, chosen, weighing.powers, by_plan)
        confidence, right = calibrated(weighing.confidence, values), one.right[one.standings.index(chosen)]
    return _Outcome(one.answerable, by_plan, one.plan_right, confidence, right)


Row = tuple[bool, float, bool]  # answerable, confidence, right


def _kept_by_default(rows: Sequence[Row]) -> Kept:
    """At the least threshold from 0.5 on that keeps wrong answers rare; where none does, at the last."""
    for threshold in THRESHOLDS:
        kept = _kept(rows, threshold)
        if kept.wrong <= MOST_WRONG:
            break
    return kept


def _kept(rows: Sequence[Row], threshold: float) -> Kept:
    counts = kind_weights([row[0] for row in rows])
    printed = [row for row in rows if row[1] >= threshold]
    answerable = max(1, sum(row[0] for row in rows))
    mass = sum(counts[can] for can, _, _ in printed)
    wrong = sum(counts[can] for can, _, right in printed if not right) / mass if printed else 0.0
    coverage = sum(can for can, _, _ in printed) / answerable
    hits = sum(right for can, _, right in rows if can) / answerable
    brier = sum(counts[can] * (confidence - right) ** 2 for can, confidence, right in rows)
    return Kept(threshold, round(wrong, 4), round(coverage, 4), round(hits, 4), round(brier, 4))


# --- cards --------------------------------------------------------------------------------------


def write_cards(
    model: Path, reader: Path | None, fitted: Fitted, packs: Sequence[str], keep_plan: bool = False
) -> None:
    """Put the fits into the cards of the planner and of the reader, each in one rename."""
    about = {"packs": list(packs), "probes": fitted.n_probes, "answerable": fitted.n_answerable}
    about |= {"weighted_to_answerable": round(ANSWERABLE, 4)}
    if not keep_plan:
        scores = about | asdict(fitted.by_plan)
        plan = {"calibration": asdict(fitted.plan), "min_confidence": fitted.by_plan.threshold}
        _change_card(model, plan | {"calibration_scores": scores})
    if reader is not None and fitted.weighing is not None and fitted.by_both is not None:
        scores = about | asdict(fitted.by_both) | {"repaired": fitted.repaired, "spoiled": fitted.spoiled}
        planner = RigelCard.load(model).hash
        _change_card(reader, {CARD_KEY: fitted.weighing.as_card() | {"planner": planner, "scores": scores}})


def _change_card(folder: Path, changed: dict[str, object]) -> None:
    path = folder / MODEL_CARD
    try:
        write_card(folder, json.loads(path.read_text(encoding="utf-8")) | changed)
    except (OSError, ValueError) as error:
        raise ModelError(f"{path}: cannot be changed ({error})") from error
