"""How alike texts are to what relations are called: which of many queries are looked at (KAPING, section 3.2)."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from kgask.methods.text_encoder import TextEncoder
from kgask.pack.labels import relation_phrase
from kgask.pack.store import Pack
from kgask.types import undirected


class RelationLikeness:
    """Compares texts with the relations of one pack; what a relation is called is encoded once."""

    def __init__(self, encoder: TextEncoder, pack: Pack) -> None:
        self._encoder, self._pack = encoder, pack
        self._vectors: dict[int, np.ndarray] = {}

    def of(self, text: str, queries: Iterable[Iterable[int]]) -> list[float]:
        """The mean cosine of a text with the directed relations of each query; 0 for one without any."""
        plain = [[undirected(one, self._pack.n_relations)[0] for one in relations] for relations in queries]
        self._learn({one for relations in plain for one in relations} - self._vectors.keys())
        said = self._encoder.encode([text])[0]
        return [float(np.mean([self._vectors[one] @ said for one in found])) if found else 0.0 for found in plain]

    def _learn(self, relations: set[int]) -> None:
        if relations:
            texts, unknown = self._pack.relations(), sorted(relations)
            found = self._encoder.encode([relation_phrase(texts[one].label) for one in unknown])
            self._vectors |= dict(zip(unknown, found, strict=True))
