"""Following relations over the memory-mapped CSR, at the cost of the frontier.

:func:`follow` equals one hop of the reified KB (Cohen et al. 2020; Rigel + LM,
section 3.1): map the entity vector and the relation vector to triples, take
the Hadamard product, map the triples to their far ends. It touches only the
rows of the active entities. ``tests/reified.py`` holds the matrix form.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

import numpy as np

from kgask.pack.arrays import distinct
from kgask.pack.blocks import plain_slices
from kgask.pack.graph import Graph, reads_arrays
from kgask.types import EntityId, undirected


@dataclass(frozen=True, slots=True, eq=False)
class Edges:
    """Triples that leave a frontier, E of them; all arrays are [E]."""

    sources: np.ndarray  # int64, entity the edge leaves
    relations: np.ndarray  # int64, directed relation
    targets: np.ndarray  # int64, entity the edge reaches
    rows: np.ndarray  # int64, row in out_* (the TripleId) or, for inverse edges, in in_*

    def __len__(self) -> int:
        return len(self.targets)

    def where(self, keep: np.ndarray) -> Edges:
        return Edges(self.sources[keep], self.relations[keep], self.targets[keep], self.rows[keep])


def concatenate(parts: list[Edges]) -> Edges:
    """Edges one after another; none gives the empty set."""
    if not parts:
        none = np.empty(0, np.int64)
        return Edges(none, none, none, none)
    if len(parts) == 1:
        return parts[0]
    columns = zip(*((part.sources, part.relations, part.targets, part.rows) for part in parts), strict=True)
    return Edges(*map(np.concatenate, columns))


def _rows(indptr: np.ndarray, entities: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Row numbers of the entities' triples, and the entity of each."""
    starts = indptr[entities].astype(np.int64)
    counts = indptr[entities + 1].astype(np.int64) - starts
    ends = counts.cumsum()
    total = int(ends[-1]) if len(ends) else 0
    if total > len(entities) * int(indptr[-1]):
        raise ValueError("rows longer than the graph")  # before memory is asked for
    rows = np.arange(total, dtype=np.int64)
    rows += (starts - ends + counts).repeat(counts)
    return rows, entities.repeat(counts)


def all_edges(graph: Graph, entities: np.ndarray, inverse: bool) -> Edges:
    """Every triple of the entities in one direction."""
    graph.need_rows(np.asarray(entities, np.int64), inverse)
    return _whole_rows(graph, entities, inverse)


@reads_arrays
def _whole_rows(graph: Graph, entities: np.ndarray, inverse: bool) -> Edges:
    indptr = graph.in_indptr if inverse else graph.out_indptr
    relation = graph.in_relation if inverse else graph.out_relation
    target = graph.in_subject if inverse else graph.out_object
    entities = np.asarray(entities, np.int64)
    if len(entities) == 1:  # a slice costs half of what rows by their numbers do
        start, end = int(indptr[int(entities[0])]), int(indptr[int(entities[0]) + 1])
        rows, sources = np.arange(start, end, dtype=np.int64), entities.repeat(max(end - start, 0))
        relations, targets = relation[start:end].astype(np.int64), target[start:end].astype(np.int64)
    else:
        rows, sources = _rows(indptr, entities)
        relations, targets = relation[rows].astype(np.int64), target[rows].astype(np.int64)
    if inverse:
        relations += graph.n_relations
    return Edges(sources, relations, targets, rows)


def neighbours(graph: Graph, entities: Collection[EntityId], inverse: bool) -> set[EntityId]:
    """The far ends of every triple of the entities in one direction.

    For a few of them, one after another in plain numbers, in a third of the time of :func:`all_edges`.
    """
    every = [*entities]
    graph.need_rows(every, inverse)
    if len(every) > FEW:
        return set(_whole_rows(graph, np.array(every), inverse).targets.tolist())
    return _few_neighbours(graph, every, inverse)


@reads_arrays
def _few_neighbours(graph: Graph, entities: Iterable[EntityId], inverse: bool) -> set[EntityId]:
    pointers = plain_slices(graph.in_indptr if inverse else graph.out_indptr)
    ends = plain_slices(graph.in_subject if inverse else graph.out_object)
    found: set[EntityId] = set()
    for entity in entities:
        start, end = pointers(entity, entity + 2)
        found.update(ends(start, end))
    return found


def edges_of(graph: Graph, entities: np.ndarray, directed_relation: int) -> Edges:
    """The triples of the entities with one directed relation.

    Rows are sorted by relation, so a hub's row is cut by binary search instead
    of being scanned.
    """
    graph.need(np.asarray(entities, np.int64), np.array([directed_relation]))
    return _cut_rows(graph, entities, directed_relation)


@reads_arrays
def _cut_rows(graph: Graph, entities: np.ndarray, directed_relation: int) -> Edges:
    relation, inverse = undirected(directed_relation, graph.n_relations)
    indptr = graph.in_indptr if inverse else graph.out_indptr
    relations = graph.in_relation if inverse else graph.out_relation
    target = graph.in_subject if inverse else graph.out_object
    parts, sources = [], []
    wanted = relations.dtype.type(relation)  # of another type searchsorted would copy the row first
    for entity in np.asarray(entities, np.int64).tolist():
        start, end = int(indptr[entity]), int(indptr[entity + 1])
        row = relations[start:end]
        low, high = row.searchsorted(wanted, "left"), row.searchsorted(wanted, "right")
        if high > low:
            parts.append(np.arange(start + low, start + high, dtype=np.int64))
            sources.append(np.full(high - low, entity, np.int64))
    if not parts:
        return concatenate([])
    rows = np.concatenate(parts)
    directed = np.full(len(rows), directed_relation, np.int64)
    return Edges(np.concatenate(sources), directed, target[rows].astype(np.int64), rows)


FEW = 64  # entities whose triples are read one entity after another
SCANNED = 4096  # a frontier with fewer triples is read whole; else each relation is cut out of its rows
HUB, MANY = 1000, 8  # triples of an entity, and entities, from which each row is a slice, and all are read in one go
SCANNED_EACH = 500  # triples an entity that are read in the time of one cut


@reads_arrays
def edges_with(graph: Graph, entities: np.ndarray, relations: np.ndarray) -> Edges:
    """At least the triples of the entities with the directed relations, by the cheaper way."""
    graph.need(entities, relations)
    parts = []
    for inverse in (False, True):
        wanted = relations[(relations >= graph.n_relations) == inverse]
        if not len(wanted):
            continue
        is_one = len(entities) == len(wanted) == 1
        if not is_one and (_are_few(graph, entities, inverse) or len(wanted) > graph.n_relations // 2):
            parts.append(_whole_rows(graph, entities, inverse))
        else:
            parts += [_cut_rows(graph, entities, relation) for relation in wanted.tolist()]
    return concatenate(parts)


def _are_few(graph: Graph, entities: np.ndarray, inverse: bool) -> bool:
    """Whether the triples of the entities in one direction are so few that they are read whole."""
    indptr = graph.in_indptr if inverse else graph.out_indptr
    degree = int((indptr[entities + 1].astype(np.int64) - indptr[entities]).sum())
    return degree <= SCANNED + SCANNED_EACH * len(entities)


def reached_by(graph: Graph, entities: np.ndarray, directed_relation: int) -> np.ndarray:
    """The far ends (int64, ascending, no repeats) of the entities' triples with one directed relation."""
    edges = edges_with(graph, np.asarray(entities, np.int64), np.array([directed_relation]))
    return distinct(edges.targets[edges.relations == directed_relation])


@reads_arrays
def follow(
    graph: Graph, entities: np.ndarray, weights: np.ndarray, relation_probs: np.ndarray
) -> tuple[np.ndarray, np.ndarray, Edges, np.ndarray]:
    """One soft hop.

    ``entities`` int [F] without repeats, ``weights`` [F], ``relation_probs``
    [2R]. Returns the reached entities [G] in ascending order, their weights
    [G] (sums over edges), and the edges with their weights [E]. Edges of
    weight zero are left out.
    """
    order = np.argsort(entities)
    entities = np.asarray(entities, np.int64)[order]
    weights = np.asarray(weights, np.float64)[order]
    edges = edges_with(graph, entities, np.flatnonzero(relation_probs))
    source_weights = weights[np.searchsorted(entities, edges.sources)]
    edge_weights = source_weights * np.asarray(relation_probs, np.float64)[edges.relations]
    keep = edge_weights > 0
    edges, edge_weights = edges.where(keep), edge_weights[keep]
    reached, position = np.unique(edges.targets, return_inverse=True)
    return reached, np.bincount(position, edge_weights, len(reached)), edges, edge_weights


@reads_arrays
def are_related(graph: Graph, one: int, other: int) -> bool:
    """Whether a triple has them as subject and object, whichever is which."""
    pairs = ((one, other), (other, one))
    return any(bool((graph.out_object[graph.out_indptr[a] : graph.out_indptr[a + 1]] == b).any()) for a, b in pairs)


@reads_arrays
def relations_of(graph: Graph, entities: np.ndarray) -> np.ndarray:
    """bool [2R]: which directed relations leave any of the entities."""
    present = np.zeros((2, graph.n_relations), bool)
    entities = np.asarray(entities, np.int64)
    for inverse, indptr, relation in (
        (False, graph.out_indptr, graph.out_relation),
        (True, graph.in_indptr, graph.in_relation),
    ):
        graph.need_rows(entities, inverse)
        is_hub = (indptr[entities + 1].astype(np.int64) - indptr[entities] > HUB) | (len(entities) < MANY)
        for entity in entities[is_hub].tolist():
            present[int(inverse), relation[int(indptr[entity]) : int(indptr[entity + 1])]] = True
        if not is_hub.all():
            rows, _ = _rows(indptr, entities[~is_hub])
            present[int(inverse), relation[rows]] = True
    return present.ravel()
