"""Which supporting triples are shown: those that lead to the answers shown, each fact once."""

from __future__ import annotations

import numpy as np

from kgask.answer.result import Answer, SupportTriple
from kgask.pack.store import Pack
from kgask.types import EntityId


def proof(answer: Answer, pack: Pack, entities: set[EntityId]) -> list[SupportTriple]:
    """The support of these answers, in its order; of a fact that stands in the pack in both directions, the first.

    Triples are followed back hop by hop, from those that end in one of ``entities`` to the seeds.
    """
    if not answer.support:
        return []
    subjects, relations, objects = pack.triples(np.array([triple.id for triple in answer.support]))
    ends = list(zip(subjects.tolist(), relations.tolist(), objects.tolist(), strict=True))
    wanted, kept = set(entities), set()
    for index in sorted(range(len(ends)), key=lambda i: -answer.support[i].hop):
        subject, _, obj = ends[index]
        near, far = (obj, subject) if answer.support[index].inverse else (subject, obj)
        if far in wanted:
            wanted.add(near)
            kept.add(index)
    backward = _backward(pack)
    seen: set[tuple[int, int, int]] = set()
    shown = []
    for index in sorted(kept):
        subject, relation, obj = ends[index]
        if not any((obj, other, subject) in seen for other in backward.get(relation, {relation})):
            shown.append(answer.support[index])
        seen.add(ends[index])
    return shown


def _backward(pack: Pack) -> dict[int, set[int]]:
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
