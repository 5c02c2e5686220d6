"""Class words that a query leaves out: in "which women won ..." its answers are women, whatever else it says.

A class that no step points at narrows the set of the query that holds members of it and others; one that none of its
sets has to do with is told, as a doubt.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from kgask.errors import BudgetError
from kgask.link.plurals import singulars
from kgask.link.spans import CandidateSpan
from kgask.methods.accounted import RelationWords, is_all_called
from kgask.methods.relation_facts import RelationFacts, is_table
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.base import Node, SetNode
from kgask.query.nodes import Query
from kgask.query.rewrite import along, replaced
from kgask.retrieve.follow import relations_of
from kgask.retrieve.frontier import Budget
from kgask.retrieve.run import Runner
from kgask.types import opposite

# Where less of a set is of a class, and the graph seldom says of what class the others are, a filter would lose them.
LEAST_SHARE = 1 / 3
LEAST_TYPED = 1 / 2
SAMPLED = 64  # members whose class is looked for
SEVERAL = 2  # answers of which the graph says that they are something else
LOOK_SECONDS = 0.5  # for what class the answers are of
SURE_CLASS = 0.7  # score from which a word is a class's name
ANYONE = frozenset("people person persons thing things human humans one ones".split())
_BEFORE = re.compile(
    r"\W*(?:(?:which|what|list|name|show|give|find|tell|me|us|all|the|of|any|every|please|can|could|you|in|for|from|at|on|"
    r"by|how|many|who (?:are|were))\W+)+",
    re.IGNORECASE,
)
_Class = nodes.Class | nodes.Follow | nodes.Having


def head_class(text: str, spans: Sequence[CandidateSpan]) -> int | None:
    """The number of the class span that stands where a question says what it asks for; None where none does."""
    for at, span in enumerate(spans):
        if span.kind == "class":
            before, head = text[: span.start], _last_beside(text, spans, at)
            if not before.strip():  # "Stations where he was in charge"; of "river Thames" it is no more than a word
                return head if singulars(text[slice(*spans[head].place)].lower()) else None
            return head if _BEFORE.fullmatch(before) else None
    return None


def _last_beside(text: str, spans: Sequence[CandidateSpan], at: int) -> int:
    """The last of class words one behind the other: "noble houses" are houses."""
    end = spans[at].end
    for number, one in enumerate(spans):
        if one.kind == "class" and one.start == end + 1 and text[end] == " ":
            return _last_beside(text, spans, number)
    return at


def is_of_other_kind(text: str, spans: Sequence[CandidateSpan], query: Query, answers: np.ndarray, pack: Pack) -> bool:
    """Whether nothing that a query comes to, or counts, is of the class that is asked for, and the pack surely says so.

    A table does where it says of all of it what it is: of "which competitions" where medals are found. Of a larger
    graph, in which much has no type or another one too, nothing that the path's relation ever leads to may be of it.
    """
    head = head_class(text, spans)
    if head is None or spans[head].scores[0] < SURE_CLASS or text[slice(*spans[head].place)].lower() in ANYONE:
        return False
    is_small, runner = is_table(pack), Runner(pack, Budget(LOOK_SECONDS))
    kinds = [kind for kind in spans[head].nodes if isinstance(kind, SetNode)]
    try:
        found = _or_counted(query, answers, runner) if is_small else answers
        if _are_of(found, kinds, runner):
            return False
        if is_small:
            return _are_typed(found, pack)
        if not isinstance(query, nodes.Follow):
            return False
        ends = runner.members(nodes.Having(opposite(query.relation, pack.n_relations))).possible
        return not _are_of(ends, kinds, runner) or _are_said_otherwise(answers, kinds, runner)
    except BudgetError:
        return False


def _are_said_otherwise(answers: np.ndarray, kinds: Sequence[SetNode], runner: Runner) -> bool:
    """Whether the graph says of several what they are by the relation that classes them: writers are no physicists."""
    n = runner.pack.n_relations
    says = (nodes.Having(opposite(kind.relation, n)) for kind in kinds if isinstance(kind, nodes.Follow))
    return any(np.isin(answers, runner.members(one).certain).sum() >= SEVERAL for one in says)


def is_of_other_role(text: str, query: Query, used: Collection[int], answers: np.ndarray, words: RelationWords) -> bool:
    """Whether a table has relations called as what is asked for, of which a query follows none (``used``), and nothing
    that it comes to is what they lead to: of "which lenses" where pictures are found."""
    before = _BEFORE.match(text)
    if before is None or not is_table(words.pack):
        return False
    noun = text[before.end() :].split(" ", 1)[0]
    asked = words.called(noun)
    if not asked or not set(asked).isdisjoint(used) or is_all_called(noun, words.of(used)):
        return False
    runner, ends = Runner(words.pack, Budget(LOOK_SECONDS)), np.concatenate([words.ends(one) for one in asked])
    try:
        found = _or_counted(query, answers, runner)
        return len(found) > 0 and not np.isin(found, ends).any() and not _are_alike(found, ends, runner)
    except BudgetError:
        return False


def _are_alike(some: np.ndarray, others: np.ndarray, runner: Runner) -> bool:
    """Whether they may be of one kind: a lock, and what some lock is nearest to. By their types, where both have any;
    else by what the graph says of them."""
    kinds, of_others = (set(runner.types(entities[:SAMPLED])) for entities in (some, others))
    if kinds and of_others:
        return not kinds.isdisjoint(of_others)
    said = (relations_of(runner.pack, entities[:SAMPLED])[: runner.pack.n_relations] for entities in (some, others))
    return bool(np.logical_and(*said).any())


def _or_counted(query: Query, answers: np.ndarray, runner: Runner) -> np.ndarray:
    return runner.members(query.base).certain if isinstance(query, nodes.Count) else answers


def _are_of(entities: np.ndarray, kinds: Sequence[SetNode], runner: Runner) -> bool:
    """Whether any of them is of any of these kinds; what types a few of them have is told at once."""
    types = runner.types(entities[:SAMPLED])
    if any(isinstance(kind, nodes.Class) and kind.type in types for kind in kinds):
        return True
    return any(np.isin(entities, runner.members(kind).possible).any() for kind in kinds)


def _are_typed(entities: np.ndarray, pack: Pack) -> bool:
    typing = pack.type_relations
    return len(entities) > 0 and all(relations_of(pack, np.array([one]))[typing].any() for one in entities.tolist())


@dataclass(frozen=True, slots=True)
class Place:
    """A set of a query."""

    node: SetNode
    depth: int  # relations between it and what the query comes to
    open: bool = True  # it can be narrowed: neither a class nor named


class ClassWords:
    """Narrows queries over one pack to the classes that are said beside them."""

    def __init__(self, facts: RelationFacts) -> None:
        self._facts = facts
        self._typing = np.array(facts.pack.type_relations, np.int64)

    def narrowed(self, query: Query, kind: Node, is_sure: bool, is_head: bool, runner: Runner) -> Query | None:
        """The query for members of a class alone; None where it has nothing to do with that class.

        ``is_sure``: the word is the class's name. The head of a question is the class of what it comes to; another is
        that of the set which is nearest to it.
        """
        if not isinstance(kind, _Class):
            return query
        members = runner.members(kind).certain
        if _counts_only(query, members, runner):
            return query
        found = [(self._share(place.node, members, runner), place) for place in places_of(query)]
        if not any(share for share, _ in found):
            return None
        narrow = [
            (share, place) for share, place in found if place.open and share and (place.depth == 0 or not is_head)
        ]
        if any(share == 1.0 for share, _ in narrow) or not narrow:
            return query
        share, place = max(narrow, key=lambda one: (one[0], -one[1].depth))
        is_told = is_sure and is_head and isinstance(kind, nodes.Follow)  # "which poets": whoever is said to be one
        if not is_told and not self._may_narrow(place.node, share, members, kind if is_sure else None, runner):
            return query if is_head or not is_sure else None
        return replaced(query, place.node, nodes.And(kind, place.node))

    def is_idle(self, query: Query, kind: Node, runner: Runner) -> bool:
        """Whether none of a query's sets has to do with a class."""
        return self.narrowed(query, kind, False, False, runner) is None

    @staticmethod
    def _share(node: SetNode, members: np.ndarray, runner: Runner) -> float:
        here = runner.members(node).certain
        return len(np.intersect1d(here, members, assume_unique=True)) / max(1, len(here))

    def _may_narrow(self, node: SetNode, share: float, members: np.ndarray, kind: Node | None, runner: Runner) -> bool:
        """Whether most are of the class, or the graph says of most of the others that they are something else."""
        if share >= LEAST_SHARE:
            return True
        if not isinstance(kind, nodes.Class | nodes.Follow):
            return False
        says = self._typing if isinstance(kind, nodes.Class) else np.array([self._back(kind)])
        others = np.setdiff1d(runner.members(node).certain, members, assume_unique=True)
        sample = others[:: 1 + len(others) // SAMPLED].tolist()
        typed = sum(bool(self._facts.of_entity(entity)[says].any()) for entity in sample)
        return typed >= LEAST_TYPED * len(sample)

    def _back(self, kind: Node) -> int:
        """The relation that classifies: occupation, where a class is all who have one."""
        assert isinstance(kind, nodes.Follow)
        return opposite(kind.relation, self._facts.n_relations)


def _counts_only(query: Query, members: np.ndarray, runner: Runner) -> bool:
    """Whether a query chooses by how many things there are that are all of a class: who directed the most films."""
    n = runner.pack.n_relations
    if runner.pack.source is not None:
        return False
    ends = {opposite(node.path[-1], n) for node in query.walk() if isinstance(node, nodes.SizeOf)}
    return any(np.isin(runner.members(nodes.Having(one)).possible, members).all() for one in ends)


def places_of(node: Node, depth: int = 0) -> Iterator[Place]:
    """The sets of a query, each before those that lead to it; what is counted of members is set apart, as named."""
    match node:
        case nodes.Entities() | nodes.Class():
            yield Place(node, depth, open=False)
        case nodes.Having():
            yield Place(node, depth)
        case nodes.Follow():
            yield Place(node, depth)
            yield from places_of(node.base, depth + 1)
        case nodes.Qualified():
            yield Place(node, depth)
            yield from _led_from(node, depth)
        case nodes.QualifierOf():
            yield from _led_from(node, depth)
        case nodes.Best() | nodes.Where():
            yield from places_of(node.base, depth)
            if isinstance(node.by, nodes.SizeOf):
                yield Place(along(node.base, node.by.path), depth + 1, open=False)
            if isinstance(node, nodes.Where):
                yield from places_of(node.value, depth + 1)
        case nodes.And() | nodes.Or() | nodes.Minus():
            yield Place(node, depth)
            for place in (*places_of(node.left, depth), *places_of(node.right, depth)):
                yield replace(place, open=place.open and place.depth > depth)
        case _:
            for part in node.parts:
                yield from places_of(part, depth)


def _led_from(node: nodes.Qualified | nodes.QualifierOf, depth: int) -> Iterator[Place]:
    """The sets that lead to the statements that are looked at."""
    base: Node = node.base
    while isinstance(base, nodes.Qualified):
        base = base.base
    assert isinstance(base, nodes.Follow)
    yield from places_of(base.base, depth + 1)
