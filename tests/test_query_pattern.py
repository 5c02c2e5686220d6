"""Two queries have one pattern where they look for the same things, however they are put together."""

from __future__ import annotations

import pytest

from kgask.query import nodes
from kgask.query.pattern import pattern

N = 10  # relations
A, B = nodes.Entities((1,)), nodes.Entities((2,))
BORN, LIVES, AREA, SINCE = 3, 4, 5, 6
Y1900 = nodes.Date("1900")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (nodes.Holds(A, BORN, B), nodes.Holds(B, BORN + N, A)),
        (nodes.Holds(A, BORN, B), nodes.Some(nodes.And(B, nodes.Follow(A, BORN)))),
        (
            nodes.Holds(nodes.Follow(A, LIVES), BORN, B),
            nodes.Some(nodes.And(nodes.Follow(A, LIVES), nodes.Follow(B, BORN + N))),
        ),
        (
            nodes.Compare(nodes.Values(A, AREA), ">", nodes.Values(B, AREA)),
            nodes.Compare(nodes.Values(B, AREA), "<", nodes.Values(A, AREA)),
        ),
        (nodes.Compare(nodes.Values(A, BORN), "=", Y1900), nodes.Compare(nodes.Values(A, BORN), "in", Y1900)),
        (
            nodes.Compare(nodes.QualifierOf(nodes.Follow(A, LIVES), SINCE, B), "=", Y1900),
            nodes.Some(nodes.And(nodes.Qualified(nodes.Follow(A, LIVES), SINCE, "in", Y1900), B)),
        ),
    ],
)
def test_the_same_said_in_another_way(one: nodes.Query, other: nodes.Query) -> None:
    assert pattern(one, N) == pattern(other, N)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (nodes.Holds(A, BORN, B), nodes.Holds(B, BORN, A)),
        (nodes.Holds(A, BORN, B), nodes.Holds(A, LIVES, B)),
        (
            nodes.Compare(nodes.Values(A, AREA), ">", nodes.Values(B, AREA)),
            nodes.Compare(nodes.Values(A, AREA), "<", nodes.Values(B, AREA)),
        ),
        (
            nodes.Compare(nodes.Values(A, AREA), ">", nodes.Number(5)),
            nodes.Compare(nodes.Values(A, AREA), ">=", nodes.Number(5)),
        ),
        (
            nodes.Some(nodes.And(nodes.Best(nodes.Class(7), nodes.ValueOf((AREA,)), True), A)),
            nodes.Some(nodes.And(nodes.Best(nodes.Class(7), nodes.ValueOf((AREA,)), False), A)),
        ),
        (nodes.Count(nodes.Follow(A, LIVES)), nodes.Follow(A, LIVES)),
    ],
)
def test_something_else_is_said(one: nodes.Query, other: nodes.Query) -> None:
    assert pattern(one, N) != pattern(other, N)
