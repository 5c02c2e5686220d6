"""What a query says of the graph, whichever way it is written: two queries with one pattern ask for the same.

A pattern is the triples that a query looks for, each in the direction of the graph, with the operators around them.
``holds(<b>, ^<r>, <a>)`` has the pattern of ``holds(<a>, <r>, <b>)`` and of ``some(and(follow(<a>, <r>), <b>))``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from kgask.query import nodes
from kgask.query.base import By, Node, SetNode, ValueNode
from kgask.types import undirected

Pattern = frozenset[tuple[Any, int]]  # what is looked for, and how often
ANY = "?"
_MIRRORED = {"<": ">", "<=": ">="}


def pattern(query: Node, n_relations: int) -> Pattern:
    """What a query looks for, equal for queries that differ in how they are put together only."""
    return frozenset(Counter(_parts(query, ANY, n_relations)).items())


def _parts(node: Node, end: Any, n: int) -> Iterator[Any]:
    """What a node looks for whose members are ``end``."""
    match node:
        case nodes.Follow(base, relation):
            start = _end_of(base)
            yield _edge(start, relation, end, n)
            yield from _parts(base, start, n)
        case nodes.Holds(subject, relation, obj):
            start, last = _end_of(subject), _end_of(obj)
            yield _edge(start, relation, last, n)
            yield from (*_parts(subject, start, n), *_parts(obj, last, n))
        case nodes.And(left, right):
            shared = end if end != ANY else _end_of(node)
            yield from (*_parts(left, shared, n), *_parts(right, shared, n))
        case nodes.Some(base):
            yield from _parts(base, _end_of(base), n)
        case nodes.Class(kind):
            yield ("class", end, kind)
        case nodes.Entities(ids):
            if end == ANY:
                yield ("entities", ids)
        case nodes.Values(base, relation):
            start = _end_of(base)
            yield _edge(start, relation, "value", n)
            yield from _parts(base, start, n)
        case nodes.Qualified(base, said_by, comparison, value):
            yield ("qualifier", said_by, comparison.replace("in", "="))
            yield from (*_parts(value, ANY, n), *_parts(base, end, n))
        case nodes.Compare(nodes.QualifierOf(base, said_by, ends), "=" | "in", value) if ends is not None:
            qualified = nodes.Qualified(base, said_by, "in", value)
            yield from _parts(nodes.And(qualified, ends), ANY, n)
        case nodes.Compare(left, comparison, right):
            sides = (right, left) if comparison in _MIRRORED else (left, right)
            yield ("compare", _MIRRORED.get(comparison, comparison).replace("in", "="))  # a day is in its year
            for place, side in enumerate(sides):
                yield from ((place, part) for part in _parts(side, ANY, n))
        case _:
            yield from _other(node, end, n)


def _other(node: Node, end: Any, n: int) -> Iterator[Any]:
    """A node by its name, what it is said to be, and its parts."""
    told: list[Any] = [type(node).__name__]
    for field in fields(node):  # type: ignore[arg-type]  # every node is a dataclass
        value = getattr(node, field.name)
        if isinstance(value, SetNode | ValueNode):
            yield from _parts(value, end if isinstance(value, SetNode) else ANY, n)
        elif isinstance(value, tuple) and value and isinstance(value[0], Node):
            for one in value:
                yield from _parts(one, ANY, n)
        elif isinstance(value, By):
            told.append((type(value).__name__, value.path))
        elif not isinstance(value, Node):
            told.append(value)
        else:
            yield from _parts(value, ANY, n)
    yield tuple(told)


def _edge(start: Any, relation: int, end: Any, n: int) -> tuple[Any, int, Any]:
    plain, is_inverse = undirected(relation, n)
    return (end, plain, start) if is_inverse else (start, plain, end)


def _end_of(node: Node) -> Any:
    """The entities that the members of a set are known to be, or :data:`ANY`."""
    match node:
        case nodes.Entities(ids):
            return ids
        case nodes.And(left, right):
            found = _end_of(left)
            return found if found != ANY else _end_of(right)
    return ANY
