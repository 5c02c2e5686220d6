"""Turns that point back in so many words, said plainly: "the country you just mentioned" is that country, "the
literature one" the prize in literature, "these African ones" are those.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from kgask.link.reworded import of_kin

_MENTIONED = re.compile(
    r"\bthe (?P<noun>[a-z]+) (?:that )?(?:you|we|i) (?:just |have just |already )?(?:mentioned|named|said|told me|"
    r"talked about|spoke of|were talking about)\b",
    re.IGNORECASE,
)
_THESE_ONES = re.compile(r"\b(?:these|those) (?:[A-Z]\w+|[a-z]+) ones\b")
_SAME_YEAR = re.compile(r",? ?\b(?:in |of )?(?:the|that) same year\b", re.IGNORECASE)
_FIELD_ONE = re.compile(r"\bthe (?P<field>physics|chemistry|literature|medicine|peace|economics) one\b", re.IGNORECASE)
_PRIZE = re.compile(r"\b(?:nobel|prize)\b", re.IGNORECASE)
_WHO_GOT_THAT = re.compile(  # "and the literature prize that year, who got that?"
    r"\A(?:and )?(?P<what>the [\w ]*?(?:prize|award|medal|cup|title))(?P<when> (?:that year|in \d{4}))?, "
    r"who (?P<got>got|won|received|took) (?:that|it|this)(?: one)?\W*\Z",
    re.IGNORECASE,
)
_TWICE_THERE = re.compile(r"\bthere\b(?P<between>[^?]*?),? in that [a-z]+(?=\W*\Z)", re.IGNORECASE)
_DIFFERENCE = re.compile(r"(?:and )?(?:how much|what)(?: is|['\u2019]s|s)? the difference(?: between them)?\W*", re.I)
_THE_MOST_ONE = re.compile(
    r"\b(?P<most>[a-z]{3,}est) one\b(?= (?:in|on|of) [A-Z])"
)  # elsewhere, and none of those told
_WHO_IS_MEANT = re.compile(r"(?P<asked>[^,?]*\b(?P<word>she|he|it|they)\b[^,?]*), (?P<name>[A-Z][^,?]+?)(?P<end>\W*)\Z")
_WHEN_THAT = re.compile(r"(?:and )?when (?:was|did) (?:that|it|this)(?: happen| take place| be)?\W*", re.IGNORECASE)
_GOT = re.compile(r"\b(?:prize|award|medal)\b.*\b(?:get|win|receive|won|got|received)\b", re.IGNORECASE)


def plainly_said(text: str, last: str, is_name: Callable[[str], bool]) -> str:
    """A turn as it is said plainly; ``last`` is the last question as it was understood.

    >>> plainly_said("What's the capital of the country you just mentioned?", "", str.istitle)
    "What's the capital of that country?"
    >>> plainly_said("which of these African ones was first?", "", str.istitle)
    'which of those was first?'
    >>> plainly_said("Who won the chemistry one the same year?", "When did he get the Nobel Prize?", str.istitle)
    'Who won the chemistry prize that year?'
    >>> plainly_said("And what's the highest one in Nepal?", "What is the highest mountain in Peru?", str.istitle)
    "And what's the highest mountain in Nepal?"
    >>> plainly_said("where was she born, Uma Thurman?", "", str.istitle)
    'where was Uma Thurman born?'
    """
    text = _MENTIONED.sub(r"that \g<noun>", text)
    text = _THESE_ONES.sub("those", text)
    if _PRIZE.search(last):
        text = _FIELD_ONE.sub(r"the \g<field> prize", text)
    text = _SAME_YEAR.sub(" that year", text)
    text = _TWICE_THERE.sub(r"there\g<between>", text)
    text = _WHO_GOT_THAT.sub(r"Who \g<got> \g<what>\g<when>?", text)
    if _DIFFERENCE.fullmatch(text):
        return "what is the difference?"
    if (most := _THE_MOST_ONE.search(text)) is not None:
        noun = re.search(rf"\b{re.escape(most['most'])} (?P<noun>[a-z]+)\b(?<! one)", last, re.IGNORECASE)
        text = text if noun is None else text.replace(f"{most['most']} one", f"{most['most']} {noun['noun']}")
    if (named := _WHO_IS_MEANT.fullmatch(text)) is not None and is_name(named["name"]):
        asked = re.sub(rf"\b{named['word']}\b", lambda _: named["name"], named["asked"], count=1)
        text = f"{asked}{named['end']}"
    text = of_kin(text)
    if _WHEN_THAT.fullmatch(text) and _GOT.search(last):
        return "in what year?"
    return text
