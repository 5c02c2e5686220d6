"""Differences and ages as people ask for them: the larger less the smaller, years between dates, who is older."""

from __future__ import annotations

import re
from dataclasses import replace

from kgask.methods.signs import TURNED
from kgask.pack.labels import relation_phrase
from kgask.pack.quantities import DATE, WHEN
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.axes import relation_axis
from kgask.query.base import Node
from kgask.query.nodes import Query
from kgask.query.rewrite import replaced
from kgask.retrieve.outcome import Result
from kgask.retrieve.run import Runner
from kgask.types import undirected

_YEARS = re.compile(r"\byears?\b|\b(?:age|birth) (?:gap|difference)\b|\bhow much (?:older|younger)\b", re.IGNORECASE)
_AGES = re.compile(r"\b(old|young|new)(?:er|est)\b", re.IGNORECASE)
_LONG_THERE = re.compile(  # who has been there longer came first
    r"\b(?:been|serv\w+|work\w*|stay\w*|employed|a member)\b[^,?]*\blong(?:er|est)\b|"
    r"\blong(?:er|est)[- ](?:serving|standing)\b",
    re.IGNORECASE,
)
_MODERN = re.compile(r"\b(?:most|more) (?:modern|recent|up-to-date)\b", re.IGNORECASE)
_DENIED = re.compile(r"\bnot\b|n['\u2019]t\b", re.IGNORECASE)
DAYS_OF_YEAR = 364  # from the first of a year to its last
_AGE_WORDS = frozenset(("age", "aged", "ages"))
_DAYS = re.compile(r"\b(?:days?|months?|weeks?)\b", re.IGNORECASE)


def downwards(runner: Runner, found: Result) -> Result:
    """A difference is asked for whatever stands first in the question: the larger less the smaller."""
    query = found.query
    if isinstance(query, nodes.Difference) and found.quantity is not None and found.quantity.high < 0:
        return runner.result(nodes.Difference(query.right, query.left))
    return found


def in_years(text: str, runner: Runner, found: Result) -> Result:
    """What lies between two dates is told in days, and in years where the question asks for those; of what no more than
    the years are known, by these."""
    query = found.query
    is_asked = _YEARS.search(text) is not None and _DAYS.search(text) is None
    if not (is_asked and isinstance(query, nodes.Difference)):
        return found
    ends = [runner.result(end).quantity for end in (query.left, query.right)]
    if any(end is None or end.axis != DATE for end in ends):
        return found
    are_years = all(end is not None and end.high - end.low >= DAYS_OF_YEAR for end in ends)
    return runner.result((nodes.YearsBetween if are_years else nodes.Age)(query.right, query.left))


def of_age(query: Query, text: str, pack: Pack) -> Query:
    """The query with who is older as who has more of a number of years, less of a date: born, built or founded first.

    The planner knows dates of birth better than ages, and reads "the oldest" as least of both.
    """
    words = {found[1].lower() for found in _AGES.finditer(text)}
    words |= {"old"} if _LONG_THERE.search(text) else {"new"} if _MODERN.search(text) else set()
    if len(words) != 1 or _DENIED.search(text):
        return query
    is_old = words.pop() == "old"
    for node in [*query.walk()]:
        turned = _turned_to(node, is_old, pack)
        if turned is not None:
            query = replaced(query, node, turned)
    return query


def _turned_to(node: Node, is_old: bool, pack: Pack) -> Node | None:
    """A node that chooses or compares by age, so that it is the old, or the young, that it chooses."""
    match node:
        case nodes.Best(_, nodes.ValueOf(path)) if (more := _is_more(path[-1], is_old, pack)) is not None:
            return replace(node, most=more) if node.most is not more else None
        case nodes.Where(_, nodes.ValueOf(path)) if node.comparison in TURNED:
            more = _is_more(path[-1], is_old, pack)
        case nodes.Compare(nodes.Values(_, relation), _, nodes.Values()) if node.comparison in TURNED:
            more = _is_more(relation, is_old, pack)
        case _:
            return None
    is_turned = more is not None and more is not (node.comparison in (">", ">="))
    return replace(node, comparison=TURNED[node.comparison]) if is_turned else None


def _is_more(relation: int, is_old: bool, pack: Pack) -> bool | None:
    """Whether the old ones have more of it: of years of age they do, of a date less; None where it tells no age."""
    plain, inverse = undirected(relation, pack.n_relations)
    if inverse:
        return None
    if relation_axis(pack, relation) in WHEN:
        return not is_old
    return is_old if _AGE_WORDS.intersection(relation_phrase(pack.relations()[plain].label).lower().split()) else None
