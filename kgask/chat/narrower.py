"""Which of the last answers a turn asks for, by its form: "only the composers", "the ones set in London".

Nothing here knows a pack.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from kgask.chat.form import LEAD_IN, THOSE, bare_noun, is_phrase, said_of_each

_AT_LAST = re.compile(
    r"[,!.?:]*(?:\s+(?:please|pls|plz|then|thanks|thank you|now|too|also|as well))*\W*\Z", re.IGNORECASE
)
_OF_ALL = re.compile(
    r",?\s*(?:\b(?:on|in|of|from|among|out of) )?"
    r"(?:the (?:full|whole|entire|complete|original) (?:list|lot|set|bunch)|"
    rf"all (?:of )?(?:{THOSE}))\b",
    re.IGNORECASE,
)
_THAT_LIST = re.compile(r"\b(?:on|in|from|of) (?:this|that|the) (?:[a-z-]+ )?list\b", re.IGNORECASE)
_ONLY = re.compile(
    r"(?:of (?:these|those|them),? )?(?:please )?(?:(?:(?:show|give|tell|leave) me|list|keep|leave|take|show) )?"
    r"(?:(?:only|just) (?:the (?!ones))?(?P<p>.+)|(?:the )?(?P<q>[a-z -]+?) only)",
    re.IGNORECASE,
)
_AMONG = re.compile(
    r"(?P<any>(?:are|were|is|was) there (?:(?:any|an?) )?|(?:any|an?) )?(?P<p>(?!which|who|what|how).+?),? "
    rf"(?:among|amongst|out of|of|in|from) (?:{THOSE}|(?:that|the) list)",
    re.IGNORECASE,
)
_THE_ONES = re.compile(
    r"(?:the )?(?:ones|those)(?: (?:that|who|which))?(?: (?:are|were|is|was|have|had|has))? (?P<p>.+)|"
    r"the (?!other|first|second|third|last|same|two|three)(?P<q>[a-z-]+) ones",
    re.IGNORECASE,
)
_HOW_MANY = re.compile(r"how many (?P<p>(?!of |are |is )[a-z]+(?: [a-z]+)?)", re.IGNORECASE)
_IS = re.compile(r"(?:is|are|was|were|be|became|become|has|have|had)\b\s*", re.IGNORECASE)
_NOT = re.compile(
    r"\b(?:not(?: an?)?|no|never|without|(?:are|is|was|were|do|does|did|have|has|had)n['\u2019]?t)\b|\bn['\u2019]t\b",
    re.IGNORECASE,
)
_NOTHING_ELSE = re.compile(r"\b(?:only|solely|exclusively)\b", re.IGNORECASE)
_WITHOUT = re.compile(
    r"(?:(?:the rest|the others|those|all),? )?(?:but )?(?:without|except(?: for)?|excluding|minus|not|apart from|"
    r"leav(?:e|ing) out|drop|take out|remove) "
    rf"(?P<p>(?!(?:a|an|any) ).+?)(?: (?:from|out of|of) (?:{THOSE}))?",
    re.IGNORECASE,
)
_WHETHER = re.compile(r"(?:did|does|do|has|have|had|was|were|is|are)\b ", re.IGNORECASE)
_BEGUN = re.compile(
    r"(?:with|from|in|by|set in|born in|died in|made in|directed by|written by|buried in|based in) "
    r"(?!.*\b(?:who|whom|which|what|where|when|how)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Narrower:
    """Which of the last answers a turn asks for."""

    word: str  # "which", "how many" or "any"
    phrase: str
    of_all: bool = False  # that were ever chosen from, "on the full list"
    is_said: bool = True  # that it is about some of them; else it may be about anything
    is_negated: bool = False  # those are asked for that are not
    is_only: bool = False  # and nothing else


def narrower(text: str, continues: bool) -> Narrower | None:
    """Which of the last answers a turn asks for; None for another turn. ``continues``: it began with "and".

    >>> narrower("how many of them were born in Wales?", False)
    Narrower(word='how many', phrase='born in Wales', of_all=False, is_said=True, is_negated=False, is_only=False)
    """
    found = _narrower(text, continues)
    if found is None:
        return None
    phrase, n = _NOT.subn(" ", found.phrase)
    phrase, n_only = _NOTHING_ELSE.subn(" ", phrase)
    if n > 1 or (n and n_only):
        return None
    return replace(found, phrase=" ".join(phrase.split()), is_negated=found.is_negated or n == 1, is_only=n_only > 0)


def _narrower(text: str, continues: bool) -> Narrower | None:
    of_all = _OF_ALL.search(text) is not None
    text = _AT_LAST.sub("", _OF_ALL.sub(" of those", text)) if of_all else _AT_LAST.sub("", text)
    if (each := said_of_each(text)) is not None:
        word = "how many" if each[0] == "how many" else "any" if each[0].endswith("any") else "which"
        return Narrower(word, _IS.sub("", each[1].removeprefix("\0 "), count=1), of_all)
    if found := _WITHOUT.fullmatch(text):
        return Narrower("which", _bare(found["p"]), of_all, is_negated=True)
    if found := _ONLY.fullmatch(text):
        return Narrower("which", _bare(found["p"] or found["q"]), of_all)
    if found := _AMONG.fullmatch(text):
        is_any = found["any"] or _WHETHER.match(found["p"])
        phrase = _WHETHER.sub("", found["p"]).removesuffix(" any") if is_any else found["p"]
        return Narrower("any" if is_any else "which", _bare(phrase), of_all)
    if _THE_ONES.fullmatch(text):
        return Narrower("which", _bare(text), of_all)
    if found := _HOW_MANY.fullmatch(text):
        return Narrower("how many", found["p"], of_all, is_said=False)
    if (continues and is_phrase(text) and not LEAD_IN.match(text)) or _BEGUN.match(text):
        return Narrower("which", _bare(text), of_all, is_said=False)
    return None


def is_denied(text: str) -> bool:
    """Whether it asks for those that are not so."""
    return _NOT.search(text) is not None


def speaks_of_list(text: str) -> bool:
    """Whether it speaks of all that was told, "on the full list"."""
    return _OF_ALL.search(text) is not None or _THAT_LIST.search(text) is not None


def _bare(phrase: str) -> str:
    """A phrase without "the ones that are"."""
    found = _THE_ONES.fullmatch(phrase)
    return (found["p"] or found["q"]) if found else bare_noun(phrase)
