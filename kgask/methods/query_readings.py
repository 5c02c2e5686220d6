"""What a question may be read as: a query, what it came to, and what speaks against it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kgask.link.spans import CandidateSpan
from kgask.methods.accounted import LeftOut
from kgask.methods.understand import Understanding
from kgask.plan.query_onnx import Written
from kgask.query import nodes
from kgask.query.base import Node
from kgask.query.postfix import Step
from kgask.retrieve.outcome import Result
from kgask.types import Seed

UNUSED = 1.5  # log-odds that a name which it leaves out costs a query
UNMET = 3.0  # log-odds that a word which a query does not do justice to costs it
IDLE = 2.0  # log-odds that a class word, or an exception, that has nothing to do with it costs it
VOID = 3.0  # log-odds that an outcome without content costs a query
MOST_UNREAD = 3  # words beyond this add no doubt


@dataclass(frozen=True, eq=False)
class Reading:
    """One query that a question may be, and what it came to."""

    written: Written
    spans: Sequence[CandidateSpan]
    left: LeftOut  # content words and names that no step is about
    unmet: tuple[str, ...]  # words that demand what it does not have
    idle: tuple[int, ...]  # spans that are class words which none of its sets has to do with
    seeds: tuple[Seed, ...]  # of the entities that it uses
    outcome: Result | None  # None: it could not be run
    score: float  # log-probability, with what the links say
    unused: tuple[int, ...] = ()  # spans that are names which no step is about
    described: tuple[str, ...] = ()  # words that describe what a class word or a relation says, and are not honoured
    is_bridged: bool = False  # relations were put in that the question does not say

    @property
    def is_path(self) -> bool:
        """Whether it says what the hop decoder says as well: a path from what is named, of no class."""
        return is_path(self.written.steps) and isinstance(self.written.query, nodes.Follow)

    @cached_property
    def is_void(self) -> bool:
        """Whether there is nothing in it to tell."""
        return self.outcome is None or is_void(self.outcome)

    @property
    def pointed(self) -> tuple[tuple[int, int], ...]:
        """Characters of the question that its steps point at."""
        return tuple(self.spans[at].place for at in sorted(used_spans(self.written)))

    @property
    def unread(self) -> tuple[str, ...]:
        """Content words and names that no step is about."""
        return self.left.words

    @cached_property
    def worth(self) -> float:
        """Its score, less where it comes to nothing or does not do what the question's words demand."""
        doubts = UNMET * min(len(self.unmet), MOST_UNREAD) + UNUSED * min(len(self.unused), MOST_UNREAD)
        return self.score - VOID * self.is_void - doubts - IDLE * self.is_idle

    @cached_property
    def is_idle(self) -> bool:
        """Whether a class word has nothing to do with it, or an exception excepts nothing."""
        if self.idle or self.outcome is None:
            return bool(self.idle)
        members = self.outcome.runner.members
        parts = [one for one in self.outcome.query.walk() if isinstance(one, nodes.Minus)]
        return any(not len(np.intersect1d(members(one.left).possible, members(one.right).possible)) for one in parts)

    @cached_property
    def said(self) -> object:
        """What it comes to; equal for queries that answer the same."""
        if self.outcome is None:
            return None
        if self.outcome.members is not None:
            return self.outcome.members.certain.tobytes()
        return self.outcome.quantity or self.outcome.truth


@dataclass(frozen=True, slots=True, eq=False)
class Understood:
    """The readings of a question, best first."""

    readings: tuple[Reading, ...]
    kind_probs: np.ndarray  # float32 [K]
    none: float  # probability that the graph has no relation for what is asked

    @property
    def path_prob(self) -> float:
        """Probability that it asks for what a path leads to, and nothing else."""
        return float(self.kind_probs[0]) if len(self.kind_probs) else 1.0

    def says(self, path: Understanding | None) -> bool:
        """Whether the best reading is a path that was found otherwise too."""
        if path is None or not path.routes or not self.readings:
            return False
        relations = tuple(step for step in self.readings[0].written.steps if isinstance(step, int))
        return any(walk.relations == relations for walk in path.routes[0].walks)


_OF_TWO = nodes.And | nodes.Or | nodes.Minus | nodes.Difference | nodes.Compare


def is_beside_itself(query: Node) -> bool:
    """Whether something is compared or put together with itself: that asks nothing."""
    return any(
        (isinstance(node, _OF_TWO) and node.left == node.right)
        or (isinstance(node, nodes.Holds) and node.subject == node.object)
        for node in query.walk()
    )


def is_void(outcome: Result) -> bool:
    """Whether a query came to nothing: an empty set, an unknown value or truth.

    So does the first of two that are named, where one of them is not known, and what is put beside itself.
    """
    query = outcome.query
    if is_beside_itself(query):
        return True
    of_named = isinstance(query, nodes.Best) and isinstance(query.base, nodes.Entities)
    if of_named and any(one.known < one.members for one in outcome.coverage):
        return True
    if outcome.members is not None:
        return not len(outcome.members.certain)
    if outcome.values is not None and outcome.quantity is None:
        return not len(outcome.values.certain)
    return outcome.quantity is None and outcome.truth is None


def is_path(steps: Sequence[Step]) -> bool:
    """Whether steps are one operand and relations: what the hop decoder says as well."""
    return len(steps) > 1 and isinstance(steps[0], tuple) and all(type(step) is int for step in steps[1:-1])


def used_spans(written: Written) -> set[int]:
    """Places of the spans that its steps point at."""
    return {step[1] for step in written.steps if isinstance(step, tuple)}


def seeds_of(written: Written, spans: Sequence[CandidateSpan]) -> tuple[Seed, ...]:
    """The seeds of the entity spans that a query uses, each as the query has it."""
    assert written.query is not None
    named = {entity for node in written.query.walk() if isinstance(node, nodes.Entities) for entity in node.ids}
    found = []
    for at in sorted(used_spans(written)):
        seeds = spans[at].seeds
        if seeds:
            found.append(next((seed for seed in seeds if seed.entity in named), seeds[0]))
    return tuple(found)
