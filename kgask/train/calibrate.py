"""Confidence: a logistic model from plan features to "the answer is right".

Fitted on questions that training did not see, asked of a real pack: about
entities that have the relation, about entities that lack it, and about names
that the pack does not know (whatever is answered then is wrong).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from kgask.answer.pipeline import Pipeline
from kgask.answer.request import AskOptions
from kgask.corpus.examples import MASK, PathExample
from kgask.corpus.names import damaged
from kgask.corpus.sampling import follow_path, random_topic
from kgask.errors import ModelError
from kgask.pack.store import Pack
from kgask.plan.card import Calibration
from kgask.retrieve.follow import edges_of
from kgask.types import Question, directed

FEATURES = tuple(
    "mass share link hops gap topic rival wanted narrowed typo alias part unused".split()
    + "operator none unread heard decoded values unmet described idle".split()  # where the planner writes queries too
)
RIDGE = 1e-4
# Of the questions that people ask; the probes ask more often for what is not there, to have enough of each kind.
ANSWERABLE = 2 / 3
LACKING = 0.45  # share of the others whose path the graph does not have, at the first hop or a later one
ALIASED, DAMAGED = 0.12, 0.1  # shares of probes that say another name of their topic, and that misspell it
SHORTEST = 3  # letters of a name
TRIES = 200  # draws of an entity that lacks a relation
UNKNOWN = 0.2  # share of probes about names that the pack does not know
SYLLABLES = "ba bre cli dor fen gul hax jor kli lun mor nib ost pra qui rav sel tru vex wim yor zan".split()


@dataclass(frozen=True, slots=True)
class Probe:
    """A question of a pack with its right answers (none: the pack cannot answer)."""

    text: str
    answers: frozenset[int]
    wording: str = ""  # the text with its topic masked


@dataclass(frozen=True, slots=True)
class CalibrationReport:
    calibration: Calibration
    n_probes: int
    n_answerable: int
    hits_at_1: float  # of the answerable, whatever the confidence
    brier: float


def draw_probes(pack: Pack, examples: list[PathExample], n: int, rng: random.Random) -> list[Probe]:
    """Fill held-out wordings with entities of the pack, with and without the relation."""
    by_key = {relation.key: index for index, relation in enumerate(pack.relations())}
    usable = [e for e in examples if e.path and MASK in e.text and all(key in by_key for key, _ in e.path)]
    probes: list[Probe] = []
    for _ in range(40 * n):
        if len(probes) >= n or not usable:
            break
        example = rng.choice(usable)
        if rng.random() < UNKNOWN:
            probes.append(Probe(example.text.replace(MASK, unknown_name(pack, rng)), frozenset(), example.text))
            continue
        path = [directed(by_key[key], inverse, pack.n_relations) for key, inverse in example.path]
        lacking = rng.random() < LACKING
        topic = _unrelated(pack, path[0], rng) if lacking and len(path) == 1 else random_topic(pack, path[0], rng)
        if topic is None:
            continue
        label = pack.labels([topic])[0]
        answers = follow_path(pack, topic, path)
        if bool(answers) != lacking and len(label) >= SHORTEST:
            name = said_as(pack, topic, label, rng)
            probes.append(Probe(example.text.replace(MASK, name), answers, example.text))
    return probes


def said_as(pack: Pack, entity: int, label: str, rng: random.Random) -> str:
    """How somebody might name an entity: most often by its label, now and then by an alias or with a typo."""
    chance = rng.random()
    if chance < ALIASED:
        aliases = pack.names.aliases_between(entity, entity)
        return rng.choice(sorted(name for _, name in aliases if len(name) >= SHORTEST) or [label])
    return damaged(label, rng) if chance < ALIASED + DAMAGED else label


def unknown_name(pack: Pack, rng: random.Random) -> str:
    """A name that no entity has: invented, and half the time with words of a real one."""
    invented = ["".join(rng.choice(SYLLABLES) for _ in range(rng.randint(2, 4))).capitalize() for _ in range(2)]
    words = pack.labels([rng.randrange(pack.n_entities - pack.n_literals)])[0].split()
    kept = words[: rng.randint(1, 2)] if rng.random() < 0.5 else []
    name = " ".join([*kept, *invented[: rng.randint(1, 2)]])
    return name if rng.random() < 0.5 else name.lower()


def _unrelated(pack: Pack, relation: int, rng: random.Random) -> int | None:
    """An entity without the relation; None when none is found: a graph may give it to all."""
    for _ in range(TRIES):
        entity = rng.randrange(pack.n_entities - pack.n_literals)
        if not len(edges_of(pack, np.array([entity]), relation)):
            return entity
    return None


def calibrate(
    pipeline: Pipeline, probes: list[Probe], report: Callable[[int, int], None] = lambda done, n: None
) -> CalibrationReport:
    """Ask every probe with no threshold and fit the weights; :class:`ModelError` when none reaches anything."""
    rows, right, weights, hits, answerable = [], [], [], 0, 0
    counts = kind_weights([bool(probe.answers) for probe in probes])
    for done, probe in enumerate(probes, 1):
        found = pipeline.understand(Question(probe.text), AskOptions())
        top = set(found.hypotheses[0].answers.tolist()) if found.hypotheses else set()
        is_right = bool(top) and top <= probe.answers
        answerable += bool(probe.answers)
        hits += is_right
        if found.features and not found.is_derived:
            rows.append([found.features.get(name, 0.0) for name in FEATURES])
            right.append(float(is_right))
            weights.append(counts[bool(probe.answers)])
        report(done, len(probes))
    if not rows:
        raise ModelError(
            f"{pipeline.pack.name}: no question to calibrate confidence on led anywhere; it stays as it is"
        )
    calibration, brier = fit(np.array(rows), np.array(right), FEATURES, np.array(weights))
    return CalibrationReport(calibration, len(probes), answerable, hits / max(1, answerable), brier)


def kind_weights(answerable: Sequence[bool]) -> dict[bool, float]:
    """How much a probe of each kind counts, so that :data:`ANSWERABLE` of them can be answered."""
    n = sum(answerable)
    return {True: ANSWERABLE / max(1, n), False: (1.0 - ANSWERABLE) / max(1, len(answerable) - n)}


def fit(
    x: np.ndarray,
    y: np.ndarray,
    names: Sequence[str] = FEATURES,
    weights_of: np.ndarray | None = None,
    doubts: Collection[str] = (),
) -> tuple[Calibration, float]:
    """Ridge logistic regression of y [n] in {0, 1} on x [n, F], F named columns; also the Brier score.

    ``weights_of`` [n] says how much each row counts; all the same by default. ``doubts`` are columns that can only
    make an answer less sure: on packs of other people they do too, whatever chance says here.
    """
    counts = np.ones(len(y)) if weights_of is None else weights_of / weights_of.mean()

    def loss(weights: np.ndarray) -> float:
        logits = x @ weights[1:] + weights[0]
        losses = counts * np.logaddexp(0.0, np.where(y > 0, -logits, logits))
        return float(losses.mean() + RIDGE * (weights[1:] ** 2).sum())

    bounds = [(None, None), *((0.0 if name in doubts else None, None) for name in names)]
    weights = minimize(loss, np.zeros(x.shape[1] + 1), method="L-BFGS-B", bounds=bounds).x
    probs = 1.0 / (1.0 + np.exp(-(x @ weights[1:] + weights[0])))
    named = {name: round(float(w), 5) for name, w in zip(names, weights[1:], strict=True)}
    return Calibration(round(float(weights[0]), 5), named), float(((probs - y) ** 2).mean())
