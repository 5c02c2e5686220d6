"""From answers back to seeds: the triples that prove an answer."""

from __future__ import annotations

import numpy as np

from kgask.pack.arrays import distinct
from kgask.pack.store import Pack
from kgask.retrieve.follow import Edges
from kgask.retrieve.walk import Route, Walk
from kgask.types import ScoredTriple


def triple_ids(pack: Pack, edges: Edges) -> np.ndarray:
    """TripleId [E] of each edge; forward rows are ids, inverse ones are searched."""
    inverse = edges.relations >= pack.n_relations
    ids = edges.rows.copy()
    if inverse.any():
        back = edges.where(inverse)
        ids[inverse] = pack.triple_ids(back.targets, back.relations - pack.n_relations, back.sources)
    return ids


AGREEING = 0.1  # a path counts as proof when it has this share of its route's best path


def trace_route(pack: Pack, route: Route, answers: np.ndarray) -> list[ScoredTriple]:
    """The triples of every path of a route that the plan takes seriously, in hop order, each once."""
    best = route.walks[0].prob
    chosen: dict[tuple[int, int], ScoredTriple] = {}
    for walk in route.walks:
        if walk.prob >= AGREEING * best:
            for triple in trace(pack, walk, answers):
                chosen.setdefault((triple.triple, triple.hop), triple)
    return sorted(chosen.values(), key=lambda triple: triple.hop)


def trace(pack: Pack, walk: Walk, answers: np.ndarray) -> list[ScoredTriple]:
    """Every triple on a way of ``walk`` from a seed to one of ``answers``, in hop order.

    Going back from the answers, a hop keeps the edges that reach what the next
    hop needs, so each listed triple lies on a whole way.
    """
    needed = np.asarray(answers, np.int64)
    hops: list[list[ScoredTriple]] = []
    for hop in range(len(walk.relations), 0, -1):
        edges = walk.edges[hop - 1]
        edges = edges.where(np.isin(edges.targets, needed))
        needed = distinct(edges.sources)
        inverse = walk.relations[hop - 1] >= pack.n_relations
        ids = triple_ids(pack, edges)
        hops.append([ScoredTriple(int(i), hop, walk.prob, inverse) for i in ids])
    return [triple for triples in reversed(hops) for triple in triples]
