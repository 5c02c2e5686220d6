"""The relations that a question leaves unsaid: "genres of a band", where bands have albums, and their tracks genres.

A query that names a class which none of its sets has to do with may lack the steps that lead there. The shortest way
from the set to the class stands in for them, where there is only one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

import numpy as np

from kgask.methods.class_words import places_of
from kgask.methods.relation_facts import RelationFacts
from kgask.query import nodes
from kgask.query.base import SetNode
from kgask.query.nodes import Query
from kgask.query.rewrite import replaced
from kgask.retrieve.follow import relations_of
from kgask.retrieve.run import Runner
from kgask.types import opposite

MOST_MEMBERS = 5000  # of a set on the way
SAMPLED = 200  # members of the class whose relations say what may lead there
CLASSES = nodes.Class | nodes.Having  # people of an occupation are led to from everywhere
LEAST_ALIKE = 0.7  # of what another relation leads to that the chosen one leads to as well
LEAST_SHARE = 0.5  # of what a way leads to that is of the class


class Bridge:
    """Ways over one pack."""

    def __init__(self, facts: RelationFacts) -> None:
        self.facts = facts

    def queries(self, query: Query, idle: list[SetNode], runner: Runner) -> Iterator[Query]:
        """The query with a way to each class that it has nothing to do with; ``idle`` are those beside it."""
        for kind in idle:
            place = next((one for one in places_of(query) if one.open and one.depth == 0), None)
            if place is not None and (way := self.way(place.node, kind, runner)) is not None:
                yield replaced(query, place.node, nodes.And(kind, way))
            for node in query.walk():
                if isinstance(node, nodes.Best) and isinstance(node.by, nodes.SizeOf):
                    way = self.way(node.base, kind, runner)
                    if way is not None:
                        yield replaced(query, node, replace(node, by=nodes.SizeOf(_path(node.base, way))))
        for node in query.walk():
            if isinstance(node, nodes.And | nodes.Minus) and not self._meet(node.left, node.right, runner):
                for kind, other in ((node.left, node.right), (node.right, node.left)):
                    is_left = kind is node.left
                    if not isinstance(kind, CLASSES) or (isinstance(node, nodes.Minus) and not is_left):
                        continue
                    way = self.way(other, kind, runner)
                    if way is not None:
                        yield replaced(query, node, type(node)(kind, way))

    def attached(self, query: Query, named: nodes.Entities, runner: Runner) -> Query | None:
        """The query for what has to do with one that is named beside it: "*European* countries larger than Italy".

        Of the relations from it to some members of the set, but not to all, the one that most of them have; None
        where those of another are no part of its.
        """
        place = next((one for one in places_of(query) if one.depth == 0), None)
        if place is None or isinstance(place.node, nodes.Entities):
            return None
        members = runner.members(place.node).certain
        found = []
        for relation in np.flatnonzero(relations_of(self.facts.pack, np.array(named.ids)) & self._said).tolist():
            way = nodes.Follow(named, relation)
            inside = np.intersect1d(runner.members(way).certain, members, assume_unique=True)
            if 0 < len(inside) < len(members):
                found.append((len(inside), inside, way))
        if not found:
            return None
        _, most, way = max(found, key=lambda one: one[0])
        if any(np.isin(inside, most).mean() < LEAST_ALIKE for _, inside, _ in found):
            return None
        return replaced(query, place.node, nodes.And(place.node, way))

    @staticmethod
    def _meet(left: SetNode, right: SetNode, runner: Runner) -> bool:
        return bool(len(np.intersect1d(runner.members(left).possible, runner.members(right).possible)))

    def way(self, base: SetNode, kind: SetNode, runner: Runner) -> SetNode | None:
        """What the shortest way from a set to a class leads to; None where there is none, or several that differ."""
        wanted = runner.members(kind).certain
        if not len(wanted):
            return None
        into = self._into(wanted)
        for ways in (self._steps(base, into, runner), self._two_steps(base, into, runner)):
            found: dict[bytes, SetNode] = {}
            for way in ways:
                ends = runner.members(way).certain
                if len(ends) and np.isin(ends, wanted, assume_unique=True).mean() >= LEAST_SHARE:
                    found.setdefault(ends.tobytes(), way)
            if found:
                return next(iter(found.values())) if len(found) == 1 else None
        return None

    def _into(self, wanted: np.ndarray) -> np.ndarray:
        """bool [2R]: the directed relations that lead to members of the class."""
        leaving = relations_of(self.facts.pack, wanted[:: 1 + len(wanted) // SAMPLED])
        return np.roll(leaving, self.facts.n_relations) & self._said

    @cached_property
    def _said(self) -> np.ndarray:
        """bool [2R]: relations that may be on a way: none to classes."""
        pack, n = self.facts.pack, self.facts.n_relations
        found = self.facts.paths.copy()
        typing = np.array([*pack.type_relations, *pack.subclass_relations], np.int64)
        found[np.concatenate([typing, typing + n])] = False
        return found

    def _leaving(self, base: SetNode, runner: Runner) -> np.ndarray:
        members = runner.members(base).certain
        if not len(members) or len(members) > MOST_MEMBERS:
            return np.zeros(2 * self.facts.n_relations, bool)
        return relations_of(self.facts.pack, members) & self._said

    def _steps(self, base: SetNode, into: np.ndarray, runner: Runner) -> Iterator[SetNode]:
        for relation in np.flatnonzero(self._leaving(base, runner) & into).tolist():
            yield nodes.Follow(base, relation)

    def _two_steps(self, base: SetNode, into: np.ndarray, runner: Runner) -> Iterator[SetNode]:
        """Ways that do not go back the way they came."""
        n = self.facts.n_relations
        for first in np.flatnonzero(self._leaving(base, runner)).tolist():
            last = base.relation if isinstance(base, nodes.Follow) else None
            if last is not None and opposite(first, n) == last:
                continue
            for way in self._steps(nodes.Follow(base, first), into, runner):
                if isinstance(way, nodes.Follow) and opposite(way.relation, n) != first:
                    yield way


def _path(base: SetNode, way: SetNode) -> tuple[int, ...]:
    """The relations that lead from a set to what a way from it leads to."""
    found: list[int] = []
    while way != base:
        assert isinstance(way, nodes.Follow)
        found.insert(0, way.relation)
        way = way.base
    return tuple(found)
