"""A place in an order, by the first of it: "Who directed the second most films?" is who did the most, one further down.

Planner and judge know the first of an order better than what comes behind it. Where a question for a later place has no
answer, the same one without its ordinal is asked, and what is chosen by the same order at that place is the answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from kgask.answer.composed import composed
from kgask.answer.either import by_name
from kgask.answer.marks import by_marks, by_number, by_relation
from kgask.answer.narrowed import of_nation, of_sort
from kgask.answer.numbers import of_two_counts
from kgask.answer.owned import of_its_own
from kgask.answer.owners import of_owners
from kgask.answer.records import of_records
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
_NTH = re.compile(
    rf"(?<=\bthe )(?:(?P<word>{_ORDINALS})|(?P<digits>\d{{1,3}})(?:st|nd|rd|th)) "
    r"(?!(?:to last|last|most|least|fewest|[a-z]{2,}est|and|or|one|time|floor|class|grade|century|place|row|party)\b)"
    r"(?=[a-z]{3,})",
    re.IGNORECASE,
)
_FIRST_FEW = re.compile(rf"\b(?:(?P<word>{'|'.join(_NUMBERS)})|(?P<digits>\d{{1,2}}))[ -]+{_SUPERLATIVE}", re.I)


def otherwise(request: Request, answer: Answer, linker: Linker, pack: Pack, ask: Callable[[str], Answer]) -> Answer:
    """The answer, or, where it is a refusal, which of the names in the question it is, how something compares with what
    is its own, of which kind there are more, or what stands at the place of an order that is asked for.

    ``ask`` asks a question by itself.
    """
    answer = by_number(request, by_relation(request, by_marks(request, answer, pack, ask), pack))
    answer = of_records(request, of_owners(request, answer, pack), pack)
    answer = of_its_own(request, by_name(request, answer, linker, pack, ask), linker, pack, ask)
    answer = of_sort(request, of_two_counts(request, answer, pack, ask), pack, ask)
    answer = composed(request, of_nation(request, answer, pack, ask), linker, pack, ask)
    text, is_marked = request.question.text, request.entity is not None or bool(request.question.marks)
    place = None if is_marked or not answer.abstained else _place(text)
    if place is None:
        return answer
    one = ask(place.asked)
    ranked = [node for node in one.query.walk() if isinstance(node, nodes.Best)] if one and one.query else []
    if len(ranked) != 1 or (ranked[0].first, ranked[0].last) != (1, 1):
        return answer
    assert one.query is not None
    query = replaced(one.query, ranked[0], replace(ranked[0], first=place.first, last=place.last))
    return requeried(answer, query, one.confidence, pack) or answer


@dataclass(frozen=True, slots=True)
class _Place:
    """The question for the first of an order, and the places from and to that are asked for."""

    asked: str
    first: int
    last: int


def _place(text: str) -> _Place | None:
    """Of the one ordinal or number before a superlative or, "the third race of 1991", before a noun.

    >>> _place("Which is the second longest river?"), _place("What was the third race of 1991?")
    (_Place(asked='Which is the longest river?', first=2, last=2), _Place(asked='What was the first race of 1991?', \
first=3, last=3))
    """
    ordinals, few, nths = ([*pattern.finditer(text)] for pattern in (_PLACE, _FIRST_FEW, _NTH))
    if len(ordinals) + len(few) + len(nths) != 1:
        return None
    found = (ordinals or few or nths)[0]
    word, digits = (found["word"] or "").lower(), found["digits"]
    number = int(digits) if digits else (_NUMBERS if few else ORDINAL_WORDS)[word]
    asked = f"{text[: found.start()]}{'first ' if nths else ''}{text[found.end() :]}"
    return _Place(asked, 1 if few else number, number) if number > 1 else None
