"""Queries of earlier turns, changed: about other things, or within what they came to."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeGuard

from kgask.pack.quantities import WHEN
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.axes import relation_axis
from kgask.query.base import Node, SetNode, TruthNode
from kgask.query.nodes import Query
from kgask.query.rewrite import replaced
from kgask.types import EntityId, opposite

MOST_NAMED = 5  # entities of a node that a question names one by one


def entities_of(node: Node) -> tuple[EntityId, ...]:
    """What a node names; none for all answers of an earlier turn."""
    return node.ids if isinstance(node, nodes.Entities) and len(node.ids) <= MOST_NAMED else ()


def is_ordered(node: Node) -> TypeGuard[nodes.Best]:
    """Whether a node chooses by rank."""
    return isinstance(node, nodes.Best)


def is_of_both_alone(node: Node) -> bool:
    """Whether it asks for what two things have each by one relation: of Ann's songs, those of Bob's."""
    match node:
        case nodes.And(nodes.Follow(nodes.Entities((one,)), relation), nodes.Follow(nodes.Entities((other,)), same)):
            return relation == same and one != other
    return False


def value_of(query: Query | None) -> nodes.Values | None:
    """The value of one thing that a query asks for, however it puts that."""
    match query:
        case nodes.Values(nodes.Entities((_,))):
            return query
        case nodes.Follow(nodes.Entities((_,)) as base, relation):
            return nodes.Values(base, relation)
    return None


def base_of(query: Query | None) -> SetNode | None:
    """What is counted, looked for or added up by a query: a later turn may ask about it."""
    match query:
        case nodes.Count(base) | nodes.Some(base):
            return base
        case nodes.Sum(nodes.Values(base)) | nodes.Mean(nodes.Values(base)) if not isinstance(base, nodes.Entities):
            return base
    return None


def counted_in(query: Query | None) -> Query | None:
    """What a query counts or adds up, as the set that is meant since; any other as it is."""
    return query if isinstance(query, nodes.Some) else base_of(query) or query


def within(query: Query, whole: SetNode) -> Query | None:
    """A query about all things of a kind as one about these: in the place of their class, else where it begins.

    None for what is so of one thing: of which of these that is asked is not told.
    """
    if isinstance(query, TruthNode) and not isinstance(query, nodes.Some):
        return None
    for node in query.walk():
        if isinstance(node, nodes.Class):
            return replaced(query, node, whole)
    if isinstance(query, SetNode):
        return nodes.And(query, whole) if not isinstance(query, nodes.Best) else replaced(query, query.base, whole)
    base = query.base if isinstance(query, nodes.Count | nodes.Some) else None
    return replace(query, base=nodes.And(base, whole)) if base is not None else None  # type: ignore[type-var]


def may_be_unsaid(truth: Query) -> bool:
    """Whether a "no" may say only that the graph knows nothing: that there is another, that all have one."""
    if isinstance(truth, nodes.All):
        return any(isinstance(one, nodes.Some) for one in truth.truths)
    return isinstance(truth, nodes.Some) and isinstance(truth.base, nodes.Minus)


def those_of_whom(truth: Query, one: EntityId, whole: SetNode, n_relations: int) -> SetNode | None:
    """Those of a set of whom is so what a query asks of one; None where it does not ask that of it alone."""
    only = nodes.Entities((one,))
    match truth:
        case nodes.Holds(subject, relation, other) if subject == only:
            return nodes.And(whole, nodes.Follow(other, opposite(relation, n_relations)))
        case nodes.Holds(other, relation, obj) if obj == only:
            return nodes.And(whole, nodes.Follow(other, relation))
        case nodes.Some(nodes.And(left, right)) if only in (left, right):
            return nodes.And(whole, right if left == only else left)
        case nodes.Some(nodes.And(nodes.Follow(base, relation), other)) if base == only:
            return nodes.And(whole, nodes.Follow(other, opposite(relation, n_relations)))
        case nodes.Some(nodes.Follow(base, relation)) if base == only:
            return nodes.And(whole, nodes.Having(relation))
        case nodes.Compare(nodes.Values(base, relation), comparison, value) if base == only:
            return nodes.Where(whole, nodes.ValueOf((relation,)), comparison, value)
        case nodes.Compare(nodes.Count(nodes.Follow(base, relation)), comparison, value) if base == only:
            return nodes.Where(whole, nodes.SizeOf((relation,)), comparison, value)
        case nodes.Not(inner):
            found = those_of_whom(inner, one, whole, n_relations)
            return nodes.Minus(whole, found) if found is not None else None
    return None


def instead(query: Query, only: nodes.Entities, whole: SetNode) -> Query | None:
    """A query about one of several as one about all of them; None where it is not about that one."""
    return replaced(query, only, whole) if any(node == only for node in query.walk()) else None


def is_by_date(query: Query | None, pack: Pack) -> bool:
    """Whether it chooses by a date."""
    match query:
        case nodes.Best(_, nodes.ValueOf(path)):
            return relation_axis(pack, path[-1]) in WHEN
    return False
