"""What sort of thing a relation leads to: what is counted of a director are films."""

from __future__ import annotations

from collections.abc import Collection
from weakref import WeakKeyDictionary

import numpy as np

from kgask.pack.store import Pack
from kgask.types import DirectedRelationId, EntityId, RelationId, undirected

SAMPLED = 64  # ends of a relation whose types are looked at
NEARLY_ALL = 0.9  # of them are of a type that says what they are

# What was found, for as long as the pack is in use.
_KINDS: WeakKeyDictionary[Pack, dict[DirectedRelationId, EntityId | None]] = WeakKeyDictionary()
_LIKES: WeakKeyDictionary[Pack, dict[RelationId, bool]] = WeakKeyDictionary()


def kind_of_ends(pack: Pack, relation: DirectedRelationId) -> EntityId | None:
    """The type that nearly all have that a directed relation leads to, by :data:`SAMPLED` of its triples.

    Of several the one with the fewest instances. None where there is none, and of a graph elsewhere, which is not asked
    for it. One pass over the pack's triples, once for a relation.
    """
    if pack.source is not None:
        return None
    known = _KINDS.setdefault(pack, {})
    if relation not in known:
        known[relation] = _kind_of_ends(pack, relation)
    return known[relation]


def share_of_ends(pack: Pack, relation: DirectedRelationId, kinds: Collection[EntityId]) -> float | None:
    """The share of those that a directed relation leads to and that have types which have one of ``kinds``, from 0 to 1
    by :data:`SAMPLED` of its triples; None where none has a type, and of a graph elsewhere."""
    every = [] if pack.source is not None else [_types_of(pack, end) for end in _ends(pack, relation).tolist()]
    typed = [not {*types}.isdisjoint(kinds) for types in every if len(types)]
    return sum(typed) / len(typed) if typed else None


def _ends(pack: Pack, relation: DirectedRelationId) -> np.ndarray:
    plain, inverse = undirected(relation, pack.n_relations)
    relations, ends = (pack.in_relation, pack.in_subject) if inverse else (pack.out_relation, pack.out_object)
    places = np.flatnonzero(relations == plain)
    return ends[places[:: 1 + len(places) // SAMPLED]]


def _kind_of_ends(pack: Pack, relation: DirectedRelationId) -> EntityId | None:
    ends = _ends(pack, relation)
    types = [kind for end in ends.tolist() for kind in _types_of(pack, end)]
    often = [kind for kind in dict.fromkeys(types) if types.count(kind) >= NEARLY_ALL * len(ends)]
    return min(often, key=lambda kind: int(pack.in_indptr[kind + 1] - pack.in_indptr[kind]), default=None)


def leads_to_likes(pack: Pack, relation: RelationId) -> bool:
    """Whether a relation leads from things to others of their sort, as people sue people, by some of its triples.

    One pass over the pack's triples, once for a relation.
    """
    known = _LIKES.setdefault(pack, {})
    if relation not in known:
        known[relation] = _leads_to_likes(pack, relation)
    return known[relation]


def _leads_to_likes(pack: Pack, relation: RelationId) -> bool:
    if pack.source is not None:
        return False
    places = np.flatnonzero(pack.out_relation == relation)
    subjects = np.searchsorted(pack.out_indptr, places.astype(pack.out_indptr.dtype), side="right") - 1
    ends = pack.out_object[places]
    if np.isin(ends, subjects).any():
        return True
    step = 1 + len(places) // SAMPLED
    pairs = zip(subjects[::step].tolist(), ends[::step].tolist(), strict=True)
    return any(_are_alike(pack, one, other) for one, other in pairs)


def _are_alike(pack: Pack, one: EntityId, other: EntityId) -> bool:
    """By their types, where both have some, else by what is said of them."""
    types, others = _types_of(pack, one), _types_of(pack, other)
    if types and others:
        return not types.isdisjoint(others)
    said, said_of_other = (set(pack.out_relation[_row(pack, entity)].tolist()) for entity in (one, other))
    return 2 * len(said & said_of_other) >= max(1, min(len(said), len(said_of_other)))


def _row(pack: Pack, entity: EntityId) -> slice:
    return slice(pack.out_indptr[entity], pack.out_indptr[entity + 1])


def _types_of(pack: Pack, entity: EntityId) -> set[EntityId]:
    row = _row(pack, entity)
    is_type = np.isin(pack.out_relation[row], pack.type_relations)
    return {int(kind) for kind in pack.out_object[row][is_type]}
