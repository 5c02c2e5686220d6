"""Who or what has most of something when its entries are added up: the customer who spent most, over all orders.

Rows of what was sold, worked or seen say an amount each; by whom, of what or where stands beside it. In a small graph
every such amount is added up for each of these; the judge of queries tells whether that is meant.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np

from kgask.methods.cues import Asked
from kgask.methods.doers import ORDERED, ordered
from kgask.methods.relation_facts import RelationFacts
from kgask.pack.arrays import distinct
from kgask.pack.quantities import WHEN
from kgask.query import nodes
from kgask.query.base import SetNode
from kgask.retrieve.follow import reached_by, relations_of
from kgask.retrieve.run import Runner
from kgask.types import opposite

MOST_AMOUNTS, MOST_TOTALS = 3, 8  # relations to numbers that are added up, and totals, that are proposed
LOOKED_AT = 200  # entries, whose relations are looked at


def totalled(facts: RelationFacts, kinds: Sequence[SetNode], asked: Asked, runner: Runner) -> Iterator[nodes.Query]:
    """Orders by what the numbers of entries add up to, of those whose they are: of ``kinds``, where one is said."""
    if not asked.adds_up or not asked.kinds & ORDERED:
        return
    pack, n = facts.pack, facts.n_relations
    amounts = [one for one in pack.path_relations.tolist() if facts.of(one)[0] not in (None, *WHEN)]
    said = [one for one in amounts if one in asked.said]
    every = (found for amount in (said or amounts)[:MOST_AMOUNTS] for found in _owners(facts, amount))
    entries = [runner.members(nodes.Having(one)).certain for one in amounts]
    kinds = [one for one in kinds if not any(np.isin(runner.members(one).certain, some).any() for some in entries)]
    for owner, amount in islice(every, MOST_TOTALS):
        base: SetNode = nodes.Having(opposite(owner, n))
        owners = runner.members(base).certain
        kind = next((one for one in kinds if np.isin(owners, runner.members(one).certain).all()), None)
        if kinds and kind is None:
            continue
        yield from ordered(kind or base, nodes.TotalOf((opposite(owner, n), amount)), asked)


def _owners(facts: RelationFacts, amount: int) -> Iterator[tuple[int, int]]:
    """Each relation from what has an amount to one of several whose entries they are, with the amount."""
    pack = facts.pack
    at = np.flatnonzero(np.asarray(pack.out_relation) == amount)
    entries = distinct(np.searchsorted(pack.out_indptr, at.astype(pack.out_indptr.dtype), side="right") - 1)[:LOOKED_AT]
    for relation in np.flatnonzero(relations_of(pack, entries)[: facts.n_relations]).tolist():
        if facts.of(relation)[0] is not None or relation in pack.type_relations or not facts.leads_to_one(relation):
            continue
        owners = reached_by(pack, entries, relation)
        if 1 < len(owners) < len(entries):
            yield relation, amount
