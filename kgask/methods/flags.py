"""Columns of "yes" and "no": that something stands in one says nothing, what it is does."""

from __future__ import annotations

import numpy as np

from kgask.methods.relation_facts import is_table
from kgask.pack.arrays import distinct
from kgask.pack.normalise import normalise
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.nodes import Query
from kgask.query.rewrite import replaced
from kgask.types import DirectedRelationId, EntityId

_YES, _NO = frozenset("yes y true".split()), frozenset("no n false".split())


def flags_of(pack: Pack, relation: DirectedRelationId) -> dict[bool, EntityId]:
    """What a relation of a table leads to where it says yes and no; nothing where it says anything else."""
    if not 0 <= relation < pack.n_relations or not is_table(pack):
        return {}
    ends = distinct(np.asarray(pack.out_object)[np.asarray(pack.out_relation) == relation]).tolist()
    said = {normalise(label): end for label, end in zip(pack.labels(ends[:3]), ends, strict=False)}
    if len(ends) > 2 or not said.keys() <= _YES | _NO:
        return {}
    return {word in _YES: end for word, end in said.items()}


def flagged(pack: Pack, query: Query) -> Query:
    """A query with those of which a flag says yes in the place of what stands in its column: "except heirlooms"."""
    for node in query.walk():
        match node:
            case nodes.Having(relation) if (yes := flags_of(pack, relation - pack.n_relations).get(True)) is not None:
                query = replaced(query, node, nodes.Follow(nodes.Entities((yes,)), relation))
    return query
