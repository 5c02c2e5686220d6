"""A place in an order, by the first of it: "Who directed the second most films?" is who did the most, one further down.

Planner and judge know the first of an order better than what comes behind it. Where a question for a later place has no
answer, the same one without its ordinal is asked, and what is chosen by the same order at that place is the answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from kgask.answer.either import by_name
from kgask.answer.requeried import requeried
from kgask.answer.result import Answer
from kgask.link.linker import Linker
from kgask.link.numerals import ORDINAL_WORDS
from kgask.methods.protocol import Request
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.rewrite import replaced

_ORDINALS = "|".join(sorted(ORDINAL_WORDS, key=len, reverse=True))
_NUMBERS = dict(zip("two three four five six seven eight nine ten".split(), range(2, 11), strict=True))
_SUPERLATIVE = r"(?=(?:most|least|fewest|[a-z]{2,}est)\b)"
_PLACE = re.compile(rf"\b(?:(?P<word>{_ORDINALS})|(?P<digits>\d{{1,3}})(?:st|nd|rd|th))[ -]+{_SUPERLATIVE}", re.I)
_FIRST_FEW = re.compile(rf"\b(?:(?P<word>{'|'.join(_NUMBERS)})|(?P<digits>\d{{1,2}}))[ -]+{_SUPERLATIVE}", re.I)


def otherwise(request: Request, answer: Answer, linker: Linker, pack: Pack, ask: Callable[[str], Answer]) -> Answer:
    """The answer, or, where it is a refusal, which of the names in the question it is, or what stands at the place of
    an order that is asked for.

    ``ask`` asks a question by itself.
    """
    answer = by_name(request, answer, linker, pack, ask)
    text, is_marked = request.question.text, request.entity is not None or bool(request.question.marks)
    place = None if is_marked or not answer.abstained else _place(text)
    if place is None:
        return answer
    start, end, first, last = place
    one = ask(text[:start] + text[end:])
    ranked = [node for node in one.query.walk() if isinstance(node, nodes.Best)] if one and one.query else []
    if len(ranked) != 1 or (ranked[0].first, ranked[0].last) != (1, 1):
        return answer
    assert one.query is not None
    found = requeried(
        answer, replaced(one.query, ranked[0], replace(ranked[0], first=first, last=last)), one.confidence, pack
    )
    return found or answer


def _place(text: str) -> tuple[int, int, int, int] | None:
    """The characters of the one ordinal or number before a superlative, and the places from and to that it means."""
    ordinals, few = [*_PLACE.finditer(text)], [*_FIRST_FEW.finditer(text)]
    if len(ordinals) + len(few) != 1:
        return None
    found = (ordinals or few)[0]
    word, digits = (found["word"] or "").lower(), found["digits"]
    number = int(digits) if digits else (ORDINAL_WORDS if ordinals else _NUMBERS)[word]
    return (*found.span(), number if ordinals else 1, number) if number > 1 else None
