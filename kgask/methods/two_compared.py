"""Two things that a question names, compared by what both have: which has more, whether one has, by how much."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import product

from kgask.methods.named_relations import Named, NamedRelations
from kgask.methods.relation_facts import RelationFacts
from kgask.pack.quantities import WHEN
from kgask.query import nodes
from kgask.query.base import By
from kgask.types import Seed

MOST_RELATIONS, MOST_SHARED = 12, 4  # of a name that are looked at, and by how many two namesakes are compared
_KINDS = frozenset(("comparison", "filter", "superlative", "ordinal"))


def two_compared(
    first: nodes.Entities, second: nodes.Entities, relation: int, kinds: Collection[str], facts: RelationFacts
) -> Iterator[nodes.Query]:
    """By the numbers or dates of a relation, or by how many things it leads to; ``kinds`` are what may be asked."""
    axis = facts.of(relation)[0] if relation < facts.n_relations else None
    by: By = nodes.ValueOf((relation,)) if axis is not None else nodes.SizeOf((relation,))
    both = nodes.Entities((*first.ids, *second.ids))
    if "comparison" in kinds or "superlative" in kinds:
        yield from (nodes.Best(both, by, most) for most in (True, False))
    if axis is None:
        if "comparison" in kinds or "yesno" in kinds:  # "did she win more races than he?"
            counts = [nodes.Count(nodes.Follow(end, relation)) for end in (first, second)]
            yield from (nodes.Compare(counts[0], sign, counts[1]) for sign in (">", "<"))
        return
    one, other = nodes.Values(first, relation), nodes.Values(second, relation)
    if "comparison" in kinds or "yesno" in kinds:
        yield from (nodes.Compare(one, sign, other) for sign in (">", "<"))
    if "arithmetic" in kinds:
        yield from (nodes.Difference(one, other), nodes.Difference(other, one))
        if axis not in WHEN:
            yield from (total(nodes.Values(both, relation)) for total in (nodes.Sum, nodes.Mean))


def namesakes_compared(
    named: NamedRelations, one: Named, other: Named, kinds: Collection[str], facts: RelationFacts
) -> Iterator[tuple[nodes.Query, tuple[Seed, ...]]]:
    """The same of others of these names: Mozart and Beethoven, of whom books are called so."""
    every = product((one, *named.namesakes(one)), (other, *named.namesakes(other)))
    for left, right in every if not _KINDS.isdisjoint(kinds) else ():
        if (left, right) == (one, other):
            continue
        shared = [at for at in left.relations[:MOST_RELATIONS] if at in right.relations]
        for relation in [at for at in shared if named.is_value(at)][:MOST_SHARED]:
            found = two_compared(left.node, right.node, relation, kinds, facts)
            yield from ((query, (left.seed, right.seed)) for query in found)
