"""The triples around seeds, whatever the question asks: what every method but the planner's chooses from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kgask.pack.arrays import distinct
from kgask.pack.store import Pack
from kgask.retrieve.follow import all_edges, concatenate
from kgask.retrieve.trace import triple_ids
from kgask.types import ScoredTriple, TripleId

MOST = 50_000  # triples that are looked at; a hub's neighbours may have millions


@dataclass(frozen=True, slots=True, eq=False)
class Around:
    """T triples with the way they are walked, away from the seeds; no triple stands twice.

    All arrays are int64 [T]. ``via`` is the row of the triple that leads to one beyond hop 1, -1 at hop 1.
    """

    ids: np.ndarray
    hops: np.ndarray
    starts: np.ndarray
    relations: np.ndarray  # directed
    ends: np.ndarray
    via: np.ndarray
    n_relations: int
    truncated: bool = False

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def arrays(self) -> tuple[np.ndarray, ...]:
        return self.ids, self.hops, self.starts, self.relations, self.ends, self.via

    def scored(self, row: int, score: float) -> ScoredTriple:
        inverse = bool(self.relations[row] >= self.n_relations)
        return ScoredTriple(int(self.ids[row]), int(self.hops[row]), score, inverse)

    def ways(self, rows: np.ndarray, score: float) -> dict[TripleId, ScoredTriple]:
        """For each of the rows beyond hop 1, and for what leads to it, the triple that leads there."""
        found: dict[TripleId, ScoredTriple] = {}
        for row in rows.tolist():
            while self.via[row] >= 0 and int(self.ids[row]) not in found:
                found[int(self.ids[row])] = self.scored(int(self.via[row]), score)
                row = int(self.via[row])
        return found


def around(pack: Pack, seeds: np.ndarray, hops: int, most: int = MOST) -> Around:
    """Every triple within ``hops`` of the seeds, near ones first; beyond ``most`` an even share of the last hop.

    A triple between two seeds is walked from its subject. Raises ValueError for ``hops`` below 1.
    """
    if hops < 1:
        raise ValueError(f"{hops} hops; at least 1 is looked at")
    reached = frontier = distinct(np.asarray(seeds, np.int64))
    none = np.empty(0, np.int64)
    found = Around(none, none, none, none, none, none, pack.n_relations)
    led = np.full(len(frontier), -1)  # the row that leads to each entity of the frontier
    for hop in range(1, hops + 1):
        found = _with_hop(found, pack, frontier, led, hop, most)
        if found.truncated or hop == hops:
            break
        last = np.flatnonzero(found.hops == hop)
        ends, first = np.unique(found.ends[last], return_index=True)
        fresh = ~np.isin(ends, reached)
        frontier, led = ends[fresh], last[first[fresh]]
        reached = np.union1d(reached, frontier)
    return found


def _with_hop(found: Around, pack: Pack, frontier: np.ndarray, led: np.ndarray, hop: int, most: int) -> Around:
    """What was found and the triples of the frontier that are new, each with the row that leads to its start."""
    edges = concatenate([all_edges(pack, frontier, inverse) for inverse in (False, True)])
    ids = triple_ids(pack, edges)
    _, first = np.unique(ids, return_index=True)
    keep = np.sort(first[~np.isin(ids[first], found.ids)])
    room = most - len(found)
    truncated = len(keep) > room
    if truncated:
        keep = keep[np.linspace(0, len(keep) - 1, max(0, room)).astype(np.int64)]
    edges, ids = edges.where(keep), ids[keep]
    via = led[np.searchsorted(frontier, edges.sources)]
    new = (ids, np.full(len(ids), hop), edges.sources, edges.relations, edges.targets, via)
    ids, hops, starts, relations, ends, via = map(np.concatenate, zip(found.arrays, new, strict=True))
    return Around(ids, hops, starts, relations, ends, via, found.n_relations, truncated)
