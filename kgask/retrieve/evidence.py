"""What the reader sees: the best triples of each hop, in plan order, and the plan's answers."""

from __future__ import annotations

import numpy as np

from kgask.pack.store import Pack
from kgask.retrieve.follow import Edges
from kgask.retrieve.trace import triple_ids
from kgask.retrieve.walk import Walk
from kgask.types import Candidate, Evidence, ScoredTriple

READ_WALKS = 4  # paths whose triples are shown beside the best one's


def gather(pack: Pack, walks: list[Walk], top_k: int) -> Evidence:
    """Evidence from walks that share their seeds, most probable first (at least one).

    Scores are the walks' probabilities scaled to sum to one; ``mass`` is what they summed to. ``top_k`` bounds
    the triples of each hop (Rigel + LM, section 3.1: k = 10); it never cuts the
    candidates, which are every end of every walk, best first.
    """
    mass = sum(walk.prob for walk in walks)
    total = mass or 1.0
    shares = [walk.prob / total for walk in walks]
    candidates = _candidates(walks, shares)
    chosen: dict[tuple[int, int], ScoredTriple] = {}
    truncated = False
    for walk, share in zip(walks[: READ_WALKS + 1], shares, strict=False):
        needed = _first(candidates, walk.answers, top_k)
        truncated |= len(needed) < len(walk.answers)
        truncated |= _add_walk(pack, walk, share, needed, top_k, chosen)
    ordered = sorted(chosen.values(), key=lambda t: (t.hop, -t.score))
    return Evidence(tuple(ordered), tuple(candidates), truncated, min(mass, 1.0))


def _candidates(walks: list[Walk], shares: list[float]) -> list[Candidate]:
    """Ends of the walks with the probability of ending there; ties keep pack order."""
    ends = np.concatenate([walk.answers for walk in walks])
    weights = np.concatenate(
        [np.full(len(walk.answers), share) for walk, share in zip(walks, shares, strict=True)]
    )
    entities, position = np.unique(ends, return_inverse=True)
    scores = np.bincount(position, weights, len(entities))
    order = np.argsort(-scores, kind="stable")
    return [Candidate(int(entities[i]), float(scores[i])) for i in order]


def _first(candidates: list[Candidate], answers: np.ndarray, top_k: int) -> np.ndarray:
    wanted = set(answers.tolist())
    best = [candidate.entity for candidate in candidates if candidate.entity in wanted]
    return np.asarray(best[:top_k], np.int64)


def _add_walk(
    pack: Pack, walk: Walk, share: float, needed: np.ndarray, top_k: int, chosen: dict[tuple[int, int], ScoredTriple]
) -> bool:
    """Add the walk's triples that lead to ``needed``, last hop first; True when some were left out."""
    left_out = False
    for hop in range(len(walk.relations), 0, -1):
        edges = walk.edges[hop - 1]
        edges = edges.where(np.isin(edges.targets, needed))
        edges = _one_per_target_first(edges)
        room = top_k - sum(1 for _, at in chosen if at == hop)
        left_out |= len(edges) > room
        edges = edges.where(np.arange(len(edges)) < room)
        needed = np.unique(edges.sources)
        inverse = walk.relations[hop - 1] >= pack.n_relations
        for triple in triple_ids(pack, edges).tolist():
            before = chosen.get((triple, hop))
            score = share + (before.score if before else 0.0)
            chosen[triple, hop] = ScoredTriple(triple, hop, score, inverse)
    return left_out


def _one_per_target_first(edges: Edges) -> Edges:
    """Reorder so that every target is shown once before any is shown twice."""
    _, first = np.unique(edges.targets, return_index=True)
    again = np.ones(len(edges), bool)
    again[first] = False
    return edges.where(np.argsort(again, kind="stable"))
