"""Which list of answers a turn speaks of, by its form: "of all six", "on the full list", "of the three winners".

Nothing here knows a pack.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from kgask.chat.order import NUMBER

_NUMBERS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_LIST = r"(?:list|bunch|lot|group|selection)"
_MEANT = re.compile(
    r"(?P<asked>\b(?:which|how many|any|what) [a-z]+ )?\b(?:of|among|amongst|out of|from|in|on) "
    r"(?:(?:the|these|those) [a-z]+ (?:on|in|from|of) )?"
    r"(?:"
    rf"(?P<all>all)(?: of)?(?: (?:the|those|these|them))?(?: (?P<n>{NUMBER}|\d\d?))?(?: of (?:them|these|those))?|"
    rf"(?:the|those|these|this|that) (?P<whole>full|whole|entire|complete|original|first)(?: [a-z-]+)? {_LIST}|"
    rf"(?:the|this|that) (?:(?P<what>[a-z-]+) )?{_LIST}|"
    rf"(?:the|those|these) (?P<only>{NUMBER}|\d\d?)"
    r")\b(?: (?P<noun>[a-z]+))?",
    re.IGNORECASE,
)
_GOES_ON = re.compile(r"\A (?:(?:of|in|on|from|with|by|near|most|least|[a-z]+est)\b|[a-z]+ ones\b)", re.IGNORECASE)
_OWN = re.compile(r"['\u2019]s\b| ?[A-Z]| [a-z]+['\u2019]s\b")  # "of all Brazil's neighbours"
_IS_MOST = re.compile(
    r"(?:and )?(?:(?:which|who|what)(?: one)? (?:is|was) )?(?:the )?(?:most [a-z]+|[a-z]{2,}est)(?: one)?"
    r"(?: (?:in|by) [a-z]+)? (?=of all\b)",
    re.IGNORECASE,
)
MOST_BEFORE = 3  # words: "the most populous of all six", but not "who was the last one of all six to die?"
LEAST = 3  # "the two" may be things that were named apart


@dataclass(frozen=True, slots=True)
class ListMeant:
    """A list that a turn speaks of: what stands before and behind it, and what is said of it."""

    before: str
    behind: str  # with the noun, where there is one
    number: int  # of its members; 0 where that is not said
    noun: str  # that may be what its members are called, or a verb; "" where nothing stands there
    topic: str  # "overdose" of "the overdose list"
    is_all: bool  # all that were told, rather than the last

    def of_them(self, is_called: bool) -> str:
        """The turn with "of them" in the place of the list; without a noun that is theirs."""
        behind = self.behind[len(self.noun) + 1 :] if is_called else self.behind
        return f"{self.before}of them{behind}"


def list_meant(text: str) -> ListMeant | None:
    """The list of answers that a turn speaks of; None where it speaks of none.

    >>> found = list_meant("which of all six are monarchies?")
    >>> found.number, found.noun, found.of_them(is_called=False)
    (6, 'are', 'which of them are monarchies?')
    >>> list_meant("who on the overdose list was german?").of_them(is_called=False)
    'who of them was german?'
    >>> list_meant("which of the lakes are salty?") is None
    True
    """
    found = _MEANT.search(text)
    if found is None:
        return None
    noun, behind = found["noun"] or "", text[found.start("noun") - 1 :] if found["noun"] else text[found.end() :]
    said = (found["n"] or found["only"] or "").lower()
    number = int(said) if said.isdigit() else _NUMBERS.index(said) + 2 if said else 0
    if (
        (len(text[: found.start()].split()) > MOST_BEFORE and not (found["all"] and _IS_MOST.match(text)))
        or _GOES_ON.match(behind)
        or _OWN.match(behind)
        or (found["only"] and number < LEAST)
    ):
        return None
    before = text[: found.start()]
    if found["asked"]:
        before += f"{found['asked'].split()[0]} " if not found["asked"].lower().startswith("how") else "how many "
    return ListMeant(before, behind, number, noun, (found["what"] or "").lower(), bool(found["all"] or found["whole"]))
