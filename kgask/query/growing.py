"""Which queries come to the same, or to less of the same, where only a part of a graph is known."""

from __future__ import annotations

from kgask.query.base import Node
from kgask.query.nodes import (
    And,
    Any,
    Class,
    Date,
    Entities,
    Follow,
    Having,
    Holds,
    Number,
    Or,
    Qualified,
    QualifierOf,
    Range,
    SizeOf,
    Some,
    ValueOf,
    Values,
    Where,
)

_ADDING = (Entities, Class, Having, Follow, And, Or, Qualified, ValueOf, Some, Holds, Any, Number, Date, Range)
_LISTS = (Values, QualifierOf)  # of what there is; as a part of another node they are one value


def holds_of_a_part(query: Node, truth: bool | None = None) -> bool:
    """Whether what a query comes to over some triples of a graph is so over all of them too.

    Members and a "yes" that some triples show are so whatever else there is; a count, a superlative, a difference, a
    computed value, "every" and a "no" are not. ``truth`` is what the query came to, if that is yes or no.
    """
    return truth is not False and all(_adds(node, node is query) for node in query.walk())


def _adds(node: Node, is_whole: bool) -> bool:
    if isinstance(node, Where):
        return isinstance(node.by, ValueOf) or node.comparison in (">", ">=")
    return isinstance(node, (*_ADDING, SizeOf)) or (is_whole and isinstance(node, _LISTS))
