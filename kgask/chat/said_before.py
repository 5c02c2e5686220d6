"""Turns that say a word for what the last turn was about: "then" for its year or a death, "they" for one country,
"larger" for larger than it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kgask.chat.names import Names
from kgask.chat.of_answers import OfAnswers
from kgask.chat.turns import Turn, Way
from kgask.query import nodes

MOST_AGO = 4  # turns since a year was said, which "then" may mean

_ASKS_THEN = re.compile(r"(?P<asked>(?:and )?(?:who|what|which)\b [^,?]{8,}?(?<!,)) then\W*", re.IGNORECASE)
_YEAR = re.compile(r"\b(?:in|of|for) (?P<year>(?:1\d|20)\d\d)\b")
_HOW_OLD_THEN = re.compile(
    r"(?P<asked>(?:and )?how old (?:was|were) (?P<who>.+?)),? (?:then|at (?:the|that) time)\W*", re.IGNORECASE
)
_DEATH = re.compile(r"\b(?:die[ds]?|death|buried)\b", re.IGNORECASE)
_COMPARED = re.compile(
    r"(?:and |but )?(?P<is>is|are|was|were) (?P<what>(?!it\b|that\b|this\b|he\b|she\b|they\b|there\b)[^?]+?) "
    r"(?P<more>[a-z]{2,}[^e]er|(?:more|less) [a-z]+)(?: too| as well| then)?\W*",
    re.IGNORECASE,
)
_NO_COMPARATIVE = frozenset(
    "after over under ever never other another whether either neither river water number member former together".split()
)
_THEY = re.compile(r"\b(?:(?P<aux>do|have|are|were) they|(?P<own>their)|they (?P<verb>[a-z]+))\b", re.IGNORECASE)
_OF_ONE = {"do": "does", "have": "has", "are": "is", "were": "was"}
_AMONG = re.compile(r"\b(?:both|all|each|which of|one of|of them|together|among|how many of|them|these|those)\b", re.I)
_IN_WHICH = re.compile(r"(?:and )?(?P<ask>when|(?:in )?(?:which|what) years?)\W*", re.IGNORECASE)
_GOT = re.compile(
    r"(?:and )?(?:which|what) [^?]+? (?P<aux>did|does|do) (?P<who>[^?]+?) (?P<verb>get|win|receive|earn|direct|write|"
    r"make|publish|compose|found|discover|build|join|lead|visit)\W*",
    re.IGNORECASE,
)


def of_last(text: str, last: Turn, answers: OfAnswers, names: Names) -> Iterator[Way]:
    """What is said of what the last turn was about, without its name."""
    referents = answers.memory.referents
    if (got := when_got(text, last)) is not None:
        yield answers.naming(got, last.ends[0])
    if len(last.topics) != 1 or not referents.is_entity(one := last.topics[0]):
        return
    if (compared := compared_with(text)) is not None and one not in names.named(text):
        yield answers.naming(compared, one)
    several = answers.memory.last_set()
    is_older = several is None or (last.number > several.number and not isinstance(last.query, nodes.Best))
    is_alone = re.search(rf"{re.escape(answers.label(one))}(?:,| and) ", last.understood) is None
    if is_older and is_alone and (said := of_one(text)) is not None and referents.has_members(one):
        yield answers.naming(said, one)


def then_meant(text: str, turns: Sequence[Turn]) -> str:
    """A turn with the death that the last one asked for, or the year that was spoken of last, in the place of "then".

    "Who did, then?" says no time.
    """
    if (found := _HOW_OLD_THEN.fullmatch(text)) is not None and _DEATH.search(turns[-1].understood):
        who = found["who"] if found["who"].lower() in ("he", "she", "they") else "he"
        return f"{found['asked']} when {who} died?"
    found = _ASKS_THEN.fullmatch(text)
    years = next(filter(None, (_YEAR.findall(turn.understood) for turn in reversed(turns[-MOST_AGO:]))), [])
    return f"{found['asked']} in {years[0]}?" if found is not None and len(set(years)) == 1 else text


def compared_with(text: str) -> str | None:
    """A question whether something is larger, with a NUL for what than; None for any other.

    >>> compared_with("Is the Atacama larger?"), compared_with("is that the river?")
    ('Is the Atacama larger than \\x00?', None)
    """
    found = _COMPARED.fullmatch(text)
    if found is None or found["more"].lower() in _NO_COMPARATIVE or " or " in text or " than " in text:
        return None
    return f"{found['is']} {found['what']} {found['more']} than \0?"


def of_one(text: str) -> str | None:
    """A question about "them", with a NUL in the place of one that is called so, as a country is; None without any.

    >>> of_one("What money do they use?"), of_one("And their capital?"), of_one("which of them is older?")
    ('What money does \\x00 use?', "And \\x00's capital?", None)
    """
    found = _THEY.search(text)
    if found is None or _AMONG.search(text):
        return None
    if found["aux"]:
        said = f"{_OF_ONE[found['aux'].lower()]} \0"
    else:
        if found["own"] and re.match(r" [a-z]+s\b", text[found.end() :]):
            return None  # "their capitals" are of several
        said = "\0's" if found["own"] else f"\0 {found['verb']}"
    return f"{text[: found.start()]}{said}{text[found.end() :]}"


def when_got(text: str, last: Turn) -> str | None:
    """A question for the year alone, with who got what by the last turn and a NUL for that: when he won that prize."""
    asked, got = _IN_WHICH.fullmatch(text), _GOT.fullmatch(last.understood)
    if asked is None or got is None or len(last.ends) != 1:
        return None
    ask = asked["ask"] if asked["ask"].lower().startswith(("when", "in")) else f"in {asked['ask']}"
    return f"{ask} {got['aux']} {got['who']} {got['verb']} the \0?"
