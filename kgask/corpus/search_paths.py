"""Relation paths by search, for questions that come with answers but without a path.

A path is found when its end set overlaps the answers. Many such paths are
spurious: they reach the answers by chance. :func:`vote_paths` weighs them down
by what the other questions of the same wording say.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from kgask.corpus.questions import GraphQuestion
from kgask.corpus.sampling import follow_path
from kgask.pack.graph import Graph
from kgask.retrieve.follow import Edges, all_edges, concatenate

RelationPath = tuple[int, ...]  # directed relations

EXACT = 1.0 - 1e-9
LEAST_F1 = 0.05
KEPT = 40  # paths a question, best first
MAX_EDGES = 300_000  # a frontier with more triples is not followed: its ends cannot be a precise answer
SHARPNESS = 4.0  # exponent of the agreement: paths that explain half of the questions get 1/16 of the weight


@dataclass(frozen=True, slots=True)
class FoundPath:
    """A path from a question's topic, and how well its ends match the answers."""

    relations: RelationPath
    f1: float  # of the end set against the answers; 1: the same set


def shortest_paths(graph: Graph, topic: int, answers: Collection[int], max_hops: int) -> list[FoundPath]:
    """Relation paths from ``topic`` whose end set overlaps the answers, best F1 first, then shortest.

    Deepens hop by hop and ends at the first hop where a path gives exactly the
    answers; the paths of that hop and of those before it are all there. Paths
    do not come back to the topic.
    """
    wanted = np.unique(np.fromiter(answers, np.int64, len(answers)))
    near = np.union1d(wanted, _edges_around(graph, wanted).targets)
    prefixes: list[tuple[RelationPath, np.ndarray]] = [((), np.array([topic], np.int64))]
    found: list[FoundPath] = []
    for hops_left in reversed(range(max_hops)):
        longer = []
        for path, frontier in prefixes:
            for relation, ends in _ends_by_relation(graph, frontier, topic):
                step = (*path, relation)
                right = int(np.isin(ends, wanted).sum())
                if right:
                    found.append(FoundPath(step, 2.0 * right / (len(ends) + len(wanted))))
                # With one hop left only a neighbour of an answer leads anywhere.
                if hops_left > 1 or (hops_left == 1 and np.isin(ends, near).any()):
                    longer.append((step, ends))
        if any(path.f1 >= EXACT for path in found):
            break
        prefixes = longer
    ranked = sorted((path for path in found if path.f1 >= LEAST_F1), key=lambda p: (-p.f1, len(p.relations)))
    return ranked[:KEPT]


def _edges_around(graph: Graph, entities: np.ndarray) -> Edges:
    degree = sum(
        int((indptr[entities + 1].astype(np.int64) - indptr[entities]).sum())
        for indptr in (graph.out_indptr, graph.in_indptr)
    )
    if degree > MAX_EDGES:
        return concatenate([])
    return concatenate([all_edges(graph, entities, inverse) for inverse in (False, True)])


def _ends_by_relation(graph: Graph, frontier: np.ndarray, topic: int) -> Iterator[tuple[int, np.ndarray]]:
    """Each directed relation that leaves the frontier, with its ends (sorted, without the topic)."""
    edges = _edges_around(graph, frontier)
    edges = edges.where(edges.targets != topic)
    pairs = np.unique(edges.relations * graph.n_entities + edges.targets)
    relations, ends = pairs // graph.n_entities, pairs % graph.n_entities
    starts = np.flatnonzero(np.diff(relations, prepend=-1))
    for start, stop in pairwise([*starts.tolist(), len(pairs)]):
        yield int(relations[start]), ends[start:stop]


def vote_paths(
    graph: Graph, questions: Sequence[GraphQuestion], found: Sequence[Sequence[FoundPath]]
) -> list[dict[RelationPath, float]]:
    """How much to believe each path, per question; a question's weights sum to one.

    Questions with one masked text ask for one path, so a path counts by its
    mean F1 over all of them, sharpened, times its F1 at the question itself.
    A question that stands alone is left with its own F1. A question for which
    nothing was found gets an empty dict.
    """
    groups: dict[str, list[int]] = {}
    for index, question in enumerate(questions):
        groups.setdefault(question.text, []).append(index)
    weights: list[dict[RelationPath, float]] = [{} for _ in questions]
    for rows in groups.values():
        candidates = sorted({path.relations for row in rows for path in found[row]})
        if not candidates:
            continue
        f1 = np.array([_f1_of(graph, questions[row], found[row], candidates) for row in rows])
        believed = f1 * f1.mean(0) ** SHARPNESS
        for row, scores in zip(rows, believed, strict=True):
            total = scores.sum()
            if total > 0:
                kept = np.flatnonzero(scores)
                weights[row] = {candidates[i]: float(scores[i] / total) for i in kept}
    return weights


def _f1_of(
    graph: Graph, question: GraphQuestion, found: Sequence[FoundPath], candidates: Sequence[RelationPath]
) -> list[float]:
    """F1 of each candidate at a question; those that its own search did not reach are followed."""
    known = {path.relations: path.f1 for path in found}
    return [known[path] if path in known else _f1(graph, question, path) for path in candidates]


def _f1(graph: Graph, question: GraphQuestion, path: RelationPath) -> float:
    ends = follow_path(graph, question.topic, path)
    return 2.0 * len(ends & question.answers) / (len(ends) + len(question.answers))
