"""What of a query's next steps can come to something on a pack: pruned while the planner writes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from kgask.errors import BudgetError, QueryError
from kgask.link.spans import CandidateSpan
from kgask.methods.relation_facts import RelationFacts
from kgask.query import nodes
from kgask.query.base import Node, SetNode
from kgask.query.postfix import Item, Stack
from kgask.retrieve.follow import relations_of
from kgask.retrieve.run import Runner

MOST_LOOKED_AT = 3000  # members whose relations prune what may follow them
MOST_FOLLOWED = 100_000  # members of a set that is followed, compared or ranked only to see what may come next
_COMPARISONS = frozenset(("GT", "LT", "GE", "LE", "IN"))
_OF_SETS = frozenset(("AND", "OR", "MINUS", "BY"))
_OF_VALUES = frozenset(("SUM", "MEAN", "MIN", "MAX", "DIFF", "AGE"))
_OF_NAMES = frozenset(("END", "COUNT", "SOME", "BY"))  # nothing of these is asked of one thing that is named


@dataclass(frozen=True, slots=True)
class PackSense:
    """See :class:`kgask.plan.query_onnx.Sense`; for one question's spans."""

    facts: RelationFacts
    spans_of: Sequence[CandidateSpan]
    runner: Runner
    pick: Callable[[int, int | None], Node]
    of_class: bool = False  # a query begins with a class, and there is one
    _left: dict[SetNode, np.ndarray] = field(default_factory=dict)  # what leaves sets that were looked at

    def relations(self, stack: Stack) -> np.ndarray:
        """The relations that leave what was written, as far as the graph says it cheaply."""
        top = stack.items[-1]
        if top.kind in "KA":
            return self.facts.qualifiers
        if top.kind == "B":
            return self._leaving(stack.items[-2])
        return self.facts.paths if top.kind in "bU" else self._leaving(top)

    def operators(self, stack: Stack, allowed: frozenset[str]) -> frozenset[str]:
        """Numbers and dates are compared, sets are joined and counted."""
        if self.of_class:
            allowed = allowed - {"NONE"}
        if not stack.items:
            return allowed - {"THING"} if self.of_class else allowed
        top = stack.items[-1]
        below = stack.items[-2] if len(stack.items) > 1 else None
        if top.kind == "b":
            return allowed - ({"SIZE"} if self._has_values(top.path[-1]) else {"MOST", "LEAST"})
        forbidden: set[str] = set()
        if self._is_value(top):
            forbidden |= _OF_SETS | {"COUNT"}
        elif top.kind == "F":
            forbidden |= _OF_VALUES
            if self._is_the_one(top):
                forbidden |= {"BY", "COUNT"}  # nobody asks for the largest capital of a country, or how many it has
        if self._names_one(top):
            forbidden |= _OF_NAMES
        if below is not None and below.kind in "bs" and top.kind in "EFQ":
            forbidden.add("IN")  # whose ends meet a set is said by following it back
            if top.kind == "E" and not self._names_one(top):
                forbidden |= _COMPARISONS  # with what all of a kind have together
        if top.kind == "C" and below is not None and below.kind in "bs" and self._are_named(stack.items[-3]):
            forbidden |= {"MOST", "LEAST"}  # "the older of the two" is one of them
        if below is not None and below.kind in "FQE":
            if self._is_value(below):
                forbidden |= {"AND", "OR", "MINUS"} | ({"HOLDS"} if top.kind == "E" else set())
            elif below.kind == "F":
                forbidden |= _COMPARISONS | {"DIFF", "AGE"}
            if self._names_one(below) and self._names_one(top):
                forbidden |= {"AND", "MINUS", "HOLDS"}
            elif self._are_named(below) != self._are_named(top):
                forbidden.add("OR")
        return allowed - forbidden

    def spans(self, stack: Stack, allowed: frozenset[str]) -> frozenset[str]:
        """A number or date stands beside a relation that has such."""
        top = stack.items[-1] if stack.items else None
        if top is None and self.of_class:
            return allowed & {"class"}
        if top is not None and top.kind == "b" and not self._has_values(top.path[-1]):
            return allowed - {"number", "date", "rank"}
        if top is not None and top.kind == "F" and not self._is_value(top):
            return allowed - {"number", "date"}
        return allowed

    def _has_values(self, relation: int) -> bool:
        """Whether a directed relation leads to numbers or dates."""
        return relation < self.facts.n_relations and self.facts.of(relation)[0] is not None

    def _is_value(self, item: Item) -> bool:
        """Whether an item is what a relation to numbers or dates led to."""
        return item.kind == "F" and isinstance(item.node, nodes.Follow) and self._has_values(item.node.relation)

    def _is_the_one(self, item: Item) -> bool:
        """Whether an item is the one thing that a relation leads to, and most often leads to one."""
        node = item.node
        if not isinstance(node, nodes.Follow) or not isinstance(node.base, nodes.Entities) or len(node.base.ids) > 1:
            return False
        try:
            return self.facts.leads_to_one(node.relation) and len(self.runner.members(node).possible) == 1
        except BudgetError:
            return False  # what is asked is not written in this way, then; other ways may be

    def _names_one(self, item: Item) -> bool:
        return item.span is not None and self.spans_of[item.span].kind == "entity"

    def _are_named(self, item: Item) -> bool:
        return self._names_one(item) or isinstance(item.node, nodes.Entities)

    def _leaving(self, item: Item) -> np.ndarray:
        if item.span is not None and self.spans_of[item.span].kind == "entity":
            return np.logical_or.reduce([self.facts.of_entity(seed.entity) for seed in self.spans_of[item.span].seeds])
        node = item.node if item.span is None else self.pick(item.span, None)
        assert isinstance(node, SetNode)
        if node not in self._left:
            self._left[node] = self._leaving_set(node)
        return self._left[node]

    def _leaving_set(self, node: SetNode) -> np.ndarray:
        try:
            if not self._is_small(node):
                return self.facts.paths
            members = self.runner.members(node).possible
        except (QueryError, BudgetError):
            return self.facts.paths
        if not len(members) or len(members) > MOST_LOOKED_AT:
            return self.facts.paths
        return relations_of(self.facts.pack, members)

    def _is_small(self, node: SetNode) -> bool:
        """Whether a set comes of at most :data:`MOST_FOLLOWED` things at each step; others are not run to prune."""
        match node:
            case nodes.And(left, right) | nodes.Or(left, right) | nodes.Minus(left, right):
                return self._is_small(left) and self._is_small(right)
            case nodes.Follow(base=base) | nodes.Where(base=base) | nodes.Best(base=base):
                return self._is_small(base) and len(self.runner.members(base).possible) <= MOST_FOLLOWED
            case nodes.Qualified():
                return self._is_small(node.follow)
        return True
