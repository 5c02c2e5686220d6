"""Sentences behind a question that only say how its answer shall look: "Name the bigger one.", "Codes please."."""

from __future__ import annotations

import re

_LOOKS = (
    r"(?:names?|codes?|ids?|numbers?|figures?|dates?|days?|years?|times?|titles?|answers?|totals?|winners?|units?|"
    r"amounts?|ones?|lists?|sentences?|words?|both|all|yes or no|everything|everyone|them|it)"
)
_KIND = rf"(?:(?:full|exact|whole|complete|first|last|short|rough|[a-z]+er|[a-z]+est) )?{_LOOKS}"
_WISH = re.compile(
    rf"(?:please,? )?(?:(?:just|only) (?:the )?{_KIND}|"
    rf"(?:the )?{_KIND},? (?:only|please|pls|will do|(?:is|are) (?:enough|fine)|suffices?)|"
    rf"(?:name|give|tell|list|state|show|answer)(?: me| us)?(?: just| only)?"
    rf"(?: the| its| their| a)?(?: of)? (?:{_KIND}|(?P<noun>[a-z]{{4,}})))(?:,? (?:please|pls|only|thanks))*",
    re.IGNORECASE,
)
_END = re.compile(r"\?\s+(?=[^?]*\Z)")
_LISTS = re.compile(r"\b(?:names|codes|ids|titles|numbers|lists?|them|all|everyone|everything)\b", re.IGNORECASE)
_IS_THERE_ANY = re.compile(
    r"\W*(?:(?:is|are|was|were) there|(?:do|have) we(?: have| got)?) (?:any|some)", re.IGNORECASE
)
_ALIKE = 5  # letters that a noun and a word of the question begin with alike: "Whose light ...? Name the lighthouse."


def without_wish(text: str) -> str:
    """The question without a last sentence that asks nothing but says what its answer shall look like.

    >>> without_wish("Are there more students in CS340 or in CS305? Name the bigger one.")
    'Are there more students in CS340 or in CS305?'
    >>> without_wish("Which is the largest? Give me the capital."), without_wish("Which part is it? Codes please.")
    ('Which is the largest? What is its capital?', 'Which part is it?')
    """
    end = _END.search(text)
    found = end and _WISH.fullmatch(text[end.end() :].strip(" .!"))
    if not end or not found:
        return text
    question = text[: end.start() + 1]
    if _LISTS.search(found[0]) and _IS_THERE_ANY.match(question):
        return f"{question} Which ones?"  # "do we have anyone in Lisbon? names please"
    noun = (found["noun"] or "").lower()
    if not noun or re.search(rf"\b{noun[:_ALIKE]}", question, re.IGNORECASE):
        return question
    return f"{question} What is its {noun}?"
