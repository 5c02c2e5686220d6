"""What a retrieval method is given and what it gives; the pipeline does the rest.

A method turns a question and its linked entities into ranked triples. Reading, proof and printing are the
same for all of them, so that methods differ in nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from kgask.pack.store import Pack
from kgask.types import Candidate, Evidence, Question, ScoredTriple, Seed, TripleId


@dataclass(frozen=True, slots=True)
class Scope:
    """How far and how much a method may retrieve."""

    top_k: int = 10  # triples for the reader
    hops: int = 1  # how far around the seeds
    rng_seed: int = 0


@dataclass(frozen=True, slots=True)
class Found:
    """What a method retrieved, best first.

    ``triples[i].hop`` is 1 for a triple at a seed, 2 for one at a neighbour of a seed, and so on; ``inverse`` says
    that it was walked from object to subject, away from the seed. ``ways`` gives for each triple beyond hop 1 the
    triple that leads to it, one hop nearer, so that every answer can be proved.
    """

    triples: tuple[ScoredTriple, ...]
    seeds: tuple[Seed, ...]
    ways: dict[TripleId, ScoredTriple]
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


class Method(Protocol):
    """A way to retrieve triples around linked entities."""

    name: str  # as --method takes it

    def find(self, question: Question, seeds: Sequence[Seed], pack: Pack, scope: Scope) -> Found:
        """The best triples around ``seeds`` (best first, at least one). Raises ModelError, one line, when it cannot."""
        ...
