"""Claims of all things of a kind: "every webcam is online" is so if no webcam is known to be otherwise and all are."""

from __future__ import annotations

import re

from kgask.methods.protocol import Retrieved
from kgask.query import nodes
from kgask.query.base import Node, SetNode, TruthNode
from kgask.types import opposite
from kgask.verify.world import conjuncts

_OF_ALL = re.compile(
    r"(?P<before>(?:(?:is|are|was|were|does|do|did|has|have|can|will)\s+)?)"
    r"(?:all|every|each)(?: (?:single )?one)?(?: of)?\s+"
    r"(?P<the>(?:the|our|my|his|her|their|its|these|those)\s+)?(?!else\b)",
    re.IGNORECASE,
)


def without_all(text: str) -> str | None:
    """A claim, or the question whether it is so, without "all of" at its beginning; None where it says no such thing.

    >>> without_all("Are all of the wines French?"), without_all("Ann has read all books")
    ('Are the wines French?', None)
    """
    found = _OF_ALL.match(text)
    return None if found is None else f"{found['before']}{found['the'] or ''}{text[found.end() :]}"


def of_all(query: TruthNode, text: str, found: Retrieved, n_relations: int) -> TruthNode | None:
    """That some are so, as that none of all is otherwise; None where which are all is not told."""
    match query:
        case nodes.Holds(nodes.Entities() as one, relation, obj) if not isinstance(obj, nodes.Entities):
            return _none_but(nodes.Follow(one, relation), obj)
        case nodes.Holds(subject, relation, obj) if not isinstance(subject, nodes.Entities):
            return _none_but(subject, nodes.Follow(obj, opposite(relation, n_relations)))
        case nodes.Some(nodes.And() as both):
            parts = conjuncts(both)
            kinds = [part for part in parts if isinstance(part, nodes.Class)]
            others = sorted((part for part in parts if part not in kinds), key=lambda part: _place(part, found))
            if len(kinds) > 1 or not 0 < len(others) <= 2 or len(kinds) + len(others) < 2:
                return None
            every = [*kinds, *others[:-1]]
            return _none_but(every[0] if len(every) == 1 else nodes.And(every[0], every[1]), others[-1])
    return None


def _none_but(every: SetNode, others: SetNode) -> TruthNode:
    return nodes.Not(nodes.Some(nodes.Minus(every, others)))


def _place(part: Node, found: Retrieved) -> int:
    """Where in the text the first thing is named that a part of a query starts from."""
    named = {entity for node in part.walk() if isinstance(node, nodes.Entities) for entity in node.ids}
    return min((seed.span[0] for seed in found.seeds if seed.entity in named), default=1 << 20)
