"""Who was in both of two things: "who went on both the Bat Count and the Winter Warmer?"."""

from __future__ import annotations

import re

from kgask.methods.protocol import Hypothesis
from kgask.methods.relation_facts import is_small
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.nodes import Query

_TAKES_PART = (
    r"(?:was|were|is|are|went|came|(?:has|have|had) been|took part|participated|appears?|appeared|features?|featured|"
    r"turn(?:s|ed)? up|show(?:s|ed)? up|got involved|joined in)"
)
_IN_BOTH = re.compile(
    rf"\W*(?:and |so )?(?:who(?: all)?|which [a-z]+|people who|"
    r"(?:(?:is|was) there )?any(?:one|body)(?: who| that)?) "
    rf"{_TAKES_PART}(?: along)? (?:both )?(?:in|on|at|to|for|along on) (?:both )?(?:of )?(?:the )?_ and "
    r"(?:also )?(?:(?:in|on|at|to|for) )?(?:the )?_\W*",
    re.IGNORECASE,
)
_SAYS_BOTH = re.compile(r"\bboth\b|\band also\b", re.IGNORECASE)


def says_both(question: str) -> bool:
    """Whether it may ask so; without its names it needs to be read then."""
    return _SAYS_BOTH.search(question) is not None


def is_in_both(found: Hypothesis, query: Query, text: str, pack: Pack) -> bool:
    """Whether a question asks for who was in two things, and a query finds some by what both lead to by one relation.

    In ``text`` the names are masked by "_". Where several relations do so, the caller knows nothing.
    """
    match query.right if isinstance(query, nodes.And) and isinstance(query.left, nodes.Class) else query:
        case nodes.And(nodes.Follow(nodes.Entities((one,)), relation), nodes.Follow(nodes.Entities((other,)), same)):
            pass
        case _:
            return False
    if relation != same or one == other or relation in pack.type_relations or not is_small(pack):
        return False
    return bool(len(found.answers)) and _IN_BOTH.fullmatch(text) is not None
