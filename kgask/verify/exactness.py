"""How exactly a number is claimed, and how intervals compare."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal

import numpy as np

from kgask.pack.quantities import NUMBER, Quantity
from kgask.query import nodes
from kgask.query.base import Comparison, TruthNode
from kgask.retrieve.compare import compared, kleene

_COMPARES = re.compile(
    r"\b(?:than|more|less|fewer|over|under|above|below|exceeds?|beyond|before|after|at (?:least|most)|up to|tops?|"
    r"surpass\w*|reach\w*|minimum|maximum|not even|in excess|since|until|by|from|between|[a-z]+er than)\b",
    re.IGNORECASE,
)
_LIMITS: tuple[tuple[re.Pattern[str], Comparison], ...] = (  # right before a number
    (re.compile(r"\b(?:tops|exceeds?|surpass(?:es)?|more than|over|above|beyond) \d", re.IGNORECASE), ">"),
    (re.compile(r"\b(?:reach(?:es|ed)?|at least) \d", re.IGNORECASE), ">="),
    (re.compile(r"\b(?:less than|fewer than|under|below) \d", re.IGNORECASE), "<"),
)
_REACHES = re.compile(r"\breach(?:es|ed)? \d", re.IGNORECASE)
ROUND = 1000  # whole numbers below are meant exactly: 60 laps are not 58


def between(left: tuple[float, float], comparison: str, right: tuple[float, float]) -> tuple[bool, bool]:
    """Whether an interval surely, and perhaps, compares so with another."""
    low, high = (np.array([bound]) for bound in left)
    surely, perhaps = compared(low, high, comparison, Quantity(NUMBER, *right), False)  # type: ignore[arg-type]
    return bool(surely[0]), bool(perhaps[0])


def as_said(node: nodes.Compare) -> nodes.Compare:
    """A number that is claimed is as exact as it is said: 19.3 is any from 19.25 to 19.35.

    What is counted is counted exactly.
    """
    left, right = node.left, node.right
    if node.comparison != "=" or isinstance(left, nodes.Count) or not isinstance(right, nodes.Number):
        return node
    half = _last_digit(right.number) / 2
    low, high = nodes.Number(right.number - half, right.unit), nodes.Number(right.number + half, right.unit)
    return nodes.Compare(left, node.comparison, nodes.Range(low, high))


def _last_digit(number: float) -> float:
    """What the last digit of a number that is not 0 stands for.

    >>> _last_digit(19.3), _last_digit(45000000.0), _last_digit(79.0)
    (0.1, 1000000.0, 1.0)
    """
    if number.is_integer() and abs(number) < ROUND:
        return 1.0
    exponent = Decimal(repr(number)).normalize().as_tuple().exponent
    return float(Decimal(1).scaleb(int(exponent)))


def as_stated(query: TruthNode, text: str) -> TruthNode:
    """A number that is said without "more", "over" or the like is the value itself ("8848 m high"), with it not."""
    match query:
        case nodes.Not(truth):
            return nodes.Not(as_stated(truth, text))
        case nodes.Compare(left, "<" | "<=" | ">" | ">=", nodes.Number() as said) if not _COMPARES.search(text):
            return nodes.Compare(left, "=", said)
        case nodes.Compare(left, sign, nodes.Number() as said) if sign == "=" or _REACHES.search(text):
            return nodes.Compare(left, _limit(text), said)
        case nodes.Some(nodes.Where(base, by, "=", nodes.Number() as said)):
            return nodes.Some(nodes.Where(base, by, _limit(text), said))
    return query


def _limit(text: str) -> Comparison:
    """How a claim compares with the number that it says."""
    return next((sign for pattern, sign in _LIMITS if pattern.search(text)), "=")


def of_counts(comparison: Comparison, bounds: Sequence[tuple[float, float] | None]) -> bool | None:
    """Whether what is counted compares so, as the graph counts and by the most that there may be; None where these
    are not of one mind, or one is unknown."""
    left, right = bounds
    return None if left is None or right is None else kleene(*between(left, comparison, right))
