"""Queries that the graph proposes: what the names and class words of a question have in it, put together.

Whoever brings a small graph has labels that no planner has met ("grade" of a trail that is asked to be "difficult"),
and what a question names has few relations there. The judge of queries tells which of them is meant. The question's
kind says how they are put together; in a small graph less is left to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import combinations, islice, permutations, product

import numpy as np

from kgask.link.classes import ClassSpan
from kgask.link.values import ValueSpan
from kgask.methods.cues import Asked
from kgask.methods.doers import ORDERED, SIGNS, of_doers, ordered, where
from kgask.methods.flags import flags_of
from kgask.methods.named_relations import Named, NamedRelations
from kgask.methods.over_records import over_records
from kgask.methods.relation_facts import RelationFacts, is_small
from kgask.methods.totalled import totalled
from kgask.methods.two_compared import namesakes_compared, two_compared
from kgask.methods.understand import Linked
from kgask.pack.arrays import distinct
from kgask.pack.quantities import WHEN
from kgask.query import nodes
from kgask.query.base import Node, SetNode
from kgask.retrieve.follow import relations_of
from kgask.retrieve.run import Runner
from kgask.types import Seed, opposite

MOST_RELATIONS = 12  # of a name, those first that the planner holds likeliest
MOST_KINDS = 24  # classes, and relations, of a graph that is small enough for all of them
MOST_PAIRED, MOST_PAIRED_IF_SMALL = 4, 8  # relations of each of two names that are put together
MOST_SIZES = 5  # relations of how many of which a set is ordered
MOST_LACKED = 6  # relations that some of a set may lack
MOST_ENDS = 50  # of a relation that are looked at
MOST_SAID = 3  # relations that a question says, to anything, by which a set is narrowed
MOST_EITHER = 6  # pairs of relations that lead to a name from the same things
MOST_VALUES, MOST_OF_NAME = 8, 3  # numbers and dates by which a class, and what a name has, is ordered
_ASKS_OF_SETS = {"superlative", "ordinal", "count", "arithmetic", "filter"}
_COMPARED = {"comparison", "filter", "superlative", "ordinal"}
_OF_STATEMENTS = {"qualifier", "filter", "path"}
_Put = type[nodes.And | nodes.Or | nodes.Minus]
_SETS: dict[str, _Put] = {"intersection": nodes.And, "union": nodes.Or, "difference": nodes.Minus}
Proposed = tuple[nodes.Query, tuple[Seed, ...]]  # with the seeds that it begins with


class Proposals:
    """Proposes queries over one pack."""

    def __init__(self, facts: RelationFacts) -> None:
        self._facts, self._pack, self._n = facts, facts.pack, facts.n_relations
        self._named = NamedRelations(facts)
        self._is_small = is_small(facts.pack)

    def of(
        self, linked: Sequence[Linked], asked: Asked, classes: Sequence[ClassSpan], runner: Runner
    ) -> Iterator[Proposed]:
        """Queries about the surest names and the first class word of a question, with its numbers, dates and ranks."""
        kinds, names = [one.candidates[0][0] for one in classes], self._named.meant(linked, classes)
        if len(names) > 1:
            yield from ((query, _seeds(names)) for query in self._of_two(names[0], names[1], asked, kinds[:1]))
            yield from namesakes_compared(self._named, names[0], names[1], asked.kinds, self._facts)
        if len(kinds) > 1:
            yield from ((query, ()) for query in self._of_two_kinds(kinds[0], kinds[1], asked))
        others = self._named.of([one for one in linked if _is_apart(one, classes)])
        for kind in kinds[:1]:
            yield from self._beside(kind, others, asked, runner)
            for base, seeds in self._of_class(kind, others, asked, runner):
                yield from ((query, seeds) for query in self._of_set(base, asked, runner))
                yield from ((query, seeds) for query in self._having(base, asked, runner))
        if not others:
            yield from ((query, ()) for query in self._of_none(asked, runner))
        if all(one.seed.entity >= self._pack.n_entities - self._pack.n_literals for one in others):
            yield from ((query, ()) for query in of_doers(kinds[:1], asked, self._named.is_value, self._pack))
        yield from self._qualified(names, asked)
        for one in names:
            yield from ((query, (one.seed,)) for query in self._of_one(one, asked, runner))
        for one in names if self._is_small else ():
            yield from ((query, (one.seed,)) for query in self._of_two_steps(one, asked))
            yield from ((query, (one.seed,)) for query in over_records(self._named, one, asked, kinds[:1], runner))
        sums = totalled(self._facts, kinds[:1], asked, runner) if self._is_small and not others else ()
        yield from ((query, ()) for query in sums)

    # --- nothing is named ------------------------------------------------------------------------

    def _of_none(self, asked: Asked, runner: Runner) -> Iterator[nodes.Query]:
        """The classes of a small graph, and who has which relation."""
        types, relations = self._pack.types, self._pack.path_relations.tolist()
        classes = distinct(types[:, 0]).tolist() if types is not None else []
        if max(len(classes), len(relations)) > MOST_KINDS:
            return
        values = [relation for relation in relations if self._named.is_value(relation)]
        sets: list[SetNode] = [nodes.Class(kind) for kind in classes]
        sets += [nodes.Having(relation) for relation in relations]
        sets += [nodes.Having(opposite(relation, self._n)) for relation in relations if relation not in values]
        sets += self._flags(asked)
        for relation in values:
            yield from self._by(nodes.Having(relation), relation, asked)
        if "count" in asked.kinds:
            yield from (nodes.Count(one) for one in sets)
        yield from self._lacking(relations, runner) if "difference" in asked.kinds and not classes else ()
        yield from sets

    def _lacking(self, relations: Sequence[int], runner: Runner) -> Iterator[nodes.Query]:
        """Where nothing has a type, those that lack a relation which others of their sort have: those that have the
        commonest relation that goes with it."""
        counts = np.bincount(np.asarray(self._pack.out_relation), minlength=self._n)
        for lacked in sorted(relations, key=lambda relation: counts[relation])[:MOST_LACKED]:
            owners = runner.members(nodes.Having(lacked)).certain
            beside = relations_of(self._pack, owners[:MOST_ENDS])[: self._n]
            beside[lacked] = False
            commonest = int(np.argmax(np.where(beside, counts, 0)))
            if counts[commonest] > counts[lacked]:
                yield nodes.Minus(nodes.Having(commonest), nodes.Having(lacked))

    # --- a class word ----------------------------------------------------------------------------

    def _of_class(
        self, kind: SetNode, names: Sequence[Named], asked: Asked, runner: Runner
    ) -> Iterator[tuple[SetNode, tuple[Seed, ...]]]:
        """What the names have of the class, and what of it they do not have; all of it where they have nothing."""
        members, is_had = runner.members(kind).certain, False
        for one in names:
            if asked.excepts and one.seed.entity in members:  # "the largest after Russia"
                yield nodes.Minus(kind, one.node), (one.seed,)
            ends_of = partial(self._named.ends, one)
            leading = (relation for relation in one.relations if np.isin(ends_of(relation), members).any())
            for relation in islice(leading, MOST_PAIRED):
                is_had = True
                yield nodes.And(kind, nodes.Follow(one.node, relation)), (one.seed,)
                if "difference" in asked.kinds:
                    yield nodes.Minus(kind, nodes.Follow(one.node, relation)), (one.seed,)
                    yield nodes.Minus(nodes.Follow(one.node, relation), kind), (one.seed,)
        for one in names:
            for path in self._through(one):
                yield nodes.And(kind, path), (one.seed,)
        for flag in self._flags(asked) if self._is_small and not names else ():
            yield nodes.And(kind, flag), ()
        if not is_had:
            yield kind, ()

    def _flags(self, asked: Asked) -> Iterator[SetNode]:
        """Of what a column says "yes", and "no" where something is denied."""
        for relation in self._pack.path_relations.tolist():
            for is_yes, end in flags_of(self._pack, relation).items():
                if is_yes or "difference" in asked.kinds:
                    yield nodes.Follow(nodes.Entities((end,)), opposite(relation, self._n))

    def _beside(self, kind: SetNode, names: Sequence[Named], asked: Asked, runner: Runner) -> Iterator[Proposed]:
        """Those of the class that have more, or less, of what a name has a number or date of."""
        if not asked.kinds & _COMPARED:
            return
        had = relations_of(self._pack, runner.members(kind).certain[:MOST_ENDS])
        for one in names:
            values = [relation for relation in one.relations if self._named.is_value(relation) and had[relation]]
            for relation, sign in product(values[:MOST_OF_NAME], SIGNS[:2]):
                limit = nodes.Values(one.node, relation)
                yield nodes.Where(kind, nodes.ValueOf((relation,)), sign, limit), (one.seed,)

    # --- a set -----------------------------------------------------------------------------------

    def _of_set(self, base: SetNode, asked: Asked, runner: Runner, most: int = MOST_VALUES) -> Iterator[nodes.Query]:
        """What is asked of a set, by the numbers and dates that most of its members have, and the set itself."""
        members = runner.members(base).certain[:MOST_ENDS]
        had = np.flatnonzero(relations_of(self._pack, members)).tolist()
        having = {one: sum(self._facts.of_entity(member)[one] for member in members.tolist()) for one in had}
        had.sort(key=lambda relation: -having[relation])
        values = [relation for relation in had if self._named.is_value(relation)]
        for relation in values[:most]:
            yield from self._by(base, relation, asked)
        yield base
        if "count" in asked.kinds:
            yield nodes.Count(base)
        ends = [relation for relation in had if relation not in values and self._facts.paths[relation]]
        several = [relation for relation in ends if not self._facts.leads_to_one(relation)][:MOST_SIZES]
        for relation in several if asked.kinds & ORDERED else ():
            yield from ordered(base, nodes.SizeOf((relation,)), asked)
        for relation, number in product(several if "filter" in asked.kinds else (), asked.counts):
            yield from where(base, nodes.SizeOf((relation,)), number)
        if "difference" in asked.kinds and not isinstance(base, nodes.Minus):
            lacked = [relation for relation in ends if having[relation] < len(members)]
            yield from (nodes.Minus(base, nodes.Having(relation)) for relation in lacked[:MOST_LACKED])

    def _having(self, base: SetNode, asked: Asked, runner: Runner) -> Iterator[nodes.Query]:
        """Those of a set that are in a relation which the question says, to anything: "drivers who became champion"."""
        members = runner.members(base).certain
        ways = (way for one in asked.said for way in (one, opposite(one, self._n)) if self._facts.paths[way])
        some = (one for one in map(nodes.Having, ways) if _is_of_some(members, runner.members(one).certain))
        for one in islice(some, MOST_SAID):
            yield (narrowed := nodes.And(base, one))
            of: dict[str, type[nodes.Count | nodes.Some]] = {"count": nodes.Count, "yesno": nodes.Some}
            yield from (operator(narrowed) for kind, operator in of.items() if kind in asked.kinds)

    def _by(self, base: SetNode, value: int, asked: Asked) -> Iterator[nodes.Query]:
        """A set ordered, added up or narrowed by one number or date of its members."""
        if asked.kinds & ORDERED:
            yield from ordered(base, nodes.ValueOf((value,)), asked)
        if "arithmetic" in asked.kinds and self._facts.of(value)[0] not in WHEN:
            yield from (total(nodes.Values(base, value)) for total in (nodes.Sum, nodes.Mean))
        elif "count" in asked.kinds and self._facts.of(value)[0] not in WHEN:  # "how many birds" may stand in a column
            yield nodes.Sum(nodes.Values(base, value))
        for one in asked.values if "filter" in asked.kinds else ():
            limit = self._limit(one, value)
            if limit is not None:
                yield from where(base, nodes.ValueOf((value,)), limit)

    # --- one name --------------------------------------------------------------------------------

    def _of_one(self, one: Named, asked: Asked, runner: Runner) -> Iterator[nodes.Query]:
        for relation in one.relations[:MOST_RELATIONS]:
            found = nodes.Follow(one.node, relation)
            if len(self._named.ends(one, relation)) > 1 and _ASKS_OF_SETS & asked.kinds:
                yield from self._of_set(found, asked, runner, MOST_OF_NAME)
            else:
                yield found
        for path in self._through(one):
            yield nodes.Count(path) if "count" in asked.kinds else path
        if "arithmetic" in asked.kinds:
            yield from self._differences(one)
        if "yesno" in asked.kinds:
            yield from self._flagged(one)
            yield from self._compared_in_one(one)
        if self._is_small:
            yield from self._either(one, asked)

    def _either(self, one: Named, asked: Asked) -> Iterator[nodes.Query]:
        """What is related to a name by one of two relations of the same things: games that one played, as White or
        Black."""
        back = [relation for relation in one.relations if relation >= self._n]
        for first, second in islice(combinations(back, 2), MOST_EITHER):
            if self._have_the_same(one, first, second):
                both = nodes.Or(nodes.Follow(one.node, first), nodes.Follow(one.node, second))
                yield nodes.Count(both) if "count" in asked.kinds else both

    def _have_the_same(self, one: Named, first: int, second: int) -> bool:
        """Whether what has either relation to a name has both relations to somebody."""
        ends = (self._named.ends(one, first)[:MOST_ENDS], self._named.ends(one, second)[:MOST_ENDS])
        plain = [first - self._n, second - self._n]
        return all(relations_of(self._pack, some)[plain].all() for some in ends)

    def _flagged(self, one: Named) -> Iterator[nodes.Query]:
        """Whether a "yes" stands in a column of "yes" and "no" for a name."""
        for relation in one.relations:
            flags = flags_of(self._pack, relation)
            if True in flags:
                yield nodes.Holds(one.node, relation, nodes.Entities((flags[True],)))

    def _compared_in_one(self, one: Named) -> Iterator[nodes.Query]:
        """Whether of two numbers or dates of a name on the same axis the one is above the other."""
        values = [relation for relation in one.relations if self._named.is_value(relation)][:MOST_PAIRED]
        for left, right in permutations(values, 2):
            if self._facts.of(left)[0] == self._facts.of(right)[0]:
                yield nodes.Compare(nodes.Values(one.node, left), ">", nodes.Values(one.node, right))

    def _differences(self, one: Named) -> Iterator[nodes.Query]:
        """Of two numbers of a name in the same unit: how far the one is below the other."""
        values = [relation for relation in one.relations if self._named.is_value(relation)][:MOST_PAIRED]
        for left, right in permutations(values, 2):
            if self._facts.of(left) == self._facts.of(right):
                yield nodes.Difference(nodes.Values(one.node, left), nodes.Values(one.node, right))

    def _through(self, one: Named) -> Iterator[SetNode]:
        """What is asked for and the name lacks, by way of what belongs to it."""
        for first, second in self._named.through(one):
            yield nodes.Follow(nodes.Follow(one.node, first), second)

    def _of_two_steps(self, one: Named, asked: Asked) -> Iterator[nodes.Query]:
        """The likeliest paths of two relations."""
        for first, second in self._named.two_steps(one):
            path = nodes.Follow(nodes.Follow(one.node, first), second)
            yield nodes.Count(path) if "count" in asked.kinds else path

    def _qualified(self, names: Sequence[Named], asked: Asked) -> Iterator[Proposed]:
        """What a name has by statements that say a date or number of the question, or its other name."""
        said = np.flatnonzero(self._facts.qualifiers[: self._n]).tolist() if asked.kinds & _OF_STATEMENTS else []
        for one in names:
            steps = [relation for relation in one.relations if not self._named.is_value(relation)]
            others = [other for other in names if other is not one]
            for relation, qualifier in product(steps[:MOST_PAIRED], said):
                found = nodes.Follow(one.node, relation)
                for value in asked.values:
                    limit = self._limit(value, qualifier)
                    if limit is not None:
                        yield nodes.Qualified(found, qualifier, "in", limit), (one.seed,)
                for other in others:
                    yield nodes.Qualified(found, qualifier, "in", other.node), _seeds(names)

    def _limit(self, said: ValueSpan, relation: int) -> nodes.Constant | None:
        """A number or date of a question, or a range of them, as a relation has them."""
        options = [option for option in said.options if isinstance(option, Node)]  # none of a rank
        limit = self._facts.fitting(options, relation) if options else None
        if not isinstance(limit, nodes.Constant) or limit.quantity.axis != self._facts.of(relation)[0]:
            return None
        return limit

    # --- two names -------------------------------------------------------------------------------

    def _of_two(self, one: Named, other: Named, asked: Asked, kind: Sequence[SetNode] = ()) -> Iterator[nodes.Query]:
        """What is between two names, and what each has by the same relation, or by two that lead to the same; of a
        kind, where one is named."""
        for relation in one.relations[:MOST_RELATIONS]:
            if opposite(relation, self._n) in other.relations:
                yield from self._between(one.node, relation, other.node, asked.kinds)
            if relation in other.relations:
                yield from two_compared(one.node, other.node, relation, asked.kinds, self._facts)
        if "yesno" in asked.kinds:
            yield from (*self._held_in_two_steps(one, other), *self._held_in_two_steps(other, one))
        kinds = asked.kinds | {"intersection"} if self._is_small else asked.kinds
        together = [put for kind, put in _SETS.items() if kind in kinds]
        for first, second in self._paired(one, other):
            left, right = nodes.Follow(one.node, first), nodes.Follow(other.node, second)
            both = [put(left, right) for put in together]
            both += [nodes.Minus(right, left)] if nodes.Minus in together else []
            yield from (nodes.And(named, found) for named in kind for found in both)
            yield from both
        for put in together if self._is_small else ():
            yield from self._of_two_paths(one, other, put)

    def _of_two_paths(self, one: Named, other: Named, put: _Put) -> Iterator[SetNode]:
        """What both have by the same two steps, as by way of records of their own: species seen at either place."""
        others = {*self._named.two_steps(other)}
        for first, second in self._named.two_steps(one):
            if (first, second) in others:
                left, right = (nodes.Follow(nodes.Follow(named.node, first), second) for named in (one, other))
                yield put(left, right)

    def _of_two_kinds(self, one: SetNode, other: SetNode, asked: Asked) -> Iterator[nodes.Query]:
        """What is of either kind, of both, or of one and not of the other."""
        found = [put(one, other) for kind, put in _SETS.items() if kind in asked.kinds]
        if "difference" in asked.kinds:
            found.append(nodes.Minus(other, one))
        yield from (nodes.Count(both) for both in found if "count" in asked.kinds)
        yield from found

    def _held_in_two_steps(self, one: Named, other: Named) -> Iterator[nodes.Query]:
        """Whether what one has is in a relation to the other, by relations that both have; the likeliest first."""
        back = {opposite(relation, self._n) for relation in other.relations}
        for first, second in self._named.two_steps(one, lambda relation: relation in back):
            yield nodes.Holds(nodes.Follow(one.node, first), second, other.node)

    def _paired(self, one: Named, other: Named) -> Iterator[tuple[int, int]]:
        """Relations of both: the same ones, then those with some ends in common."""
        ones, others = (
            [relation for relation in named.relations[:MOST_RELATIONS] if not self._named.is_value(relation)]
            for named in (one, other)
        )
        same = [relation for relation in ones if relation in others]
        yield from ((relation, relation) for relation in same)
        most = MOST_PAIRED_IF_SMALL if self._is_small else MOST_PAIRED
        for first, second in product(ones[:most], others[:most]):
            if first != second and np.isin(self._named.ends(one, first), self._named.ends(other, second)).any():
                yield first, second

    def _between(
        self, first: nodes.Entities, relation: int, second: nodes.Entities, kinds: frozenset[str]
    ) -> Iterator[nodes.Query]:
        if "yesno" in kinds or self._is_small:
            yield nodes.Holds(first, relation, second)
        if "qualifier" in kinds:
            for said in np.flatnonzero(self._facts.qualifiers[: self._n]).tolist():
                yield nodes.QualifierOf(nodes.Follow(first, relation), said, second)


def _seeds(names: Sequence[Named]) -> tuple[Seed, ...]:
    return tuple(one.seed for one in names)


def _is_apart(one: Linked, classes: Sequence[ClassSpan]) -> bool:
    """Whether a name stands in none of the class words."""
    start, end = one.mention.span
    return all(span.end <= start or end <= span.start for span in classes)


def _is_of_some(members: np.ndarray, owners: np.ndarray) -> bool:
    """Whether some of a set are among others, and some are not."""
    return 0 < len(np.intersect1d(members, owners, assume_unique=True)) < len(members)
