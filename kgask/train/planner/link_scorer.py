"""The link score's weights, trained end to end through the plan and the graph (Saffari et al. 2021).

Every candidate of a question goes in with its features; the planner (fixed)
and the graph say how likely each leads to the gold answers. The loss is

    -log  sum over candidates c of  p(c | features, w) * P(answers | c, plan)

with a softmax over the candidates and "nothing is meant", so it flows to the
weights without anyone saying which entity is meant; where the topic is known,
other candidates count as failures.
Shapes: C candidates of all questions one after another, Q questions, F features.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import minimize

from kgask.answer.pipeline import Pipeline
from kgask.errors import BuildError
from kgask.link.features import FEATURES, HAND, LEAST, RHO, LinkModel
from kgask.link.linker import Linker
from kgask.methods.protocol import MAX_HOPS, Request
from kgask.methods.rigel import Rigel
from kgask.methods.understand import Linked, fit_of
from kgask.pack.store import Pack
from kgask.retrieve.walk import routes, walks
from kgask.types import Branch, EntityId, Question

CHUNK = 64
BY_CHANCE = 1e-4  # P(gold answers | nothing is meant)
LEAST_SUCCESS = 0.01  # a question whose answers no candidate reaches says nothing about links: the planner failed
RIDGE = 5e-4  # towards the weights set by hand: features that the questions do not show keep theirs
LOST_TO_RHO = 0.005  # share of the right candidates that the threshold may lose
COLUMNS = (*FEATURES, "topic_power", "fit_power")
# A better name, a surer topic, a fitting relation never count against a candidate, nor an alias or a typo for it.
_SIGN = dict.fromkeys(COLUMNS, 1) | {"alias": -1, "typo": -1, "nested": -1, "common": -1, "words": 0}


@dataclass(frozen=True, slots=True)
class LinkQuestion:
    """A question of one pack, unmasked, with its right answers (none: the pack cannot answer)."""

    text: str
    answers: frozenset[EntityId]
    topics: frozenset[EntityId] | None = None  # the entities that may be meant, where known


@dataclass(frozen=True, slots=True, eq=False)
class Cases:
    """Candidates of questions, with what the plan and the graph make of each."""

    question: np.ndarray  # int [C], ascending
    columns: np.ndarray  # float [C, len(COLUMNS)]
    success: np.ndarray  # float [C]: P(answers | candidate, plan)
    mass: np.ndarray  # float [C]: probability of the plan's paths that exist from it
    nothing: np.ndarray  # float [Q]: P(answers | nothing is meant)


@dataclass(frozen=True, slots=True)
class LinkReport:
    weights: dict[str, float]  # the card's linker section
    n_questions: int  # with a candidate that may lead to the answers, or rightly to none
    loss_before: float  # with the weights set by hand
    loss: float
    right_before: float  # share of the answerable among them whose best candidate leads to a gold answer
    right: float


def train_linker(
    pipeline: Pipeline,
    questions: Sequence[LinkQuestion],
    others: Iterable[tuple[Pipeline, Sequence[LinkQuestion]]] = (),
    report: Callable[[int, int], None] = lambda done, n: None,
) -> LinkReport:
    """Weights from questions over one pack, and over further packs with the same planner."""
    sets = [(pipeline, questions), *others]
    total, done, parts = sum(len(asked) for _, asked in sets), 0, []
    for pipe, asked in sets:
        parts.append(cases(pipe, asked, lambda n, before=done: report(before + n, total)))
        done += len(asked)
    return fit(joined(parts))


# --- candidates ---------------------------------------------------------------------------------


def cases(
    pipeline: Pipeline, questions: Sequence[LinkQuestion], report: Callable[[int], None] = lambda done: None
) -> Cases:
    """Link with no threshold, plan, and walk from every candidate.

    As at answer time, close names are looked for where exact ones lead nowhere.
    """
    linker = Linker(pipeline.pack, pipeline.planner.question_words(), replace(HAND, rho=0.0))
    rigel, collected = Rigel(pipeline.planner), _Collected(pipeline.pack)
    for start in range(0, len(questions), CHUNK):
        chunk = questions[start : start + CHUNK]
        asked = [Request(Question(question.text)) for question in chunk]
        linked = [replace(one, mentions=tuple(linker.link(one.question))) for one in asked]
        exact = rigel.planned(linked, pipeline.pack)
        lost = [row for row, question in enumerate(chunk) if not collected.leads(exact[row], question)]
        for row in lost:
            asked[row] = replace(asked[row], mentions=tuple(linker.link_tolerantly(asked[row].question)))
        tolerant = rigel.planned(asked, pipeline.pack)
        for question, found, more in zip(chunk, exact, tolerant, strict=True):
            collected.add(question, [*found, *more])
        report(start + len(chunk))
    return collected.cases()


class _Collected:
    """Rows of :class:`Cases` as they come."""

    def __init__(self, pack: Pack) -> None:
        self._pack = pack
        self._rows: list[tuple[int, list[float], float, float]] = []
        self._nothing: list[float] = []

    def leads(self, linked: list[Linked], question: LinkQuestion) -> bool:
        """Whether any candidate may lead to the answers; nothing does where there are none."""
        return any(
            question.answers and self._success(one.branch, seed.entity, question)[0] > 0.0
            for one in linked
            for seed in one.mention.seeds
        )

    def add(self, question: LinkQuestion, linked: list[Linked]) -> None:
        """Keep the question's candidates, unless nothing can be learnt from them."""
        number, rows = len(self._nothing), []
        for one in linked:
            for seed, has in zip(one.mention.seeds, one.present, strict=True):
                success, mass = self._success(one.branch, seed.entity, question)
                joint = [math.log(max(one.branch.topic_prob, LEAST)), math.log(max(fit_of(one.branch, has), LEAST))]
                rows.append((number, [*seed.features, *joint], success, mass))
        if max((success for _, _, success, _ in rows), default=0.0) >= LEAST_SUCCESS:
            self._rows += rows
            self._nothing.append(BY_CHANCE if question.answers else 1.0)

    def _success(self, branch: Branch, seed: EntityId, question: LinkQuestion) -> tuple[float, float]:
        """P(answers | candidate, plan), each path counting with the share of its ends that are gold; the mass."""
        found = routes(walks(self._pack, branch, [seed], MAX_HOPS))
        mass = min(1.0, sum(route.prob for route in found))
        if not question.answers:
            return 1.0 - mass, mass
        if question.topics is not None and seed not in question.topics:
            return 0.0, mass
        gold = np.fromiter(question.answers, np.int64)
        return sum(route.prob * float(np.isin(route.answers, gold).mean()) for route in found), mass

    def cases(self) -> Cases:
        rows = self._rows
        return Cases(
            np.array([row[0] for row in rows], np.int64),
            np.array([row[1] for row in rows], np.float64).reshape(-1, len(COLUMNS)),
            np.array([row[2] for row in rows]),
            np.array([row[3] for row in rows]),
            np.array(self._nothing),
        )


def joined(parts: Sequence[Cases]) -> Cases:
    """The cases of several packs, questions numbered on."""
    starts = np.cumsum([0, *(len(part.nothing) for part in parts)])
    return Cases(
        np.concatenate([part.question + start for part, start in zip(parts, starts, strict=False)]),
        *(
            np.concatenate([getattr(part, name) for part in parts])
            for name in ("columns", "success", "mass", "nothing")
        ),
    )


# --- weights ------------------------------------------------------------------------------------


def fit(found: Cases) -> LinkReport:
    """Least loss with a ridge towards the weights set by hand; bounded signs keep it sane anywhere.

    Raises :class:`BuildError` when no question can teach anything.
    """
    if not len(found.nothing):
        raise BuildError("no question whose answers the planner reaches from a linked entity: nothing to train on")
    start = np.array([3.0, *(HAND.link_power * weight for weight in HAND.weights), 1.0, 0.0])  # bias first
    columns = np.column_stack([np.ones(len(found.columns)), found.columns])

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        plain, gradient = log_loss(found, columns, weights)
        away = weights - start
        return plain + RIDGE * float(away @ away), gradient + 2 * RIDGE * away

    bounds = [(None, None), *(_bounds(name) for name in COLUMNS)]
    weights = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x
    answerable = found.nothing < 1.0
    named = {name: round(float(w), 4) for name, w in zip(("bias", *COLUMNS), weights, strict=True)}
    return LinkReport(
        named | {"link_power": 1.0, "rho": _threshold(found, columns, weights)},
        len(found.nothing),
        log_loss(found, columns, start)[0],
        log_loss(found, columns, weights)[0],
        _right(found, columns @ start, answerable),
        _right(found, columns @ weights, answerable),
    )


def log_loss(found: Cases, columns: np.ndarray, weights: np.ndarray) -> tuple[float, np.ndarray]:
    """Mean negative log-likelihood of the answers, and its gradient [1 + F].

    The gradient is the prior's mean of the columns less the posterior's: what
    a candidate is believed before and after its answers are seen.
    """
    logits = columns @ weights
    highest = np.zeros(len(found.nothing))  # "nothing" has the logit 0
    np.maximum.at(highest, found.question, logits)
    odds, none = np.exp(logits - highest[found.question]), np.exp(-highest)
    total = none + _per_question(found, odds)
    good = none * found.nothing + _per_question(found, odds * found.success)
    prior = odds / total[found.question]
    posterior = odds * found.success / good[found.question]
    n = len(found.nothing)
    return float(np.log(total / good).sum() / n), columns.T @ (prior - posterior) / n


def _per_question(found: Cases, values: np.ndarray) -> np.ndarray:
    return np.bincount(found.question, values, len(found.nothing))


def _bounds(name: str) -> tuple[float | None, float | None]:
    return {1: (0.0, None), -1: (None, 0.0), 0: (None, None)}[_SIGN[name]]


def _right(found: Cases, logits: np.ndarray, answerable: np.ndarray) -> float:
    """Share of the answerable questions where the best pair of link and plan leads to the answers."""
    scores = logits + np.log(np.maximum(found.mass, LEAST))
    order = np.lexsort((-scores, found.question))
    best = order[np.unique(found.question[order], return_index=True)[1]]
    hits = (found.success[best] > 0.0) & answerable[found.question[best]]
    return float(hits.sum() / max(1, answerable.sum()))


def _threshold(found: Cases, columns: np.ndarray, weights: np.ndarray) -> float:
    """The usual rho, or less where it would lose right candidates."""
    n_features = 1 + len(FEATURES)
    link = LinkModel(tuple(weights[1:n_features]), float(weights[0]))
    right = np.flatnonzero((found.success > 0.5) & (found.nothing[found.question] < 1.0))
    if not len(right):
        return RHO
    chances = [link.chance(float(logit)) for logit in columns[right, :n_features] @ weights[:n_features]]
    return round(min(RHO, float(np.quantile(chances, LOST_TO_RHO))), 4)
