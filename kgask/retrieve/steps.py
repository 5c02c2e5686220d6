"""The whole way of a query, operator by operator: sets with their sizes, the values compared, ties, what is missing.

:mod:`kgask.retrieve.derive` tells of one answer, this of the query; both look at what the
:class:`~kgask.retrieve.run.Runner` kept, and count what they leave out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kgask.pack.quantities import Quantity
from kgask.query import nodes
from kgask.query.axes import literal_places, relation_axis
from kgask.query.base import Node, SetNode, TruthNode, ValueNode
from kgask.query.nodes import Query
from kgask.retrieve.compare import highest_each
from kgask.retrieve.derive import SHOWN, Judged, derivation, judged_member
from kgask.retrieve.frontier import values_on
from kgask.retrieve.outcome import Coverage
from kgask.retrieve.run import Runner
from kgask.retrieve.trace import triple_ids
from kgask.types import EntityId, TripleId

_PLAIN = nodes.Entities | nodes.Class | nodes.Having | nodes.Follow


@dataclass(frozen=True, slots=True)
class Row:
    """A member with the values that it was judged by, and their triples."""

    member: EntityId
    judged: tuple[Judged, ...]
    triples: tuple[TripleId, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """What one operator came to, with the steps before it."""

    node: Node
    parts: tuple[Step, ...] = ()
    n: int | None = None  # of a set: how many surely belong,
    n_perhaps: int = 0  # how many more may,
    members: tuple[EntityId, ...] = ()  # and the first few
    rows: tuple[Row, ...] = ()  # values that were compared, the best first
    tied: tuple[EntityId, ...] = ()  # members that share their rank with another
    coverage: Coverage | None = None
    quantity: Quantity | None = None  # of a value; None: unknown
    truth: bool | None = None
    triples: tuple[TripleId, ...] = ()


def steps(runner: Runner, query: Query) -> Step:
    """How ``query``, which was run, came to what it came to."""
    if isinstance(query, SetNode):
        return _set(runner, query)
    return _value(runner, query) if isinstance(query, ValueNode) else _truth(runner, query)


def best_first(runner: Runner, node: nodes.Best) -> np.ndarray:
    """The members of the base that have a value (int64), best first; equals in the order of their ids."""
    base = runner.members(node.base).possible
    found = runner.judged(base, node.by, None)
    low, high = (found.low, found.high) if node.most else (-found.high, -found.low)
    place, low, high = highest_each(found.member, low, high)
    return base[place[np.lexsort((place, -low, -high))]]


def _set(runner: Runner, node: SetNode) -> Step:
    found = runner.members(node)
    n, first = len(found.certain), found.certain[:SHOWN].tolist()
    rows: tuple[Row, ...] = ()
    tied: tuple[EntityId, ...] = ()
    match node:
        case nodes.Best():
            ranked = best_first(runner, node)
            winners = np.isin(ranked, found.certain)
            first = ranked[winners][:SHOWN].tolist()
            around = ranked[max(0, int(np.argmax(winners)) - 1) :] if winners.any() else ranked
            rows = tuple(_row(runner, node, member) for member in around[: max(SHOWN, len(first) + 1)].tolist())
            tied = _tied(runner, node, ranked[winners])
        case nodes.Where(value=ValueNode()):
            rows = tuple(_row(runner, node, member) for member in first)
    known = runner.coverage(node)[-1:] if isinstance(node, nodes.Best | nodes.Where) else ()
    coverage = known[0] if known and known[0].node == node else None
    return Step(
        node, _parts(runner, node), n, len(found.possible) - n, tuple(first), rows, tied, coverage,
    )  # fmt: skip


def _row(runner: Runner, node: nodes.Best | nodes.Where, member: EntityId) -> Row:
    found = judged_member(runner, node, member)
    return Row(member, found.judged, found.triples)


def _tied(runner: Runner, node: nodes.Best, winners: np.ndarray) -> tuple[EntityId, ...]:
    """Of members at the asked ranks, best first, those with the value of another."""
    if len(winners) < 2:
        return ()
    ids = np.sort(winners)
    found = runner.judged(ids, node.by, None)
    low, high = (found.low, found.high) if node.most else (-found.high, -found.low)
    place, low, high = highest_each(found.member, low, high)
    values = dict(zip(ids[place].tolist(), zip(low.tolist(), high.tolist(), strict=True), strict=True))
    listed = list(values.values())
    return tuple(member for member in winners.tolist() if listed.count(values[member]) > 1)


def _parts(runner: Runner, node: Node) -> tuple[Step, ...]:
    """The steps before one; what is named in the query itself is no step."""
    if isinstance(node, SetNode) and _is_plain(node):
        return ()
    if isinstance(node, nodes.Qualified):
        return () if _is_plain(node.follow) else (_set(runner, node.follow.base),)
    found: list[Step] = []
    for part in node.parts:
        if isinstance(part, SetNode) and not isinstance(part, nodes.Entities):
            found.append(_set(runner, part))
        elif isinstance(part, ValueNode) and not isinstance(part, nodes.Constant):
            found.append(_value(runner, part))
        elif isinstance(part, TruthNode):
            found.append(_truth(runner, part))
    return tuple(found)


def _is_plain(node: SetNode) -> bool:
    """Whether a set is a path from what is named, or those of a class on one: words say it all."""
    of_class = isinstance(node, nodes.And) and any(isinstance(part, nodes.Class) for part in node.parts)
    return (of_class or isinstance(node, _PLAIN)) and all(
        _is_plain(part) for part in node.parts if isinstance(part, SetNode)
    )


# --- values and truths --------------------------------------------------------------------------


def _value(runner: Runner, node: ValueNode) -> Step:
    quantity = runner.quantity(node)
    match node:
        case nodes.Min(nodes.Values() as values) | nodes.Max(nodes.Values() as values):
            return Step(node, (_values(runner, values, isinstance(node, nodes.Max)),), quantity=quantity)
        case nodes.Values():
            return _values(runner, node, True)
        case nodes.QualifierOf():
            return Step(node, quantity=quantity, triples=derivation(runner, node).triples)
    return Step(node, _parts(runner, node), quantity=quantity)


def _values(runner: Runner, node: nodes.Values, most: bool) -> Step:
    """The values of members, the highest first where ``most``."""
    base = runner.members(node.base)
    edges = runner.edges(base.certain, node.relation)
    axis = relation_axis(runner.pack, node.relation)
    found = values_on(runner.pack, np.arange(len(edges)), edges.targets, axis if axis is not None else "\0")
    order = np.lexsort((found.member, -found.high if most else found.low))[:SHOWN]
    shown = edges.where(found.member[order])
    known, ids = runner.pack.literal_values, triple_ids(runner.pack, shown).tolist()
    places = literal_places(runner.pack, shown.targets).tolist()
    rows = [
        Row(member, (Judged(Quantity(axis or "", float(known.low[at]), float(known.high[at])), literal),), (triple,))
        for member, literal, at, triple in zip(shown.sources.tolist(), shown.targets.tolist(), places, ids, strict=True)
    ]
    several = len(base.certain) > 1
    coverage = runner.coverage(node)[-1:]
    return Step(
        node,
        _parts(runner, node) if several else (),
        rows=tuple(rows) if several else (),
        coverage=coverage[0] if coverage and coverage[0].node == node else None,
        quantity=runner.quantity(node),
        triples=tuple(ids),
    )


def _truth(runner: Runner, node: TruthNode) -> Step:
    triples = derivation(runner, node).triples if isinstance(node, nodes.Holds) else ()
    return Step(node, _parts(runner, node), truth=runner.truth(node), triples=triples)
