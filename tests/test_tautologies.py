"""What holds of whatever a question names is no answer to whether others have it too."""

from __future__ import annotations

import pytest

import kgask
from kgask.methods.tautologies import says_nothing_of_others
from kgask.query import nodes

N = 10  # relations
MOZART = nodes.Entities((1,))


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (nodes.Some(nodes.Follow(nodes.Follow(MOZART, 3), 3 + N)), True),
        (nodes.Some(nodes.And(nodes.Having(3 + N), nodes.Follow(MOZART, 3))), True),
        (nodes.Holds(MOZART, 3, nodes.Having(3 + N)), True),
        (nodes.Some(nodes.Follow(MOZART, 3)), True),
        (nodes.Some(nodes.Minus(nodes.Follow(nodes.Follow(MOZART, 3), 3 + N), MOZART)), False),
        (nodes.Some(nodes.Follow(nodes.Follow(MOZART, 3), 4 + N)), False),
    ],
)
def test_who_shares_it(query: nodes.Query, expected: bool) -> None:
    assert says_nothing_of_others(query, "does anyone share a birthplace with Mozart?", N) is expected


def test_what_one_has_is_asked_for() -> None:
    assert not says_nothing_of_others(nodes.Some(nodes.Follow(MOZART, 3)), "does Mozart have a birthplace?", N)


def test_it_is_refused() -> None:
    with kgask.open("demo", reader=None) as opened:
        assert not opened.ask("does anyone in the graph share a birthplace with Mozart")
