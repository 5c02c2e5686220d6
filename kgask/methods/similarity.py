"""KAPING: the triples around the seeds that are most similar to the question (section 3.2), whatever they are about.

Triples are verbalised as "(subject, relation, object)" and compared with the question by the cosine of their
sentence vectors; beyond the paper, a triple that is further away is verbalised with those that lead to it, for
alone it does not say what it has to do with the topic. Where there are more triples than can be embedded in a
moment, the question is first compared with the relations on the way to each, whose vectors are kept, and the
triples of the best ones are embedded.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

import numpy as np

from kgask.methods.base import Found, PerPack, TripleRetriever
from kgask.methods.baselines import around_seeds, taken
from kgask.methods.protocol import Scope
from kgask.methods.text_encoder import TextEncoder
from kgask.pack.arrays import distinct
from kgask.pack.labels import clean_label, readable_relation
from kgask.pack.normalise import normalise
from kgask.pack.store import Pack
from kgask.plan.matrix_cache import cached_matrix, key_of
from kgask.retrieve.around import Around
from kgask.types import EntityId, Question, Seed

EMBEDDED = 1024  # triples in the texts of one question, those on the ways counted; it bounds the time
MAX_NAME_WORDS = 10
KEPT_TEXTS = 20_000  # vectors remembered, 1.5 KB each


class Similarity(TripleRetriever):
    """See :class:`kgask.methods.protocol.Retriever`."""

    name = "similarity"

    def __init__(self, encoder: TextEncoder, embedded: int = EMBEDDED) -> None:
        self._encoder, self._embedded, self.hash = encoder, embedded, encoder.card.hash
        self._known: OrderedDict[str, np.ndarray] = OrderedDict()
        self._relations = PerPack(self._relation_vectors)

    def find(self, question: Question, seeds: Sequence[Seed], pack: Pack, scope: Scope) -> Found:
        near = around_seeds(pack, seeds, scope)
        asked = self._encoder.as_question(question.text)
        rows = self._likely(near, question, pack, self._embedded // max(1, int(near.hops.max(initial=1))))
        texts = [self._encoder.as_text(text) for text in texts_of(near, rows, pack)]
        vectors = self._vectors([asked, *texts])
        scores = vectors[1:] @ vectors[0]
        best = np.lexsort((rows, -scores))[: scope.top_k]
        left_out = f"of {len(near):,} triples around the topic only the {len(rows):,} likeliest were compared"
        found = taken(near, rows[best], seeds, np.clip(scores[best], 0.0, 1.0))
        return found if len(rows) == len(near) else found.with_note(left_out)

    def forget(self) -> None:
        """Drop the remembered vectors: an int8 graph rounds a text differently beside other texts, and a run that is
        to be repeated exactly must not depend on what was asked before."""
        self._known.clear()

    def _likely(self, near: Around, question: Question, pack: Pack, most: int) -> np.ndarray:
        """Rows to embed: all of them, or the ``most`` whose relations are most similar to the question.

        A triple whose end the question names goes before all others: nothing else tells a relation's triples apart.
        """
        if len(near) <= most:
            return np.arange(len(near))
        asked = self._vectors([self._encoder.as_question(question.text)])[0]
        likeness = chain_vectors(near, self._relations(pack)) @ asked
        named = np.isin(near.ends, named_in(question.text, pack))
        return np.sort(np.lexsort((near.ids, -likeness, ~named))[:most])

    def _relation_vectors(self, pack: Pack) -> np.ndarray:
        """Unit vectors float32 [R, D] of the relations' labels; kept on disk for the next process."""
        words = [self._encoder.as_text(readable_relation(label)) for label in pack.relation_labels()]
        key, shape = key_of("encoder", self._encoder.content(), words), (len(words), self._encoder.width)
        return cached_matrix(key, shape, lambda: self._encoder.encode(words))

    def _vectors(self, texts: Sequence[str]) -> np.ndarray:
        """Unit vectors float32 [B, D]; the last ones are remembered, for questions share their neighbourhoods."""
        missing = list(dict.fromkeys(text for text in texts if text not in self._known))
        self._known |= zip(missing, self._encoder.encode(missing), strict=True)
        found = np.stack([self._known[text] for text in texts])
        while len(self._known) > KEPT_TEXTS:
            self._known.popitem(last=False)
        return found


def named_in(text: str, pack: Pack) -> list[EntityId]:
    """Entities whose whole name stands in the text."""
    words = normalise(text).split()
    phrases = [
        " ".join(words[start:end])
        for start in range(len(words))
        for end in range(start + 1, min(start + MAX_NAME_WORDS, len(words)) + 1)
    ]
    return [hit.entity for hits in pack.exact(phrases).values() for hit in hits]


def texts_of(near: Around, rows: np.ndarray, pack: Pack) -> list[str]:
    """``(subject, relation, object)`` of each row, as it stands in the graph (KAPING, section 3.1), after its way.

    On 1,000 questions of MetaQA dev, 1 hop, the brackets and commas put 2 of 100 more right triples first.
    """
    ways = [_way(near, row) for row in rows.tolist()]
    every = distinct(np.array([row for way in ways for row in way], np.int64))
    entities = distinct([near.starts[every], near.ends[every]]).tolist()
    labels = dict(zip(entities, map(clean_label, pack.labels(entities)), strict=True))
    words = [readable_relation(label) for label in pack.relation_labels()]
    texts: dict[int, str] = {}
    for row in every.tolist():
        ends = labels[int(near.starts[row])], labels[int(near.ends[row])]
        subject, obj = ends if near.relations[row] < pack.n_relations else ends[::-1]
        texts[row] = f"({subject}, {words[near.relations[row] % pack.n_relations]}, {obj})"
    return [", ".join(texts[row] for row in way) for way in ways]


def _way(near: Around, row: int) -> list[int]:
    """The rows that lead to a row, nearest to the topic first, and itself."""
    way = [row]
    while near.via[way[0]] >= 0:
        way.insert(0, int(near.via[way[0]]))
    return way


def chain_vectors(near: Around, relations: np.ndarray) -> np.ndarray:
    """Unit vectors [T, D] of the relations on the way to each triple: the direction of their sum; relations [R, D]."""
    n_directed = 2 * near.n_relations
    chain = np.full(len(near), -1)  # which sequence of relations leads to a row
    sums = np.zeros((0, relations.shape[1]), np.float32)
    for hop in range(1, int(near.hops.max(initial=0)) + 1):
        rows = np.flatnonzero(near.hops == hop)
        before = np.where(near.via[rows] >= 0, chain[near.via[rows]], -1) + 1
        keys, place = np.unique(before * n_directed + near.relations[rows], return_inverse=True)
        earlier = np.concatenate([np.zeros((1, relations.shape[1]), np.float32), sums])[keys // n_directed]
        chain[rows] = len(sums) + place
        sums = np.concatenate([sums, earlier + relations[keys % n_directed % near.n_relations]])
    return (sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-9))[chain]
