"""Running a query on a pack: exactly, over memory-mapped arrays, at the cost of what it touches.

The semantics are those of :mod:`kgask.query.nodes`; the oracle is the query's SPARQL over the pack's RDF view
(``tests/test_query_oracle.py``). Nothing is cut off: what takes too long ends in an error.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from kgask.errors import QueryError
from kgask.pack.arrays import distinct
from kgask.pack.quantities import NUMBER, WHEN, Quantity
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.axes import qualifier_axis, relation_axis
from kgask.query.base import Comparison, Node, SetNode, TruthNode, ValueNode
from kgask.query.nodes import Query
from kgask.retrieve.compare import (
    age,
    compared,
    difference,
    every,
    highest_each,
    kleene,
    ranked,
    some,
    years_between,
)
from kgask.retrieve.follow import Edges
from kgask.retrieve.frontier import Budget, Found, ascending, edges_from, having, path_ends, values_on
from kgask.retrieve.outcome import NONE, Bag, Coverage, Members, Result
from kgask.retrieve.statements import said, statements_of
from kgask.retrieve.trace import triple_ids
from kgask.retrieve.worked_out import lengths, totals
from kgask.types import EntityId, directed


def run(query: Query, pack: Pack, budget: Budget | None = None) -> Result:
    """What ``query`` comes to on ``pack``.

    Raises :class:`~kgask.errors.QueryError` for ids that the pack does not have and for sums of dates,
    :class:`~kgask.errors.BudgetError` when the time is over.
    """
    return Runner(pack, budget or Budget()).result(query)


@dataclass(slots=True)
class Runner:
    """Runs queries on one pack; what a part came to is kept, so that a derivation can be told."""

    pack: Pack
    budget: Budget
    _sets: dict[SetNode, Members] = field(default_factory=dict)
    _quantities: dict[ValueNode, Quantity | None] = field(default_factory=dict)
    _coverage: dict[Node, Coverage] = field(default_factory=dict)

    def result(self, query: Query) -> Result:
        """See :func:`run`."""
        if isinstance(query, SetNode):
            members = self.members(query)
            return Result(query, self, members=members, coverage=self.coverage(query))
        if isinstance(query, TruthNode):
            truth = self.truth(query)
            return Result(query, self, truth=truth, coverage=self.coverage(query))
        bag = self.bag(query) if isinstance(query, nodes.Values | nodes.QualifierOf) else None
        quantity = self.quantity(query)
        return Result(query, self, quantity=quantity, values=bag, coverage=self.coverage(query))

    def coverage(self, query: Node) -> tuple[Coverage, ...]:
        """How many have the values that parts of a query, which was run, looked at; those nearest the answer last."""
        return tuple(self._coverage[part] for part in reversed([*query.walk()]) if part in self._coverage)

    # --- sets -----------------------------------------------------------------------------------

    def members(self, node: SetNode) -> Members:
        """Who belongs to a set."""
        if node not in self._sets:
            self.budget.check()
            self._sets[node] = self._members(node)
        return self._sets[node]

    def _members(self, node: SetNode) -> Members:
        match node:
            case nodes.Entities(ids):
                return Members.sure(self._known(ids))
            case nodes.Class(kind):
                return Members.sure(self._instances(kind))
            case nodes.Having(relation):
                return Members.sure(self._having(relation))
            case nodes.Follow(base, relation):
                return self._both(base, lambda ids: ascending(np.sort(self.edges(ids, relation).targets)))
            case nodes.And(left, right):
                one, two = self.members(left), self.members(right)
                return self._pair(_shared, one.certain, two.certain, one.possible, two.possible)
            case nodes.Or(left, right):
                one, two = self.members(left), self.members(right)
                return self._pair(np.union1d, one.certain, two.certain, one.possible, two.possible)
            case nodes.Minus(left, right):
                one, two = self.members(left), self.members(right)
                return self._pair(_without, one.certain, two.possible, one.possible, two.certain)
            case nodes.Where():
                return self._where(node)
            case nodes.Best():
                return self._best(node)
            case nodes.Qualified():
                return self._qualified(node)
        raise QueryError(f"{type(node).__name__} cannot be run")

    @staticmethod
    def _pair(
        combine: Callable[[np.ndarray, np.ndarray], np.ndarray],
        certain_left: np.ndarray,
        certain_right: np.ndarray,
        possible_left: np.ndarray,
        possible_right: np.ndarray,
    ) -> Members:
        certain = combine(certain_left, certain_right)
        if certain_left is possible_left and certain_right is possible_right:
            return Members.sure(certain)
        return Members(certain, combine(possible_left, possible_right))

    def _both(self, base: SetNode, step: Callable[[np.ndarray], np.ndarray]) -> Members:
        found = self.members(base)
        certain = step(found.certain)
        return Members.sure(certain) if found.decided else Members(certain, step(found.possible))

    def _known(self, ids: Sequence[EntityId]) -> np.ndarray:
        if max(ids) >= self.pack.n_entities:
            raise QueryError(f"no entity {max(ids)} in this pack")
        return np.array(ids, np.int64)

    def types(self, ids: np.ndarray) -> np.ndarray:
        """The types of entities, int64, ascending."""
        found = [self.edges(ids, relation).targets for relation in self.pack.type_relations]
        return distinct(np.concatenate(found)) if found else np.empty(0, np.int64)

    def edges(self, entities: np.ndarray, relation: int) -> Edges:
        """The triples of entities with a directed relation."""
        if relation >= 2 * self.pack.n_relations:
            raise QueryError(f"no directed relation {relation} in this pack")
        return edges_from(self.pack, entities, relation, self.budget)

    def narrower(self, kind: EntityId) -> np.ndarray:
        """A type and all its subclasses."""
        relations = self.pack.subclass_relations
        every = frontier = self._known([kind])
        while len(frontier) and relations:
            found = [self.edges(frontier, directed(r, True, self.pack.n_relations)).targets for r in relations]
            frontier = np.setdiff1d(np.concatenate(found), every)
            every = np.union1d(every, frontier)
        return every

    def _instances(self, kind: EntityId) -> np.ndarray:
        types, n_relations = self.narrower(kind), self.pack.n_relations
        relations = self.pack.type_relations
        found = [self.edges(types, directed(relation, True, n_relations)).targets for relation in relations]
        return ascending(np.concatenate(found)) if found else NONE

    def _having(self, relation: int) -> np.ndarray:
        if relation >= 2 * self.pack.n_relations:
            raise QueryError(f"no directed relation {relation} in this pack")
        return having(self.pack, relation)

    # --- members that are judged ----------------------------------------------------------------

    def judged(self, ids: np.ndarray, by: nodes.By, axis: str | None) -> Found:
        """The values of members (int64, ascending), or their numbers of ends; ``axis`` None: the path's own."""
        if isinstance(by, nodes.SpanOf):
            return lengths(self.pack, ids, by, axis, self.budget)
        if isinstance(by, nodes.TotalOf):
            return totals(self.pack, ids, by, axis, self.budget, self.counted(by))
        place, ends = path_ends(self.pack, ids, by.path, self.budget)
        if isinstance(by, nodes.SizeOf):
            place = place if (among := self.counted(by)) is None else place[np.isin(ends, among)]
            sizes = np.bincount(place, minlength=len(ids)).astype(np.float64)
            if axis not in (None, NUMBER):
                return Found(NONE, np.empty(0), np.empty(0))
            return Found(np.arange(len(ids)), sizes, sizes)
        axis = relation_axis(self.pack, by.path[-1]) if axis is None else axis
        return values_on(self.pack, place, ends, axis if axis is not None else "\0")

    def counted(self, by: nodes.SizeOf | nodes.TotalOf) -> np.ndarray | None:
        """What alone is counted or added up, int64, ascending; None: all of it."""
        return None if by.among is None else self.members(by.among).certain

    def _where(self, node: nodes.Where) -> Members:
        base, value = self.members(node.base), node.value
        ids = base.possible
        if isinstance(value, SetNode):
            place, ends = path_ends(self.pack, ids, node.by.path, self.budget)
            wanted = self.members(value)
            sure = _marked(len(ids), place[np.isin(ends, wanted.certain)])
            return self._chosen(base, sure, _marked(len(ids), place[np.isin(ends, wanted.possible)]))
        other = self.quantity(value)
        if other is None:
            return Members(NONE, ids)
        found = self.judged(ids, node.by, other.axis)
        surely, perhaps = compared(found.low, found.high, node.comparison, other, nodes.is_period(value))
        known = _marked(len(ids), found.member)
        sure, maybe = _marked(len(ids), found.member[surely]), _marked(len(ids), found.member[perhaps])
        self._coverage[node] = Coverage(node, len(ids), int(known.sum()), int((maybe & ~sure).sum()))
        return self._chosen(base, sure, maybe | ~known)

    def _best(self, node: nodes.Best) -> Members:
        base = self.members(node.base)
        found = self.judged(base.possible, node.by, None)
        low, high = (found.low, found.high) if node.most else (-found.high, -found.low)
        place, low, high = highest_each(found.member, low, high)
        self._coverage[node] = Coverage(node, len(base.possible), len(place))
        ids = base.possible[place]
        takes_part = np.ones(len(ids), bool) if base.decided else np.isin(ids, base.certain)
        surely, perhaps = ranked(low, high, takes_part, node.first, node.last)
        return Members(ids[surely], ids[perhaps])

    @staticmethod
    def _chosen(base: Members, surely: np.ndarray, perhaps: np.ndarray) -> Members:
        """Members of a set by two masks over its possible ones."""
        certain = base.possible[surely]
        return Members(certain if base.decided else _shared(certain, base.certain), base.possible[perhaps])

    # --- statements -----------------------------------------------------------------------------

    def statement_edges(self, node: nodes.Follow | nodes.Qualified, ids: np.ndarray) -> tuple[Edges, np.ndarray]:
        """The triples that a relation gives from entities, and their TripleIds [E]."""
        edges = self.edges(ids, (node.follow if isinstance(node, nodes.Qualified) else node).relation)
        return edges, triple_ids(self.pack, edges)

    def _holding(self, node: nodes.Follow | nodes.Qualified, statements: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Which statements surely, and which perhaps, satisfy every condition (bool [S] each)."""
        sure, maybe = np.ones(len(statements), bool), np.ones(len(statements), bool)
        while isinstance(node, nodes.Qualified):
            place, values = said(self.pack, statements, node.relation)
            surely, perhaps, known = self._satisfied(node.comparison, node.value, place, values)
            n = len(statements)
            sure &= _marked(n, surely)
            maybe &= _marked(n, perhaps) | ~_marked(n, known)
            node = node.base
        return sure, maybe

    def _satisfied(
        self, comparison: Comparison, value: ValueNode | SetNode, place: np.ndarray, values: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The places whose value surely, and perhaps, compares so; and those that have one to compare."""
        if isinstance(value, SetNode):
            wanted = self.members(value)
            return place[np.isin(values, wanted.certain)], place[np.isin(values, wanted.possible)], place
        other = self.quantity(value)
        if other is None:
            return NONE, place, NONE
        found = values_on(self.pack, place, values, other.axis)
        surely, perhaps = compared(found.low, found.high, comparison, other, nodes.is_period(value))
        return found.member[surely], found.member[perhaps], found.member

    def _qualified(self, node: nodes.Qualified) -> Members:
        base = self.members(node.follow.base)
        certain, _ = self.qualified_edges(node, base.certain)
        _, possible = self.qualified_edges(node, base.possible)
        return Members(ascending(np.sort(certain.targets)), ascending(np.sort(possible.targets)))

    def qualified_edges(self, node: nodes.Qualified, ids: np.ndarray) -> tuple[Edges, Edges]:
        """The triples from entities that surely, and that perhaps, have a statement which says so."""
        edges, triples = self.statement_edges(node, ids)
        place, statements = statements_of(self.pack, triples)
        sure, maybe = self._holding(node, statements)
        n = len(edges)
        return edges.where(_marked(n, place[sure])), edges.where(_marked(n, place[maybe]) | ~_marked(n, place))

    # --- values ---------------------------------------------------------------------------------

    def bag(self, node: nodes.Values | nodes.QualifierOf) -> Bag:
        """The values of members or statements, repeats kept."""
        if isinstance(node, nodes.Values):
            base = self.members(node.base)
            axis = relation_axis(self.pack, node.relation)
            edges = self.edges(base.certain, node.relation)
            if axis is not None and len(base.certain) > 1:
                known = values_on(self.pack, edges.sources, edges.targets, axis).member
                self._coverage[node] = Coverage(node, len(base.certain), len(distinct(known)))
            every_edge = edges if base.decided else self.edges(base.possible, node.relation)
            return Bag(edges.targets, every_edge.targets, axis)
        follow = node.base.follow if isinstance(node.base, nodes.Qualified) else node.base
        base = self.members(follow.base)
        certain, possible = (
            self.saying(node, ids, surely)[1] for ids, surely in ((base.certain, True), (base.possible, False))
        )
        return Bag(certain, possible, qualifier_axis(self.pack, node.relation))

    def saying(self, node: nodes.QualifierOf, ids: np.ndarray, surely: bool) -> tuple[np.ndarray, np.ndarray]:
        """``(triple, value)``: what the statements of triples from ``ids`` say, those that surely or perhaps count."""
        edges, triples = self.statement_edges(node.base, ids)
        if node.ends is not None:
            ends = self.members(node.ends)
            triples = triples[np.isin(edges.targets, ends.certain if surely else ends.possible)]
        place, statements = statements_of(self.pack, triples)
        holding = self._holding(node.base, statements)[0 if surely else 1]
        at, values = said(self.pack, statements[holding], node.relation)
        return triples[place[holding][at]], values

    def quantity(self, node: ValueNode) -> Quantity | None:
        """The one number or date that a value node stands for, as an interval; None: unknown."""
        if node not in self._quantities:
            self.budget.check()
            self._quantities[node] = self._quantity(node)
        return self._quantities[node]

    def _quantity(self, node: ValueNode) -> Quantity | None:
        match node:
            case nodes.Number() | nodes.Date() | nodes.Range():
                return node.quantity
            case nodes.Count(base):
                found = self.members(base)
                return Quantity(NUMBER, float(len(found.certain)), float(len(found.possible)))
            case nodes.Values() | nodes.QualifierOf():
                return self._aggregate(node, lambda low, high: (low.min(), high.max()))
            case nodes.Min(values):
                return self._aggregate(values, lambda low, high: (low.min(), high.min()))
            case nodes.Max(values):
                return self._aggregate(values, lambda low, high: (low.max(), high.max()))
            case nodes.Mean(values):
                return self._aggregate(values, lambda low, high: (low.mean(), high.mean()))
            case nodes.Sum(values):
                found_sum = self._aggregate(values, lambda low, high: (low.sum(), high.sum()))
                if found_sum is not None and found_sum.axis in WHEN:
                    raise QueryError("dates have no sum")
                return found_sum
            case nodes.Difference(left, right):
                return difference(self.quantity(left), self.quantity(right))
            case nodes.YearsBetween(born, at):
                return years_between(self.quantity(born), self.quantity(at))
            case nodes.Age(born, at):
                return age(self.quantity(born), self.quantity(at))
        raise QueryError(f"{type(node).__name__} cannot be run")

    def _aggregate(
        self, node: ValueNode, together: Callable[[np.ndarray, np.ndarray], tuple[float, float]]
    ) -> Quantity | None:
        assert isinstance(node, nodes.Values | nodes.QualifierOf)
        bag = self.bag(node)
        if bag.axis is None or len(bag.certain) != len(bag.possible):
            return None
        found = values_on(self.pack, np.arange(len(bag.certain)), bag.certain, bag.axis)
        if not len(found.low):
            return None
        low, high = together(found.low, found.high)
        return Quantity(bag.axis, float(low), float(high))

    # --- truths ---------------------------------------------------------------------------------

    def truth(self, node: TruthNode) -> bool | None:
        """Yes, no, or None: unknown (Kleene's logic)."""
        match node:
            case nodes.Some(base):
                found = self.members(base)
                return kleene(len(found.certain) > 0, len(found.possible) > 0)
            case nodes.Holds(subject, relation, obj):
                ends = self.members(nodes.Follow(subject, relation))
                wanted = self.members(obj)
                perhaps = np.isin(ends.possible, wanted.possible).any()
                return kleene(bool(np.isin(ends.certain, wanted.certain).any()), bool(perhaps))
            case nodes.Compare(left, comparison, right):
                one, two = self.quantity(left), self.quantity(right)
                if one is None or two is None or one.axis != two.axis:
                    return None
                surely, maybe = compared(
                    np.array([one.low]), np.array([one.high]), comparison, two, nodes.is_period(right)
                )
                return kleene(bool(surely[0]), bool(maybe[0]))
            case nodes.Not(truth):
                said = self.truth(truth)
                return None if said is None else not said
            case nodes.All(truths):
                return every(self.truth(one) for one in truths)
            case nodes.Any(truths):
                return some(self.truth(one) for one in truths)
        raise QueryError(f"{type(node).__name__} cannot be run")


def _shared(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    return np.intersect1d(left, right, assume_unique=True)


def _without(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    return np.setdiff1d(left, right, assume_unique=True)


def _marked(n: int, places: np.ndarray) -> np.ndarray:
    """bool [n], True at the places."""
    marked = np.zeros(n, bool)
    marked[places] = True
    return marked
