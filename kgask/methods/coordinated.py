"""What a question puts side by side, where a query was read for some of it only.

"Who influenced Virginia Woolf or Oscar Wilde?", read for Woolf alone, asks the same of Wilde: what either has is the
answer, of "and" perhaps what both have, of "but not" what the first has and the other lacks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise

from kgask.link.values import ValueSpan
from kgask.query import nodes
from kgask.query.base import Node, SetNode
from kgask.query.nodes import Query
from kgask.query.rewrite import replaced
from kgask.retrieve.run import Runner
from kgask.types import EntityId, Mention, Seed

MOST_MEANT = 3  # entities that a name may stand for that are tried
_AGAIN = r"(?:(?:in|of|by|for|from|to|with|on|at|about|near|under|than)\s+)?(?:either\s+|also\s+)?(?:the\s+|an?\s+)?"
_LISTED = re.compile(rf"\s*,\s*{_AGAIN}", re.IGNORECASE)
_JOINED = {
    "or": re.compile(rf"\s*,?\s*(?:and/)?or\s+(?:else\s+)?{_AGAIN}", re.IGNORECASE),
    "and": re.compile(rf"\s*,?\s*(?:and|&|as well as|plus|and also)\s+{_AGAIN}", re.IGNORECASE),
    "not": re.compile(rf"\s*,?\s*(?:but|and|though)?\s*not\s+{_AGAIN}", re.IGNORECASE),
}
_SIDE_BY_SIDE = re.compile(r"[,;/&+]|\b(?:and|or|nor|plus|well as|also|either|both|but|than|with|not)\b", re.IGNORECASE)
_OF_LAST = re.compile(  # "stouts or porters from Harrowby"
    r"\b(?:or|and) [\w'\u2019-]+ (?:from|in|of|by|at|with|on|for) (?:the )?\Z", re.IGNORECASE
)
_PUTS: dict[str, tuple[type[nodes.Or | nodes.And | nodes.Minus], ...]] = {
    "or": (nodes.Or,), "and": (nodes.Or, nodes.And), "not": (nodes.Minus,),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Operand:
    """Characters of a question, and the nodes that may stand for them in a query, likeliest first."""

    start: int
    end: int
    meant: tuple[Node, ...]
    seeds: tuple[Seed, ...] = ()

    def within(self, query: Query) -> Node | None:
        """As which of its nodes it stands in a query."""
        every = set(query.walk())
        return next((node for node in self.meant if node in every), None)

    def seed(self, node: Node) -> tuple[Seed, ...]:
        """What a query begins with where it stands for this."""
        return tuple(one for one in self.seeds if nodes.Entities((one.entity,)) == node)


@dataclass(frozen=True, slots=True)
class Group:
    """Operands one beside the other, and how they are joined."""

    operands: tuple[Operand, ...]
    joined: str


def groups(text: str, mentions: Iterable[Mention], values: Iterable[ValueSpan]) -> list[Group]:
    """What a question puts side by side: names, or numbers and dates."""
    named = [
        Operand(*one.span, tuple(nodes.Entities((seed.entity,)) for seed in one.seeds), tuple(one.seeds))
        for one in mentions
    ]
    said = [
        Operand(one.start, one.end, tuple(option for option in one.options if isinstance(option, Node)))
        for one in values
        if one.kind != "rank"
    ]
    return [group for operands in (named, said) for group in _side_by_side(text, operands)]


def _side_by_side(text: str, operands: Iterable[Operand]) -> Iterator[Group]:
    found, joined, end = list[Operand](), "", 0
    for one in sorted(operands, key=lambda one: (one.start, -one.end)):
        if one.start < end:  # within another
            continue
        end = one.end
        between = text[found[-1].end : one.start] if found else ""
        how = next((name for name, words in _JOINED.items() if words.fullmatch(between)), "")
        if not found or not (how or _LISTED.fullmatch(between)):
            yield from _group(found, joined)
            found, joined = [], ""
        found.append(one)
        joined = how or joined
    yield from _group(found, joined)


def _group(operands: Sequence[Operand], joined: str) -> Iterator[Group]:
    if joined and len(operands) > 1 and all(one.meant for one in operands):
        yield Group(tuple(operands), joined)


def spread(query: Query, group: Group, runner: Runner) -> Iterator[tuple[Query, tuple[Seed, ...]]]:
    """A query about one of a group, asked of all of it, with what it begins with besides; what has nothing of the kind
    adds nothing."""
    used = [node for one in group.operands if (node := one.within(query)) is not None]
    base = _spread_over(query, used[0]) if len(used) == 1 else None
    if base is None:
        return
    sets, seeds = [base], list[Seed]()
    for one in group.operands:
        if one.within(query) is None:
            node, same = _asked_of(one, base, used[0], runner)
            sets.append(same)
            seeds += one.seed(node)
    for put in _PUTS[group.joined]:
        yield replaced(query, base, reduce(put, sets)), tuple(seeds)


def _asked_of(one: Operand, base: SetNode, used: Node, runner: Runner) -> tuple[Node, SetNode]:
    """As what an operand is asked the same, and the query; what has something of the kind goes before the likelier."""
    every = [(node, replaced(base, used, node)) for node in one.meant[:MOST_MEANT]]
    return next((asked for asked in every if len(runner.members(asked[1]).certain)), every[0])


def _spread_over(query: Query, used: Node) -> SetNode | None:
    """The set within a query that is asked of each: the whole, or what is counted or ordered."""
    match query:
        case nodes.Count(base) | nodes.Best(base) if used in base.walk():
            return base
        case nodes.Best():
            return None
        case SetNode():
            return query
    return None


def joins_apart(query: Query, question: str, spans: Mapping[EntityId, tuple[int, int]]) -> bool:
    """Whether it takes together, as one or the other, what the question does not put side by side: of "period 4
    elements of group 17 or 18" the period is none of those to choose from."""
    for node in query.walk():
        if isinstance(node, nodes.Or):
            named = {entity for leaf in node.walk() if isinstance(leaf, nodes.Entities) for entity in leaf.ids}
            places = sorted({spans[entity] for entity in named if entity in spans})
            if any(_are_apart(one, other, question, spans) for one, other in pairwise(places)):
                return True
            if _are_unlike(node) and len(places) == 2 and _OF_LAST.search(question[: places[1][0]]):
                return True
    return False


def _are_unlike(node: nodes.Or) -> bool:
    """Whether two names have to do with what is found by different relations."""
    match node:
        case nodes.Or(nodes.Follow(_, relation), nodes.Follow(_, other)):
            return relation != other
    return False


def _are_apart(
    one: tuple[int, int], other: tuple[int, int], question: str, spans: Mapping[EntityId, tuple[int, int]]
) -> bool:
    """Whether no word joins two names, or another name stands between them that is joined to the second alone."""
    if one[1] > other[0]:
        return False
    between = [end for start, end in spans.values() if one[1] <= start and end <= other[0]]
    words = question[one[1] : other[0]]
    return not _SIDE_BY_SIDE.search(words) or any(not _SIDE_BY_SIDE.search(question[one[1] : end]) for end in between)
