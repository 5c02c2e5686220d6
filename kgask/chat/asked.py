"""What a question asks for, by its form: what a later turn may speak of though the question was refused."""

from __future__ import annotations

import re
from dataclasses import dataclass

from kgask.chat.heard import LEAD

_ASKS_NOTHING_NEW = re.compile(
    r"(?:when|why|(?:by )?how|is|are|was|were|do|does|did|has|have|had|can|could|will|would|"
    r"(?:(?:in|on|at|since|until) )?(?:which|what) "
    r"(?:year|date|day|month|century|time|age|population|area|height|length))\b"
)
_ASKS_PERSON = re.compile(
    r"\bwho(?:m|se)?\b|\b(?:husband|wife|father|mother|son|daughter|brother|sister|child|children|parents?|siblings?|"
    r"spouses?|partners?|which (?:men|women|man|woman|people|person|"
    r"(?!(?:rivers?|numbers?|orders?|towers?|waters?|letters?|chapters?|newspapers?|powers?|colou?rs?|others?)\b)"
    r"[a-z]+(?:ors?|ers?|ists?|ians?)))\b"
)
# Which of some kind is its partner: the kind tells whether that is a person.
_WHICH_IS = re.compile(r"(?:which|what) (?P<kind>[a-z]+) (?:is|was|are|were)\b(?!.*\b(?:husband|wife|father|mother)\b)")
_IS_ONE = re.compile(
    r"\b(?:which|what) (?:one|(?!has |is |was |does |of |are |were |have |do )[a-z]+[^s ]) |"
    r"\b(?:is|was) (?:the|his|her|its|their|this|that)\b|"
    r"\b[a-z]{2,}est\b|\b(?:most|least)\b"
)


_ANOTHER = re.compile(r"(?:is|are|was|were|do|does|did|has|have|had)\b.*\b(?:another|(?:any|some) other)\b")
_IS_BEST = re.compile(r"\bthe (?!west|guest|forest|rest|test|quest)(?:[a-z]{2,}est|(?:most|least|fewest) [a-z]+)\b")
_IS_NAME = re.compile(r"(?i:who|what)(?i:['\u2019]s| is| was| are| were) [A-Z](?!.*(?:['\u2019]s|\bof|\bby)\b)")
_DOES = re.compile(  # "which river flows through Vienna?": it is the river then, not what the question names
    r"(?:which|what) (?:[a-z]+ )?[a-z]+[^s ] (?!(?:is|was|has|does)\b)[a-z]+(?:s|ed)\b"
)
_ASKS = re.compile(r"(?:[a-z]+ )?(?:whom?|whose|which|what|where|list|name|give|show|tell|find)\b|.*[a-z]{3}s\W*\Z")
_MEN = re.compile(r"['\u2019]s (?:father|son|sons|brother|brothers|grandfather)\b|\bthe (?:father|sons?) of\b", re.I)
_WOMEN = re.compile(r"['\u2019]s (?:mother|daughters?|sisters?|grandmother)\b|\bthe (?:mother|daughters?) of\b", re.I)
_OF_EITHER = re.compile(
    r"\b(?:brothers?|sons?|father) or (?:\w+ )?(?:sisters?|daughters?|mother)\b|"
    r"\b(?:sisters?|daughters?|mother) or (?:\w+ )?(?:brothers?|sons?|father)\b",
    re.I,
)
_MARRIED_TO = re.compile(r"\b(?:husband|wife|wives)s?\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question asks for, which a later turn may speak of."""

    person: bool = False
    thing: bool = False  # or a place
    several: bool = False  # it may have more than one answer
    best: bool = False  # the one that is the largest, or the like, or that does something
    sex: str = ""  # of the person, where the question tells


def asked_for(text: str) -> Asked:
    """What a question asks for; nothing where it is answered by a yes, a number or a date.

    >>> asked_for("When was Ada born?") == Asked(), asked_for("Who was her husband?").sex
    (True, 'male')
    """
    asked = LEAD.sub("", text.strip(), count=1)
    is_of_named = _IS_NAME.match(asked) is not None  # "who is Ada Lovelace?"
    asked = asked.lower()
    if _ANOTHER.match(asked):
        return Asked(thing=True, best=True)
    if is_of_named or _ASKS_NOTHING_NEW.match(asked):
        return Asked()
    kind = _WHICH_IS.match(asked)
    if _ASKS_PERSON.search(f"which {kind['kind']}" if kind is not None else asked):
        return Asked(person=True, several=not _IS_ONE.search(asked), sex=sexes_told(text)[1])
    several = not _IS_ONE.search(asked) and not asked.startswith("where") and _ASKS.match(asked) is not None
    is_best = _IS_BEST.search(asked) is not None or _DOES.match(asked) is not None
    return Asked(thing=True, several=several, best=is_best)


def sexes_told(text: str) -> tuple[str, str]:
    """What a question tells of the sex of whom it asks about, and of its answers; "" where it tells nothing.

    >>> sexes_told("Who was Mary Shelley's husband?"), sexes_told("Who directed Jaws?")
    (('female', 'male'), ('', ''))
    >>> sexes_told("Who is Ann's brother or sister?")
    ('', '')
    """
    ends = "" if _OF_EITHER.search(text) else "male" if _MEN.search(text) else "female" if _WOMEN.search(text) else ""
    if found := _MARRIED_TO.search(text):
        return ("female", "male") if found[0].lower().startswith("husband") else ("male", "female")
    return "", ends


def says_other_one(text: str) -> bool:
    """Whether the other of two is spoken of: "the other one", "the other film"."""
    return re.search(r"\bthe other(?: (?!two\b|three\b|ones\b)[a-z]+)?\b(?!s)", text, re.IGNORECASE) is not None
