"""Random packs with everything that a query can meet, and random well-typed queries over them."""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeVar

from hypothesis import strategies as st

from kgask.build.writer import PackBuilder
from kgask.pack.literals import parse_literal
from kgask.pack.records import Literal
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.base import COMPARISONS, BagNode, By, SetNode, TruthNode, ValueNode

Kind = TypeVar("Kind")
LINKS = ("knows", "part of", "http://example.org/wrote")
VALUED = ("length", "born", "population", "mixed", "motto")
QUALIFIERS = ("point in time", "role", "ordinal", "born")  # "born" is between triples' ends too
_DATES = ("1900", "1900-05", "1900-05-17", "1900-05-18", "1899", "1901-01-01", "-0043-03-15", "44 BC", "0000")
_DATES += ("-0043", "1900-12", "1901-02", "12 BCE", "2024-02-29", "1903-02-28", "1969-07-20T20:17:40Z")
_TIMES = ("T07:42", "T09:00", "T09:00:10", "T23:59", "T00:00")
_LENGTHS = (("1", "km"), ("1000", "m"), ("2", "km"), ("1500", "m"), ("3", "kg"), ("0.5", "km"), ("-7", "furlongish"))
_NUMBERS = ("0", "1", "2", "3", "3.0", "7", "-2", "1e3")


def build_graph(seed: int, folder: Path) -> Pack:
    """A pack of ``3 + seed`` things and their types; the same for the same seed."""
    rng, builder = random.Random(seed), PackBuilder()
    things = [f"Q{number}" for number in range(1, 4 + seed)]
    types = [f"http://example.org/type/{number}" for number in range(1 + seed // 4)]
    for number, thing in enumerate(things):
        for _ in range(rng.randint(0, 2)):
            builder.add(thing, "instance of", rng.choice(types))
        for _ in range(rng.randint(0, 3)):
            _link(rng, builder, thing, rng.choice(LINKS), rng.choice(things))
        if rng.random() < 0.5:
            builder.add(things[0], "knows", thing)  # a hub
        for relation in VALUED:
            for _ in range(rng.choice((0, 1, 1, 1, 2, 3))):
                _link(rng, builder, thing, relation, _value(rng, relation))
        if rng.random() < 0.3:
            builder.label(thing, f"thing {number}" + ' \\u000a } "<x>')
    for narrow in types[1:]:
        builder.add(narrow, "subclass of", rng.choice(types))
    builder.add(things[0], "instance of", types[-1])
    for relation in (*LINKS, *VALUED):  # so that no graph lacks one
        builder.add(things[-1], relation, things[0] if relation in LINKS else _value(rng, relation), _said(rng, things))
    builder.write(folder / str(seed), name="random")
    return Pack.open(folder / str(seed))


def _link(rng: random.Random, builder: PackBuilder, subject: str, relation: str, obj: str | Literal) -> None:
    things = [f"Q{number}" for number in range(1, 4)]
    for _ in range(rng.choice((0, 1, 1, 2))):
        builder.add(subject, relation, obj, _said(rng, things))
    builder.add(subject, relation, obj)


def _said(rng: random.Random, things: list[str]) -> list[tuple[str, str | Literal]]:
    found: list[tuple[str, str | Literal]] = []
    for relation in rng.choices(QUALIFIERS, k=rng.choice((1, 1, 2, 3))):
        found.append((relation, rng.choice(things) if relation == "role" else _value(rng, relation)))
    return found


def _value(rng: random.Random, relation: str) -> Literal:
    kind = relation if relation != "mixed" else rng.choice(("length", "born", "opens", "opens", "population", "motto"))
    match kind:
        case "length":
            return parse_literal("number", *rng.choice(_LENGTHS))
        case "born" | "point in time":
            return parse_literal("date", rng.choice(_DATES))
        case "opens":
            return parse_literal("date", rng.choice(_TIMES))
        case "motto":
            return parse_literal("string", rng.choice(("ever on", 'a "quoted" \\ motto', "über\nalles % <>")))
    return parse_literal("number", rng.choice(_NUMBERS))


@dataclass(frozen=True)
class Parts:
    """What queries over one pack are made of."""

    pack: Pack

    def relation(self, label: str) -> int:
        return self.pack.relation_labels().index(label)

    def relations(self, *labels: str) -> st.SearchStrategy[int]:
        return st.sampled_from([self.relation(label) for label in labels])

    @property
    def any_directed(self) -> st.SearchStrategy[int]:
        return st.integers(0, 2 * self.pack.n_relations - 1)

    @property
    def links(self) -> st.SearchStrategy[int]:
        forward = [self.relation("wrote"), self.relation("knows"), self.relation("part of")]
        return st.sampled_from([*forward, *(relation + self.pack.n_relations for relation in forward)])

    @property
    def valued(self) -> st.SearchStrategy[int]:
        return self.relations(*VALUED[:4], *VALUED)

    @property
    def entities(self) -> st.SearchStrategy[int]:
        return st.integers(0, self.pack.n_entities - 1)

    @property
    def types(self) -> st.SearchStrategy[int]:
        keys = self.pack.keys(range(self.pack.n_entities - self.pack.n_literals))
        return st.sampled_from([at for at, key in enumerate(keys) if "type" in key])

    @cache  # noqa: B019 - parts live as long as their pack
    def bys(self) -> st.SearchStrategy[By]:
        before = st.lists(self.links, max_size=1)
        to_value = st.builds(lambda path, end: nodes.ValueOf((*path, end)), before, self.valued)
        anything = st.lists(self.any_directed, min_size=1, max_size=3).map(tuple)
        among = one_of(st.none(), st.none(), self.sets(0), self.narrowed())
        links = st.lists(self.links, min_size=1, max_size=2).map(tuple)
        size = st.builds(nodes.SizeOf, links, among)
        end = st.builds(lambda path, end: (*path, end), before, self.valued)
        span = st.builds(nodes.SpanOf, end, end)
        entries = st.builds(lambda path, end: (*path, end), st.lists(self.links, max_size=2), self.valued)
        total = st.builds(nodes.TotalOf, entries, among)
        return one_of(
            to_value, to_value, size, span, total, self.spans(), anything.map(nodes.SizeOf), anything.map(nodes.ValueOf)
        )

    def narrowed(self) -> st.SearchStrategy[SetNode]:
        """By a value, which some do not have: what is counted or added up."""
        by = self.valued.map(lambda end: nodes.ValueOf((end,)))
        return st.builds(nodes.Where, self.sets(0), by, st.sampled_from(COMPARISONS), self.values(0))

    def spans(self) -> st.SearchStrategy[By]:
        """Between two values that can be: a thing's own, and that of what it is linked to."""
        pairs = [(one, one) for one in ("born", "length", "population")]

        def between(pair: tuple[str, str], link: int, is_back: bool) -> By:
            one, other = (self.relation(label) for label in pair)
            ends = ((one,), (link, other))
            return nodes.SpanOf(*(ends[::-1] if is_back else ends))

        return st.builds(between, st.sampled_from(pairs), self.links, st.booleans())

    @cache  # noqa: B019 - parts live as long as their pack
    def sets(self, depth: int) -> st.SearchStrategy[SetNode]:
        things = st.lists(self.entities, min_size=1, max_size=3).map(lambda ids: nodes.Entities(tuple(ids)))
        having = one_of(self.valued, self.links, self.any_directed).map(nodes.Having)
        ground = one_of(having, having, self.types.map(nodes.Class), things)
        if not depth:
            return ground
        deeper = self.sets(depth - 1)
        ranks = st.sampled_from(((1, 1), (1, 1), (2, 2), (1, 2), (2, 3), (3, 3), (2, 5)))
        best = st.builds(
            lambda base, by, most, rank: nodes.Best(base, by, most, *rank), deeper, self.bys(), st.booleans(), ranks
        )
        where_in = st.builds(
            lambda base, path, among: nodes.Where(base, nodes.ValueOf(tuple(path)), "in", among),
            deeper,
            st.lists(self.links, min_size=1, max_size=2),
            deeper,
        )
        return one_of(
            ground,
            st.builds(nodes.Follow, deeper, one_of(self.links, self.any_directed)),
            st.builds(nodes.And, deeper, deeper),
            st.builds(nodes.Or, deeper, deeper),
            st.builds(nodes.Minus, deeper, deeper),
            self.wheres(depth),
            where_in,
            best,
            best,
            self.qualified(depth),
        )

    @cache  # noqa: B019 - parts live as long as their pack
    def wheres(self, depth: int) -> st.SearchStrategy[SetNode]:
        deeper, comparisons = self.sets(depth - 1), st.sampled_from(COMPARISONS)
        free = st.builds(nodes.Where, deeper, self.bys(), comparisons, self.values(depth - 1))
        fitting = []
        for label, constants in (
            ("length", lengths()),
            ("born", dates()),
            ("population", numbers()),
            ("mixed", times()),
        ):
            by = nodes.ValueOf((self.relation(label),))
            fitting.append(st.builds(nodes.Where, deeper, st.just(by), comparisons, constants))
        spans = st.builds(nodes.Where, deeper, self.spans(), comparisons, one_of(lasting(), numbers(), lengths()))
        return one_of(free, *fitting, spans)

    @cache  # noqa: B019 - parts live as long as their pack
    def follows(self, depth: int) -> st.SearchStrategy[nodes.Follow]:
        base = self.sets(max(depth - 1, 0))
        return st.builds(nodes.Follow, base, one_of(self.links, self.valued))

    @cache  # noqa: B019 - parts live as long as their pack
    def qualified(self, depth: int) -> st.SearchStrategy[nodes.Qualified]:
        follow = self.follows(depth)
        return one_of(self._once(follow, depth), self._once(self._once(follow, depth), depth))

    def _once(
        self, base: st.SearchStrategy[nodes.Follow] | st.SearchStrategy[nodes.Qualified], depth: int
    ) -> st.SearchStrategy[nodes.Qualified]:
        comparisons, make = st.sampled_from(COMPARISONS), nodes.Qualified
        among = self.sets(max(depth - 1, 0))
        return one_of(
            st.builds(make, base, self.relations("point in time", "born"), comparisons, dates()),
            st.builds(make, base, self.relations("ordinal"), comparisons, numbers()),
            st.builds(make, base, self.relations("role"), st.just("in"), among),
            st.builds(make, base, self.relations(*QUALIFIERS), comparisons, self.values(max(depth - 1, 0))),
        )

    @cache  # noqa: B019 - parts live as long as their pack
    def bags(self, depth: int) -> st.SearchStrategy[BagNode]:
        base = self.sets(max(depth - 1, 0))
        said = one_of(self.follows(depth), self.qualified(depth))
        return one_of(
            st.builds(nodes.Values, base, self.valued),
            st.builds(nodes.Values, base, one_of(self.valued, self.any_directed)),
            st.builds(nodes.QualifierOf, said, self.relations(*QUALIFIERS)),
            st.builds(
                nodes.QualifierOf, said, self.relations(*QUALIFIERS), one_of(base, self.any_directed.map(nodes.Having))
            ),
        )

    @cache  # noqa: B019 - parts live as long as their pack
    def values(self, depth: int) -> st.SearchStrategy[ValueNode]:
        if depth <= 0:
            return constants()
        bags = self.bags(depth)
        base = self.sets(depth - 1)
        addable = st.builds(nodes.Values, base, self.relations("population", "length"))
        deeper = self.values(depth - 1)
        born = st.builds(nodes.Values, base, self.relations("born"))
        moments = one_of(dates(), born, born.map(nodes.Min), born.map(nodes.Max), born.map(nodes.Mean))
        return one_of(
            constants(),
            base.map(nodes.Count),
            bags,
            addable.map(nodes.Sum),
            bags.map(nodes.Mean),
            bags.map(nodes.Min),
            bags.map(nodes.Max),
            st.builds(nodes.Difference, deeper, deeper),
            st.builds(nodes.Difference, moments, moments),
            st.builds(nodes.Age, moments, moments),
            st.builds(nodes.YearsBetween, moments, moments),
        )

    @cache  # noqa: B019 - parts live as long as their pack
    def truths(self, depth: int) -> st.SearchStrategy[TruthNode]:
        sets, values = self.sets(depth), self.values(depth)
        counts, comparisons = sets.map(nodes.Count), st.sampled_from(COMPARISONS)
        born = sets.map(lambda base: nodes.Values(base, self.relation("born")))
        simple = one_of(
            sets.map(nodes.Some),
            st.builds(nodes.Compare, one_of(born, born.map(nodes.Max)), comparisons, one_of(dates(), born)),
            st.builds(nodes.Holds, sets, self.links, sets),
            st.builds(nodes.Compare, values, comparisons, values),
            st.builds(nodes.Compare, counts, comparisons, one_of(counts, numbers())),
        )
        if not depth:
            return simple
        deeper = self.truths(depth - 1)
        several = st.lists(deeper, min_size=1, max_size=3).map(tuple)
        return one_of(simple, simple, deeper.map(nodes.Not), several.map(nodes.All), several.map(nodes.Any))

    def queries(self) -> st.SearchStrategy[nodes.Query]:
        def of_depth(depth: int) -> st.SearchStrategy[nodes.Query]:
            return one_of(self.sets(depth + 1), self.truths(depth), self.values(depth + 1))

        return st.integers(0, 2).flatmap(of_depth)


def one_of(*strategies: st.SearchStrategy[Kind]) -> st.SearchStrategy[Kind]:
    """As hypothesis' own, but a choice between choices is not made flat: each strategy is as likely as the others."""
    return st.sampled_from(strategies).flatmap(lambda chosen: chosen)


def numbers() -> st.SearchStrategy[ValueNode]:
    plain = st.sampled_from(_NUMBERS).map(lambda text: nodes.Number(float(text)))
    return one_of(plain, _ranges(plain))


def lengths() -> st.SearchStrategy[ValueNode]:
    one = st.sampled_from(_LENGTHS).map(lambda found: nodes.Number(float(found[0]), found[1]))
    return one_of(one, _ranges(one))


def dates() -> st.SearchStrategy[ValueNode]:
    one = st.sampled_from(_DATES).map(nodes.Date)
    return one_of(one, _ranges(one))


def lasting() -> st.SearchStrategy[ValueNode]:
    units = st.sampled_from(("year", "d", "s"))
    return st.builds(nodes.Number, st.sampled_from((-3.0, 0.0, 1.0, 20.0, 40.0)), units)


def times() -> st.SearchStrategy[ValueNode]:
    one = st.sampled_from(_TIMES).map(nodes.Date)
    return one_of(one, _ranges(one))


def constants() -> st.SearchStrategy[ValueNode]:
    return one_of(numbers(), dates(), lengths(), times())


def _ranges(ends: st.SearchStrategy[nodes.Number] | st.SearchStrategy[nodes.Date]) -> st.SearchStrategy[ValueNode]:
    def between(one: nodes.Number | nodes.Date, other: nodes.Number | nodes.Date) -> ValueNode:
        low, high = sorted((one, other), key=lambda end: end.quantity.low)
        same = low.quantity.axis == high.quantity.axis and low.quantity.low <= high.quantity.high
        return nodes.Range(low, high) if same else low

    return st.builds(between, ends, ends)
