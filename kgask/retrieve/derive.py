"""How a query came to what it came to: triples, compared values and the operator, for one answer at a time.

A derivation is told afterwards, from what the :class:`~kgask.retrieve.run.Runner` kept, and only for what is shown: it
costs the triples of one member, not of the set. What it leaves out it counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from kgask.errors import QueryError
from kgask.pack.arrays import distinct
from kgask.pack.quantities import Quantity
from kgask.query import nodes
from kgask.query.axes import axis_codes, by_axis, literal_places, qualifier_axis, relation_axis
from kgask.query.base import By, Node, SetNode, TruthNode, ValueNode
from kgask.query.nodes import Query
from kgask.retrieve.compare import compared
from kgask.retrieve.follow import Edges
from kgask.retrieve.run import Runner
from kgask.retrieve.trace import triple_ids
from kgask.types import EntityId, TripleId, directed, opposite, undirected

FEW = 1.2  # subjects of an object, from which on a relation is no longer said to have one
SHOWN = 3  # triples of a kind, or members of a set, that a derivation tells of


@dataclass(frozen=True, slots=True)
class Judged:
    """A value that decided: the literal behind it (None for a size), and where it lies."""

    quantity: Quantity
    literal: EntityId | None = None


@dataclass(frozen=True, slots=True)
class Derivation:
    """One step of the way to an answer: the operator (``node``), what it used, and the steps before it."""

    node: Node
    member: EntityId | None = None  # that the step tells of; None for values and truths
    triples: tuple[TripleId, ...] = ()
    judged: tuple[Judged, ...] = ()
    against: Quantity | None = None  # what the values were compared with
    parts: tuple[Derivation, ...] = ()
    n_more: int = 0  # triples or members that are not told of

    def steps(self) -> Iterator[Derivation]:
        """This step and all before it."""
        yield self
        for part in self.parts:
            yield from part.steps()

    @property
    def all_triples(self) -> tuple[TripleId, ...]:
        """Every triple of the derivation once, those nearest to the named entities first."""
        return tuple(dict.fromkeys(triple for step in reversed([*self.steps()]) for triple in step.triples))


def derivation(runner: Runner, query: Query, answer: EntityId | None = None) -> Derivation:
    """How ``query`` came to ``answer`` (a member of its set), or to its value or truth.

    Raises QueryError for an entity that is no member, not even perhaps.
    """
    if isinstance(query, SetNode):
        return _members(runner, query) if answer is None else _member(runner, query, answer)
    return _value(runner, query) if isinstance(query, ValueNode) else _truth(runner, query)


def _members(runner: Runner, node: SetNode) -> Derivation:
    found = runner.members(node)
    ids = (found.certain if len(found.certain) else found.possible).tolist()
    parts = tuple(_member(runner, node, member) for member in ids[:SHOWN])
    return Derivation(node, parts=parts, n_more=max(0, len(ids) - SHOWN))


def _member(runner: Runner, node: SetNode, member: EntityId) -> Derivation:
    if not _is_in(runner, node, member):
        raise QueryError(f"entity {member} is no answer to this query")
    match node:
        case nodes.Class(kind):
            return Derivation(node, member, _instance(runner, member, kind))
        case nodes.Having(relation):
            return _with_triples(runner, node, member, runner.edges(_one(member), relation))
        case nodes.Follow():
            return _followed(runner, node, node, member)
        case nodes.Qualified():
            return _followed(runner, node, node.follow, member)
        case nodes.And(left, right):
            return Derivation(node, member, parts=(_member(runner, left, member), _member(runner, right, member)))
        case nodes.Or(left, right):
            inside = (part for part in (left, right) if _is_in(runner, part, member))
            return Derivation(node, member, parts=tuple(_member(runner, part, member) for part in inside))
        case nodes.Minus(left, _):
            return Derivation(node, member, parts=(_member(runner, left, member),))
        case nodes.Where() | nodes.Best():
            told = judged_member(runner, node, member)
            return replace(told, parts=(_member(runner, node.base, member), *told.parts))
    return Derivation(node, member)


def _is_in(runner: Runner, node: SetNode, member: EntityId) -> bool:
    possible = runner.members(node).possible
    at = int(np.searchsorted(possible, member))
    return at < len(possible) and int(possible[at]) == member


def _one(entity: EntityId) -> np.ndarray:
    return np.array([entity], np.int64)


def _with_triples(
    runner: Runner, node: Node, member: EntityId | None, edges: Edges, parts: tuple[Derivation, ...] = ()
) -> Derivation:
    shown = triple_ids(runner.pack, edges.where(np.arange(min(SHOWN, len(edges)))))
    return Derivation(node, member, tuple(shown.tolist()), parts=parts, n_more=max(0, len(edges) - SHOWN))


def _followed(
    runner: Runner, node: nodes.Follow | nodes.Qualified, follow: nodes.Follow, member: EntityId
) -> Derivation:
    """The triples that lead to a member, with how their starts came to be in the base."""
    base = runner.members(follow.base).possible
    back = runner.edges(_one(member), opposite(follow.relation, runner.pack.n_relations)).targets
    starts = np.intersect1d(back, base)
    if isinstance(node, nodes.Qualified):
        sure, maybe = runner.qualified_edges(node, starts)
        edges = sure if (sure.targets == member).any() else maybe
    else:
        edges = runner.edges(starts, follow.relation)
    edges = edges.where(edges.targets == member)
    parts = tuple(_member(runner, follow.base, start) for start in distinct(edges.sources)[:SHOWN].tolist())
    return _with_triples(runner, node, member, edges, parts)


def _instance(runner: Runner, member: EntityId, kind: EntityId) -> tuple[TripleId, ...]:
    """The triples from a member to its type, and on over subclasses to the type that was asked for."""
    types = runner.narrower(kind)
    for relation in runner.pack.type_relations:
        edges = runner.edges(_one(member), relation)
        edges = edges.where(np.isin(edges.targets, types))
        if len(edges):
            edges = edges.where(np.arange(1))
            first = int(edges.targets[0])
            wider = _wider(runner, first, kind, runner.pack.subclass_relations)
            return (*triple_ids(runner.pack, edges).tolist(), *wider)
    return ()


def _wider(runner: Runner, first: EntityId, kind: EntityId, relations: list[int]) -> list[TripleId]:
    """The triples of a shortest way from a type to a wider one."""
    ways: dict[int, list[TripleId]] = {first: []}
    frontier = [first]
    while frontier and kind not in ways:
        nearer, frontier = frontier, []
        for relation in relations:
            edges = runner.edges(distinct(nearer), relation)
            ids = triple_ids(runner.pack, edges).tolist()
            for source, target, triple in zip(edges.sources.tolist(), edges.targets.tolist(), ids, strict=True):
                if target not in ways:
                    ways[target] = [*ways[source], triple]
                    frontier.append(target)
    return ways.get(kind, [])


# --- values that decided ------------------------------------------------------------------------


def judged_member(runner: Runner, node: nodes.Where | nodes.Best, member: EntityId) -> Derivation:
    """What a member of the base of ``node`` was judged by, whether it was taken or not; not how it came to be there."""
    value = node.value if isinstance(node, nodes.Where) else None
    hops = _path_edges(runner, member, node.by)
    if isinstance(node.by, nodes.SizeOf | nodes.TotalOf):
        hops = _counted(runner, node.by, hops)
    if isinstance(node.by, nodes.SizeOf):
        size = float(len(distinct(hops[-1].targets))) if len(hops) == len(node.by.path) else 0.0
        against = runner.quantity(value) if isinstance(value, ValueNode) else None
        triples, n_more = _first_triples(runner, hops, None)
        return Derivation(node, member, triples, (Judged(Quantity("", size, size)),), against, n_more=n_more)
    if isinstance(node.by, nodes.SpanOf | nodes.TotalOf):
        return _worked_out(runner, node, node.by, member, hops)
    ends = distinct(hops[-1].targets) if hops else np.empty(0, np.int64)
    if isinstance(value, SetNode):
        met = np.intersect1d(ends, runner.members(value).possible)
        triples, n_more = _first_triples(runner, hops, met)
        parts = tuple(_member(runner, value, end) for end in met[:SHOWN].tolist())
        return Derivation(node, member, triples, parts=parts, n_more=n_more)
    against = runner.quantity(value) if value is not None else None
    axis = relation_axis(runner.pack, node.by.path[-1]) if against is None else against.axis
    judged = _deciding(node, against, _on_axis(runner, ends, axis))
    triples, n_more = _first_triples(runner, hops, np.array([one.literal for one in judged], np.int64))
    return Derivation(node, member, triples, tuple(judged[:SHOWN]), against, n_more=n_more)


def _worked_out(
    runner: Runner,
    node: nodes.Where | nodes.Best,
    by: nodes.SpanOf | nodes.TotalOf,
    member: EntityId,
    hops: list[Edges],
) -> Derivation:
    """The start and the end of a member, and what lies between them; or its numbers, and what they add up to."""
    against = (
        runner.quantity(node.value) if isinstance(node, nodes.Where) and isinstance(node.value, ValueNode) else None
    )
    found, axis = runner.judged(_one(member), by, None), by_axis(runner.pack, by) or ""
    every = [
        Judged(Quantity(axis, low, high)) for low, high in zip(found.low.tolist(), found.high.tolist(), strict=True)
    ]
    judged, triples, n_more = _deciding(node, against, every), list[TripleId](), 0
    more_hops = [_path_edges(runner, member, nodes.ValueOf(by.until))] if isinstance(by, nodes.SpanOf) else []
    for ends in (hops, *more_hops):
        some, more = _first_triples(runner, ends, None)
        triples, n_more = [*triples, *some], n_more + more
    return Derivation(node, member, tuple(triples), tuple(judged[:SHOWN]), against, n_more=n_more)


def _path_edges(runner: Runner, member: EntityId, by: By) -> list[Edges]:
    """The triples of each hop of a path from a member; shorter where the path ends early."""
    hops, frontier = [], _one(member)
    for relation in by.path:
        edges = runner.edges(frontier, relation)
        if not len(edges):
            break
        hops.append(edges)
        frontier = distinct(edges.targets)
    return hops


def _counted(runner: Runner, by: nodes.SizeOf | nodes.TotalOf, hops: list[Edges]) -> list[Edges]:
    """The triples of each hop, without ends that are not counted or added up."""
    among, last = runner.counted(by), len(by.path) - (2 if isinstance(by, nodes.TotalOf) else 1)
    if among is None or last >= len(hops):
        return hops
    every = [*hops]
    if last >= 0:
        every[last] = hops[last].where(np.isin(hops[last].targets, among))
    if isinstance(by, nodes.TotalOf) and len(hops) > last + 1:
        every[last + 1] = hops[last + 1].where(np.isin(hops[last + 1].sources, among))
    return every


def _first_triples(runner: Runner, hops: list[Edges], ends: np.ndarray | None) -> tuple[tuple[TripleId, ...], int]:
    """A few triples of each hop, on ways that reach ``ends`` (None: any), and how many more there are."""
    kept: list[TripleId] = []
    n_more = 0
    for edges in reversed(hops):
        edges = edges if ends is None else edges.where(np.isin(edges.targets, ends))
        shown = edges.where(np.arange(min(SHOWN, len(edges))))
        kept = [*triple_ids(runner.pack, shown).tolist(), *kept]
        n_more += len(edges) - len(shown)
        ends = distinct(shown.sources)
    return tuple(kept), n_more


def _on_axis(runner: Runner, ends: np.ndarray, axis: str | None) -> list[Judged]:
    known = runner.pack.literal_values
    codes = axis_codes(runner.pack, ends).tolist()
    found = zip(ends.tolist(), literal_places(runner.pack, ends).tolist(), codes, strict=True)
    return [
        Judged(Quantity(axis, float(known.low[place]), float(known.high[place])), literal)
        for literal, place, code in found
        if axis is not None and code >= 0 and known.axes[code] == axis
    ]


def _deciding(node: nodes.Where | nodes.Best, against: Quantity | None, judged: list[Judged]) -> list[Judged]:
    """The values for which a member was taken: those that satisfy, or the highest (lowest)."""
    if isinstance(node, nodes.Best):
        ordered = sorted(judged, key=lambda one: (one.quantity.high, one.quantity.low), reverse=node.most)
        return ordered[:1]
    if against is None:
        return judged
    low, high = (np.array([bound(one) for one in judged]) for bound in (_low, _high))
    surely, perhaps = compared(low, high, node.comparison, against, nodes.is_period(node.value))
    chosen = surely if surely.any() else perhaps
    return [one for one, taken in zip(judged, chosen.tolist(), strict=True) if taken]


def _low(judged: Judged) -> float:
    return judged.quantity.low


def _high(judged: Judged) -> float:
    return judged.quantity.high


# --- values and truths --------------------------------------------------------------------------


def _value(runner: Runner, node: ValueNode) -> Derivation:
    match node:
        case nodes.Count(base):
            return Derivation(node, parts=(_members(runner, base),))
        case nodes.Values(base, relation):
            edges = runner.edges(runner.members(base).certain, relation)
            judged = _on_axis(runner, edges.targets[:SHOWN], relation_axis(runner.pack, relation))
            told = _with_triples(runner, node, None, edges)
            return Derivation(node, None, told.triples, tuple(judged), n_more=told.n_more)
        case nodes.QualifierOf():
            return _stated(runner, node)
        case nodes.Min(values) | nodes.Max(values):
            return _extreme(runner, node, values)
    return Derivation(node, parts=tuple(_value(runner, part) for part in node.parts if isinstance(part, ValueNode)))


def _stated(runner: Runner, node: nodes.QualifierOf) -> Derivation:
    """The triples whose statements say it."""
    follow = node.base.follow if isinstance(node.base, nodes.Qualified) else node.base
    triples, values = runner.saying(node, runner.members(follow.base).possible, surely=False)
    judged = _on_axis(runner, values[:SHOWN], qualifier_axis(runner.pack, node.relation))
    found = list(dict.fromkeys(triples.tolist()))
    return Derivation(node, None, tuple(found[:SHOWN]), tuple(judged), n_more=max(0, len(found) - SHOWN))


def _extreme(runner: Runner, node: nodes.Min | nodes.Max, values: ValueNode) -> Derivation:
    """The triples whose value is the lowest or highest."""
    found = runner.quantity(node)
    if found is None or not isinstance(values, nodes.Values):
        return Derivation(node, parts=(_value(runner, values),))
    edges = runner.edges(runner.members(values.base).certain, values.relation)
    best = [
        one
        for one in _on_axis(runner, distinct(edges.targets), found.axis)
        if (one.quantity.low == found.low if isinstance(node, nodes.Min) else one.quantity.high == found.high)
    ]
    edges = edges.where(np.isin(edges.targets, [one.literal for one in best if one.literal is not None]))
    told = _with_triples(runner, node, None, edges)
    return Derivation(node, None, told.triples, tuple(best[:SHOWN]), n_more=told.n_more)


def _truth(runner: Runner, node: TruthNode) -> Derivation:
    match node:
        case nodes.Some(base):
            return Derivation(node, parts=(_members(runner, base),))
        case nodes.Holds():
            return _held(runner, node)
        case nodes.Compare(left, _, right):
            return Derivation(node, parts=(_value(runner, left), _value(runner, right)))
    return Derivation(node, parts=tuple(_truth(runner, part) for part in node.parts if isinstance(part, TruthNode)))


def _held(runner: Runner, node: nodes.Holds) -> Derivation:
    """The triples that say so; where none does, those that say otherwise."""
    edges = runner.edges(runner.members(node.subject).possible, node.relation)
    so = edges.where(np.isin(edges.targets, runner.members(node.object).possible))
    return _with_triples(runner, node, None, so if len(so) else otherwise(runner, node))


def otherwise(runner: Runner, node: nodes.Holds) -> Edges:
    """The triples for which a relation does not hold: what else the graph says of it.

    They are those of the subject of the triple that is asked about ((Japan, capital, Tokyo) against (Japan, capital,
    Osaka)), whichever way it is followed. Where it has none: those of its object, if the relation leads there from one
    subject as a rule (at most :data:`FEW` each, over the pack). A silent graph gives none.
    """
    n_relations = runner.pack.n_relations
    plain, inverse = undirected(node.relation, n_relations)
    subject, obj = (node.object, node.subject) if inverse else (node.subject, node.object)
    edges = runner.edges(runner.members(subject).possible, plain)
    if len(edges):
        return edges
    back = directed(plain, True, n_relations)
    objects = runner.pack.out_object[runner.pack.out_relation == plain]
    n_triples, n_objects = runner.pack.counted(back) or (len(objects), len(distinct(objects)))
    return edges if n_triples > FEW * n_objects else runner.edges(runner.members(obj).possible, back)
