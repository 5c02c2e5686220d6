"""How many of two kinds there are, compared: "Are there more halogens than noble gases?" is asked as two counts.

Planner and judge compare what things have, hardly ever how many of a kind there are.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from kgask.answer.requeried import requeried
from kgask.answer.result import Answer
from kgask.methods.protocol import Request
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.base import Comparison

_MORE_THAN = re.compile(
    r"\W*(?:and |so )?(?:are|were) there (?P<more>more|fewer|less) (?P<one>[^?]+?) than "
    r"(?:there (?:are|were) )?(?P<other>[^?]+?)(?: (?:here|in (?:the|this|our) \w+))?\W*",
    re.IGNORECASE,
)


def of_two_kinds(request: Request, answer: Answer, pack: Pack, ask: Callable[[str], Answer]) -> Answer:
    """The answer, or, where it is a refusal to say of which of two kinds there are more, that by counting both.

    ``ask`` asks a question by itself.
    """
    found = _MORE_THAN.fullmatch(request.question.text) if answer.abstained else None
    if found is None or request.question.marks or request.entity is not None:
        return answer
    one, other = (ask(f"How many {found[kind]} are there?") for kind in ("one", "other"))
    if not (one and other and isinstance(one.query, nodes.Count) and isinstance(other.query, nodes.Count)):
        return answer
    sign: Comparison = ">" if found["more"].lower() == "more" else "<"
    compared = nodes.Compare(one.query, sign, other.query)
    return requeried(answer, compared, min(one.confidence, other.confidence), pack) or answer
