"""Facts that stand in a pack in both directions: each is shown once."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from kgask.pack.store import Pack
from kgask.types import RelationId, TripleId


def each_once(pack: Pack, triples: Iterable[TripleId]) -> list[TripleId]:
    """The triples in their order, without those that say the same as an earlier one the other way round.

    That is (B, r, A) after (A, r, B), and (B, s, A) where the one relation is labelled as the inverse of the other.
    """
    ids = list(dict.fromkeys(triples))
    subjects, relations, objects = pack.triples(np.array(ids, np.int64))
    backward = _backward(pack)
    seen: set[tuple[int, int, int]] = set()
    kept = []
    for triple, *row in zip(ids, subjects.tolist(), relations.tolist(), objects.tolist(), strict=True):
        subject, relation, obj = row
        if not any((obj, other, subject) in seen for other in backward.get(relation, {relation})):
            kept.append(triple)
        seen.add((subject, relation, obj))
    return kept


def _backward(pack: Pack) -> dict[RelationId, set[RelationId]]:
    """For each relation those that say the same the other way round: itself, and its inverse by its label."""
    texts = pack.relations()
    by_label: dict[str, list[int]] = {}
    for number, text in enumerate(texts):
        by_label.setdefault(text.label, []).append(number)
    same: dict[int, set[int]] = {number: {number} for number in range(len(texts))}
    for number, text in enumerate(texts):
        for other in by_label.get(text.inverse_label, []) if text.inverse_label else []:
            same[number].add(other)
            same[other].add(number)
    return same
