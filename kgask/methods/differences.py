"""Differences and ages as people ask for them: the larger less the smaller, years between dates, who is older."""

from __future__ import annotations

import re
from dataclasses import replace

from kgask.pack.quantities import DATE
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.axes import relation_axis
from kgask.query.base import Comparison, Node
from kgask.query.nodes import Query
from kgask.query.rewrite import replaced
from kgask.retrieve.outcome import Result
from kgask.retrieve.run import Runner
from kgask.types import undirected

_YEARS = re.compile(r"\byears?\b|\b(?:age|birth) (?:gap|difference)\b|\bhow much (?:older|younger)\b", re.IGNORECASE)
_AGES = re.compile(r"\b(old|young)(?:er|est)\b", re.IGNORECASE)
_DENIED = re.compile(r"\bnot\b|n['\u2019]t\b", re.IGNORECASE)
_TURNED: dict[Comparison, Comparison] = {">": "<", "<": ">", ">=": "<=", "<=": ">="}
_DAYS = re.compile(r"\b(?:days?|months?|weeks?)\b", re.IGNORECASE)


def downwards(runner: Runner, found: Result) -> Result:
    """A difference is asked for whatever stands first in the question: the larger less the smaller."""
    query = found.query
    if isinstance(query, nodes.Difference) and found.quantity is not None and found.quantity.high < 0:
        return runner.result(nodes.Difference(query.right, query.left))
    return found


def in_years(text: str, runner: Runner, found: Result) -> Result:
    """What lies between two dates is told in days, and in years where the question asks for those."""
    query = found.query
    is_asked = _YEARS.search(text) is not None and _DAYS.search(text) is None
    if not (is_asked and isinstance(query, nodes.Difference)):
        return found
    ends = [runner.result(end).quantity for end in (query.left, query.right)]
    if any(end is None or end.axis != DATE for end in ends):
        return found
    return runner.result(nodes.Age(query.right, query.left))


def of_age(query: Query, text: str, pack: Pack) -> Query:
    """The query with who is older as who has more of a number of years, less of a date of birth.

    The planner knows dates of birth better than ages, and reads "the oldest" as least of both.
    """
    words = {found[1].lower() for found in _AGES.finditer(text)}
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
        case nodes.Best(_, nodes.ValueOf(path)) if _is_age(path[-1], pack):
            return replace(node, most=is_old) if node.most is not is_old else None
        case nodes.Where(_, nodes.ValueOf(path)) if _is_age(path[-1], pack) and node.comparison in _TURNED:
            is_more = node.comparison in (">", ">=")
            return replace(node, comparison=_TURNED[node.comparison]) if is_more is not is_old else None
        case nodes.Compare(nodes.Values(_, relation)) if _is_age(relation, pack) and node.comparison in _TURNED:
            is_more = node.comparison in (">", ">=")
            return replace(node, comparison=_TURNED[node.comparison]) if is_more is not is_old else None
    return None


def _is_age(relation: int, pack: Pack) -> bool:
    plain, inverse = undirected(relation, pack.n_relations)
    label = pack.relations()[plain].label.lower()
    return not inverse and "age" in label.split() and relation_axis(pack, relation) != DATE
