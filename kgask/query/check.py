"""Whether a query makes sense on a pack, before it is run: what cannot have an answer is said in a sentence."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kgask.pack.arrays import distinct
from kgask.pack.labels import clean_label, readable_relation
from kgask.pack.quantities import CLOCK, DATE, NUMBER, WHEN
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.axes import axis_codes, by_axis, relation_axis, value_axis
from kgask.query.base import Node, SetNode, ValueNode
from kgask.query.text import entity_ids
from kgask.types import undirected

_MAX_TYPES = 1000  # subclasses that are looked at for an instance


def check(query: Node, pack: Pack) -> list[str]:
    """What is wrong with a query on this pack, each problem once; an empty list: it makes sense.

    It looks at which relations have numbers or dates on which axis, not at single members, so that a query that makes
    sense may still find nothing.
    """
    problems = list(dict.fromkeys(_unknown_ids(query, pack)))
    if problems:  # nothing else can be said of ids that are not there
        return problems
    return list(dict.fromkeys(problem for node in query.walk() for problem in _Checker(pack).problems(node)))


def _unknown_ids(query: Node, pack: Pack) -> Iterator[str]:
    for entity in entity_ids(query):
        if entity >= pack.n_entities:
            yield f"There is no entity {entity} in this graph."
    for relation, directed in _relations(query):
        if relation >= pack.n_relations * (2 if directed else 1):
            yield f"There is no relation {relation} in this graph."


def _relations(query: Node) -> Iterator[tuple[int, bool]]:
    """The relations of a query, and whether each has a direction."""
    for node in query.walk():
        match node:
            case nodes.Qualified(_, relation) | nodes.QualifierOf(_, relation):
                yield relation, False
            case nodes.SpanOf(path, until):
                yield from ((relation, True) for relation in (*path, *until))
            case nodes.ValueOf(path) | nodes.SizeOf(path) | nodes.TotalOf(path):
                yield from ((relation, True) for relation in path)
            case nodes.Having(relation) | nodes.Follow(_, relation) | nodes.Values(_, relation):
                yield relation, True
            case nodes.Holds(_, relation):
                yield relation, True


class _Checker:
    def __init__(self, pack: Pack) -> None:
        self._pack = pack

    def problems(self, node: Node) -> Iterator[str]:
        """Those of one node, without its parts."""
        match node:
            case nodes.Class(kind):
                yield from self._class(kind)
            case nodes.Where(_, nodes.SizeOf(), _, value) if isinstance(value, ValueNode):
                yield from self._comparable("a number of members", NUMBER, value)
            case nodes.Where(_, nodes.SpanOf() as by, _, value) if isinstance(value, ValueNode):
                yield from self._span(by)
                yield from self._comparable("what lies between them", by_axis(self._pack, by), value)
            case nodes.Best(_, nodes.SpanOf() as by):
                yield from self._span(by)
            case nodes.Best(_, nodes.TotalOf() as by) | nodes.Where(_, nodes.TotalOf() as by) if (
                by_axis(self._pack, by) is None
            ):
                yield f"{self._called(by.path[-1])} leads to no numbers, so nothing adds up."
            case nodes.Where(_, by, _, value) if isinstance(value, ValueNode):
                yield from self._on_axis(self._called(by.path[-1]), self._ends(by.path[-1]), value)
            case nodes.Best(_, by, _, first, _):
                if isinstance(by, nodes.ValueOf) and relation_axis(self._pack, by.path[-1]) is None:
                    yield f"{self._called(by.path[-1])} leads to no numbers or dates, so nothing can be ordered by it."
                if first > self._pack.n_entities:
                    yield f"There is no rank {first:,}: the graph has {self._pack.n_entities:,} entities."
            case nodes.Qualified(_, relation, _, value):
                yield from self._qualifier(relation)
                if isinstance(value, ValueNode) and self._is_qualifier(relation):
                    yield from self._on_axis(self._called(relation), self._said(relation), value)
            case nodes.QualifierOf(_, relation):
                yield from self._qualifier(relation)
            case nodes.Sum(values) if value_axis(values, self._pack) in WHEN:
                yield "Dates have no sum."
            case nodes.Age(born, at):
                yield from (problem for value in (born, at) for problem in self._date(value))
            case nodes.Difference(left, right) | nodes.Compare(left, _, right):
                yield from self._comparable(
                    _measured(value_axis(left, self._pack)), value_axis(left, self._pack), right
                )
        yield from self._parts_with_values(node)

    def _span(self, by: nodes.SpanOf) -> Iterator[str]:
        if by_axis(self._pack, by) is None:
            both = f"{self._called(by.path[-1])} and {self._called(by.until[-1])}"
            yield f"{both} do not both lead to dates, or to numbers of one kind, so nothing lies between them."

    def _parts_with_values(self, node: Node) -> Iterator[str]:
        """Lists of values that stand for one value must have numbers or dates."""
        if isinstance(node, nodes.Where | nodes.Qualified) and isinstance(node.value, SetNode):
            return
        for part in node.parts:
            match part:
                case nodes.Values(_, relation) if relation_axis(self._pack, relation) is None:
                    yield f"{self._called(relation)} leads to no numbers or dates."
                case nodes.QualifierOf(_, relation) if value_axis(part, self._pack) is None:
                    yield f"{self._called(relation)} says no numbers or dates in this graph's statements."

    def _called(self, directed: int) -> str:
        plain, inverse = undirected(directed, self._pack.n_relations)
        words = readable_relation(self._pack.relations()[plain].label)
        return f"'{words}' (inverse)" if inverse else f"'{words}'"

    def _class(self, kind: int) -> Iterator[str]:
        leading = self._pack.type_relations
        label = clean_label(self._pack.labels([kind])[0])
        if not leading:
            yield f"This graph does not say what kind of thing anything is, so nothing is known to be {label}."
            return
        wider, seen, waiting = self._pack.subclass_relations, {kind}, [kind]
        while waiting and len(seen) < _MAX_TYPES:
            self._pack.need_rows(np.array([at := waiting.pop()]), inverse=True)
            row = slice(*self._pack.in_indptr[at : at + 2].tolist())
            relations = self._pack.in_relation[row]
            if np.isin(relations, leading).any():
                return
            narrower = self._pack.in_subject[row][np.isin(relations, wider)].tolist()
            waiting += [one for one in narrower if one not in seen]
            seen.update(narrower)
        if not waiting:
            yield f"Nothing in this graph is an instance of {label}."

    def _ends(self, directed: int) -> np.ndarray:
        plain, inverse = undirected(directed, self._pack.n_relations)
        return np.empty(0, np.int64) if inverse else self._pack.out_object[self._pack.out_relation == plain]

    def _said(self, relation: int) -> np.ndarray:
        return self._pack.qualifier_value[self._pack.qualifier_relation == relation]

    def _is_qualifier(self, relation: int) -> bool:
        return len(self._said(relation)) > 0

    def _qualifier(self, relation: int) -> Iterator[str]:
        if not self._is_qualifier(relation):
            yield f"{self._called(relation)} qualifies no statement of this graph."

    def _on_axis(self, called: str, values: np.ndarray, other: ValueNode) -> Iterator[str]:
        """Whether some of the values can be compared with ``other``."""
        codes = axis_codes(self._pack, values)
        axes = sorted(self._pack.literal_values.axes[code] for code in distinct(codes[codes >= 0]))
        axis = value_axis(other, self._pack)
        if not axes:
            yield f"{called} leads to no numbers or dates, so it cannot be compared."
        elif axis is not None and axis not in axes:
            measured = " or ".join(map(_measured, axes[:3]))
            yield f"{called} leads to {measured}, which cannot be compared with {_measured(axis)}."

    def _comparable(self, called: str, axis: str | None, other: ValueNode) -> Iterator[str]:
        theirs = value_axis(other, self._pack)
        if axis is not None and theirs is not None and axis != theirs:
            yield f"{called[:1].upper()}{called[1:]} cannot be compared with {_measured(theirs)}."

    def _date(self, value: ValueNode) -> Iterator[str]:
        axis = value_axis(value, self._pack)
        if axis is not None and axis != DATE:
            yield f"An age is counted between dates, not {_measured(axis)}."


def _measured(axis: str | None) -> str:
    if axis is None:
        return "values that are no numbers or dates"
    if axis == DATE:
        return "dates"
    if axis == CLOCK:
        return "times of day"
    return f"numbers in {clean_label(axis)}" if axis else "numbers without a unit"
