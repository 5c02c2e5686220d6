"""A query as steps in postfix order: what a decoder writes, and the grammar that says which step may come next.

A step is a relation (directed), an operand of the question (a *span*: an entity, a class word, a number, a date, a
rank), or one of :data:`OPERATORS`. Steps work on a stack, as in KoPL's programs (Cao et al. 2022) written without
brackets::

    countries  Brazil ^shares border with  AND  Peru ^shares border with  MINUS  COUNT
    countries  BY area  second  MOST                      the second largest country
    countries  BY shares border with SIZE  five  GT       countries with more than five neighbours
    prize ^award  QUAL point in time  1935  IN            whose statement says so
    Curie award  prize  OF point in time                  what the statement says that leads there
    Peru area  Chile area  GT                             is Peru larger than Chile

A relation after a set follows it; after ``BY`` it goes to what members are judged by; after ``QUAL`` and ``OF`` it
names a qualifier. A relation path is the special case of one entity and relations. ``NONE`` ends a query for which the
graph has no relation for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from kgask.errors import QueryError
from kgask.query import nodes
from kgask.query.base import BagNode, Comparison, Node, SetNode, TruthNode, ValueNode
from kgask.types import DirectedRelationId, opposite

OPERATORS = (
    "THING", "AND", "OR", "MINUS", "BY", "SIZE", "MOST", "LEAST", "GT", "LT", "GE", "LE", "IN", "QUAL", "OF", "COUNT",
    "SUM", "MEAN", "MIN", "MAX", "DIFF", "AGE", "SOME", "HOLDS", "NOT", "END", "NONE",
)  # fmt: skip
SPAN_KINDS = ("entity", "class", "number", "date", "rank")
LAST = -1  # a rank: the last of all; -2 is the last but one

_COMPARISONS: dict[str, Comparison] = {"GT": ">", "LT": "<", "GE": ">=", "LE": "<=", "IN": "in"}
_AGGREGATES: dict[str, type[nodes.Sum | nodes.Mean | nodes.Min | nodes.Max]] = {
    "SUM": nodes.Sum, "MEAN": nodes.Mean, "MIN": nodes.Min, "MAX": nodes.Max,
}  # fmt: skip
_SET_OPERATORS: dict[str, type[nodes.And | nodes.Or | nodes.Minus]] = {
    "AND": nodes.And, "OR": nodes.Or, "MINUS": nodes.Minus,
}  # fmt: skip
_SETS, _VALUES = "EFQ", "FVGC"  # kinds of items that are sets; that can be read as one value
MAX_STACK = 8

# What an item of the stack is, by one letter: E a set, F a set that a relation led to, Q one by statements that say
# something, U everything; V a value, G several of statements, C a constant, R a rank, T a truth; and what is begun: B a
# way to judge, b with a relation, s by its size; K a qualifier, k with its relation; A a qualifier that is asked for.


@dataclass(frozen=True, slots=True)
class Item:
    kind: str
    node: Node | None = None
    path: tuple[DirectedRelationId, ...] = ()  # of a way to judge; of a qualifier its relation
    span: int | None = None  # the operand that it is, as long as nothing was done with it


@dataclass(frozen=True, slots=True)
class Allowed:
    """Which steps may come next."""

    operators: frozenset[str]
    relations: bool
    spans: frozenset[str]


Pick = Callable[[int, DirectedRelationId | None], Node]
"""Which node a span stands for: followed by a directed relation, or a constant beside one (None: neither)."""


@lru_cache(4096)
def allowed(kinds: str) -> Allowed:
    """What may follow on a stack of items of these kinds."""
    top, below = kinds[-1:], kinds[-2:-1]
    waits = top in tuple("BKAU")
    ops = set()
    if not waits and len(kinds) < MAX_STACK:
        ops.add("THING")
    if top and top in _SETS:
        ops |= {"BY", "COUNT", "SOME"}
    if top and top in "FQ":
        ops |= {"QUAL", "OF"}
    if top == "E" and below in tuple("FQ"):  # what the statements say that lead there
        ops.add("OF")
    if top and top in "FG":
        ops |= set(_AGGREGATES)
    if top and below and top in _SETS and below in _SETS:
        ops |= {"AND", "OR", "MINUS", "HOLDS"}
    if top and top in _VALUES and (top != "C" or below in tuple(_VALUES)):
        ops.add("AGE")
        if below and below in _VALUES:
            ops |= {"DIFF"}
    if _judged(kinds) or _compared(kinds) or _qualified(kinds):
        ops |= set(_COMPARISONS)
    if top == "b":
        ops.add("SIZE")
    if top in tuple("bs") or (top in tuple("RC") and below in tuple("bs")):
        ops |= {"MOST", "LEAST"}
    if top == "T":
        ops.add("NOT")
    if len(kinds) == 1 and top in "EFQVGT":
        ops.add("END")
    ops.add("NONE")
    relations = bool(top) and top in "EFQUBbKA" and not (top == "b" and kinds.endswith("bbb"))
    spans = set() if waits or len(kinds) >= MAX_STACK else {"entity", "class"}
    if top in tuple("bskFVG"):
        spans |= {"number", "date"}
    if top in tuple("bsk"):
        spans.add("rank")
    return Allowed(frozenset(ops), relations, frozenset(spans))


def _judged(kinds: str) -> bool:
    """A set, a way to judge, and what to compare with."""
    return len(kinds) > 2 and kinds[-2] in "bs" and kinds[-1] in "EFVGC"


def _qualified(kinds: str) -> bool:
    return len(kinds) > 2 and kinds[-2] == "k" and kinds[-1] in "EFCR"


def _compared(kinds: str) -> bool:
    return len(kinds) > 1 and kinds[-2] in "FVG" and kinds[-1] in "FVGC"


class Stack:
    """A query being written; immutable. Raises :class:`~kgask.errors.QueryError` for a step that may not come."""

    __slots__ = ("items", "pick")

    def __init__(self, pick: Pick, items: tuple[Item, ...] = ()) -> None:
        self.pick, self.items = pick, items

    @property
    def kinds(self) -> str:
        return "".join(item.kind for item in self.items)

    @property
    def allowed(self) -> Allowed:
        return allowed(self.kinds)

    @property
    def node(self) -> nodes.Query:
        """The whole query."""
        if len(self.items) == 1 and self.items[0].kind in "EFQVGT":
            found = _whole(self.items[0], self.pick)
            if isinstance(found, SetNode | ValueNode | TruthNode):
                return found
        raise QueryError("the steps do not end in one query")

    def span(self, number: int, kind: str) -> Stack:
        """An operand of the question."""
        if kind not in self.allowed.spans:
            raise QueryError(f"no {kind} may stand here")
        letter = {"number": "C", "date": "C", "rank": "R"}.get(kind, "E")
        return self._with(Item(letter, span=number))

    def relation(self, relation: DirectedRelationId, n_relations: int) -> Stack:
        """A directed relation of ``n_relations`` relations."""
        if not self.allowed.relations:
            raise QueryError("no relation may stand here")
        top, rest = self.items[-1], self.items[:-1]
        if top.kind in "Bb":
            path = (*top.path, relation)
            return Stack(self.pick, (*rest, Item("b", path=path)))
        if top.kind == "K":
            return Stack(self.pick, (*rest, Item("k", path=(relation % n_relations,))))
        if top.kind == "A":
            ends = self._set(rest[-1]) if rest[-1].kind == "E" else None
            rest = rest if ends is None else rest[:-1]
            followed = rest[-1].node
            assert isinstance(followed, nodes.Follow | nodes.Qualified)
            said = nodes.QualifierOf(followed, relation % n_relations, ends)
            return Stack(self.pick, (*rest[:-1], Item("G", said)))
        if top.kind == "U":
            return Stack(self.pick, (*rest, Item("E", nodes.Having(opposite(relation, n_relations)))))
        base = self.pick(top.span, relation) if top.span is not None else top.node
        assert isinstance(base, SetNode)
        return Stack(self.pick, (*rest, Item("F", nodes.Follow(base, relation))))

    def operator(self, name: str) -> Stack:
        """One of :data:`OPERATORS`, but END and NONE."""
        if name not in self.allowed.operators:
            raise QueryError(f"{name} may not stand here")
        match name:
            case "THING":
                return self._with(Item("U"))
            case "BY":
                return self._with(Item("B"))
            case "SIZE":
                return Stack(self.pick, (*self.items[:-1], Item("s", path=self.items[-1].path)))
            case "QUAL":
                return self._with(Item("K"))
            case "OF":
                return self._with(Item("A"))
            case "MOST" | "LEAST":
                return self._best(name == "MOST")
            case _ if name in _COMPARISONS:
                return self._comparison(_COMPARISONS[name])
        return self._reduced(name)

    def _reduced(self, name: str) -> Stack:
        """Operators on one or two operands that are whole."""
        top = self.items[-1]
        match name:
            case "COUNT":
                return self._put(1, "V", nodes.Count(self._set(top)))
            case "SOME":
                return self._put(1, "T", nodes.Some(self._set(top)))
            case "NOT":
                assert isinstance(top.node, TruthNode)
                return self._put(1, "T", nodes.Not(top.node))
            case "AGE" if len(self.items) < 2 or self.items[-2].kind not in _VALUES:
                return self._put(1, "V", nodes.Age(self._value(top), nodes.today()))
            case _ if name in _AGGREGATES:
                return self._put(1, "V", _AGGREGATES[name](self._bag(top)))
        left = self.items[-2]
        match name:
            case "AND" | "OR" | "MINUS":
                return self._put(2, "E", _joined(_SET_OPERATORS[name], self._set(left), self._set(top)))
            case "HOLDS":
                return self._put(2, "T", _holds(self._set(left), self._set(top)))
            case "DIFF":
                return self._put(2, "V", nodes.Difference(self._value(left), self._value(top)))
            case _:
                return self._put(2, "V", nodes.Age(self._value(left), self._value(top)))

    def _best(self, most: bool) -> Stack:
        top = self.items[-1]
        first = last = 1
        n = 2
        if top.kind in "RC":
            n = 3
            first, last, most = self._ranks(top, most)
        base, by = self._set(self.items[-n]), self._by(self.items[1 - n])
        return self._put(n, "E", nodes.Best(base, by, most, first, last))

    def _ranks(self, item: Item, most: bool) -> tuple[int, int, bool]:
        """An ordinal gives one rank, a number the best so many."""
        given = self.pick(item.span or 0, None)
        if not isinstance(given, nodes.Number) or given.number != int(given.number) or given.number == 0:
            raise QueryError("no rank")
        rank = int(given.number)
        if rank <= LAST:
            return -rank, -rank, not most
        return (rank, rank, most) if item.kind == "R" else (1, rank, most)

    def _comparison(self, comparison: Comparison) -> Stack:
        kinds, top = self.kinds, self.items[-1]
        if _qualified(kinds):
            followed, relation = self.items[-3].node, self.items[-2].path[0]
            assert isinstance(followed, nodes.Follow | nodes.Qualified)
            value = self._set(top) if top.kind in _SETS else self._value(top, relation)
            if top.kind == "R" and isinstance(value, nodes.Number) and value.number <= LAST:
                raise QueryError("the last of how many is not known")
            wanted = "in" if isinstance(value, SetNode) else comparison
            return self._put(3, "Q", nodes.Qualified(followed, relation, wanted, value))
        if _judged(kinds):
            base, by = self._set(self.items[-3]), self._by(self.items[-2])
            return self._put(3, "E", _where(base, by, comparison, self._operand(top, by, comparison)))
        wanted = "=" if comparison == "in" else comparison
        left = self._value(self.items[-2])
        beside = left.relation if isinstance(left, nodes.Values) else None
        return self._put(2, "T", nodes.Compare(left, wanted, self._value(top, beside)))

    def _operand(self, item: Item, by: nodes.ValueOf | nodes.SizeOf, comparison: Comparison) -> ValueNode | SetNode:
        """What members are compared with: a constant, or what another entity has by the same way."""
        if item.kind in "VGC":
            return self._value(item, by.path[-1] if isinstance(by, nodes.ValueOf) else None)
        ends = self._set(item)
        if comparison == "in":
            return ends
        if isinstance(by, nodes.ValueOf) and isinstance(ends, nodes.Follow) and ends.relation == by.path[-1]:
            return nodes.Values(ends.base, ends.relation)
        for relation in by.path[:-1]:
            ends = nodes.Follow(ends, relation)
        if isinstance(by, nodes.SizeOf):
            return nodes.Count(nodes.Follow(ends, by.path[-1]))
        return nodes.Values(ends, by.path[-1])

    def _by(self, item: Item) -> nodes.ValueOf | nodes.SizeOf:
        return nodes.SizeOf(item.path) if item.kind == "s" else nodes.ValueOf(item.path)

    def _set(self, item: Item) -> SetNode:
        node = _whole(item, self.pick)
        if not isinstance(node, SetNode):
            raise QueryError("no set")
        return node

    def _bag(self, item: Item) -> BagNode:
        node = _whole(item, self.pick)
        if isinstance(node, nodes.Follow):
            return nodes.Values(node.base, node.relation)
        if not isinstance(node, BagNode):
            raise QueryError("no list of values")
        return node

    def _value(self, item: Item, beside: DirectedRelationId | None = None) -> ValueNode:
        """A value; a constant as the relation ``beside`` it has such."""
        node = _whole(item, self.pick, beside)
        if isinstance(node, nodes.Follow):
            return nodes.Values(node.base, node.relation)
        if not isinstance(node, ValueNode):
            raise QueryError("no value")
        return node

    def _with(self, item: Item) -> Stack:
        return Stack(self.pick, (*self.items, item))

    def _put(self, n: int, kind: str, node: Node) -> Stack:
        return Stack(self.pick, (*self.items[: len(self.items) - n], Item(kind, node)))


def _whole(item: Item, pick: Pick, beside: DirectedRelationId | None = None) -> Node:
    node = pick(item.span, beside) if item.span is not None else item.node
    assert node is not None
    return node


def _joined(kind: type[nodes.And | nodes.Or | nodes.Minus], left: SetNode, right: SetNode) -> SetNode:
    """Two lists of entities in one are one list."""
    if kind is nodes.Or and isinstance(left, nodes.Entities) and isinstance(right, nodes.Entities):
        return nodes.Entities((*left.ids, *right.ids))
    return kind(left, right)


def _holds(left: SetNode, right: SetNode) -> TruthNode:
    """Whether two sets meet; where one was followed to, whether that relation leads there."""
    if isinstance(left, nodes.Follow):
        return nodes.Holds(left.base, left.relation, right)
    return nodes.Some(nodes.And(left, right))


def _where(
    base: SetNode, by: nodes.ValueOf | nodes.SizeOf, comparison: Comparison, value: ValueNode | SetNode
) -> SetNode:
    """Number and date periods are met with '='; 'in' is for sets."""
    wanted: Comparison = "=" if comparison == "in" and isinstance(value, ValueNode) else comparison
    return nodes.Where(base, by, wanted, value)


Step = str | DirectedRelationId | tuple[str, int]
"""An operator's name, a directed relation, or ("span", its number)."""


def query_of(steps: Sequence[Step], kinds: Sequence[str], pick: Pick, n_relations: int) -> nodes.Query:
    """The query that steps write; ``kinds`` are those of the spans. Raises :class:`~kgask.errors.QueryError`."""
    stack = Stack(pick)
    for step in steps:
        if isinstance(step, tuple):
            stack = stack.span(step[1], kinds[step[1]])
        elif isinstance(step, int):
            stack = stack.relation(step, n_relations)
        elif step == "NONE":
            raise QueryError("the graph has no relation for this")
        elif step != "END":
            stack = stack.operator(step)
    return stack.node
