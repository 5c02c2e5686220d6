"""Names that are joined name things of one kind: beside Ayrton Senna, "Prost" is the driver, not his team."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import numpy as np

from kgask.pack.normalise import normalise
from kgask.pack.store import Pack
from kgask.types import EntityId, Mention, Seed

_JOINED = re.compile(r"(?:,? (?:and|or|nor|vs\.?|versus)|(?: [a-z]+er)? than) (?:the )?", re.IGNORECASE)
LOOKED_AT = 4  # of what a name may mean
MOST_NAMED = 50  # that have a word in their names
LEAST_MEANT = 0.2  # score of what else is meant


def of_one_kind(mentions: Sequence[Mention], text: str, pack: Pack) -> list[Mention]:
    """The mentions; of two that are joined and mean first things of different kinds, those of one kind first, with the
    scores of these."""
    found = list(mentions)
    if pack.source is not None or not pack.type_relations:
        return found  # of a graph elsewhere nothing is fetched to tell what is named
    whole = [at for at, one in enumerate(found) if not any(_is_within(one, other) for other in found)]
    at_end = {found[place].span[1]: place for place in whole}
    for second in whole:
        mention = mentions[second]
        first = next((at for end, at in at_end.items() if _JOINED.fullmatch(text[end : mention.span[0]])), None)
        if first is None:
            continue
        ones, others = (
            _meant(found[place], found[beside], pack) for place, beside in ((first, second), (second, first))
        )
        pair = _alike(ones, others, pack)
        for place, seed in zip((first, second), pair or (), strict=False):
            most, less = found[place].seeds[0].score, seed.score
            behind = (replace(one, score=min(one.score, less)) for one in found[place].seeds if one != seed)
            found[place] = replace(found[place], seeds=(replace(seed, score=most), *behind))
    return found


def _is_within(one: Mention, other: Mention) -> bool:
    return one is not other and other.span[0] <= one.span[0] and one.span[1] <= other.span[1] and one.span != other.span


def _meant(mention: Mention, beside: Mention, pack: Pack) -> list[Seed]:
    """What a name may mean, and the only one that it is a part of the name of and that is of the kind of the other."""
    seeds, norm = [*mention.seeds[:LOOKED_AT]], normalise(mention.text)
    kinds = _kinds(beside.seeds[0].entity, pack)
    if " " in norm or not norm.isalnum() or not kinds or kinds & _kinds(seeds[0].entity, pack):
        return seeds
    hits = pack.names.hits(pack.names.refs_with_words(f'"{norm}"', MOST_NAMED)).values()
    names = {hit.entity: hit.name for hit in hits if not hit.is_alias and normalise(hit.name).split()[-1] == norm}
    named = [one for one in names if one < pack.n_entities - pack.n_literals and kinds & _kinds(one, pack)]
    if len(named) == 1 and named[0] not in {seed.entity for seed in seeds}:
        seeds.append(replace(seeds[0], entity=named[0], score=LEAST_MEANT, name=names[named[0]], match="part"))
    return seeds


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
