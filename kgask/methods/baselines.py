"""The papers' baselines: no knowledge, random triples, triples of the most frequent relations (KAPING, section 4)."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from kgask.methods.base import Found, PerPack, TripleRetriever
from kgask.methods.protocol import Scope
from kgask.pack.store import Pack
from kgask.retrieve.around import Around, around
from kgask.types import Question, Seed


class NoKnowledge(TripleRetriever):
    """No triples at all: what a reader knows by itself. Only one that writes freely can say anything."""

    name = "none"

    def find(self, question: Question, seeds: Sequence[Seed], pack: Pack, scope: Scope) -> Found:
        return Found((), tuple(seeds), {})


class RandomTriples(TripleRetriever):
    """Triples drawn from around the seeds; the same question and seed draw the same ones."""

    name = "random"

    def find(self, question: Question, seeds: Sequence[Seed], pack: Pack, scope: Scope) -> Found:
        near = around_seeds(pack, seeds, scope)
        text = hashlib.sha256(f"{scope.rng_seed}:{question.text}".encode()).digest()
        rng = np.random.default_rng(int.from_bytes(text[:8], "big"))
        return taken(near, rng.permutation(len(near))[: scope.top_k], seeds)


class PopularRelations(TripleRetriever):
    """Triples whose relation is the most frequent one of the whole pack."""

    name = "popular"

    def __init__(self) -> None:
        self._counts = PerPack(lambda pack: np.bincount(np.asarray(pack.out_relation), minlength=pack.n_relations))

    def find(self, question: Question, seeds: Sequence[Seed], pack: Pack, scope: Scope) -> Found:
        near = around_seeds(pack, seeds, scope)
        counts = self._counts(pack)[near.relations % pack.n_relations]
        return taken(near, np.lexsort((near.ids, -counts))[: scope.top_k], seeds)


def around_seeds(pack: Pack, seeds: Sequence[Seed], scope: Scope) -> Around:
    """What a method chooses from."""
    return around(pack, np.array([seed.entity for seed in seeds]), scope.hops)


def taken(near: Around, rows: np.ndarray, seeds: Sequence[Seed], scores: np.ndarray | None = None) -> Found:
    """The chosen rows, best first, as what the method found; without scores the rank says it (1, 1/2, 1/3 ...)."""
    if scores is None:
        scores = 1.0 / np.arange(1, len(rows) + 1)
    triples = tuple(near.scored(row, float(score)) for row, score in zip(rows.tolist(), scores.tolist(), strict=True))
    return Found(triples, tuple(seeds), near.ways(rows, 0.0), near.truncated)
