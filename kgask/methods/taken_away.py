"""Which of two sets is taken away: "in the EU but do not use the euro" and "do not use the euro but are in the EU".

A denial is of the first name behind it, and where none stands there, of the last before it ("plays that Ann did not
direct"). What a judge of queries reads in such a question is the same either way round.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import numpy as np

from kgask.methods.relation_facts import is_small
from kgask.pack.normalise import normalise
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.base import Node, SetNode
from kgask.query.nodes import Query
from kgask.retrieve.frontier import Budget
from kgask.retrieve.run import Runner
from kgask.types import opposite

_DENIAL = re.compile(
    r"\b(?:not|never|except(?:ing)?|excluding|without|but no|(?:apart|aside) from|besides|other than)\b(?! only)|"
    r"(?<=\w)n['\u2019]t\b",
    re.IGNORECASE,
)
LOOK_SECONDS = 0.5
MOST_NAMES = 200  # of answers that are compared
_BUT_NOT = re.compile(
    r"(?:\b(?:but|though|yet|and|that|which|who)|,) (?:(?:is|are|was|were|do|does|did|has|have|had) ?)?"
    r"(?:(?<= )(?:not|never)|n['\u2019]?t)(?! only)"
    r"(?: [a-z]+){0,3} ?(?:the )?\Z",
    re.IGNORECASE,
)
_BESIDES = re.compile(
    r"\b(?:besides|(?:apart|aside) from|other than|except(?: for)?|excluding|not counting|in addition to) (?:the )?",
    re.IGNORECASE,
)


def keeps_left_out(answers: np.ndarray, question: str, pack: Pack) -> bool:
    """Whether what is asked for is "besides" something that is named, and what is called so is among the answers."""
    behind = [normalise(question[found.end() :]) for found in _BESIDES.finditer(question)]
    names = [normalise(label) for label in pack.labels(answers[:MOST_NAMES])] if behind else []
    return any(f"{text} ".startswith(f"{name} ") for text in behind for name in names if name)


def keeps_denied(query: Query, question: str, spans: Mapping[int, tuple[int, int]]) -> bool:
    """Whether it asks for what has to do with a name of which the question says "but not": "not part of the Himalayas".

    Of "not only Ann" nothing is denied.
    """
    denied = {entity for entity, (start, _) in spans.items() if _BUT_NOT.search(question[:start])}
    if not denied or any(isinstance(node, nodes.Minus | nodes.Not) for node in query.walk()):
        return False
    return isinstance(query, SetNode) and any(
        not denied.isdisjoint(node.ids) for node in query.walk() if isinstance(node, nodes.Entities)
    )


def takes_other_away(query: Query, question: str, spans: Mapping[int, tuple[int, int]], pack: Pack) -> bool:
    """Whether a difference takes away what the question keeps, and keeps what it denies.

    ``spans`` are the characters of the question's names by their entities.
    """
    denials = [*_DENIAL.finditer(question)]
    for node in query.walk():
        if isinstance(node, nodes.Minus) and len(denials) == 1:
            left, right = ({*_places(side, question, spans, pack)} for side in (node.left, node.right))
            if left - right and right - left:
                return _is_of_complements(node) or _denied(left ^ right, denials[0].end()) in left
    return False


def takes_nothing_away(query: Query, pack: Pack) -> bool:
    """Whether what is taken away stands at the other end of what the rest has, varieties from deliveries of one, so
    that "which varieties does he not grow" were those that he grows; or is a value, and the rest are none."""
    if not is_small(pack):
        return False
    for node in query.walk():
        match node:
            case nodes.Minus(left, nodes.Having(relation)):
                runner = Runner(pack, Budget(LOOK_SECONDS))
                taken, others = (
                    runner.members(nodes.Having(one)).certain
                    for one in (relation, opposite(relation, pack.n_relations))
                )
                if not np.isin(taken, others).any() and np.isin(runner.members(left).possible, others).all():
                    return True
            case nodes.Minus(left, nodes.Follow(_, relation)) if relation < pack.n_relations:
                runner, first_literal = Runner(pack, Budget(LOOK_SECONDS)), pack.n_entities - pack.n_literals
                kept, taken = (runner.members(one).possible for one in (left, node.right))
                if len(kept) and len(taken) and (kept < first_literal).all() and (taken >= first_literal).all():
                    return True  # a "true" from clinics
    return False


def _is_of_complements(node: nodes.Minus) -> bool:
    """Whether what is not in one set is taken from what is not in another: that is the other less the one."""
    match node:
        case nodes.Minus(nodes.Minus(one, _), nodes.Minus(other, _)):
            return one == other
    return False


def _denied(places: set[tuple[int, int]], at: int) -> tuple[int, int]:
    behind = [place for place in places if place[0] >= at]
    return min(behind) if behind else max(places)


def _places(node: Node, question: str, spans: Mapping[int, tuple[int, int]], pack: Pack) -> Iterator[tuple[int, int]]:
    """Where the question says what a set begins with; class words by their labels, one or several."""
    named = {entity for one in node.walk() if isinstance(one, nodes.Entities) for entity in one.ids}
    named |= {one.type for one in node.walk() if isinstance(one, nodes.Class)}
    for entity, label in zip(sorted(named), pack.labels(sorted(named)), strict=True):
        if entity in spans:
            yield spans[entity]
        elif said := re.search(rf"\b{re.escape(label)}(?:e?s)?\b", question, re.IGNORECASE):
            yield said.span()
