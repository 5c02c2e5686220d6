"""Names that are joined name things of one kind: beside Ayrton Senna, "Prost" is the driver, not his team."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import numpy as np

from kgask.pack.store import Pack
from kgask.types import EntityId, Mention, Seed

_JOINED = re.compile(r"(?:,? (?:and|or|nor|vs\.?|versus)|(?: [a-z]+er)? than) (?:the )?", re.IGNORECASE)
LOOKED_AT = 4  # of what a name may mean
LEAST_MEANT = 0.2  # score of what else is meant


def of_one_kind(mentions: Sequence[Mention], text: str, pack: Pack) -> list[Mention]:
    """The mentions; of two that are joined and mean first things of different kinds, those of one kind first, with the
    scores of these."""
    found = list(mentions)
    at_end = {mention.span[1]: place for place, mention in enumerate(found)}
    for second, mention in enumerate(mentions):
        first = next((at for end, at in at_end.items() if _JOINED.fullmatch(text[end : mention.span[0]])), None)
        if first is None or not pack.type_relations:
            continue
        pair = _alike(found[first].seeds[:LOOKED_AT], found[second].seeds[:LOOKED_AT], pack)
        for place, seed in zip((first, second), pair or (), strict=False):
            most, less = found[place].seeds[0].score, seed.score
            others = (replace(one, score=min(one.score, less)) for one in found[place].seeds if one is not seed)
            found[place] = replace(found[place], seeds=(replace(seed, score=most), *others))
    return found


def _alike(ones: Sequence[Seed], others: Sequence[Seed], pack: Pack) -> tuple[Seed, Seed] | None:
    """The likeliest two of one kind, where the likeliest of each are of kinds that have nothing in common."""
    kinds = {seed.entity: _kinds(seed.entity, pack) for seed in (*ones, *others)}
    if not kinds[ones[0].entity] or not kinds[others[0].entity] or kinds[ones[0].entity] & kinds[others[0].entity]:
        return None
    pairs = [
        (one, other)
        for one, other in product(ones, others)
        if kinds[one.entity] & kinds[other.entity] and min(one.score, other.score) >= LEAST_MEANT
    ]
    return max(pairs, key=lambda pair: pair[0].score * pair[1].score, default=None)


def _kinds(entity: EntityId, pack: Pack) -> frozenset[int]:
    pack.need_rows(np.array([entity]), inverse=False)
    row = slice(int(pack.out_indptr[entity]), int(pack.out_indptr[entity + 1]))
    return frozenset(pack.out_object[row][np.isin(pack.out_relation[row], pack.type_relations)].tolist())
