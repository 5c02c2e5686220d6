"""Columns of "yes" and "no": that something stands in one says nothing, what it is does."""

from __future__ import annotations

import re

import numpy as np

from kgask.link.plurals import singulars
from kgask.methods.accounted import CARRY_NOTHING
from kgask.methods.doubts import relations_in
from kgask.methods.relation_facts import is_table
from kgask.pack.arrays import distinct
from kgask.pack.labels import readable_relation
from kgask.pack.normalise import normalise
from kgask.pack.quantities import WHEN, quantity
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.nodes import Query
from kgask.query.rewrite import replaced
from kgask.types import DirectedRelationId, EntityId, undirected

_ASKS_WHAT = re.compile(
    r"\W*(?:and |so )?(?:(?:for|in|on|at|by|with|to) )?(?:what|whom?|when|where|which|why|how)\b", re.I
)
SAME, LEAST_SAME = 5, 4  # letters that words begin with alike where they are forms of one
_YES, _NO = frozenset("yes y true x".split()), frozenset("no n false".split())


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
    """A query with what a column of a table says in the place of that something stands in it.

    "Except heirlooms" takes away those of which the column "heirloom" says yes, "has it been thawed?" asks for more
    than 0 in a column "thaws" that has a 0.
    """
    n = pack.n_relations
    for node in [*query.walk()]:
        match node:
            case nodes.Some(nodes.Follow(base, relation)):
                if (yes := flags_of(pack, relation).get(True)) is not None:
                    query = replaced(query, node, nodes.Holds(base, relation, nodes.Entities((yes,))))
                elif isinstance(base, nodes.Entities) and _has_zero(pack, relation):
                    query = replaced(query, node, nodes.Compare(nodes.Values(base, relation), ">", nodes.Number(0)))
            case nodes.Minus(left, nodes.Having(relation)) if _has_zero(pack, relation):
                more = nodes.Where(nodes.Having(relation), nodes.ValueOf((relation,)), ">", nodes.Number(0))
                query = replaced(query, node, nodes.Minus(left, more))
            case nodes.Having(relation) if (yes := flags_of(pack, relation - n).get(True)) is not None:
                query = replaced(query, node, nodes.Follow(nodes.Entities((yes,)), relation))
    return query


def goes_by_unsaid_flag(query: Query, question: str, pack: Pack) -> bool:
    """Whether a query goes by the "yes" of a column of which a question says no word: where spuds are grown no column
    "has shed" tells."""
    n, said = pack.n_relations, normalise(question).split()
    for node in query.walk():
        match node:
            case nodes.Follow(nodes.Entities((end,)), relation) if end in flags_of(pack, relation - n).values():
                words = {*normalise(readable_relation(pack.relation_labels()[relation - n])).split()} - CARRY_NOTHING
                if words and not any(begin_alike(word, other) for word in words for other in said):
                    return True
    return False


def tells_flag(query: Query, question: str, pack: Pack) -> bool:
    """Whether "yes" or "true" is told for what, who or when something is: "what was it prescribed for?"."""
    match query:
        case nodes.Follow(nodes.Entities(), relation):
            return _ASKS_WHAT.match(question) is not None and bool(flags_of(pack, relation))
    return False


def begin_alike(word: str, other: str) -> bool:
    """Whether two words are forms of one, as far as their beginnings tell."""
    length = min(len(word), len(other), SAME)
    return word == other or (length >= LEAST_SAME and word[:length] == other[:length])


def _has_zero(pack: Pack, relation: DirectedRelationId) -> bool:
    """Whether a relation of a table counts how often, from 0 on."""
    if relation >= pack.n_relations or not is_table(pack):
        return False
    ends = distinct(np.asarray(pack.out_object)[np.asarray(pack.out_relation) == relation])
    said = [quantity(literal) for literal in pack.literals(ends.tolist()) if literal is not None]
    numbers = [one for one in said if one is not None and one.axis not in WHEN]
    return len(numbers) == len(ends) and any(one.low == 0 for one in numbers)


def passes_over_flag(query: Query, question: str, pack: Pack) -> bool:
    """Whether a question says a column of "yes" and "no", and the query passes over it: "flats with a balcony"."""
    said = normalise(question).split()
    words = {form for word in said for form in (word, *singulars(word))}
    used = {undirected(one, pack.n_relations)[0] for one in relations_in(query)}
    for relation, label in enumerate(pack.relation_labels()):
        called = [word for word in normalise(label).split() if word not in CARRY_NOTHING]
        if called and relation not in used and words.issuperset(called) and flags_of(pack, relation):
            return True
    return False
