"""Which supporting triples are shown: those that lead to the answers shown, each fact once."""

from __future__ import annotations

import numpy as np

from kgask.answer.result import Answer, SupportTriple
from kgask.pack.store import Pack
from kgask.retrieve.facts import each_once
from kgask.types import EntityId


def proof(answer: Answer, pack: Pack, entities: set[EntityId]) -> list[SupportTriple]:
    """The support of these answers, in its order; of a fact that stands in the pack in both directions, the first.

    Triples are followed back hop by hop, from those that end in one of ``entities`` to the seeds.
    """
    if not answer.support:
        return []
    subjects, _, objects = pack.triples(np.array([triple.id for triple in answer.support]))
    ends = list(zip(subjects.tolist(), objects.tolist(), strict=True))
    wanted, kept = set(entities), set()
    for index in sorted(range(len(ends)), key=lambda i: -answer.support[i].hop):
        subject, obj = ends[index]
        near, far = (obj, subject) if answer.support[index].inverse else (subject, obj)
        if far in wanted:
            wanted.add(near)
            kept.add(index)
    shown: dict[int, SupportTriple] = {}
    for index in sorted(kept):
        shown.setdefault(answer.support[index].id, answer.support[index])
    return [shown[triple] for triple in each_once(pack, shown)]
