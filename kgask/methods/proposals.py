"""Queries that the graph proposes: what the names of a question have in it, put together as the question's kind says.

Whoever brings a small graph has labels that no planner has met ("grade" of a trail that is asked to be "difficult"),
and the names of a question have few relations there. The judge of queries tells which of them is meant.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from kgask.methods.relation_facts import RelationFacts
from kgask.methods.understand import Linked
from kgask.plan.query_onnx import KINDS
from kgask.query import nodes
from kgask.query.base import SetNode
from kgask.types import Seed, opposite

LIKELY = 0.15  # probability of a kind from which queries of it are proposed
MOST_NAMES = 2
MOST_RELATIONS = 12  # of a name, those first that the planner holds likeliest
MOST_KINDS = 24  # classes, and relations, of a graph that is small enough for all of them
_SETS = {"intersection": nodes.And, "union": nodes.Or, "difference": nodes.Minus}


class Proposals:
    """Proposes queries over one pack."""

    def __init__(self, facts: RelationFacts) -> None:
        self._facts, self._n = facts, facts.n_relations

    def of(self, linked: Sequence[Linked], kind_probs: np.ndarray) -> Iterator[tuple[nodes.Query, tuple[Seed, ...]]]:
        """Queries about the surest names of a question, with the seeds that they begin with."""
        kinds = [kind for kind, prob in zip(KINDS, kind_probs.tolist(), strict=False) if prob >= LIKELY]
        names = _names(linked)
        if not names:
            for query in self._of_none(kinds):
                yield query, ()
        if len(names) > 1:
            for query in self._of_two(names, kinds):
                yield query, tuple(names)
        for seed, relations in names.items():
            for query in self._of_one(seed, self._walked(relations), kinds):
                yield query, (seed,)

    def _walked(self, relations: Sequence[int]) -> list[int]:
        return [one for one in relations if self._facts.paths[one]][:MOST_RELATIONS]

    def _of_none(self, kinds: Sequence[str]) -> Iterator[nodes.Query]:
        """Where nothing is named: the classes of a small graph, and who has which relation."""
        types, pack = self._facts.pack.types, self._facts.pack
        classes = np.unique(types[:, 0]).tolist() if types is not None else []
        relations = pack.path_relations.tolist()
        if max(len(classes), len(relations)) > MOST_KINDS:
            return
        values = [relation for relation in relations if self._is_value(relation)]
        sets: list[SetNode] = [nodes.Class(kind) for kind in classes]
        sets += [nodes.Having(relation) for relation in relations]
        sets += [nodes.Having(opposite(relation, self._n)) for relation in relations if relation not in values]
        if "superlative" in kinds:
            yield from (
                nodes.Best(nodes.Having(relation), nodes.ValueOf((relation,)), most)
                for relation in values
                for most in (True, False)
            )
        elif "count" in kinds:
            yield from (nodes.Count(one) for one in sets)
        else:
            yield from sets

    def _of_one(self, seed: Seed, relations: Sequence[int], kinds: Sequence[str]) -> Iterator[nodes.Query]:
        for relation in relations:
            found = nodes.Follow(nodes.Entities((seed.entity,)), relation)
            yield found
            if "count" in kinds and not self._is_value(relation):
                yield nodes.Count(found)

    def _of_two(self, names: Mapping[Seed, Sequence[int]], kinds: Sequence[str]) -> Iterator[nodes.Query]:
        """What is between two names, and what each has by the same relation."""
        (one, ones), (other, others) = names.items()
        first, second = nodes.Entities((one.entity,)), nodes.Entities((other.entity,))
        for relation in self._walked(ones):
            if opposite(relation, self._n) in others:
                yield from self._between(first, relation, second, kinds)
            if relation not in others:
                continue
            left, right = nodes.Follow(first, relation), nodes.Follow(second, relation)
            yield from self._compared(first, second, relation, kinds)
            if not self._is_value(relation):
                yield from (_SETS[kind](left, right) for kind in kinds if kind in _SETS)

    def _between(
        self, first: nodes.Entities, relation: int, second: nodes.Entities, kinds: Sequence[str]
    ) -> Iterator[nodes.Query]:
        if "yesno" in kinds:
            yield nodes.Holds(first, relation, second)
        if "qualifier" in kinds:
            for said in np.flatnonzero(self._facts.qualifiers[: self._n]).tolist():
                yield nodes.QualifierOf(nodes.Follow(first, relation), said, second)

    def _compared(
        self, first: nodes.Entities, second: nodes.Entities, relation: int, kinds: Sequence[str]
    ) -> Iterator[nodes.Query]:
        by = nodes.ValueOf((relation,)) if self._is_value(relation) else nodes.SizeOf((relation,))
        if "comparison" in kinds or "superlative" in kinds:
            both = nodes.Entities((*first.ids, *second.ids))
            yield from (nodes.Best(both, by, most) for most in (True, False))
        if not self._is_value(relation):
            return
        one, other = nodes.Values(first, relation), nodes.Values(second, relation)
        if "comparison" in kinds or "yesno" in kinds:
            yield from (nodes.Compare(one, sign, other) for sign in (">", "<"))
        if "arithmetic" in kinds:
            yield nodes.Difference(one, other)

    def _is_value(self, relation: int) -> bool:
        return relation < self._n and self._facts.of(relation)[0] is not None


def _names(linked: Sequence[Linked]) -> dict[Seed, list[int]]:
    """The surest seeds of mentions apart, in the question's order, with their relations, likeliest first."""
    best = sorted(linked, key=lambda one: -one.mention.seeds[0].score)
    kept: list[Linked] = []
    for one in best:
        start, end = one.mention.span
        if all(end <= other.mention.span[0] or other.mention.span[1] <= start for other in kept):
            kept.append(one)
    found = {}
    for one in sorted(kept[:MOST_NAMES], key=lambda one: one.mention.span):
        relations = np.flatnonzero(one.present[0])
        likeliest = np.argsort(-one.branch.relation_probs[0][relations], kind="stable")
        found[one.mention.seeds[0]] = relations[likeliest].tolist()
    return found
