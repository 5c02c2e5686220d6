"""Relation paths that the plan proposes and the graph has, most probable first.

A beam over directed relations with the graph as a mask: a relation that no
entity of the frontier has gets nothing (Rigel + LM, section 3.1, with the
paths kept apart so that an answer can be traced).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from kgask.pack.arrays import distinct
from kgask.pack.graph import Graph
from kgask.retrieve.follow import Edges, follow
from kgask.types import Branch, EntityId

BEAM = 6  # paths kept per hop
TRIED = 8  # relations tried per path and hop, most probable first
LEAST_PROB = 1e-4  # a step below this is not worth a look


@dataclass(frozen=True, slots=True, eq=False)
class Walk:
    """A relation path with what it passes through.

    ``frontiers[h]`` are the entities after hop ``h`` (``frontiers[0]`` the
    seeds), sorted; ``edges[h]`` the triples of hop ``h + 1``.
    """

    relations: tuple[int, ...]
    prob: float  # of this path, STOP included, before the graph is looked at
    frontiers: tuple[np.ndarray, ...]
    edges: tuple[Edges, ...]

    @property
    def answers(self) -> np.ndarray:
        return self.frontiers[-1]


@dataclass(frozen=True, slots=True, eq=False)
class Route:
    """Every path of the plan that ends in the same answer set, most probable first.

    Graphs say things twice (spouse in both directions, author and notable
    work): what several paths agree on is surer than any one of them.
    """

    walks: tuple[Walk, ...]

    @property
    def prob(self) -> float:
        return sum(walk.prob for walk in self.walks)

    @property
    def answers(self) -> np.ndarray:
        """int64, sorted."""
        return self.walks[0].answers


@dataclass(frozen=True, slots=True, eq=False)
class _Partial:
    relations: tuple[int, ...]
    prob: float
    frontiers: tuple[np.ndarray, ...]
    edges: tuple[Edges, ...]


@dataclass(frozen=True, slots=True)
class Dropped:
    """A path that was not followed, for who asks why."""

    relations: tuple[int, ...]
    prob: float  # before STOP
    why: str


def routes(found: Iterable[Walk]) -> list[Route]:
    """Walks gathered by what they answer, most probable first."""
    by_answers: dict[bytes, list[Walk]] = {}
    for walk in found:
        by_answers.setdefault(walk.answers.tobytes(), []).append(walk)
    return sorted((Route(tuple(same)) for same in by_answers.values()), key=lambda route: -route.prob)


def walks(
    graph: Graph,
    branch: Branch,
    seeds: list[EntityId],
    max_hops: int,
    keep_seed: bool = False,
    dropped: list[Dropped] | None = None,
) -> list[Walk]:
    """The plan's paths that exist from ``seeds``, most probable first.

    ``branch.stop_probs`` [H] says after which hop to stop; the last hop always
    stops. A path does not come back to its seeds, at any step, unless
    ``keep_seed``. An empty list means that the graph has nothing that the plan
    asks for. What the beam loses goes to ``dropped``, when given.
    """
    start = distinct(np.asarray(seeds, np.int64))
    beam = [_Partial((), 1.0, (start,), ())]
    found: list[Walk] = []
    n_hops = min(max_hops, len(branch.relation_probs))
    for hop in range(n_hops):
        stop = 1.0 if hop == n_hops - 1 else float(branch.stop_probs[hop])
        longer = []
        for partial in beam:
            for step in _extend(graph, partial, branch.relation_probs[hop], start, keep_seed, dropped):
                if step.prob * stop >= LEAST_PROB:
                    found.append(Walk(step.relations, step.prob * stop, step.frontiers, step.edges))
                longer.append(_Partial(step.relations, step.prob * (1.0 - stop), step.frontiers, step.edges))
        beam = sorted(longer, key=lambda partial: -partial.prob)
        if dropped is not None and hop < n_hops - 1:
            dropped += [Dropped(p.relations, p.prob, "beam full") for p in beam[BEAM:] if p.prob >= LEAST_PROB]
        beam = beam[:BEAM]
    return sorted(found, key=lambda walk: -walk.prob)


def _extend(
    graph: Graph,
    partial: _Partial,
    probs: np.ndarray,
    seeds: np.ndarray,
    keep_seed: bool,
    dropped: list[Dropped] | None,
) -> list[_Partial]:
    likely = np.argsort(-probs)[:TRIED]
    likely = likely[partial.prob * probs[likely] >= LEAST_PROB]
    tried = np.zeros(2 * graph.n_relations)
    tried[likely] = probs[likely]
    frontier = partial.frontiers[-1]
    _, _, found, _ = follow(graph, frontier, np.ones(len(frontier)), tried)
    steps = []
    for relation in likely.tolist():
        edges = there = found.where(found.relations == relation)
        if not keep_seed:
            edges = edges.where(edges.targets != seeds[0] if len(seeds) == 1 else ~np.isin(edges.targets, seeds))
        relations, prob = (*partial.relations, relation), partial.prob * float(probs[relation])
        if len(edges):
            frontiers = (*partial.frontiers, distinct(edges.targets))
            steps.append(_Partial(relations, prob, frontiers, (*partial.edges, edges)))
        elif dropped is not None:
            dropped.append(Dropped(relations, prob, "leads back to the topic" if len(there) else "the graph lacks it"))
    return steps
