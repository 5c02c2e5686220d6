"""Queries that the graph proposes for a claim: what its names may have to do with each other, and with its numbers.

A claim comes to yes or no, so what it may ask follows from what it names: two names are in a relation, directly or
through other things, or are compared; a name has a number or a date, so many things, or anything at all. The planner
orders the relations; the judge of queries tells which is meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain, combinations, islice, permutations, product, zip_longest

import numpy as np

from kgask.link.classes import ClassSpan
from kgask.link.naming import is_part
from kgask.link.plural_names import plural_names
from kgask.link.values import ValueSpan
from kgask.methods.named_relations import Named, NamedRelations
from kgask.methods.otherwise import lying_in
from kgask.methods.proposals import Proposed
from kgask.methods.protocol import Request
from kgask.methods.relation_facts import RelationFacts, is_small
from kgask.methods.truth_of_values import TruthOfValues
from kgask.methods.understand import Linked
from kgask.query import nodes
from kgask.query.base import Comparison, SetNode, TruthNode, ValueNode
from kgask.retrieve.follow import reached_by, relations_of
from kgask.retrieve.run import Runner
from kgask.types import opposite

MOST_NAMES = 3
MOST_RELATIONS = 20  # of a name, those first that the planner holds likeliest
FIRSTS, MOST_LONG = 8, 10  # relations of a name that another is put behind, and how many such paths
MOST_OF_KIND = 8  # queries that are put together in one way
MOST_OF_BOTH = 3  # relations of each of two names to a third that are put together
SURELY = 0.1  # score from which a class word may be meant as what is called so
KIN = 20  # things of a name's type that tell what it might have
_THAN = re.compile(r"\bthan\b", re.IGNORECASE)
_SIGNS: tuple[Comparison, ...] = (">", "<")
_THE = re.compile(r"[Tt]he ")
_BOTH = re.compile(r"\b(?:and|both|with|while|as well as|whose|who|which|where)\b|[,:;]", re.IGNORECASE)


class TruthProposals:
    """Proposes queries that come to yes or no over one pack."""

    def __init__(self, facts: RelationFacts) -> None:
        self._facts, self._pack, self._n = facts, facts.pack, facts.n_relations
        self._named, self._values = NamedRelations(facts), TruthOfValues(facts)
        self._is_small = is_small(facts.pack)

    def of(
        self,
        request: Request,
        linked: Sequence[Linked],
        classes: Sequence[ClassSpan],
        values: Sequence[ValueSpan],
        runner: Runner,
    ) -> Iterator[Proposed]:
        """What a claim may ask about its surest names, class words, numbers and dates."""
        text, names = request.question.text, self._names(request, linked, classes)
        kinds = [kind.candidates[0][0] for kind in classes]
        pairs = list(combinations(names, 2))
        yield from _in_turn([_with_seeds(self._of_two(one, other), one, other) for one, other in pairs])
        for one, other in pairs:
            yield from _with_seeds(self._values.of_statements(one, other, values), one, other)
            yield from self._of_namesakes(one, other, runner)
        for one, other in self._without_article(pairs, linked, text):
            yield from _with_seeds(self._of_two(one, other), one, other)
        for one in names:
            yield from _with_seeds(self._values.of(one, text, values), one)
            for other in (one, *self._named.namesakes(one)):
                yield from _with_seeds(self._values.of_rank(other, text, kinds, runner), other)
        for one, other in permutations(names, 2) if kinds and _THAN.search(text) else ():
            yield from _with_seeds(self._some_compared(one, other, kinds[0], runner), one, other)
        if len(names) == MOST_NAMES and _BOTH.search(text):
            for one, other, third in permutations(names):
                if other.seed.span < third.seed.span:
                    yield from _with_seeds(self._of_both(one, other, third), one, other, third)
        for one, other in pairs if self._is_small else ():
            yield from _with_seeds(self._held_in_three_steps(one, other), one, other)
            yield from _with_seeds(self._held_in_three_steps(other, one), one, other)
        for one in names:
            yield from _with_seeds(self._anything(one, kinds, runner), one)
        if len(names) == 1:
            yield from _with_seeds(self._twice(names[0]), names[0])
        if not names:
            yield from ((query, ()) for query in self._values.of_kinds(kinds, text, values, runner))

    def _names(self, request: Request, linked: Sequence[Linked], classes: Sequence[ClassSpan]) -> list[Named]:
        """The surest names, and before those that are part of it what is named in the plural: "cinnamon rolls"."""
        kinds = {(span.start, span.end) for span in classes if not isinstance(span.candidates[0][0], nodes.Follow)}
        named = plural_names(request.question.text, request.words, self._pack)
        plurals = [one for one in named if one.span not in kinds]
        free = [one for one in linked if not any(is_part(one.mention.span, plural.span) for plural in plurals)]
        free = [one for one in free if not _is_class_word(one, classes)]
        names = self._named.of(free, MOST_NAMES)
        taken = [one.seed.span for one in names]
        for plural in plurals[: MOST_NAMES - len(names)]:
            if not any(_overlap(plural.span, other) for other in taken):
                names.append(self._named.unplanned(plural))
        return sorted(names, key=lambda one: one.seed.span)

    # --- two names -------------------------------------------------------------------------------

    def _of_two(self, one: Named, other: Named) -> Iterator[TruthNode]:
        """Whether one is in a relation to the other, whether both lead to the same, and how their values compare."""
        yield from islice(self._held(one, other), MOST_OF_KIND)
        yield from self._held_in_two_steps(one, other)
        yield from self._held_in_two_steps(other, one)
        shared = [relation for relation in one.relations[:MOST_RELATIONS] if relation in other.relations]
        yield from islice(self._shared(one, other, shared), MOST_OF_KIND)
        yield from islice(self._compared(one, other, shared), 2 * MOST_OF_KIND)

    def _held(self, one: Named, other: Named) -> Iterator[TruthNode]:
        for relation in one.relations[:MOST_RELATIONS]:
            if opposite(relation, self._n) in other.relations:
                yield self._holds(one.node, relation, other.node)

    def _holds(self, one: SetNode, relation: int, other: SetNode) -> TruthNode:
        if relation < self._n:
            return nodes.Holds(one, relation, other)
        return nodes.Holds(other, opposite(relation, self._n), one)

    def _held_in_two_steps(self, one: Named, other: Named) -> Iterator[TruthNode]:
        back = {opposite(relation, self._n) for relation in other.relations}
        for first, second in self._named.two_steps(one, lambda relation: relation in back, FIRSTS, MOST_LONG):
            yield nodes.Holds(nodes.Follow(one.node, first), second, other.node)

    def _held_in_three_steps(self, one: Named, other: Named) -> Iterator[TruthNode]:
        """Through two more things, by the planner's likeliest relations."""
        back = [opposite(relation, self._n) for relation in other.relations if not self._named.is_value(relation)]
        hops = [one.probs[min(hop, len(one.probs) - 1)] for hop in range(3)]
        found: list[tuple[float, int, int, int]] = []
        for first, second in self._named.two_steps(one, lambda _: True, FIRSTS, 2 * MOST_LONG):
            if self._named.is_value(second):
                continue
            ends = reached_by(self._pack, self._named.ends(one, first), second)
            onward = relations_of(self._pack, ends)
            thirds = [third for third in back if onward[third] and third != opposite(second, self._n)]
            found += [(float(hops[0][first] * hops[1][second] * hops[2][one]), first, second, one) for one in thirds]
        for _, first, second, third in sorted(found, key=lambda path: -path[0])[:MOST_LONG]:
            yield nodes.Holds(nodes.Follow(nodes.Follow(one.node, first), second), third, other.node)

    def _of_namesakes(self, one: Named, other: Named, runner: Runner) -> Iterator[Proposed]:
        """What is so of another thing of the same name."""
        pairs = [
            *((namesake, other) for namesake in self._named.namesakes(one)),
            *((one, namesake) for namesake in self._named.namesakes(other)),
        ]
        for left, right in pairs:
            steps = chain(self._held_in_two_steps(left, right), self._held_in_two_steps(right, left))
            queries = chain(islice(self._held(left, right), MOST_OF_KIND), steps)
            yield from _with_seeds((query for query in queries if runner.result(query).truth), left, right)

    def _shared(self, one: Named, other: Named, shared: Sequence[int]) -> Iterator[TruthNode]:
        for relation in shared:
            if not self._named.is_value(relation):
                yield nodes.Some(nodes.And(nodes.Follow(one.node, relation), nodes.Follow(other.node, relation)))

    def _compared(self, one: Named, other: Named, shared: Sequence[int]) -> Iterator[TruthNode]:
        for relation in sorted(shared, key=lambda relation: not self._named.is_value(relation)):
            left, right = self._measure(one, relation), self._measure(other, relation)
            yield nodes.Compare(left, ">", right)
            yield nodes.Compare(left, "<", right)

    def _measure(self, one: Named, relation: int) -> ValueNode:
        """The number or date of a name, or how many things its relation leads to."""
        if self._named.is_value(relation):
            return nodes.Values(one.node, relation)
        return nodes.Count(nodes.Follow(one.node, relation))

    def _without_article(
        self, pairs: Sequence[tuple[Named, Named]], linked: Sequence[Linked], text: str
    ) -> Iterator[tuple[Named, Named]]:
        """Pairs with what a name means without its article: "The Thames" is a book, too."""
        for pair in pairs:
            starts = [_THE.match(text, *one.seed.span) for one in pair]
            places = [(the.end(), one.seed.span[1]) for one, the in zip(pair, starts, strict=True) if the]
            bare = [*self._named.of([one for one in linked if one.mention.span in places])]
            if bare:
                others = [one for one in pair if not any(is_part(named.seed.span, one.seed.span) for named in bare)]
                one, other = sorted((*bare, *others), key=lambda named: named.seed.span)
                yield one, other

    def _some_compared(self, one: Named, other: Named, kind: SetNode, runner: Runner) -> Iterator[TruthNode]:
        """Whether anything of a kind that lies in one has more or less than the other: "some African country"."""
        lying = lying_in(kind, one.seed.entity, self._facts, runner)
        if lying is None:
            return
        some = nodes.And(kind, lying)
        had = relations_of(self._pack, runner.members(some).certain[:KIN])
        for relation in [one for one in other.relations if had[one] and self._named.is_value(one)][:MOST_OF_KIND]:
            for sign in _SIGNS:
                limit = nodes.Values(other.node, relation)
                yield nodes.Some(nodes.Where(some, nodes.ValueOf((relation,)), sign, limit))

    # --- three names -----------------------------------------------------------------------------

    def _of_both(self, one: Named, other: Named, third: Named) -> Iterator[TruthNode]:
        """Whether one has to do with both of the others."""
        lefts, rights = (islice(self._held(one, end), MOST_OF_BOTH) for end in (other, third))
        yield from (nodes.All((left, right)) for left, right in product(lefts, rights))

    # --- one name --------------------------------------------------------------------------------

    def _anything(self, one: Named, kinds: Sequence[SetNode], runner: Runner) -> Iterator[TruthNode]:
        """Whether a name has anything by a relation that things of its type have, of a class if one is said."""
        kin = np.flatnonzero(self._of_kin(one, runner) & self._facts.paths)
        probs = one.probs[0]
        for relation in sorted(kin.tolist(), key=lambda relation: -probs[relation])[:MOST_RELATIONS]:
            found = nodes.Follow(one.node, relation)
            yield nodes.Some(found)
            yield from (nodes.Some(nodes.And(kind, found)) for kind in kinds[:1])

    def _of_kin(self, one: Named, runner: Runner) -> np.ndarray:
        """bool [2R]: the relations of things of the name's types, and its own."""
        entity, kin = np.array([one.seed.entity]), [np.array([one.seed.entity])]
        for relation in self._pack.type_relations:
            types = runner.edges(entity, relation).targets
            kin.append(runner.edges(types, opposite(relation, self._n)).targets[:KIN])
        return relations_of(self._pack, np.concatenate(kin))

    def _twice(self, one: Named) -> Iterator[TruthNode]:
        """Whether two relations of a name lead to the same thing: "directed by its author"."""
        ends = [relation for relation in one.relations if not self._named.is_value(relation)][:FIRSTS]
        for first, second in islice(combinations(ends, 2), MOST_OF_KIND):
            yield nodes.Some(nodes.And(nodes.Follow(one.node, first), nodes.Follow(one.node, second)))


def _is_class_word(one: Linked, classes: Sequence[ClassSpan]) -> bool:
    """Whether what is linked is the class that a word says, and hardly a name: "country"."""
    first = one.mention.seeds[0]
    kinds = [kind for span in classes if (span.start, span.end) == one.mention.span for kind, _ in span.candidates]
    return first.score < SURELY and nodes.Class(first.entity) in kinds


def _with_seeds(queries: Iterator[TruthNode], *names: Named) -> Iterator[Proposed]:
    seeds = tuple(one.seed for one in names)
    return ((query, seeds) for query in queries)


def _in_turn(several: Sequence[Iterator[Proposed]]) -> Iterator[Proposed]:
    """One of each, then another of each."""
    yield from (one for found in zip_longest(*several) for one in found if one is not None)


def _overlap(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] < other[1] and other[0] < one[1]
