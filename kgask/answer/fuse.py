"""Retriever and reader fused: which hypothesis answers, and how sure that is.

The reader gives every shown line a probability that it answers the question; a calibrated retriever gives
every hypothesis one. Neither has the last word: hypotheses compete by the sum of their log-odds, each with its own
power, and the confidence of the winner is a logistic model over both. Powers and weights
are fitted on held-out questions (``kgask train calibrate``) and stand in the reader's card,
so a reader that is often wrong counts for little, and one that is seldom wrong may overrule the plan. Beside a
retriever that is not calibrated the reader alone decides.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from kgask.answer.word import Word
from kgask.methods.base import with_ways
from kgask.methods.protocol import Hypothesis, Retrieved, Timer
from kgask.methods.understand import LEAST, calibrated
from kgask.pack.graph import Graph
from kgask.pack.store import Pack
from kgask.types import Candidate, EntityId, Evidence, Reading, ScoredTriple, directed
from kgask.verbalise import walked_ends

if TYPE_CHECKING:
    from kgask.query.nodes import Query
    from kgask.retrieve.outcome import Result

MOST_ODDS = 8.0  # log-odds beyond this are not believed: they rest on a few weights
POWERS = ("best", "mean")  # of a hypothesis' lines: the surest line, and all of them
FEATURES = ("plan", "best", "mean", "share", "changed")
NOT_CONFIRMED = "the reader does not confirm this answer; the plan is surer than it"
# Why nothing is answered; compose.py words it.
Refusal = Literal["unsure", "turned down", "abstained", "unproven", "only the topic"]


class Weighing(Word):
    """What a reader's word counts; its powers stand beside one of 1 for a hypothesis' log-probability."""

    __slots__ = ()
    whose, card_key, power_names, feature_names = "reader", "weighing", POWERS, FEATURES

    def is_asked(self, plan_confidence: float, least: float) -> bool:
        """Whether a reader's word may change what is printed; always, where its card does not say."""
        return self.margin is None or abs(log_odds(plan_confidence) - log_odds(least)) <= self.margin


@dataclass(frozen=True, slots=True, eq=False)
class Standing:
    """A hypothesis that the reader was shown, and what it said of its lines, in log-odds."""

    hypothesis: Hypothesis
    first: bool  # the retriever's own first choice
    best: float
    mean: float

    def score(self, powers: Mapping[str, float]) -> float:
        """Unnormalised log-probability that this is the one that is meant."""
        prior = math.log(max(self.hypothesis.score, LEAST))
        return prior + powers["best"] * self.best + powers["mean"] * self.mean


def standings(
    hypotheses: Sequence[Hypothesis], evidence: Evidence, line_probs: Mapping[int, float], graph: Graph
) -> list[Standing]:
    """Every hypothesis with a line that the reader judged, in the retriever's order; lines are 1-based.

    A line is a hypothesis' own when it ends in one of its answers by its last step; where the evidence holds no such
    line (the triple was shown at another hop), any line that ends there.
    """
    numbers = sorted(line_probs)
    if not numbers:
        return []
    shown = [evidence.triples[number - 1] for number in numbers]
    _, relations, ends = walked_ends(shown, graph)
    steps = [
        (triple.hop, directed(relation, triple.inverse, graph.n_relations))
        for triple, relation in zip(shown, relations.tolist(), strict=True)
    ]
    odds = np.array([log_odds(line_probs[number]) for number in numbers])
    found = []
    for hypothesis in hypotheses:
        ending, last_steps = np.isin(ends, hypothesis.answers), hypothesis.last_steps
        by_last_step = ending & np.array([step in last_steps for step in steps])
        chosen = by_last_step if by_last_step.any() else ending
        if chosen.any():
            said = odds[chosen]
            found.append(Standing(hypothesis, hypothesis is hypotheses[0], float(said.max()), float(said.mean())))
    return found


def best_of(found: Sequence[Standing], powers: Mapping[str, float]) -> Standing:
    """The standing with the highest score; the plan's order decides between equals."""
    return max(found, key=lambda standing: standing.score(powers))


def weighed_features(
    found: Sequence[Standing], chosen: Standing, powers: Mapping[str, float], plan_confidence: float
) -> dict[str, float]:
    """What the confidence in a chosen hypothesis is made of."""
    scores = np.array([standing.score(powers) for standing in found])
    return {
        "plan": log_odds(plan_confidence),
        "best": chosen.best,
        "mean": chosen.mean,
        "share": chosen.score(powers) - float(np.logaddexp.reduce(scores)),
        "changed": 0.0 if chosen.first else 1.0,
    }


def weigh(weighing: Weighing, found: Sequence[Standing], plan_confidence: float) -> tuple[Hypothesis, float]:
    """The hypothesis that answers, and the probability that it is right; ``found`` is not empty."""
    chosen = best_of(found, weighing.powers)
    values = weighed_features(found, chosen, weighing.powers, plan_confidence)
    return chosen.hypothesis, calibrated(weighing.confidence, values)


def confirmed(hypotheses: Sequence[Hypothesis], reading: Reading) -> Hypothesis:
    """Where a reader was not calibrated: the most probable hypothesis that ends at something it named.

    The answer is that hypothesis' whole end: the reader sees ``top_k`` triples a
    hop, the answer set may be larger. So the reader can turn the plan's first
    choice down, but not widen it with the end of an improbable path.
    """
    wanted = set(reading.entities)
    return min(hypotheses, key=lambda one: wanted.isdisjoint(one.answers.tolist()))


def log_odds(prob: float) -> float:
    """Within +-:data:`MOST_ODDS`; a probability that is no number says nothing."""
    if not math.isfinite(prob):
        return 0.0
    prob = min(max(prob, 1e-9), 1.0 - 1e-9)
    return max(-MOST_ODDS, min(MOST_ODDS, math.log(prob / (1.0 - prob))))


# --- the verdict ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is answered, or in ``refused`` and ``said`` why nothing is; how it is worded is for compose."""

    confidence: float
    entities: tuple[EntityId, ...] = ()  # best first
    support: tuple[ScoredTriple, ...] = ()
    make_query: Callable[[], Query | None] = lambda: None  # what was asked of the graph
    outcome: Result | None = None  # what that came to, where it has operators: answer and proof are told from it
    notes: tuple[str, ...] = ()
    refused: Refusal | None = None
    said: str = ""
    written: str | None = None
    unverified: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Fusion:
    """Retriever and reader together: from what was retrieved, and what a reader made of it, to a verdict."""

    pack: Pack
    calibrated: bool  # the retriever is
    weighing: Weighing | None  # None: the reader was not calibrated
    least: float  # confidence below which a calibrated retriever's answer is refused

    def unread(self, found: Retrieved, evidence: Evidence, timer: Timer) -> Verdict:
        """The best hypothesis, where there is no reader."""
        if not found.hypotheses:
            return Verdict(0.0, refused="only the topic")
        first = found.hypotheses[0]
        if not self.calibrated:
            return self._whole(first, min(1.0, first.score), evidence, timer)
        if found.confidence < self.least:
            return Verdict(found.confidence, refused="unsure")
        return self._whole(first, found.confidence, evidence, timer)

    def read(self, found: Retrieved, evidence: Evidence, reading: Reading, timer: Timer) -> Verdict:
        """Hypotheses and reading weighed against each other; a retriever that is not calibrated has no weight."""
        if not self.calibrated:
            return self._cited(found, evidence, reading)
        if reading.written is not None:
            return self._written(found, reading, timer)
        chosen, confidence = found.hypotheses[0], found.confidence
        judged = standings(found.hypotheses, evidence, reading.line_probs, self.pack)
        if self.weighing is not None and judged:
            chosen, confidence = weigh(self.weighing, judged, found.confidence)
            if confidence < self.least <= found.confidence:
                return Verdict(confidence, refused="turned down")
        elif reading.abstained and reading.prob > confidence:
            return Verdict(confidence, refused="abstained", said=reading.text)
        elif not reading.abstained:
            chosen = confirmed(found.hypotheses, reading)
        if confidence < self.least:
            return Verdict(confidence, refused="unsure")
        notes = (NOT_CONFIRMED,) if reading.abstained else ()
        return replace(self._whole(chosen, confidence, evidence, timer), notes=notes)

    def _whole(self, chosen: Hypothesis, confidence: float, evidence: Evidence, timer: Timer) -> Verdict:
        """Everything that a hypothesis ends in, best first: ``top_k`` never cuts it."""
        if chosen.outcome is not None:
            return Verdict(confidence, tuple(chosen.answers.tolist()), (), chosen.make_query, chosen.outcome)
        entities = chosen.answers.tolist()
        if self.calibrated:
            wanted = set(entities)
            entities = [candidate.entity for candidate in evidence.candidates if candidate.entity in wanted]
        with timer.stage("trace"):
            support = chosen.prove(entities)
        return Verdict(confidence, tuple(entities), tuple(support), chosen.make_query)

    def _written(self, found: Retrieved, reading: Reading, timer: Timer) -> Verdict:
        """Of a free text exactly what it names, each with the triples of the best hypothesis that ends in it."""
        proven: dict[EntityId, None] = {}
        support: dict[ScoredTriple, None] = {}
        with timer.stage("trace"):
            for hypothesis in found.hypotheses:
                ends = set(hypothesis.answers.tolist())
                here = [entity for entity in reading.entities if entity in ends and entity not in proven]
                if here:
                    proven |= dict.fromkeys(here)
                    support |= dict.fromkeys(hypothesis.prove(here))
        named = tuple(entity for entity in reading.entities if entity in proven)
        # A branch of a narrowed plan may end in more than its branches share: that is no answer.
        loose = self.pack.labels([entity for entity in reading.entities if entity not in proven])
        verdict = Verdict(found.confidence, written=reading.written, unverified=(*loose, *reading.unverified))
        if named:
            return replace(verdict, entities=named, support=tuple(support))
        return replace(verdict, refused="abstained" if reading.abstained else "unproven", said=reading.text)

    def _cited(self, found: Retrieved, evidence: Evidence, reading: Reading) -> Verdict:
        """What the reader cites or names, and nothing else; how sure that is only the reader says."""
        verdict = Verdict(reading_confidence(reading), written=reading.written, unverified=reading.unverified)
        named = by_line(reading, evidence, self.pack)
        if not named:
            return replace(verdict, refused="abstained", said=reading.text)
        _, _, ends = walked_ends(evidence.triples, self.pack)
        lines = range(len(ends)) if reading.written is not None else [line - 1 for line in reading.cited_lines]
        wanted = set(named)
        proof = [evidence.triples[row] for row in lines if int(ends[row]) in wanted]
        return replace(verdict, entities=tuple(named), support=tuple(with_ways(proof, found.ways)))


def by_line(reading: Reading, evidence: Evidence, graph: Graph) -> list[EntityId]:
    """What the cited lines end in, the one that the reader is surest of first; what a reader that cites none names."""
    if not reading.line_probs:
        return list(reading.entities)
    lines = sorted(reading.cited_lines, key=lambda line: -reading.line_probs[line])
    _, _, ends = walked_ends([evidence.triples[line - 1] for line in lines], graph)
    return list(dict.fromkeys(ends.tolist()))


def reading_confidence(reading: Reading) -> float:
    """The reader's: of its surest cited line where it judges lines, of its reply where it does not."""
    if reading.line_probs:
        return max([reading.line_probs[line] for line in reading.cited_lines] or list(reading.line_probs.values()))
    return reading.prob


def without_marks(evidence: Evidence) -> Evidence:
    """The same lines with nothing said of them: what kgask's reader learned to read without a plan."""
    triples = tuple(replace(triple, score=1.0) for triple in evidence.triples)
    candidates = tuple(Candidate(one.entity, 1.0) for one in evidence.candidates)
    return replace(evidence, triples=triples, candidates=candidates, mass=1.0)
