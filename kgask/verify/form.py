"""A claim as a matter of form: what it says besides, and whether it denies.

The planner reads questions (:mod:`kgask.link.statements`); "Poe was born in Boston and did not die there" is "was Poe
born in Boston" and, denied, "did Poe die there" with Boston named. Nothing here knows a pack; ``closed`` are names that
the claim says.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kgask.link.plurals import singulars
from kgask.link.statements import AUXILIARY

_HEDGE = re.compile(
    r"(?:(?:as far as i (?:know|remember|can tell)|as everyone knows|as we all know|in fact|in truth|actually|indeed|"
    r"of course|famously|apparently|allegedly|reportedly|supposedly|surprisingly|interestingly|fun fact|did you know|"
    r"contrary to (?:popular|common) belief|contrary to what (?:many|some|most)(?: people)? (?:think|believe|say)|"
    r"fact|true or false|fact check|claim|breaking|well|so|yes|no doubt|for sure|certainly|clearly|obviously)\b"
    r"\s*[:,]\s*(?:that\s+)?|(?:in fact|actually|indeed|famously|apparently|reportedly|supposedly|allegedly)\s+|"
    r"(?:i (?:think|believe|am sure|guess|heard|read|remember|was told|would say)|i'm (?:pretty |quite )?sure|"
    r"everyone knows|people say|they say|rumou?r has it|it (?:is|was) (?:well[- ])?(?:known|said|clear|a fact|claimed|"
    r"often said)|legend has it|according to [^,]+,|word is)\s+(?:that\s+)?)",
    re.IGNORECASE,
)
_TRUE_THAT = re.compile(
    r"(?:it(?:['\u2019]s| is| was)?|that)\s*(?P<no>n['\u2019]t|not|un|false|wrong|incorrect)?\s*"
    r"(?:true|so|the case|correct|right|a fact)?\s+that\s+",
    re.IGNORECASE,
)
_PLACED = re.compile(
    r"it\s+(?:is|was|were)(?P<no>n['\u2019]t|\s+not)?\s+(?P<place>(?:in|on|at|from|by|for|to|during|"
    r"with)\s+.+?)\s+that\s+"
    r"(?P<what>.+)",
    re.IGNORECASE | re.DOTALL,
)
_CLEFT = re.compile(
    r"it\s+(?P<be>is|was|were)(?P<no>n['\u2019]t|\s+not)?\s+(?P<who>.+?)\s+(?:who|that|which|whom)\s+(?P<what>.+)",
    re.IGNORECASE | re.DOTALL,
)
_DENIED = (  # what denies, and what stands there without it
    (re.compile(rf"\b(?P<word>{AUXILIARY})(?:n['\u2019]t|\s+not(?! only)|\s+never)\b", re.I), "{word}"),
    (re.compile(r"\b(?P<word>is|are|was|were) no longer\b(?! (?:an?|the)\b)", re.I), "{word}"),
    (re.compile(r"\b(?P<word>ca)n['\u2019]?(?:t|not)\b", re.I), "can"),
    (re.compile(r"\b(?P<word>wo)n['\u2019]t\b", re.I), "will"),
    (re.compile(r"\bnever\s+(?P<word>\w+)", re.I), "{word}"),
    (re.compile(r"\b(?P<word>there is|there was|there['\u2019]s)\s+no\b(?! (?:more|fewer|less))", re.I), "{word} a"),
    (re.compile(r"\b(?P<word>has|have|had|there are|there were)\s+no\b(?! (?:more|fewer|less))", re.I), "{word}"),
    (re.compile(r"\b(?P<word>is|was)\s+no\b(?= (?!(?:more|fewer|less|longer|one|other|different|doubt|better|worse)\b)"
                r"[a-z])", re.I), "{word} a"),
    (re.compile(r"\b(?P<word>comes?|came)\s+without(?: (?:a|an|any))?\b", re.I), "has"),
    (re.compile(r"\b(?P<word>shares?|shared)\s+no\b", re.I), "{word} a"),
    (re.compile(r"\b(?P<word>borders?|won|wins|wrote|writes|[a-z]{3,}ed)\s+no\b(?! (?:more|fewer|less|longer|one))",
                re.I), "{word} any"),
    (re.compile(r"\Ano\s+(?:single\s+)?(?!one\b)(?P<word>\w+)", re.I), "any {word}"),
    (re.compile(r"\Anone\s+of\s+(?P<word>\w+)", re.I), "any of {word}"),
    (re.compile(r"\A(?:nobody|no[ -]one)\s+(?P<word>\w+)", re.I), "somebody {word}"),
    (re.compile(r"\b(?P<word>is|are|was|were|lives?|lies?)\s+(?:located\s+)?outside(?: of)?\b", re.I), "{word} in"),
    (re.compile(r"\bfail(?:s|ed)? to (?P<word>\w+)", re.I), "{word}"),
    (re.compile(r"\b(?P<word>is|are|was|were|do|does|did) (?:neither|nor)\b", re.I), "{word}"),
    (re.compile(r"\b(?P<word>has|have|had|is|are|was|were)\s+without(?: (?:a|an|any))?\b", re.I), "has"),
)  # fmt: skip
_SOME = re.compile(r"\b(?:at least (?:one|1|a)|one or more|(?:a|one) single)\b", re.I)
_ONLY = re.compile(
    r"\b(?:only|just)\s+(?=(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\s+[a-z])", re.I
)
_SOMEBODY = re.compile(
    r"\A(?:somebody|someone|anybody|anyone)\s+(?P<verb>[a-z]+ed|built|made|won)\s+(?P<what>\S.*)", re.I
)
_NOT_ONE = re.compile(r"\bnot (?:a |one )?single\b|\bnot one\b", re.I)
_BESIDE = re.compile(
    r",?\s+(?:as far as i know|as everyone knows|i (?:think|believe|guess)|at all|in turn|of course|in fact|"
    r"of all (?:places|people|things|years|names)|"
    r"any ?more|any longer|you know|it (?:is|was) said|they say)(?=[\s,.;]|\Z),?",
    re.I,
)
_SAME_SAID = (  # what is said in more words than a question says it
    (re.compile(r"\bwhoever\b", re.I), "the person who"),
    (re.compile(r"\b(?:got|received|was awarded|earned) (?=(?:(?:an?|the|any|no|one|two) )?nobel)", re.I), "won "),
    (re.compile(r"\b(?P<n>\d+|two|three|four|five|six|seven|eight|nine|ten) (?:different|distinct|separate) (?=[a-z])",
                re.I), r"\g<n> "),
    (re.compile(r"\bland (?=(?:borders?|frontiers?|boundar(?:y|ies))\b)", re.I), ""),
    (re.compile(r"\b(?P<what>borders?|neighbou?rs?|frontiers?) (?:on|over|by) land\b", re.I), r"\g<what>"),
    (re.compile(r"\b(?:nearly|almost|(?:just|slightly|a little) (?:under|over|above|below|short of)) (?=\d)", re.I),
     "about "),
    (re.compile(r"\b(?P<than>than|over|above|under|below) an? (?=(?:kilo|centi)?met(?:re|er)|mile|hundred|thousand|"
                r"million|billion)", re.I), r"\g<than> 1 "),
    (re.compile(r"\bwith (?:another|(?:any|some|one) other)\b", re.I), "with any"),
    (re.compile(r"\b(?P<be>is|are|was|were)(?:n['\u2019]t| not) (?:quite |nearly )?(?:as|so) (?P<how>[a-z]+) as\b",
                re.I), r"\g<be> less \g<how> than"),
    (re.compile(r"(?P<be> (?:is|are|was|were)) (?P<more>[a-z]{2,}er) than (?P<what>.+?),? but not (?:quite |nearly )?"
                r"(?:as|so) (?P<how>[a-z]+)(?=\W*\Z)", re.I),
     r"\g<be> \g<more> than \g<what> and\g<be> less \g<how> than \g<what>"),
    (re.compile(r"\b(?P<word>shares?|sharing|shared)(?P<any>(?: any| an?| no)?) (?:common|mutual|joint)\b", re.I),
     r"\g<word>\g<any>"),
)  # fmt: skip
_BETWEEN = re.compile(r"\A(?P<what>[^,;]+?) (?P<be>is|are) (?:shared|split|divided) between (?=[A-Z])")
_AMONG = re.compile(  # "Among the Nordic countries there is one that ..."
    r"among (?:all )?(?:the )?(?P<kind>[\w ]+ )?(?P<last>[a-z]+s),? there (?:is|are) (?:one|some|any)\b", re.I
)


@dataclass(frozen=True, slots=True)
class Said:
    """What a claim says, positively worded, and whether it denies that."""

    text: str
    denies: bool = False


def said(claim: str, closed: Sequence[str] = ()) -> Said:
    """A claim without what is said around it and without its negation.

    >>> said("As far as I know, Poe wasn't born in New York.")
    Said(text='Poe was born in New York', denies=True)
    >>> said("It was Jane Austen who wrote Emma"), said("It is not true that helium is no metal.")
    (Said(text='Jane Austen wrote Emma', denies=False), Said(text='helium is a metal', denies=False))
    """
    text, denies = _SOME.sub("any", _NOT_ONE.sub("no", _BESIDE.sub("", bare(claim)))), False
    text = _ONLY.sub("exactly ", text)
    for longer, shorter in _SAME_SAID:
        text = longer.sub(shorter, text)
    if (found := _AMONG.match(text)) and (one := singulars(found["last"].lower())):
        text = f"there is a {found['kind'] or ''}{one[0]}{text[found.end() :]}"
    if (found := _TRUE_THAT.match(text)) and found[0].split()[-1].lower() == "that" and len(found[0].split()) > 2:
        text, denies = text[found.end() :], bool(found["no"])
        inner = said(text, closed)
        return Said(inner.text, inner.denies != denies)
    if found := _PLACED.fullmatch(text):
        text, denies = f"{found['what']} {found['place']}", bool(found["no"])
    elif (found := _CLEFT.fullmatch(text)) and len(found["who"].split()) <= 8:
        text, denies = f"{found['who']} {found['what']}", bool(found["no"])
    for pattern, place in _DENIED:
        found = pattern.search(text)
        if found and not any(found[0].strip().lower() in name.lower() for name in closed):
            text = f"{text[: found.start()]}{place.format(word=found['word'])}{text[found.end() :]}"
            denies = not denies
            break
    if (found := _SOMEBODY.fullmatch(text)) and found["what"] in closed:
        text = f"{found['what']} was {found['verb']}"
    return Said(text, denies)


def bare(claim: str) -> str:
    """A claim without the point at its end and what is said before it of how sure it is; what is shared between
    countries is in each."""
    text = claim.strip().strip('"\u201c\u201d').strip().rstrip(".!").strip()
    while found := _HEDGE.match(text):
        text = text[found.end() :]
    return _BETWEEN.sub(r"\g<what> \g<be> in ", text)
