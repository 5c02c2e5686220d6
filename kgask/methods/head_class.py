"""The class word that a question begins with: "which women won ..." asks for women, whatever else its query says."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np

from kgask.link.spans import CandidateSpan
from kgask.query import nodes
from kgask.query.base import Node, SetNode
from kgask.query.nodes import Query
from kgask.retrieve.run import Runner

# Less of the set than this is of the class: the graph says the class of few, and a filter would lose the others.
LEAST_SHARE = 1 / 3
_BEFORE = re.compile(
    r"\W*(?:(?:which|what|list|name|show|give|find|tell|me|us|all|the|of|any|every|please|can|could|you|in|for|how|many)"
    r"\W+)+",
    re.IGNORECASE,
)
BEGINS_WITH_NOUN = re.compile(
    r"\W*(?:which|what|list|name|show|give)\s+(?!(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would)\b)",
    re.IGNORECASE,
)


def head_class(text: str, spans: Sequence[CandidateSpan]) -> int | None:
    """The number of the class span that stands where a question says what it asks for; None where none does."""
    for at, span in enumerate(spans):
        if span.kind == "class":
            before = text[: span.start]
            return at if before.strip() and _BEFORE.fullmatch(before) else None
    return None


def within_class(query: Query, at: int, pick: Callable[[int, int | None], Node], runner: Runner) -> Query:
    """The query for members of the class alone, where some of its answers are and some are not."""
    if isinstance(query, nodes.Count):
        within = within_class(query.base, at, pick, runner)
        return nodes.Count(within) if isinstance(within, SetNode) else query
    kind = pick(at, None)
    if not isinstance(query, SetNode) or not isinstance(kind, SetNode):
        return query
    members = runner.members(query).certain
    inside = len(np.intersect1d(members, runner.members(kind).certain, assume_unique=True))
    least = LEAST_SHARE * len(members) if isinstance(kind, nodes.Class) else 1
    return nodes.And(kind, query) if max(1, least) <= inside < len(members) else query
