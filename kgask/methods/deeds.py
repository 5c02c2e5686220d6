"""What the people in a column do, by what the column is called: a "picker" picks, "sold by" is who sold."""

from __future__ import annotations

import re
from functools import lru_cache

_OF_PEOPLE = re.compile(
    r"\A(?:who|whom|name|person|people|member|staff|pupil|student|coach|captain|champion|nurse|guide|lead|head|boss|"
    r"friend|partner|client|patient|guest|from|officer.*|.* (?:contact|name|lead|officer))\Z|\b(?:by|to)\Z"
)
_AGENT = re.compile(r"\w{2,}(?:er|or|ee|ist|ian|man|woman|ant)")
_NO_AGENTS = frozenset(
    "number order paper weather floor color colour sector letter center quarter water river tower other computer "
    "printer trailer container poster chapter power error factor motor door corridor harbor layer filter meter "
    "parameter diameter fee tree coffee degree committee amount variant plant instrument restaurant tributary corner "
    "folder server router buffer character matter cover offer answer counter tender border shoulder cluster master "
    "register semester trimester newsletter dinner supper summer winter flavor flavour vapor tumor tenor anchor "
    "mirror "
    "grant constant discount".split()
)
_PAST = {
    "teach": "taught", "drive": "drove driven", "buy": "bought", "sell": "sold", "lead": "led", "lend": "lent",
    "give": "gave given", "write": "wrote written", "pay": "paid", "ride": "rode ridden", "run": "ran",
    "sing": "sang sung", "speak": "spoke spoken", "win": "won", "keep": "kept", "hold": "held", "make": "made",
    "take": "took taken", "build": "built", "catch": "caught", "find": "found", "send": "sent",
    "see": "saw seen", "shoot": "shot",
}  # fmt: skip
_PARTICLES = frozenset("off out in up after down over to on back".split())
_WITH_E = re.compile(r"\A[^aeiou]*[aeiou](?:r|v|s|z|c|g|k)\Z|(?:[^aeio]at|[^aeiou]i[sz]|[^aeiou]ur|min)\Z")
_OTHERWISE = {"donor": "donate"}
_PRESENT = {past: verb for verb, forms in _PAST.items() for past in forms.split()}


def is_of_people(label: str) -> bool:
    """Whether a relation leads to people, as far as its name in lower case tells.

    >>> is_of_people("picker"), is_of_people("sold by"), is_of_people("order"), is_of_people("weather")
    (True, True, False, False)
    """
    last = label.rsplit(" ", 1)[-1]
    return _OF_PEOPLE.search(label) is not None or (_AGENT.fullmatch(last) is not None and last not in _NO_AGENTS)


@lru_cache(256)
def deeds_of(label: str) -> frozenset[str]:
    """The forms of the verb that says what they do; none where the name tells none.

    >>> sorted(deeds_of("runner")), sorted(deeds_of("sold by"))
    (['ran', 'run', 'runner', 'running', 'runs'], ['sell', 'seller', 'selling', 'sells', 'sold'])
    >>> sorted(deeds_of("hirer")), deeds_of("customer name")
    (['hire', 'hired', 'hirer', 'hires', 'hiring'], frozenset())
    """
    words = label.split()
    if label in _OTHERWISE:
        return _forms(_OTHERWISE[label])
    if len(words) > 1 and words[-1] == "by":
        return _forms(verb_of(words[-3] if len(words) > 2 and words[-2] in _PARTICLES else words[-2]))
    if len(words) == 1 and _AGENT.fullmatch(label) and label.endswith(("er", "or")) and label not in _NO_AGENTS:
        return _forms(_stem(label[:-2]))
    return frozenset()


def verb_of(participle: str) -> str:
    """The verb of a past form: "opened" is open, "sold" sell."""
    if participle in _PRESENT:
        return _PRESENT[participle]
    return _stem(participle.removesuffix("ed")) if participle.endswith("ed") else participle


def _stem(cut: str) -> str:
    """A verb without its ending, whole: "hir" is hire, "runn" run, "pick" pick."""
    if len(cut) > 3 and cut[-1] == cut[-2] and cut[-1] not in "sl":
        return cut[:-1]
    return f"{cut}e" if f"{cut}e" in _PAST or _WITH_E.search(cut) else cut


def _forms(verb: str) -> frozenset[str]:
    bare = verb.removesuffix("e")
    doubled = f"{verb}{verb[-1]}" if re.fullmatch(r"[^aeiou]*[aeiou][bdgmnprt]", verb) else bare
    past = _PAST.get(verb, f"{doubled}ed").split()
    return frozenset({verb, f"{verb}s", f"{doubled}ing", f"{doubled}er", *past})
