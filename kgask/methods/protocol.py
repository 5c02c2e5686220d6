"""What a retriever is given and what it gives: linked requests in, hypotheses with evidence out.

Every way to find triples is a :class:`Retriever`; linking, reading, fusion and composing are the same for all of them,
so that methods differ in nothing else. Stages never call each other: the pipeline carries what one gives to the next.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import numpy as np

from kgask.link.mentions import Word
from kgask.pack.store import Pack
from kgask.types import EntityId, Evidence, Mention, Question, ScoredTriple, Seed, TripleId

if TYPE_CHECKING:
    from kgask.methods.query_readings import Understood
    from kgask.methods.understand import Understanding
    from kgask.query.nodes import Query
    from kgask.retrieve.outcome import Result

MAX_HOPS = 3  # that anything looks away from a seed
Ways = dict[TripleId, ScoredTriple]  # for a triple beyond hop 1, the one that leads to it, one hop nearer to a seed


class Timer:
    """Wall time per stage, in milliseconds."""

    def __init__(self) -> None:
        self.timings_ms: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        began = time.perf_counter()
        try:
            yield
        finally:
            self.add(name, (time.perf_counter() - began) * 1000)

    def add(self, name: str, spent_ms: float) -> None:
        self.timings_ms[name] = round(self.timings_ms.get(name, 0.0) + spent_ms, 3)


@dataclass(frozen=True, slots=True, eq=False)
class Request:
    """A question with what was given instead of found, and the mentions that it was linked to."""

    question: Question
    entity: str | None = None  # the topic: a key, a label, or an id (#12)
    exact_hops: int | None = None  # the answer lies exactly so far away
    is_claim: bool = False  # it comes to yes or no
    given: tuple[
        tuple[int, int, EntityId], ...
    ] = ()  # what some characters of the question name, beside what is linked
    mentions: tuple[Mention, ...] = ()
    beside: tuple[Mention, ...] = ()  # what else is named where the topic was given: no topic of a path
    words: tuple[Word, ...] = ()  # of the question, each weighed by how much it looks like part of a name
    timer: Timer = field(default_factory=Timer)

    @property
    def named(self) -> tuple[Mention, ...]:
        """Everything that it was linked to."""
        return (*self.mentions, *self.beside)


@dataclass(frozen=True, slots=True)
class Scope:
    """How far and how much is retrieved."""

    top_k: int = 10  # triples for the reader; of each hop where a plan is followed
    hops: int = 1  # how far around the seeds
    rng_seed: int = 0  # of what is drawn
    order: str = "descending"  # best first, or best last (KAPING studies both), or random: of triples without a plan
    keep_seed: bool = False  # a seed may be its own answer
    explain: bool = False  # look at every hypothesis, those that cannot win too, and keep what became of it


@dataclass(frozen=True, slots=True, eq=False)
class Hypothesis:
    """What may be meant: a query over the graph with its score, its answers and their proof."""

    score: float  # a probability where the retriever is calibrated; else comparable within a question
    answers: np.ndarray  # int64: every entity or literal that it gives; best first where triples were ranked
    last_steps: frozenset[tuple[int, int]]  # (hop, directed relation) of the triples that end in an answer
    prove: Callable[[Sequence[EntityId]], list[ScoredTriple]]  # what leads from the seeds to these answers, hop by hop
    make_query: Callable[[], Query | None] = lambda: None  # None where triples were chosen without one
    outcome: Result | None = None  # of a query with operators what it came to; its words then come from there


def _nothing_else() -> Iterator[Retrieved]:
    return iter(())


@dataclass(frozen=True, slots=True, eq=False)
class Retrieved:
    """What a retriever makes of one request. Nothing linked gives no seeds, nothing found no hypotheses."""

    seeds: tuple[Seed, ...] = ()
    hypotheses: tuple[Hypothesis, ...] = ()  # best first
    confidence: float = 0.0  # probability that the first one is right, where the retriever is calibrated
    understood: Understanding | None = None  # what the planner read the question as
    evidence: Evidence | None = None  # None: gathered when it is to be read
    ways: Ways = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    failed: str = ""  # why this question could not be retrieved for
    linked: tuple[Mention, ...] = ()  # what stands in the question as a name, best first
    unused_words: tuple[str, ...] = ()  # of the question: they say something that was not understood
    features: Mapping[str, float] = field(default_factory=dict)  # what its confidence is calibrated on
    pointed: tuple[tuple[int, int], ...] = ()  # characters of it that the best query's steps point at
    read_as: Understood | None = None  # the queries with operators that it may be, where any were looked for
    find_alternatives: Callable[[], Iterator[Retrieved]] = _nothing_else  # what else it may ask, the planner's first
    find_left_out: Callable[[], Mapping[str, float]] = dict  # of the question by its best query (methods.doubts)
    is_proposed: bool = False  # the graph has it, and no planner wrote it
    is_judged: bool = False  # among what else it may ask for
    candidates: tuple[Seed, ...] = ()  # every seed that was looked at, best first; only where that is asked for

    @property
    def is_derived(self) -> bool:
        """Whether the best hypothesis has operators: no line of evidence ends in what it came to."""
        return bool(self.hypotheses) and self.hypotheses[0].outcome is not None

    @property
    def is_query(self) -> bool:
        """Whether it was written as a query with operators: its confidence rests on other features than a path's."""
        return self.is_derived and self.understood is None


class Retriever(Protocol):
    """A way to find triples for questions."""

    name: str  # as --method takes it
    calibrated: bool  # its confidence is a probability that was fitted; else the reader alone says how sure it is
    default_hops: int  # how far it looks where nothing is said
    hash: str | None  # SHA-256 of a model of its own

    def retrieve(self, requests: Sequence[Request], pack: Pack, scope: Scope) -> list[Retrieved]:
        """Hypotheses for each request. Raises ModelError or UsageError, one line, for what concerns all of them."""
        ...

    def evidence(self, found: Retrieved, pack: Pack, scope: Scope) -> Evidence:
        """What a reader is shown of it."""
        ...

    def forget(self) -> None:
        """Drop what is remembered of earlier questions, where that may change how later ones are rounded."""
        ...
