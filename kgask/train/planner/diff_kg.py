"""The differentiable KG: the reified KB of Cohen et al. (2020) in torch, over a neighbourhood.

One hop is ``O^T (S x * R r)`` with three sparse binary maps from triples to
their subject (S), relation (R) and object (O): the Hadamard product of the
left-entity and the relation map, taken to the far end (Rigel + LM, section
3.1). Each map has a single 1 a row, so it is kept as an index vector:
multiplying by it is a gather, by its transpose a scatter-add, and gradients
reach the relation distribution and the entity weights. Inverse relations share
the maps, with S and O exchanged.

A batch looks at the triples within H hops of its topics only, under local
entity ids, so a graph of millions of triples needs no more memory than a small
one. Shapes: B questions, R relations, H hops, N' entities and T' triples of the
neighbourhood.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from kgask.pack.graph import Graph
from kgask.retrieve.follow import Edges, all_edges, concatenate

LEAST_WEIGHT = 1e-12  # of an entity; below, it counts as not reached


@dataclass(frozen=True, slots=True, eq=False)
class Neighbourhood:
    """The triples around some topics, and the entities that they touch under local ids."""

    entities: np.ndarray  # int64 [N'], ids in the pack, ascending; the place is the local id
    subjects: Tensor  # int64 [T'], local
    relations: Tensor  # int64 [T'], 0..R-1
    objects: Tensor  # int64 [T'], local
    n_relations: int  # R of the pack
    n_left_out: int  # triples within the hops that the bound cut away; 0: the neighbourhood is whole

    @classmethod
    def around(
        cls,
        graph: Graph,
        topics: Iterable[int],
        hops: int,
        max_triples: int,
        answers: Collection[int] = (),
        rng: np.random.Generator | None = None,
    ) -> Neighbourhood:
        """Every triple that a path of ``hops`` from ``topics`` may use, at most ``max_triples``.

        Where the bound cuts, triples that lead towards ``answers`` stay first,
        the rest is a random sample (evenly over the hops that are left);
        ``n_left_out`` says how many went. The cost is that of the triples
        looked at, not of the graph.
        """
        rng = rng or np.random.default_rng(0)
        start = np.unique(np.fromiter(topics, np.int64))
        towards = _Towards(graph, answers, hops, max_triples)
        expanded = np.empty(0, np.int64)
        frontier, kept, room, left_out = start, [], max_triples, 0
        for hop in range(hops):
            edges = _new_edges(graph, frontier, expanded)
            share = room // (hops - hop)
            if len(edges) > share:
                left_out += len(edges) - share
                edges = edges.where(_sample(towards.leads(edges.targets, hops - hop - 1), share, rng))
            kept.append(edges)
            room -= len(edges)
            expanded = np.union1d(expanded, frontier)
            frontier = np.setdiff1d(edges.targets, expanded)
        return cls._of(graph.n_relations, start, concatenate(kept), left_out)

    @classmethod
    def _of(cls, n_relations: int, topics: np.ndarray, edges: Edges, left_out: int) -> Neighbourhood:
        inverse = edges.relations >= n_relations
        subjects = np.where(inverse, edges.targets, edges.sources)
        objects = np.where(inverse, edges.sources, edges.targets)
        entities = np.unique(np.concatenate([topics, subjects, objects]))
        return cls(
            entities,
            torch.from_numpy(np.searchsorted(entities, subjects)),
            torch.from_numpy(edges.relations % n_relations),
            torch.from_numpy(np.searchsorted(entities, objects)),
            n_relations,
            left_out,
        )

    def to(self, device: str) -> Neighbourhood:
        """The same with its maps on a device."""
        maps = (self.subjects.to(device), self.relations.to(device), self.objects.to(device))
        return Neighbourhood(self.entities, *maps, self.n_relations, self.n_left_out)

    @property
    def n_triples(self) -> int:
        return len(self.subjects)

    @property
    def is_whole(self) -> bool:
        return self.n_left_out == 0

    def local(self, ids: Iterable[int]) -> np.ndarray:
        """Local ids int64 of the entities that are here; the others are left out."""
        wanted = np.fromiter(ids, np.int64)
        place = np.minimum(np.searchsorted(self.entities, wanted), len(self.entities) - 1)
        return place[self.entities[place] == wanted]

    def rows(self, sets: Sequence[Iterable[int]]) -> Tensor:
        """Sets of pack ids as 0/1 rows, float32 [B, N']."""
        rows = torch.zeros(len(sets), len(self.entities))
        for row, ids in zip(rows, sets, strict=True):
            row[torch.from_numpy(self.local(ids))] = 1.0
        return rows

    # --- one hop --------------------------------------------------------------------------

    def follow(self, entity_weights: Tensor, relation_probs: Tensor) -> Tensor:
        """One hop: entity weights [B, N'] under relation probabilities [B, 2R] to weights [B, N'].

        A weight is a sum over the triples that reach the entity, as in the paper.
        """
        return self._follow(entity_weights.t(), relation_probs.t()).t()

    def _follow(self, x: Tensor, probs: Tensor) -> Tensor:
        """:meth:`follow` with the batch last, [N', B] and [2R, B]: gathers then copy whole rows."""
        forward = x[self.subjects] * probs[self.relations]
        backward = x[self.objects] * probs[self.relations + self.n_relations]
        reached = torch.zeros(len(self.entities), x.shape[1], dtype=forward.dtype, device=x.device)
        return reached.index_add(0, self.objects, forward).index_add(0, self.subjects, backward)

    @torch.no_grad()
    def relations_present(self, entity_weights: Tensor) -> Tensor:
        """bool [B, 2R]: which directed relations leave an entity of weight above ``LEAST_WEIGHT``."""
        x = (entity_weights > LEAST_WEIGHT).to(torch.float32).t()
        present = torch.zeros(2 * self.n_relations, x.shape[1], device=x.device)
        present.index_add_(0, self.relations, x[self.subjects])
        present.index_add_(0, self.relations + self.n_relations, x[self.objects])
        return (present > 0).t()

    def hops(self, topics: Tensor, relation_probs: Tensor) -> Iterator[Tensor]:
        """The entity weights [B, N'] after each hop of [B, H, 2R], one hop at a time.

        ``topics`` [B, N'] are the weights to start from, as a linker scores
        them; a path does not come back to an entity that has one.
        """
        away = (topics == 0).to(relation_probs.dtype).t()
        x = topics.to(relation_probs.dtype).t()
        for hop in range(relation_probs.shape[1]):
            x = self._follow(x, relation_probs[:, hop].t()) * away
            yield x.t()

    def masked_hops(self, topics: Tensor, relation_logits: Tensor, masked: Tensor) -> Iterator[Tensor]:
        """Memberships [B, N'] of each hop's answer set, from logits [B, H, 2R + 1].

        For the questions of ``masked`` [B] the graph is a mask: only relations
        that the frontier has share a hop's probability. For the others what
        goes to an absent relation is lost, as is always what goes to the last
        column ("none of them"). A membership is capped at 1, with the gradient
        of what is capped, or an entity that many triples reach would never
        unlearn.
        """
        away = (topics == 0).to(relation_logits.dtype).t()
        x = topics.to(relation_logits.dtype).t()
        for hop in range(relation_logits.shape[1]):
            present = self.relations_present(x.t()).t()
            logits = relation_logits[:, hop].t()
            hidden = nn.functional.pad(masked & ~present, (0, 0, 0, 1))  # "none of them" always competes
            x = self._follow(x, torch.softmax(logits.masked_fill(hidden, -1e4), dim=0)[:-1]) * away
            x = x / x.detach().clamp(min=1.0)
            yield x.t()


def _new_edges(graph: Graph, frontier: np.ndarray, expanded: np.ndarray) -> Edges:
    """The triples of the frontier, each once, without those of entities that were looked at before."""
    out = all_edges(graph, frontier, inverse=False)
    back = all_edges(graph, frontier, inverse=True)
    out = out.where(~np.isin(out.targets, expanded))
    # Between two entities of the frontier a triple is seen from both ends: the outgoing one counts.
    back = back.where(~np.isin(back.targets, np.union1d(expanded, frontier)))
    return concatenate([out, back])


def _sample(first: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
    """``n`` of the places of a bool array: the true ones first, at random within."""
    order = np.lexsort((rng.random(len(first)), ~first))
    return np.sort(order[:n])


class _Towards:
    """Which entities are within some hops of the answers; looked up only when a bound cuts."""

    def __init__(self, graph: Graph, answers: Collection[int], hops: int, max_triples: int) -> None:
        self._graph, self._answers, self._hops, self._bound = graph, answers, hops, max_triples
        self._near: list[np.ndarray] = []

    def leads(self, targets: np.ndarray, hops_left: int) -> np.ndarray:
        """bool [E]: the target reaches an answer in ``hops_left`` more hops."""
        if not self._near:
            self._near = list(self._look())
        return np.isin(targets, self._near[min(hops_left, len(self._near) - 1)])

    def _look(self) -> Iterator[np.ndarray]:
        """Entities within 0, 1, ... hops; ends early at hubs, whose neighbours are too many to prefer."""
        near = np.unique(np.fromiter(self._answers, np.int64, len(self._answers)))
        yield near
        for _ in range(self._hops - 1):
            degree = sum(
                int((indptr[near + 1].astype(np.int64) - indptr[near]).sum())
                for indptr in (self._graph.out_indptr, self._graph.in_indptr)
            )
            if degree > self._bound:
                return
            around = [all_edges(self._graph, near, inverse).targets for inverse in (False, True)]
            near = np.unique(np.concatenate([near, *around]))
            yield near
