"""Truths that hold of whatever a question names: where Mozart was born says nothing of who was born there too."""

from __future__ import annotations

import re

from kgask.query import nodes
from kgask.query.nodes import Query
from kgask.types import opposite

_SHARED = re.compile(
    r"\b(?:any(?:one|body|thing)|some(?:one|body|thing)|else|others?|another)\b.*\bshares?\b.*\bwith\b", re.IGNORECASE
)


def says_nothing_of_others(query: Query, question: str, n_relations: int) -> bool:
    """Whether a relation is followed to its own ends or back to where it began, and it is asked whether there is any;
    or what one has is looked for alone, where it is asked who shares it."""
    match query:
        case nodes.Some(nodes.Follow(nodes.Entities())):
            return _SHARED.search(question) is not None
        case nodes.Some(nodes.Follow(nodes.Follow(_, way), end)):
            pass
        case nodes.Some(nodes.And(nodes.Having(end), nodes.Follow(_, way))):
            pass
        case nodes.Some(nodes.And(nodes.Follow(_, way), nodes.Having(end))):
            pass
        case nodes.Holds(_, way, nodes.Having(end)):
            pass
        case _:
            return False
    return end == opposite(way, n_relations)
