"""Arrays of entities and what leads away from them: the vectorised steps that running a query is made of."""

from __future__ import annotations

import time
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from kgask.errors import BudgetError
from kgask.pack.arrays import distinct
from kgask.pack.graph import reads_arrays
from kgask.pack.store import Pack
from kgask.query.axes import axis_codes, literal_places
from kgask.retrieve.follow import Edges, concatenate, edges_with
from kgask.types import DirectedRelationId, undirected

MOST_HELD = 1 << 25
_HAVING: WeakKeyDictionary[Pack, dict[DirectedRelationId, np.ndarray]] = WeakKeyDictionary()
WIDE = 8  # of an eighth of all entities and more the triples are found by one look at all
CHUNK = 1 << 16  # entities that are followed between two looks at the clock
BY_CLOCK = 6.0


class Budget:
    """The time that one query may take; ``None`` is without end. Ctrl-C stops a query at any step anyway.

    It is the thread's own computing that counts, so that a busy machine answers as an idle one does; by the clock a
    query may take :data:`BY_CLOCK` times as long.
    """

    def __init__(self, seconds: float | None = None) -> None:
        self.seconds = seconds
        now = time.monotonic()
        # until the clock says so much no thread has computed for so long: its own time costs more to read
        self._not_before = now + (seconds or 0.0)
        self._ends = None if seconds is None else (time.thread_time() + seconds, now + BY_CLOCK * seconds)

    def check(self) -> None:
        """Raises :class:`~kgask.errors.BudgetError` when the time is over."""
        if self._ends is None or (now := time.monotonic()) < self._not_before:
            return
        if time.thread_time() > self._ends[0] or now > self._ends[1]:
            raise BudgetError(f"the query was stopped after {self.seconds:g} s; ask for less, or give it more time")


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """Numbers and dates of members, E of them: the place of the member in its array, and where the value lies."""

    member: np.ndarray  # int64 [E]
    low: np.ndarray  # float64 [E]
    high: np.ndarray  # float64 [E]


def ascending(values: np.ndarray) -> np.ndarray:
    """The different values, ascending; those that are so already are not sorted again."""
    if len(values) < 2:
        return values
    is_new = values[1:] > values[:-1]
    if is_new.all():
        return values
    if (values[1:] >= values[:-1]).all():
        return values[np.concatenate([[True], is_new])]
    return distinct(values)


def having(pack: Pack, relation: DirectedRelationId) -> np.ndarray:
    """The entities (int64, ascending) that a directed relation leads from, anywhere in the pack.

    One pass over the pack's triples; what was found is held, a bit an entity and :data:`MOST_HELD` bytes a pack.
    """
    told = pack.owners(relation)
    if told is not None:
        return told
    held = _HAVING.setdefault(pack, {})
    if relation not in held:
        plain, inverse = undirected(relation, pack.n_relations)
        column, indptr = (pack.in_relation, pack.in_indptr) if inverse else (pack.out_relation, pack.out_indptr)
        rows = np.flatnonzero(column == plain).astype(indptr.dtype)  # for others searchsorted copies all pointers
        is_found = np.zeros(pack.n_entities, bool)
        is_found[np.searchsorted(indptr, rows, "right") - 1] = True
        if (len(held) + 1) * (pack.n_entities // 8 + 1) > MOST_HELD:
            held.clear()
        held[relation] = np.packbits(is_found)
    return np.flatnonzero(np.unpackbits(held[relation], count=pack.n_entities))


def edges_from(pack: Pack, entities: np.ndarray, relation: DirectedRelationId, budget: Budget) -> Edges:
    """The triples of the entities (int64, ascending) with one directed relation, in the order of their rows."""
    if len(entities) > CHUNK and len(entities) > pack.n_entities // WIDE:
        budget.check()
        return _edges_scanned(pack, entities, relation)
    parts = []
    for start in range(0, len(entities), CHUNK):
        budget.check()
        edges = edges_with(pack, entities[start : start + CHUNK], np.array([relation]))
        alike = edges.relations == relation
        parts.append(edges if alike.all() else edges.where(alike))
    return concatenate(parts)


@reads_arrays
def _edges_scanned(pack: Pack, entities: np.ndarray, relation: DirectedRelationId) -> Edges:
    """The same by one look at all triples of the pack, which costs less than the rows of so many entities."""
    plain, inverse = undirected(relation, pack.n_relations)
    column, indptr = (pack.in_relation, pack.in_indptr) if inverse else (pack.out_relation, pack.out_indptr)
    rows = np.flatnonzero(column == plain)
    sources = np.searchsorted(indptr, rows.astype(indptr.dtype), "right") - 1
    is_one = np.zeros(pack.n_entities, bool)
    is_one[entities] = True
    kept = is_one[sources]
    rows, sources = rows[kept], sources[kept]
    targets = (pack.in_subject if inverse else pack.out_object)[rows].astype(np.int64)
    return Edges(sources, np.full(len(rows), relation, np.int64), targets, rows)


def path_ends(
    pack: Pack, members: np.ndarray, path: tuple[DirectedRelationId, ...], budget: Budget
) -> tuple[np.ndarray, np.ndarray]:
    """Every different pair of a member (its place, int64 [E]) and what the path leads to from it (entity id [E])."""
    edges = edges_from(pack, members, path[0], budget)
    order = np.argsort(edges.sources, kind="stable")
    place, at = np.searchsorted(members, edges.sources[order]), edges.targets[order]
    for relation in path[1:]:
        edges = edges_from(pack, ascending(at), relation, budget)
        order = np.argsort(edges.sources, kind="stable")
        sources, targets = edges.sources[order], edges.targets[order]
        first, last = np.searchsorted(sources, at, "left"), np.searchsorted(sources, at, "right")
        rows = spread(first, last)
        place, at = np.repeat(place, last - first), targets[rows]
        pairs = distinct(place * pack.n_entities + at)
        place, at = pairs // pack.n_entities, pairs % pack.n_entities
    return place, at


def spread(first: np.ndarray, last: np.ndarray) -> np.ndarray:
    """The numbers from each ``first`` up to its ``last``, one range after the other."""
    counts = last - first
    return np.repeat(first - np.cumsum(counts) + counts, counts) + np.arange(int(counts.sum()))


def paired(ones: np.ndarray, others: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The places of all pairs of equal members of two arrays (ascending, int64): of the one and of the other [P]."""
    first, last = np.searchsorted(others, ones, "left"), np.searchsorted(others, ones, "right")
    number = last - first
    left = np.repeat(np.arange(len(ones)), number)
    begins = np.repeat(np.cumsum(number) - number, number)
    return left, np.arange(len(left)) - begins + first[left]


def values_on(pack: Pack, place: np.ndarray, values: np.ndarray, axis: str) -> Found:
    """Those of the entity ids ``values`` that lie on the axis, with the ``place`` of whom they belong to."""
    known = pack.literal_values
    code = known.axes.index(axis) if axis in known.axes else -2  # -2: of no literal
    on_axis = np.flatnonzero(axis_codes(pack, values) == code)
    literal = literal_places(pack, values[on_axis])
    return Found(place[on_axis], known.low[literal], known.high[literal])
