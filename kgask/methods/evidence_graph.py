"""KG-GPT's evidence graph (section 2.2): the triples that the sub-sentences' relations give, one after the other.

A sub-sentence that names entities starts at those (at a type: at its instances too); one that names none starts at
what the one before it ended in. Where a sub-sentence names entities and another stands before it, both speak of the
same thing as far as the graph agrees: only triples that end in what was found before are kept, unless there are none.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kgask.methods.base import Found
from kgask.methods.type_graph import MAX_INSTANCES, TypeGraph
from kgask.pack.arrays import distinct
from kgask.pack.store import Pack
from kgask.retrieve.follow import Edges, concatenate, edges_of, relations_of
from kgask.retrieve.trace import triple_ids
from kgask.types import DirectedRelationId, EntityId, ScoredTriple, Seed, TripleId

MAX_FRONTIER = 200  # entities that a sub-sentence starts at, the best found first
MAX_TRIPLES = 20_000  # that are looked at for a sub-sentence
EARLIER = 0.5  # of the score of the last sub-sentence's triples: the answer is where the sentence ends, if anywhere

Group = tuple[DirectedRelationId, ...]  # relations of one name


@dataclass(frozen=True, slots=True, eq=False)
class Segment:
    """A sub-sentence: one relation between its entities and what it is about."""

    text: str  # neutral
    entities: tuple[tuple[EntityId, ...], ...]  # what each name may mean; none: it is about what was found before
    narrows: bool = False  # only what it shares with what was found before counts
    relation_probs: np.ndarray | None = None  # float32 [2R], where a planner made it


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """Where a segment starts, and the relations that it may mean."""

    starts: np.ndarray  # int64, in the order of how well they were found
    present: np.ndarray  # bool [2R]
    types: tuple[EntityId, ...]  # kinds of thing that the segment names
    goes_on: bool  # from what was found before, not from what the sentence names


@dataclass(frozen=True, slots=True, eq=False)
class _Stage:
    """The triples of one segment; arrays are [E], best first."""

    edges: Edges
    ids: np.ndarray  # int64, TripleIds
    ranks: np.ndarray  # int64, 0 for triples of the relation that was chosen first
    hops: np.ndarray  # int64, 1 at a seed
    parents: np.ndarray  # int64: row in the stage before; -1 at a seed
    said: bool = True  # False: no segment says it (instances of a type), it only leads to the next stage


class EvidenceGraph:
    """The triples so far, stage by stage."""

    def __init__(self, pack: Pack, types: TypeGraph, seeds: np.ndarray):
        self._pack, self._types = pack, types
        self._seeds = distinct(np.asarray(seeds, np.int64))
        self._stages: list[_Stage] = []
        self._left = np.empty(0, np.int64)  # entities that segments have started at
        self.truncated = False

    # --- where a segment starts -----------------------------------------------------------------

    def place(self, segment: Segment) -> Place | None:
        """None where nothing can follow: what is known has no triples."""
        things = [name for name in segment.entities if not any(map(self._types.is_type, name))]
        types = tuple(entity for name in segment.entities for entity in name if self._types.is_type(entity))
        if things:
            place = self._at_things(things, types)
        elif self._stages:
            place = self._going_on(types)
        elif types:
            place = self._at_types(types)
        else:
            place = Place(self._seeds, relations_of(self._pack, self._seeds), (), False)
        return place if place.present.any() else None

    def _at_things(self, things: list[tuple[EntityId, ...]], types: tuple[EntityId, ...]) -> Place:
        """At entities, with the relations that all of them have, in whatever direction, and that things of the named
        types have (KG-GPT, algorithm 1); where that leaves none, with those that any has."""
        each = [relations_of(self._pack, np.array(name)) for name in things]
        shared = np.logical_and.reduce([present.reshape(2, -1).any(axis=0) for present in each])
        present = np.logical_or.reduce(each)
        present = present & np.tile(shared, 2) if shared.any() else present
        starts = np.array([entity for name in things for entity in name], np.int64)
        return Place(starts, self._of_types(present, types), types, False)

    def _going_on(self, types: tuple[EntityId, ...]) -> Place:
        """At what was found before, where a type is named at those that are of it."""
        starts = self._frontier()
        fitting = self._types.are(starts, types) if types else np.ones(len(starts), bool)
        starts = starts[fitting] if fitting.any() else starts
        return Place(starts, self._of_types(relations_of(self._pack, starts), types), types, True)

    def _at_types(self, types: tuple[EntityId, ...]) -> Place:
        """At a type and its instances, which become a stage of their own: they lie a hop from the sentence."""
        edges = concatenate([self._types.instances(entity) for entity in types])
        ids, n = triple_ids(self._pack, edges), len(edges)
        self.truncated |= n >= MAX_INSTANCES
        self._stages.append(_Stage(edges, ids, np.zeros(n, np.int64), np.ones(n, np.int64), np.full(n, -1), said=False))
        self._left = np.concatenate([self._left, np.array(types, np.int64)])
        starts = np.concatenate([np.array(types, np.int64), self._frontier()])
        return Place(starts, relations_of(self._pack, starts), (), True)

    def _frontier(self) -> np.ndarray:
        """What the last stage ended in, best first."""
        if not self._stages:
            return np.empty(0, np.int64)
        targets = self._stages[-1].edges.targets
        _, first = np.unique(targets, return_index=True)
        self.truncated |= len(first) > MAX_FRONTIER
        return targets[np.sort(first)[:MAX_FRONTIER]]

    def _of_types(self, present: np.ndarray, types: tuple[EntityId, ...]) -> np.ndarray:
        """Only relations that things of these types have, unless that leaves none."""
        if not types:
            return present
        have = np.logical_or.reduce([self._types.relations_of(entity) for entity in types])
        narrowed = present & np.tile(have, 2)
        return narrowed if narrowed.any() else present

    # --- following ------------------------------------------------------------------------------

    def follow(self, segment: Segment, place: Place, groups: list[Group]) -> int:
        """Add the triples of the chosen relations, best first; how many there are."""
        edges, ranks = self._edges(place.starts, groups)
        keep = self._leads_on(edges) if place.goes_on else self._agreeing(segment, place, edges)
        edges, ranks = edges.where(keep), ranks[keep]
        if not len(edges):
            return 0
        self._left = self._left if place.goes_on else np.concatenate([self._left, place.starts])
        parents, hops = np.full(len(edges), -1, np.int64), np.ones(len(edges), np.int64)
        if place.goes_on:
            before = self._stages[-1]
            first = {target: row for row, target in reversed(list(enumerate(before.edges.targets.tolist())))}
            parents = np.array([first.get(source, -1) for source in edges.sources.tolist()], np.int64)
            hops += np.where(parents >= 0, before.hops[parents], 0)
        self._stages.append(_Stage(edges, triple_ids(self._pack, edges), ranks, hops, parents))
        return len(edges)

    def _edges(self, starts: np.ndarray, groups: list[Group]) -> tuple[Edges, np.ndarray]:
        """Triples of the starts with each group's relations, the first group's first; ranks [E]."""
        parts: list[Edges] = []
        ranks: list[np.ndarray] = []
        for rank, group in enumerate(groups):
            for relation in group:
                edges = edges_of(self._pack, starts, relation)
                room = MAX_TRIPLES - sum(map(len, parts))
                self.truncated |= len(edges) > room
                parts.append(edges.where(np.arange(len(edges)) < room))
                ranks.append(np.full(len(parts[-1]), rank, np.int64))
        return concatenate(parts), np.concatenate([np.empty(0, np.int64), *ranks])

    def _leads_on(self, edges: Edges) -> np.ndarray:
        """bool [E]: triples that do not lead back to where segments started and were not walked before."""
        seen = np.concatenate([stage.ids for stage in self._stages])
        return ~np.isin(edges.targets, self._left) & ~np.isin(triple_ids(self._pack, edges), seen)

    def _agreeing(self, segment: Segment, place: Place, edges: Edges) -> np.ndarray:
        """bool [E]: triples between the segment's names, between them and what was found before, between them and
        things of its types; a wish that no triple fulfils is dropped, unless the segment narrows."""
        if segment.narrows and self._stages:
            return np.isin(edges.targets, self._stages[-1].edges.targets)
        keep = np.ones(len(edges), bool)
        wishes = [self._between(segment.entities, edges)]
        if self._stages:
            wishes.append(np.isin(edges.targets, self._stages[-1].edges.targets))
        if place.types:
            wishes.append(self._types.are(edges.targets, place.types))
        for wish in wishes:
            keep = keep & wish if (keep & wish).any() else keep
        return keep

    @staticmethod
    def _between(names: tuple[tuple[EntityId, ...], ...], edges: Edges) -> np.ndarray:
        """bool [E]: triples from an entity of one name to one of another."""
        inside = np.zeros(len(edges), bool)
        for at, name in enumerate(names):
            others = [entity for other in (*names[:at], *names[at + 1 :]) for entity in other]
            inside |= np.isin(edges.sources, name) & np.isin(edges.targets, others)
        return inside

    # --- the evidence ---------------------------------------------------------------------------

    def found(self, seeds: tuple[Seed, ...], top_k: int, notes: tuple[str, ...], whole: bool = True) -> Found:
        """At most ``top_k`` triples a segment, the last segment's first, each once; those that lead to them are
        chosen before others. ``whole`` says that the graph has something for the sentence's last part: else no triple
        is where the sentence ends."""
        scored: dict[TripleId, ScoredTriple] = {}
        ways: dict[TripleId, ScoredTriple] = {}
        needed = np.empty(0, np.int64)
        for at in range(len(self._stages) - 1, -1, -1):
            stage = self._stages[at]
            rows = _chosen(stage, needed, top_k)
            if not stage.said and at < len(self._stages) - 1:
                rows = [row for row in rows if row in needed]
            self.truncated |= stage.said and len(rows) < len(stage.ids)
            for row in rows:
                triple = self._scored(at, row, whole)
                if scored.setdefault(triple.triple, triple) is triple and stage.parents[row] >= 0:
                    ways[triple.triple] = self._scored(at - 1, int(stage.parents[row]), whole)
            needed = stage.parents[rows]
        triples = sorted(scored.values(), key=lambda triple: -triple.score)
        return Found(tuple(triples), seeds, ways, self.truncated, notes)

    def _scored(self, at: int, row: int, whole: bool) -> ScoredTriple:
        stage = self._stages[at]
        score = (1.0 if whole and at == len(self._stages) - 1 else EARLIER) / (1 + int(stage.ranks[row]))
        inverse = int(stage.edges.relations[row]) >= self._pack.n_relations
        return ScoredTriple(int(stage.ids[row]), int(stage.hops[row]), score, inverse)


def _chosen(stage: _Stage, needed: np.ndarray, top_k: int) -> list[int]:
    """Rows of a stage, at most ``top_k``: what later triples need, then in order of rank, every end once first."""
    again = np.ones(len(stage.ids), bool)
    again[np.unique(stage.edges.targets, return_index=True)[1]] = False
    needless = ~np.isin(np.arange(len(stage.ids)), needed)
    return np.lexsort((again, stage.ranks, needless))[:top_k].tolist()
