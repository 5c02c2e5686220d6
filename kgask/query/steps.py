"""The steps that write a query: what :func:`kgask.query.postfix.query_of` makes of them is the query again.

What is named, a class, a number, a date or a rank is an operand of the question; :class:`Operands` says which.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from kgask.errors import QueryError
from kgask.query import nodes
from kgask.query.base import By, Node, SetNode
from kgask.query.postfix import Step
from kgask.types import opposite

_SIGNS = {">": "GT", "<": "LT", ">=": "GE", "<=": "LE", "=": "IN", "in": "IN"}
_JOINS: dict[type[Node], str] = {nodes.And: "AND", nodes.Or: "OR", nodes.Minus: "MINUS"}
_OF_BAGS: dict[type[Node], str] = {nodes.Sum: "SUM", nodes.Mean: "MEAN", nodes.Min: "MIN", nodes.Max: "MAX"}
_Steps = list[Step]


class Operands(Protocol):
    """Where a question says what a query is made of; each raises QueryError for what it does not say."""

    def entity(self, entity: int) -> int: ...
    def set_of(self, node: Node) -> int | None:
        """The operand that is a whole set: a class, or whatever has a relation; None where there is none."""
        ...

    def constant(self, node: Node) -> int: ...
    def rank(self, number: int) -> int:
        """The operand that says a rank; -1 is the last."""
        ...

    def number(self, number: int) -> int: ...


def steps_of(query: nodes.Query, operands: Operands, n_relations: int) -> list[Step]:
    """Raises :class:`~kgask.errors.QueryError` for a query that no steps write, or whose parts no operand says."""
    return [*_Writer(operands, n_relations).write(query), "END"]


class _Writer:
    def __init__(self, operands: Operands, n_relations: int) -> None:
        self._operands, self._n = operands, n_relations

    def write(self, node: Node) -> _Steps:
        known = self._operands.set_of(node)
        if known is not None:
            return [("span", known)]
        match node:
            case nodes.Entities(ids):
                return self._either([[("span", self._operands.entity(one))] for one in ids])
            case nodes.Having(relation):
                return ["THING", opposite(relation, self._n)]
            case nodes.Follow(base, relation) | nodes.Values(base, relation):
                return [*self.write(base), relation]
            case nodes.And() | nodes.Or() | nodes.Minus():
                return self._joined(node)
            case nodes.Where(base, by, comparison, value):
                return [*self.write(base), *self._by(by), *self._beside(value, by), _SIGNS[comparison]]
            case nodes.Best():
                return self._best(node)
            case nodes.Qualified(base, relation, comparison, value):
                return [*self.write(base), "QUAL", relation, *self._said(value), _SIGNS[comparison]]
            case nodes.QualifierOf(base, relation, ends):
                return [*self.write(base), *([] if ends is None else self.write(ends)), "OF", relation]
            case nodes.Number() | nodes.Date() | nodes.Range():
                return self._said(node)
            case _:
                return self._value_or_truth(node)

    def _value_or_truth(self, node: Node) -> _Steps:
        match node:
            case nodes.Count(base):
                return [*self.write(base), "COUNT"]
            case nodes.Sum(bag) | nodes.Mean(bag) | nodes.Min(bag) | nodes.Max(bag):
                return [*self.write(bag), _OF_BAGS[type(node)]]
            case nodes.Difference(left, right):
                return [*self.write(left), *self.write(right), "DIFF"]
            case nodes.Age(born, at):
                return [*self.write(born), *([] if at == nodes.today() else self.write(at)), "AGE"]
            case nodes.Some(nodes.And(left, right)) if not isinstance(left, nodes.Follow):
                return [*self.write(left), *self.write(right), "HOLDS"]
            case nodes.Some(base):
                return [*self.write(base), "SOME"]
            case nodes.Holds(subject, relation, thing):
                return [*self.write(subject), relation, *self.write(thing), "HOLDS"]
            case nodes.Compare(left, comparison, right):
                return [*self.write(left), *self.write(right), _SIGNS[comparison]]
            case nodes.Not(truth):
                return [*self.write(truth), "NOT"]
        raise QueryError(f"no steps write {type(node).__name__}")

    @staticmethod
    def _either(parts: Sequence[_Steps]) -> _Steps:
        """In the order of the question."""
        first, *others = sorted(parts, key=_place)
        return [*first, *(step for part in others for step in (*part, "OR"))]

    def _joined(self, node: nodes.And | nodes.Or | nodes.Minus) -> _Steps:
        """Both sides, in the order of the question where that is free; what a class says comes first."""
        left, right = self.write(node.left), self.write(node.right)
        is_kind = [self._operands.set_of(side) is not None for side in (node.left, node.right)]
        swapped = is_kind[1] if is_kind[0] != is_kind[1] else _place(left) > _place(right)
        if swapped and not isinstance(node, nodes.Minus):
            left, right = right, left
        return [*left, *right, _JOINS[type(node)]]

    @staticmethod
    def _by(by: By) -> _Steps:
        if isinstance(by, nodes.SpanOf | nodes.TotalOf):
            raise QueryError("no steps write what lies between two values, or what they add up to")
        if isinstance(by, nodes.SizeOf) and by.among is not None:
            raise QueryError("no steps write how many there are among others")
        return ["BY", *by.path, *(["SIZE"] if isinstance(by, nodes.SizeOf) else [])]

    def _beside(self, value: Node, by: By) -> _Steps:
        """What members are compared with: a constant, a set, or something else that is judged in the same way."""
        if isinstance(value, nodes.Values | nodes.Count):
            other: Node = value if isinstance(value, nodes.Values) else value.base
            for relation in reversed(by.path):
                if not isinstance(other, nodes.Follow | nodes.Values) or other.relation != relation:
                    return self.write(value)
                other = other.base
            return self.write(other)
        return self.write(value)

    def _said(self, value: Node) -> _Steps:
        if isinstance(value, SetNode):
            return self.write(value)
        return [("span", self._operands.constant(value))]

    def _best(self, node: nodes.Best) -> _Steps:
        steps, most = [*self.write(node.base), *self._by(node.by)], node.most
        if node.first == node.last > 1:
            try:
                steps.append(("span", self._operands.rank(node.first)))
            except QueryError:  # the last but one of the most is the second of the least
                steps.append(("span", self._operands.rank(-node.first)))
                most = not most
        elif node.last > 1:
            if node.first > 1:
                raise QueryError("no steps write ranks in the middle")
            steps.append(("span", self._operands.number(node.last)))
        return [*steps, "MOST" if most else "LEAST"]


def _place(steps: Sequence[Step]) -> int:
    """Where the question begins to say it."""
    return min(_numbers(steps), default=0)


def _numbers(steps: Sequence[Step]) -> Iterator[int]:
    return (step[1] for step in steps if isinstance(step, tuple))
