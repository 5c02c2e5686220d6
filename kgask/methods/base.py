"""Retrieval without a plan: ranked triples around the linked entities, whatever ranks them."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Generic, TypeVar

import numpy as np

from kgask.errors import MethodError
from kgask.methods.protocol import Hypothesis, Request, Retrieved, Scope, Ways
from kgask.pack.store import Pack
from kgask.types import (
    Candidate,
    DirectedRelationId,
    EntityId,
    Evidence,
    Mention,
    Question,
    ScoredTriple,
    Seed,
    directed,
)
from kgask.verbalise import walked_ends

MAX_SEEDS = 5  # linked entities whose triples are looked at (LTGen, section 4: the top 5 of the entity tagger)
SEED_SHARE = 0.1  # of the best entity's link score: what scores less is a word that happens to be a name
Made = TypeVar("Made")


class PerPack(Generic[Made]):
    """What is made of a pack, kept for the last one."""

    def __init__(self, make: Callable[[Pack], Made]) -> None:
        self._make = make
        self._kept: tuple[Pack, Made] | None = None

    def __call__(self, pack: Pack) -> Made:
        if self._kept is None or self._kept[0] is not pack:
            self._kept = (pack, self._make(pack))
        return self._kept[1]


@dataclass(frozen=True, slots=True)
class Found:
    """What a method retrieved, best first.

    ``triples[i].hop`` is 1 for a triple at a seed, 2 for one at a neighbour of a seed, and so on; ``inverse`` says
    that it was walked from object to subject, away from the seed. ``ways`` gives for each triple beyond hop 1 the
    triple that leads to it, one hop nearer, so that every answer can be proved.
    """

    triples: tuple[ScoredTriple, ...]
    seeds: tuple[Seed, ...]
    ways: Ways
    truncated: bool = False
    notes: tuple[str, ...] = ()

    def with_note(self, note: str) -> Found:
        return replace(self, notes=(*self.notes, note))

    def evidence(self, ends: Sequence[int]) -> Evidence:
        """For the readers; ``ends[i]`` is the entity that ``triples[i]`` walks to."""
        best: dict[int, float] = {}
        for end, triple in zip(ends, self.triples, strict=True):
            best[end] = max(best.get(end, triple.score), triple.score)
        ordered = sorted(best, key=lambda end: -best[end])
        return Evidence(self.triples, tuple(Candidate(end, best[end]) for end in ordered), self.truncated)


class TripleRetriever(ABC):
    """A method that ranks triples: :meth:`find` is all that it has to say. Its scores are no probabilities."""

    name: str
    calibrated = False
    default_hops = 1
    hash: str | None = None

    @abstractmethod
    def find(self, question: Question, seeds: Sequence[Seed], pack: Pack, scope: Scope) -> Found:
        """The best triples around ``seeds`` (best first, at least one). Raises MethodError, one line, when it cannot
        for this question, ModelError when it never can."""

    def retrieve(self, requests: Sequence[Request], pack: Pack, scope: Scope) -> list[Retrieved]:
        """See :meth:`kgask.methods.protocol.Retriever.retrieve`."""
        return [self._retrieved(request, pack, scope) for request in requests]

    def _retrieved(self, request: Request, pack: Pack, scope: Scope) -> Retrieved:
        seeds = best_seeds(request.mentions)
        with request.timer.stage("retrieve"):
            try:
                found = self.find(request.question, seeds, pack, scope) if seeds else Found((), (), {})
            except MethodError as error:
                return Retrieved(seeds, failed=str(error))
            evidence = shown(request.question, found, pack, scope)
            hypotheses = by_relation(found, {candidate.entity for candidate in evidence.candidates}, pack)
        return Retrieved(seeds, hypotheses, evidence=evidence, ways=found.ways, notes=found.notes)

    def evidence(self, found: Retrieved, pack: Pack, scope: Scope) -> Evidence:
        """What was retrieved; see :func:`shown`."""
        return found.evidence or Evidence((), (), False)

    def forget(self) -> None:  # noqa: B027 - most methods remember nothing that rounds later answers
        """See :meth:`kgask.methods.protocol.Retriever.forget`."""


def best_seeds(mentions: Sequence[Mention]) -> tuple[Seed, ...]:
    """The best entity of each mention that overlaps no better one, best first, at most :data:`MAX_SEEDS`."""
    chosen: list[Seed] = []
    least = SEED_SHARE * max((one.seeds[0].score for one in mentions if one.seeds), default=0.0)
    for mention in sorted(mentions, key=lambda one: -one.seeds[0].score if one.seeds else 0.0):
        start, end = mention.span
        free = all(end <= seed.span[0] or seed.span[1] <= start for seed in chosen)
        if mention.seeds and free and mention.seeds[0].score >= least:
            chosen.append(mention.seeds[0])
    return tuple(chosen[:MAX_SEEDS])


def shown(question: Question, found: Found, pack: Pack, scope: Scope) -> Evidence:
    """What was found in the order in which it is read; seeds are no answers unless they are to be kept."""
    _, _, ends = walked_ends(found.triples, pack)
    evidence = found.evidence(ends.tolist())
    topics = set() if scope.keep_seed else {seed.entity for seed in found.seeds}
    triples = list(evidence.triples)
    if scope.order == "ascending":
        triples.reverse()
    elif scope.order == "random":
        random.Random(f"{scope.rng_seed}:{question.text}").shuffle(triples)
    candidates = tuple(one for one in evidence.candidates if one.entity not in topics)
    return replace(evidence, triples=tuple(triples), candidates=candidates)


def by_relation(found: Found, answers: set[EntityId], pack: Pack) -> tuple[Hypothesis, ...]:
    """Everything that one directed relation of one entity leads to, for each that leads to an answer.

    In the order of each one's best triple; who asks for several hops wants what is that far away, so the farthest hop
    goes first: nearer triples name the topic and so resemble the question more.
    """
    starts, relations, ends = (array.tolist() for array in walked_ends(found.triples, pack))
    groups: dict[tuple[EntityId, int], list[int]] = {}
    for row, triple in enumerate(found.triples):
        if ends[row] in answers:
            leaves = starts[row], directed(relations[row], triple.inverse, pack.n_relations)
            groups.setdefault(leaves, []).append(row)

    def made(relation: DirectedRelationId, rows: list[int]) -> tuple[int, int, Hypothesis]:
        by_end: dict[EntityId, list[ScoredTriple]] = {}
        for row in rows:
            by_end.setdefault(ends[row], []).append(found.triples[row])
        first = max(rows, key=lambda row: (found.triples[row].hop, -row))
        best = found.triples[first]
        steps = frozenset((found.triples[row].hop, relation) for row in rows)
        prove = partial(_proof, by_end, found.ways)
        return -best.hop, first, Hypothesis(best.score, np.array(list(by_end), np.int64), steps, prove)

    return tuple(one for _, _, one in sorted(made(relation, rows) for (_, relation), rows in groups.items()))


def _proof(
    by_end: Mapping[EntityId, list[ScoredTriple]], ways: Ways, answers: Sequence[EntityId]
) -> list[ScoredTriple]:
    return with_ways([triple for end in answers for triple in by_end[end]], ways)


def with_ways(triples: Sequence[ScoredTriple], ways: Ways) -> list[ScoredTriple]:
    """The triples with those that lead to them from the seeds, hop by hop."""
    every: dict[tuple[int, int], ScoredTriple] = {}
    for triple in triples:
        step: ScoredTriple | None = triple
        while step is not None:
            every.setdefault((step.triple, step.hop), step)
            step = ways.get(step.triple) if step.hop > 1 else None
    return sorted(every.values(), key=lambda triple: triple.hop)
