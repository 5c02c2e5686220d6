"""The triples around seeds, whatever the question asks: what every method but the planner's chooses from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kgask.pack.store import Pack
from kgask.retrieve.follow import Edges, all_edges, concatenate
from kgask.retrieve.trace import triple_ids
from kgask.types import ScoredTriple, TripleId

MOST = 50_000  # triples that are looked at; a hub's neighbours may have millions


@dataclass(frozen=True, slots=True, eq=False)
class Around:
    """T triples with the way they are walked, away from the seeds; no triple stands twice.

    All arrays are int64 [T]. ``via`` is the row of the hop-1 triple that leads to one of hop 2, -1 at hop 1.
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

    def scored(self, row: int, score: float) -> ScoredTriple:
        inverse = bool(self.relations[row] >= self.n_relations)
        return ScoredTriple(int(self.ids[row]), int(self.hops[row]), score, inverse)

    def ways(self, rows: np.ndarray, score: float) -> dict[TripleId, ScoredTriple]:
        """For each of the rows that is of hop 2, the triple that leads to it."""
        return {
            int(self.ids[row]): self.scored(int(self.via[row]), score) for row in rows.tolist() if self.via[row] >= 0
        }


def around(pack: Pack, seeds: np.ndarray, hops: int, most: int = MOST) -> Around:
    """Every triple within ``hops`` (1 or 2) of the seeds, hop 1 first, at most ``most`` of them.

    A triple between two seeds is walked from its subject. Raises ValueError for other ``hops``.
    """
    if hops not in (1, 2):
        raise ValueError(f"{hops} hops; 1 or 2 are looked at")
    seeds = np.unique(np.asarray(seeds, np.int64))
    near = _edges(pack, seeds)
    ids = triple_ids(pack, near)
    _, first = np.unique(ids, return_index=True)
    first = np.sort(first)
    near, ids = near.where(first), ids[first]
    found = _whole(near, ids, 1, np.full(len(ids), -1), pack)
    if hops == 2 and len(found) < most:
        found = _with_second(pack, seeds, found)
    return _cut(found, most)


def _edges(pack: Pack, entities: np.ndarray) -> Edges:
    return concatenate([all_edges(pack, entities, inverse) for inverse in (False, True)])


def _whole(edges: Edges, ids: np.ndarray, hop: int, via: np.ndarray, pack: Pack) -> Around:
    hops = np.full(len(ids), hop)
    return Around(ids, hops, edges.sources, edges.relations, edges.targets, via, pack.n_relations)


def _with_second(pack: Pack, seeds: np.ndarray, near: Around) -> Around:
    """Hop 1 with the triples of its ends, each led to by the first triple that reaches its start."""
    middle, row = np.unique(near.ends, return_index=True)
    fresh = ~np.isin(middle, seeds)
    middle, row = middle[fresh], row[fresh]
    further = _edges(pack, middle)
    ids = triple_ids(pack, further)
    _, first = np.unique(ids, return_index=True)
    keep = np.sort(first[~np.isin(ids[first], near.ids)])
    further, ids = further.where(keep), ids[keep]
    second = _whole(further, ids, 2, row[np.searchsorted(middle, further.sources)], pack)
    arrays = ("ids", "hops", "starts", "relations", "ends", "via")
    both = (np.concatenate([getattr(near, name), getattr(second, name)]) for name in arrays)
    return Around(*both, pack.n_relations)


def _cut(found: Around, most: int) -> Around:
    if len(found) <= most:
        return found
    arrays = (getattr(found, name)[:most] for name in ("ids", "hops", "starts", "relations", "ends", "via"))
    return Around(*arrays, found.n_relations, truncated=True)
