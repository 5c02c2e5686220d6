"""On which axis a relation's values lie: what members can be compared by."""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np

from kgask.pack.quantities import DATE, NUMBER, SECONDS, WHEN, LiteralValues
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.base import By, ValueNode
from kgask.types import DirectedRelationId, RelationId, undirected

# What one pass over a pack's triples found, for as long as the pack is in use.
_AXES: WeakKeyDictionary[Pack, dict[DirectedRelationId, str | None]] = WeakKeyDictionary()


def relation_axis(pack: Pack, relation: DirectedRelationId) -> str | None:
    """The most frequent axis among what the directed relation leads to, anywhere in the pack; None without values.

    Of equally frequent ones the alphabetically first. One pass over the pack's triples, once for a pack.
    """
    plain, inverse = undirected(relation, pack.n_relations)
    if inverse:  # leads to subjects, and no literal is one
        return None
    known = _AXES.setdefault(pack, {})
    if plain not in known:
        known[plain] = most_frequent_axis(pack, pack.out_object[pack.out_relation == plain])
    return known[plain]


def by_axis(pack: Pack, by: By) -> str | None:
    """The axis on which what members are judged by lies; None where it leads to no values, or to two unlike ones."""
    axis = NUMBER if isinstance(by, nodes.SizeOf) else relation_axis(pack, by.path[-1])
    if isinstance(by, nodes.TotalOf):
        return None if axis in WHEN else axis
    if not isinstance(by, nodes.SpanOf):
        return axis
    return None if axis != relation_axis(pack, by.until[-1]) else SECONDS if axis in WHEN else axis


def qualifier_axis(pack: Pack, relation: RelationId) -> str | None:
    """As :func:`relation_axis`, of the values that a qualifier has in the pack's statements."""
    return most_frequent_axis(pack, pack.qualifier_value[pack.qualifier_relation == relation])


def most_frequent_axis(pack: Pack, values: np.ndarray) -> str | None:
    """The most frequent axis among entity ids (int [n]); entities and text have none."""
    axis = axis_codes(pack, values)
    axis = axis[axis >= 0]
    if not len(axis):
        return None
    counts = np.bincount(axis)
    return min(pack.literal_values.axes[code] for code in np.flatnonzero(counts == counts.max()))


def axis_codes(pack: Pack, values: np.ndarray) -> np.ndarray:
    """The place in ``literal_values.axes`` of each entity id (int [n]); -1 for entities and text.

    Raises PackError for an id that the pack does not have.
    """
    place = literal_places(pack, values)
    known: LiteralValues = pack.literal_values
    codes = np.full(len(place), -1, np.int64)
    literal = place >= 0
    try:
        codes[literal] = known.axis[place[literal]]
    except IndexError as error:
        raise pack.damaged(error) from error
    return codes


def literal_places(pack: Pack, values: np.ndarray) -> np.ndarray:
    """Where each entity id stands among the literals (int64 [n]); negative for entities."""
    return np.asarray(values, np.int64) - (pack.n_entities - pack.n_literals)


def value_axis(node: ValueNode, pack: Pack) -> str | None:
    """The axis on which a value lies on this pack, whatever the graph says; None where it can only be unknown."""
    match node:
        case nodes.Number() | nodes.Date() | nodes.Range():
            return node.quantity.axis
        case nodes.Values(_, relation):
            return relation_axis(pack, relation)
        case nodes.QualifierOf(_, relation):
            return qualifier_axis(pack, relation)
        case nodes.Difference(left, right):
            axis = value_axis(left, pack)
            return None if axis != value_axis(right, pack) else SECONDS if axis in WHEN else axis
        case nodes.Age(born, at):
            return NUMBER if value_axis(born, pack) == value_axis(at, pack) == DATE else None
        case nodes.Sum(values) | nodes.Mean(values) | nodes.Min(values) | nodes.Max(values):
            return value_axis(values, pack)
    return NUMBER  # Count
