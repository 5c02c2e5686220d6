"""What the reader sees: the best triples of each hop, in plan order, and the plan's answers."""

from __future__ import annotations

import numpy as np

from kgask.pack.arrays import distinct
from kgask.pack.store import Pack
from kgask.retrieve.follow import Edges, all_edges
from kgask.retrieve.trace import triple_ids
from kgask.retrieve.walk import Walk
from kgask.types import Candidate, Evidence, ScoredTriple

READ_WALKS = 4  # paths whose triples are shown beside the best one's
PLACES = 6  # decimals to which scores are compared: sums in another order are still a tie
LOOKED_AT = 20_000  # triples around the answers; more are not read for the sake of their order


def gather(pack: Pack, walks: list[Walk], top_k: int) -> Evidence:
    """Evidence from walks that share their seeds, most probable first (at least one).

    Scores are the walks' probabilities scaled to sum to one; ``mass`` is what they summed to. ``top_k`` bounds
    the triples of each hop (Rigel + LM, section 3.1: k = 10); it never cuts the
    candidates, which are every end of every walk, best first: the likeliest,
    and among equals those that share most neighbours with the seeds.
    """
    mass = sum(walk.prob for walk in walks)
    total = mass or 1.0
    shares = [walk.prob / total for walk in walks]
    candidates = _candidates(pack, walks, shares)
    chosen: dict[tuple[int, int], ScoredTriple] = {}
    truncated = False
    for walk, share in zip(walks[: READ_WALKS + 1], shares, strict=False):
        needed = _first(candidates, walk.answers, top_k)
        truncated |= len(needed) < len(walk.answers)
        truncated |= _add_walk(pack, walk, share, needed, top_k, chosen)
    ordered = sorted(chosen.values(), key=lambda t: (t.hop, -t.score))
    return Evidence(tuple(ordered), tuple(candidates), truncated, min(mass, 1.0))


def _candidates(pack: Pack, walks: list[Walk], shares: list[float]) -> list[Candidate]:
    """Ends of the walks with the probability of ending there."""
    ends = np.concatenate([walk.answers for walk in walks])
    weights = np.concatenate([np.full(len(walk.answers), share) for walk, share in zip(walks, shares, strict=True)])
    entities, position = np.unique(ends, return_inverse=True)
    scores = np.bincount(position, weights, len(entities))
    rounded = np.round(scores, PLACES)
    # Only ties at the top decide what is printed first: the rest is not worth a look into the graph.
    tied = np.isin(entities, walks[0].answers)
    shared = np.zeros(len(entities), np.int64)
    if tied.sum() > 1 and len(distinct(rounded[tied])) < tied.sum():
        shared[tied] = _shared_neighbours(pack, walks[0].frontiers[0], entities[tied])
    order = np.lexsort((entities, -shared, -rounded))
    return [Candidate(int(entities[i]), float(scores[i])) for i in order]


def _shared_neighbours(pack: Pack, seeds: np.ndarray, entities: np.ndarray) -> np.ndarray:
    """int [n]: how many entities are next to a seed and to each of ``entities`` (ascending); 0 where that is too much.

    What stands in the middle of a seed's surroundings is what people mean
    first (on WebQuestions' training part 2 of 100 first answers more are right).
    """
    degrees = pack.degree(entities.tolist())
    if int(degrees.sum()) > LOOKED_AT:
        return np.zeros(len(entities), np.int64)
    around = distinct(np.concatenate([all_edges(pack, seeds, inverse).targets for inverse in (False, True)]))
    edges = [all_edges(pack, entities, inverse) for inverse in (False, True)]
    pairs = distinct(np.concatenate([edge.sources * pack.n_entities + edge.targets for edge in edges]))
    sources = pairs[np.isin(pairs % pack.n_entities, around)] // pack.n_entities
    return np.bincount(np.searchsorted(entities, sources), minlength=len(entities))


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
        needed = distinct(edges.sources)
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
