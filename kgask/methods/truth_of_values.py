"""What a claim may say with its numbers, dates and superlatives about what it names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice, permutations

import numpy as np

from kgask.link.values import ValueSpan
from kgask.methods.named_relations import Named, NamedRelations
from kgask.methods.relation_facts import RelationFacts
from kgask.pack.quantities import DATE
from kgask.query import nodes
from kgask.query.base import BagNode, Comparison, Node, SetNode, TruthNode
from kgask.retrieve.follow import relations_of
from kgask.retrieve.run import Runner, run

FIRSTS = 8  # relations of a name that another is put behind
MOST_OF_KIND = 8  # queries that are put together in one way
MOST_ENDS = 50  # of a set that are looked at
_UP = re.compile(
    r"\b(?:more|over|above|exceed\w*|beyond|after|at least|tops?|surpass\w*|minimum|in excess|since|from|reach\w*|"
    r"no (?:less|fewer)|(?!over|under|after|other|number|river|water|never|whether|order)[a-z]{2,}er than|later)\b",
    re.IGNORECASE,
)
_DOWN = re.compile(
    r"\b(?:less|fewer|under|below|before|at most|up to|maximum|until|by|within|no more|earlier|"
    r"(?!over|under|after|other|number|river|water|never|whether|order)[a-z]{2,}er than|not even|prior)\b",
    re.IGNORECASE,
)
_ORDERED = re.compile(r"\b(?:most|least|fewest|[a-z]{2,}est|first|last|top|record)\b", re.IGNORECASE)
_MORE: tuple[Comparison, ...] = (">", ">=")
_LESS: tuple[Comparison, ...] = ("<", "<=")


class TruthOfValues:
    """Proposes truths about the numbers and dates of one pack."""

    def __init__(self, facts: RelationFacts) -> None:
        self._facts, self._pack, self._named = facts, facts.pack, NamedRelations(facts)

    def of(self, one: Named, text: str, said: Sequence[ValueSpan]) -> Iterator[TruthNode]:
        """What a name may have to do with each number or date."""
        for value in said:
            options, signs = _options(value), _signs(text, value)
            for relation in one.relations:
                yield from self._beside(nodes.Values(one.node, relation), options, relation, signs)
            for first, second in self._named.two_steps(one, self._named.is_value, FIRSTS, MOST_OF_KIND):
                yield from self._led_to(one, first, second, options, signs)
            number = next((option for option in options if _is_count(option)), None)
            if isinstance(number, nodes.Number):
                yield from islice(self._counted(one, number, signs), MOST_OF_KIND * (1 + len(signs)))

    def of_statements(self, one: Named, other: Named, said: Sequence[ValueSpan]) -> Iterator[TruthNode]:
        """What the statements that connect two names say beside each number or date."""
        qualifiers = np.flatnonzero(self._facts.qualifiers[: self._facts.n_relations]).tolist()
        for relation in one.relations if qualifiers and said else ():
            if other.seed.entity not in self._named.ends(one, relation):
                continue
            dates = [one for one in qualifiers if self._facts.of(one)[0] == DATE]
            yield from self._lasted(nodes.Follow(one.node, relation), other.node, said, dates)
            for value in said:
                for said_by in qualifiers:
                    found = nodes.QualifierOf(nodes.Follow(one.node, relation), said_by, other.node)
                    yield from self._beside(found, _options(value), said_by, (*_MORE, *_LESS))

    def _lasted(
        self, found: nodes.Follow, other: nodes.Entities, said: Sequence[ValueSpan], dates: Sequence[int]
    ) -> Iterator[TruthNode]:
        """Whether a statement began with the first date of a period and ended with its last."""
        every = [option for value in said for option in _options(value) if isinstance(option, nodes.Range)]
        periods = [period for period in every if isinstance(period.low, nodes.Date)]
        bags = [nodes.QualifierOf(found, by, other) for by in dates if periods]
        known = [(bag, when.low) for bag in bags if (when := run(bag, self._pack).quantity) is not None]
        for (began, first), (ended, last) in permutations(known, 2):
            for period in periods if first < last else ():
                ends = ((began, period.low), (ended, period.high))
                yield nodes.All(tuple(nodes.Compare(bag, "=", date) for bag, date in ends))

    def of_kinds(
        self, kinds: Sequence[SetNode], text: str, said: Sequence[ValueSpan], runner: Runner
    ) -> Iterator[TruthNode]:
        """Whether anything of a class has such a number or date."""
        for kind in kinds[:1]:
            had = relations_of(self._pack, runner.members(kind).certain[:MOST_ENDS])
            for relation in np.flatnonzero(had & self._facts.paths).tolist():
                for value in said:
                    yield from self._any_beside(kind, relation, _options(value), _signs(text, value))

    def _led_to(
        self, one: Named, first: int, second: int, options: Sequence[Node], signs: Sequence[Comparison]
    ) -> Iterator[TruthNode]:
        """The number of what one relation leads to; of several whether any of them has it."""
        found = nodes.Follow(one.node, first)
        if len(self._named.ends(one, first)) > 1:
            yield from self._any_beside(found, second, options, signs)
        else:
            yield from self._beside(nodes.Values(found, second), options, second, signs)

    def _beside(
        self, values: BagNode, options: Sequence[Node], relation: int, signs: Sequence[Comparison]
    ) -> Iterator[TruthNode]:
        if (limit := self._limit(options, relation)) is not None:
            is_range = isinstance(limit, nodes.Range)
            yield nodes.Compare(values, "in" if is_range else "=", limit)
            yield from (nodes.Compare(values, sign, limit) for sign in signs if not is_range)

    def _any_beside(
        self, base: SetNode, relation: int, options: Sequence[Node], signs: Sequence[Comparison]
    ) -> Iterator[TruthNode]:
        if (limit := self._limit(options, relation)) is not None:
            is_range = isinstance(limit, nodes.Range)
            for sign in ("in",) if is_range else ("=", *signs):
                yield nodes.Some(nodes.Where(base, nodes.ValueOf((relation,)), sign, limit))

    def _limit(self, options: Sequence[Node], relation: int) -> nodes.Constant | None:
        """A number or date as a relation has them; None where it has no such values."""
        axis = self._facts.of(relation)[0]
        if axis is None or not options:
            return None
        limit = self._facts.fitting(options, relation)
        fits = isinstance(limit, nodes.Number | nodes.Date | nodes.Range) and limit.quantity.axis == axis
        return limit if fits else None  # type: ignore[return-value]  # which is what was looked at

    def _counted(self, one: Named, number: nodes.Number, signs: Sequence[Comparison]) -> Iterator[TruthNode]:
        for relation in one.relations:
            if not self._named.is_value(relation):
                count = nodes.Count(nodes.Follow(one.node, relation))
                yield from (nodes.Compare(count, sign, number) for sign in ("=", *signs))

    def of_rank(self, one: Named, text: str, kinds: Sequence[SetNode], runner: Runner) -> Iterator[TruthNode]:
        """Whether a name has the most or the least of a number, in a class if one is said that it is of."""
        if not _ORDERED.search(text):
            return
        among = [kind for kind in kinds if np.isin(one.seed.entity, runner.members(kind).certain)]
        for relation in [relation for relation in one.relations if self._named.is_value(relation)][:MOST_OF_KIND]:
            for kind in among or [nodes.Having(relation)]:
                for most in (True, False):
                    best = nodes.Best(kind, nodes.ValueOf((relation,)), most)
                    yield nodes.Some(nodes.And(best, one.node))


def _options(value: ValueSpan) -> list[Node]:
    """What a number or date may mean; nothing of a rank."""
    return [option for option in value.options if isinstance(option, Node)]


def _signs(text: str, value: ValueSpan) -> tuple[Comparison, ...]:
    """The comparisons that a claim may mean which says this number or date, beside that it is the same."""
    around = f"{text[: value.start]} {text[value.end :]}"
    return _MORE * bool(_UP.search(around)) + _LESS * bool(_DOWN.search(around))


def _is_count(option: Node) -> bool:
    return isinstance(option, nodes.Number) and not option.unit and option.number == int(option.number)
