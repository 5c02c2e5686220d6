"""Queries from postfix steps: every step that the grammar allows builds a query, and no other does."""

from __future__ import annotations

import random

import pytest

from kgask.errors import QueryError
from kgask.query import nodes
from kgask.query.nodes import Date, Entities, Follow, Number
from kgask.query.postfix import OPERATORS, SPAN_KINDS, Stack, query_of
from kgask.query.steps import steps_of

N = 5  # relations
KINDS = ("entity", "entity", "class", "number", "date", "rank")
SPANS = (Entities((0,)), Entities((1,)), nodes.Class(2), Number(5), Date("1935"), Number(2))


def build(*steps):
    return query_of(steps, KINDS, lambda span, relation: SPANS[span], N)


def span(number):
    return ("span", number)


X, Y, CLASS, FIVE, YEAR, SECOND = map(span, range(6))
A, B = Entities((0,)), Entities((1,))


@pytest.mark.parametrize(("said", "most", "rank"), [(3, True, 3), (-1, False, 1), (-2, False, 2), (-3, False, 3)])
def test_a_rank_counts_from_either_end(said: int, most: bool, rank: int) -> None:
    spans = (nodes.Class(2), Number(said))
    written = query_of((X, "BY", 1, Y, "MOST"), ("class", "rank"), lambda at, relation: spans[at], N)
    assert written == nodes.Best(nodes.Class(2), nodes.ValueOf((1,)), most, rank, rank)


WRITTEN = [
    ((X, 3, 7, "END"), Follow(Follow(A, 3), 7)),
    ((CLASS, X, 8, "AND", Y, 8, "MINUS", "COUNT", "END"),
     nodes.Count(nodes.Minus(nodes.And(nodes.Class(2), Follow(A, 8)), Follow(B, 8)))),
    ((CLASS, "BY", 1, SECOND, "MOST", 0), Follow(nodes.Best(nodes.Class(2), nodes.ValueOf((1,)), True, 2, 2), 0)),
    ((CLASS, "BY", 1, FIVE, "LEAST"), nodes.Best(nodes.Class(2), nodes.ValueOf((1,)), False, 1, 5)),
    ((CLASS, "BY", 1, "SIZE", FIVE, "GT"), nodes.Where(nodes.Class(2), nodes.SizeOf((1,)), ">", Number(5))),
    ((CLASS, "BY", 1, "SIZE", X, "GT"),
     nodes.Where(nodes.Class(2), nodes.SizeOf((1,)), ">", nodes.Count(Follow(A, 1)))),
    ((CLASS, "BY", 0, 1, X, "LT"),
     nodes.Where(nodes.Class(2), nodes.ValueOf((0, 1)), "<", nodes.Values(Follow(A, 0), 1))),
    ((CLASS, "BY", 1, YEAR, "IN"), nodes.Where(nodes.Class(2), nodes.ValueOf((1,)), "=", Date("1935"))),
    ((X, 7, "QUAL", 4, YEAR, "IN"), nodes.Qualified(Follow(A, 7), 4, "in", Date("1935"))),
    ((X, 2, Y, "OF", 4), nodes.QualifierOf(Follow(A, 2), 4, B)),
    ((X, 2, "OF", 4), nodes.QualifierOf(Follow(A, 2), 4)),
    ((X, 1, Y, 1, "GT"), nodes.Compare(nodes.Values(A, 1), ">", nodes.Values(B, 1))),
    ((X, 0, "COUNT", Y, 0, "COUNT", "DIFF"),
     nodes.Difference(nodes.Count(Follow(A, 0)), nodes.Count(Follow(B, 0)))),
    ((X, Y, "OR", "BY", 1, "LEAST"), nodes.Best(Entities((0, 1)), nodes.ValueOf((1,)), False)),
    ((X, 0, Y, "HOLDS", "NOT"), nodes.Not(nodes.Holds(A, 0, B))),
    ((X, CLASS, "HOLDS"), nodes.Some(nodes.And(A, nodes.Class(2)))),
    ((X, 1, X, 2, "AGE"), nodes.Age(nodes.Values(A, 1), nodes.Values(A, 2))),
    ((X, 1, YEAR, "AGE"), nodes.Age(nodes.Values(A, 1), Date("1935"))),
    ((CLASS, 1, "MEAN"), nodes.Mean(nodes.Values(nodes.Class(2), 1))),
    (("THING", 1, "COUNT"), nodes.Count(nodes.Having(6))),
]  # fmt: skip


@pytest.mark.parametrize(("steps", "query"), WRITTEN)
def test_steps_write_a_query(steps, query) -> None:
    assert build(*steps) == query


class Said:
    """The operands of a question that says just SPANS."""

    def entity(self, entity: int) -> int:
        return self._at(Entities((entity,)))

    def set_of(self, node) -> int | None:
        return SPANS.index(node) if isinstance(node, nodes.Class) and node in SPANS else None

    def constant(self, node) -> int:
        return self._at(node)

    def rank(self, number: int) -> int:
        return self._at(Number(number))

    number = rank

    def _at(self, node) -> int:
        if node not in SPANS:
            raise QueryError("the question does not say it")
        return SPANS.index(node)


@pytest.mark.parametrize(("steps", "query"), WRITTEN)
def test_a_query_has_the_steps_that_write_it(steps, query) -> None:
    assert build(*steps_of(query, Said(), N)) == query
    assert steps_of(query, Said(), N) == [*(step for step in steps if step != "END"), "END"]


@pytest.mark.parametrize(
    "query",
    [
        Follow(Entities((3,)), 1),
        nodes.Where(A, nodes.ValueOf((1,)), ">", Number(6)),
        nodes.Best(nodes.Class(2), nodes.ValueOf((1,)), True, 3, 3),
        nodes.Best(nodes.Class(2), nodes.ValueOf((1,)), True, 2, 5),
        nodes.Class(4),
        nodes.All((nodes.Holds(A, 0, B), nodes.Holds(A, 1, B))),
    ],
)
def test_what_no_operand_says_has_no_steps(query) -> None:
    with pytest.raises(QueryError):
        steps_of(query, Said(), N)


@pytest.mark.parametrize(
    "steps",
    [(), (X, Y), ("AND",), (X, "MOST"), (X, 1, "NONE"), (X, "BY", X, 1), (CLASS, "BY", 1, YEAR, "MOST"), (FIVE,), (1,)],
)
def test_what_is_no_query_is_refused(steps) -> None:
    with pytest.raises(QueryError):
        build(*steps)


@pytest.mark.parametrize("rank", [-1, -2])
def test_the_last_of_how_many_is_not_known_of_statements(rank: int) -> None:
    spans = (Entities((0,)), Number(rank))
    with pytest.raises(QueryError, match="not known"):
        query_of((X, 7, "QUAL", 4, Y, "IN"), ("entity", "rank"), lambda at, relation: spans[at], N)


def test_now_is_where_an_age_has_no_other_end() -> None:
    assert build(X, 1, "AGE") == nodes.Age(nodes.Values(A, 1), nodes.today())


def taken(stack, how, what):
    match how:
        case "op":
            return stack.operator(what)
        case "span":
            return stack.span(what, KINDS[what])
    return stack.relation(what, N)


def test_whatever_the_grammar_allows_can_be_built_and_written() -> None:
    """Random walks through the grammar: no allowed step fails but for ranks that are none, and END ends a query."""
    rng = random.Random(3)
    ended = 0
    for _ in range(3000):
        stack = Stack(lambda at, relation: SPANS[at])
        for _ in range(12):
            may = stack.allowed
            if "END" in may.operators and rng.random() < 0.4:
                ended += stack.node is not None
                break
            options = [("op", name) for name in sorted(may.operators - {"END", "NONE"})]
            options += [("span", at) for at, kind in enumerate(KINDS) if kind in may.spans]
            options += [("relation", rng.randrange(2 * N))] if may.relations else []
            how, what = rng.choice(options)
            try:
                stack = taken(stack, how, what)
            except QueryError as error:
                assert "no rank" in str(error) or "a set can only" in str(error)
                break
    assert ended > 500


def test_names_are_distinct() -> None:
    assert len(set(OPERATORS)) == len(OPERATORS) and len(set(SPAN_KINDS)) == len(SPAN_KINDS)
