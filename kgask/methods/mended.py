"""Queries that come to nothing, or to "no", because something is called otherwise in the graph than in the question.

"The university with ISNI 1" may be an instance of "public university" only; "the website of Bedford", ending in ".gov",
stands in the graph with a slash behind it. What a relation leads to tells which of both is meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from kgask.methods.roles import is_mutual
from kgask.pack.arrays import distinct
from kgask.pack.normalise import normalise
from kgask.query import nodes
from kgask.query.base import Node, SetNode
from kgask.query.nodes import Query
from kgask.query.rewrite import along, replaced, replaced_once
from kgask.retrieve.places import place_relations
from kgask.retrieve.run import Runner
from kgask.types import Seed, opposite, undirected

NAMESAKE = 0.3  # of a seed's score: another of that name may be meant as well
MOST_NAMESAKES = 4  # that are looked at
MOST_ENDS = 50  # of a relation whose texts are looked at
_WEB = re.compile(r"^(?:https? )?(?:www )?")


def loosened(runner: Runner, query: Query) -> Query:
    """A query without the class of the one thing that is described within it, where the graph does not say that class
    of it; a class that is asked for, or chooses among several, stays."""
    for node in query.walk():
        for base in _described(node):
            rest = _without_class(base)
            if rest is not None and not len(runner.members(base).possible) and len(runner.members(rest).certain) == 1:
                query = replaced(query, base, rest)
    return query


def widened(runner: Runner, query: Query) -> Query:
    """A query with all that the graph says, where the relation that it follows has some of it only.

    Of a few cities it says that they are "located in" Germany, of all that Germany is their "country"; of some of her
    husbands that she was their wife.
    """
    n = runner.pack.n_relations
    for node in [*query.walk()] if runner.pack.source is None else ():  # a graph elsewhere is not asked six times more
        match node:
            case nodes.And(nodes.Class() as kind, nodes.Follow(nodes.Entities() as place, relation)) | nodes.And(
                nodes.Follow(nodes.Entities() as place, relation), nodes.Class() as kind
            ) if undirected(relation, n)[0] in (known := place_relations(runner.pack)) and relation >= n:
                found = runner.members(node).certain
                for other in (opposite(one, n) for one in known):
                    wider = nodes.And(kind, nodes.Follow(place, other))
                    more = runner.members(wider).certain
                    if len(more) > len(found) and np.isin(found, more).all():
                        query, node, found = replaced(query, node, wider), wider, more
            case nodes.Follow(nodes.Entities() as one, relation) if relation >= n and is_mutual(
                runner.pack, relation - n
            ):
                said, own = (runner.members(nodes.Follow(one, way)).certain for way in (relation, relation - n))
                if len(own) > len(said) and np.isin(said, own).all():
                    query = replaced(query, node, nodes.Follow(one, relation - n))
    return query


def _described(node: Node) -> Iterator[SetNode]:
    """The set that a relation is followed from, or that a truth is about."""
    match node:
        case nodes.Holds(base) | nodes.Follow(base) | nodes.Values(base):
            yield base


def _without_class(base: SetNode) -> SetNode | None:
    match base:
        case nodes.And(nodes.Class(), rest) | nodes.And(rest, nodes.Class()) if not isinstance(rest, nodes.Class):
            return rest
    return None


def renamed(runner: Runner, query: Query, seed: Seed, namesakes: Sequence[Seed]) -> Iterator[tuple[Query, Seed]]:
    """The same about an end of its relation that is called as what the query says of it, with that end's seed.

    ``namesakes`` are what else the seed's words may name.
    """
    others = {one.entity: one for one in namesakes}
    called = {plainly(seed.mention), *map(plainly, runner.pack.labels([seed.entity]))}
    for node in query.walk():
        if (followed := _named_end(node, seed.entity)) is None:
            continue
        base, relation = followed
        for end, text in _ends(runner, base, relation):
            if end != seed.entity and (end in others or plainly(text) in called):
                yield replaced(query, node, _to(node, end)), others.get(end) or replace(seed, entity=end, name=text)


def lacks_a_value(runner: Runner, query: Query) -> bool:
    """Whether it chooses by a value among things that are named, or puts their values together, and the graph has none
    of one of them."""
    for node in query.walk():
        match node:
            case nodes.Best(nodes.Entities(ids), nodes.ValueOf(path)) if len(ids) > 1:
                pass
            case nodes.Sum(nodes.Values(nodes.Entities(ids), relation)) | nodes.Mean(
                nodes.Values(nodes.Entities(ids), relation)
            ) if len(ids) > 1:
                path = (relation,)
            case _:
                continue
        return not all(len(runner.members(along(nodes.Entities((one,)), path)).possible) for one in ids)
    return False


def namesakes(seed: Seed, others: Sequence[Seed], query: Query, runner: Runner) -> Iterator[tuple[Query, Seed]]:
    """A query about another of a seed's name, and that one: nearly as sure, or an end of a relation that it follows."""
    lists = {node.ids for node in query.walk() if isinstance(node, nodes.Entities) and seed.entity in node.ids}
    for other in others[:MOST_NAMESAKES]:
        if other.score >= NAMESAKE * seed.score:
            for ids in lists:
                others_of_it = nodes.Entities(tuple(other.entity if one == seed.entity else one for one in ids))
                yield from ((changed, other) for changed in replaced_once(query, nodes.Entities(ids), others_of_it))
    yield from renamed(runner, query, seed, others)


def _named_end(node: Node, named: int) -> tuple[SetNode, int] | None:
    """The set and relation of which a node says something about one end, where that is the one named."""
    match node:
        case nodes.Holds(base, relation, nodes.Entities((end,))) if end == named:
            return base, relation
        case nodes.QualifierOf(nodes.Follow(base, relation), _, nodes.Entities((end,))) if end == named:
            return base, relation
    return None


def _to(node: Node, end: int) -> Node:
    """The same of another end."""
    match node:
        case nodes.Holds():
            return replace(node, object=nodes.Entities((end,)))
        case nodes.QualifierOf():
            return replace(node, ends=nodes.Entities((end,)))
    return node


def _ends(runner: Runner, base: SetNode, relation: int) -> list[tuple[int, str]]:
    """What a relation leads to from a set, with labels; none where that is much."""
    ends = distinct(runner.edges(runner.members(base).certain, relation).targets)
    return [*zip(ends.tolist(), runner.pack.labels(ends.tolist()), strict=True)] if len(ends) <= MOST_ENDS else []


def plainly(text: str) -> str:
    """A name as look-ups compare it; an address of the web without what may stand before it."""
    return _WEB.sub("", normalise(text))
