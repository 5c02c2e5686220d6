"""Claims of what is the most of its kind, as open questions: "Ob is the longest river in Asia" asks which one is.

What is found is the one that the claim is about, whoever it is; that needs no reading of a name beside it. A matter of
form, as :mod:`kgask.verify.form`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kgask.methods.demands import superlatives

NAME = "\0"  # where the name stands that is claimed to be the most
_BE = r"(?:is|are|was|were|remains?|stays|(?:ranks|counts|stands) as|has (?:always |long )?been)"
_ADVERB = r"(?:(?:by far|easily|still|also|actually|really|currently|officially|indeed|only|just|clearly),? )*"
_FIRST = re.compile(rf"(?:the )?{NAME},? {_BE},? {_ADVERB}(?P<what>.+)", re.IGNORECASE | re.DOTALL)
_LAST = re.compile(rf"(?P<what>[^,]+?),? {_BE},? {_ADVERB}(?:the )?{NAME}", re.IGNORECASE | re.DOTALL)
_WITHIN = re.compile(
    rf"(?P<where>(?:of|among|amongst|out of|in|on|by) [^,]+),? (?:the )?{NAME},? (?P<does>.+)",
    re.IGNORECASE | re.DOTALL,
)
_DOES = re.compile(rf"(?:the )?{NAME},? (?P<does>[a-z].+)", re.IGNORECASE | re.DOTALL)
_KIND = re.compile(  # that stands behind the most of it: "the largest area of any lake"
    r"(?P<does>.+ (?:than|of|among|out of) (?:any|all|every)(?: other)?)(?: of)?(?: the)? (?P<kind>\S.*)",
    re.IGNORECASE | re.DOTALL,
)
_THAN_ANY = re.compile(r"\bthan (?:any|all|every)\b", re.IGNORECASE)
_THAN_ELSE = re.compile(  # "sold more copies than anything else on the list"
    r"\b(?:(?P<more>more|fewer|less)(?P<what>(?: (?!than\b)[\w'\u2019-]+){1,5})|"
    r"(?P<stem>[a-z]{3,}?)(?P<end>ier|er)) than "
    r"(?:any(?:one|body|thing)(?: else)?|every(?:one|body|thing) else|(?:all )?(?:of )?(?:the|its|their|our) others|"
    r"(?:any|all) (?:of the )?others?)(?: (?:on|in) (?:the|our|this) (?:list|table|data|lot|group))?(?=\W*\Z)",
    re.IGNORECASE,
)
_IS_ONLY = re.compile(
    rf"(?:the )?{NAME},? {_BE} the (?:only|sole|single) (?P<what>(?!one\b).+)", re.IGNORECASE | re.DOTALL
)
_ONLY_LAST = re.compile(
    rf"the (?:only|sole|single) (?P<what>(?!one\b).+) {_BE},? (?:the )?{NAME}", re.IGNORECASE | re.DOTALL
)
_ALONE = re.compile(
    rf"(?P<what>[^,]+) (?P<be>is|are|was|were) (?P<does>\w+) (?:only )?(?P<by>by|in|with|from|to|at|on|of) "
    rf"(?:only )?(?:the )?{NAME}(?: alone| only)?",
    re.IGNORECASE | re.DOTALL,
)
_IS_ALONE = re.compile(rf" only (?:[a-z]+ )?(?:the )?{NAME}|{NAME} (?:alone|only)\Z", re.IGNORECASE)
_IS_DONE = re.compile(
    r"(?<=\w) (?=\w+(?:ed|en|own|ade|old|ught|ept|eld|wn|un) (?:by|in|with|from|at|on|under|for|of)\b)"
)
_ONLY = re.compile(rf"only (?:the )?{NAME} (?P<does>[a-z].+)", re.IGNORECASE | re.DOTALL)
_THAT = re.compile(r" (?:that|which|who) ", re.IGNORECASE)
_ONE_OF = re.compile(r"\b(?:one|two|three|four|five|some|many|several|among|amongst) (?:of )?the\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Openly:
    """What is asked, and the name that is claimed to be the answer."""

    question: str
    name: str
    is_only: bool = False  # that nothing else is the answer, rather than that it is the most
    or_else: str = ""  # the same asked of things, rather than of persons


def openly(text: str, names: Sequence[str]) -> Openly | None:
    """A positive claim as an open question; None where it does not say of one name that it is the most of its kind.

    >>> openly("Ob is the longest river in Asia", ["Ob", "Asia"])
    Openly(question='Which is the longest river in Asia?', name='Ob', is_only=False, or_else='')
    >>> openly("Of all rivers, the Ob has the largest basin", ["Ob"])
    Openly(question='Of all rivers, which has the largest basin?', name='Ob', is_only=False, or_else='')
    >>> openly("Ann sold more books than anybody else on the list", ["Ann"])
    Openly(question='Which sold the most books?', name='Ann', is_only=False, or_else='')
    >>> openly("Ob is one of the longest rivers", ["Ob"]), openly("Ob flows into the Kara Sea", ["Ob", "Kara Sea"])
    (None, None)
    """
    text = _THAN_ELSE.sub(_most, text)
    for name in dict.fromkeys(names):
        others = [one for one in names if one != name]
        if asked := _asked(text.replace(name, NAME, 1), others):
            return Openly(f"{asked[0].upper()}{asked[1:]}?", name)
    return None


def _most(found: re.Match[str]) -> str:
    if found["stem"]:
        return f"the {found['stem']}{'iest' if found['end'] == 'ier' else 'est'}"
    word = {"more": "most", "fewer": "fewest"}.get(found["more"].lower(), "least")
    return f"the {word}{found['what']}"


def only(text: str, names: Sequence[str]) -> Openly | None:
    """A claim that one name alone is so, as the question who or what is.

    >>> only("Ob is the only river that flows into the Kara Sea", ["Ob", "Kara Sea"])
    Openly(question='Which river flows into the Kara Sea?', name='Ob', is_only=True, or_else='')
    >>> only("Only Ann speaks Lao", ["Ann", "Lao"]), only("Ann speaks only Lao", ["Ann", "Lao"])
    (Openly(question='Who speaks Lao?', name='Ann', is_only=True, or_else='What speaks Lao?'), None)
    >>> only("The flat is owned by Ann alone", ["Ann"])
    Openly(question='Who is The flat owned by?', name='Ann', is_only=True, or_else='What is The flat owned by?')
    """
    for name in dict.fromkeys(names):
        masked = text.replace(name, NAME, 1)
        if found := _IS_ONLY.fullmatch(masked) or _ONLY_LAST.fullmatch(masked):
            what = _THAT.sub(" ", found["what"], count=1)
            return Openly(
                f"Which {what if what != found['what'] else _IS_DONE.sub(' is ', what, count=1)}?", name, True
            )
        if found := _ONLY.fullmatch(masked):
            return Openly(f"Who {found['does']}?", name, True, f"What {found['does']}?")
        if (found := _ALONE.fullmatch(masked)) and _IS_ALONE.search(masked):
            done = f"{found['be']} {found['what']} {found['does']} {found['by']}?"
            return Openly(f"Who {done}", name, True, f"What {done}")
    return None


def without_only(text: str) -> str:
    """A claim without the word by which it says that nothing else is so."""
    return re.sub(r"\b(?:only|sole|single) | alone\b", "", text, count=1, flags=re.IGNORECASE)


def says_most(text: str) -> bool:
    """Whether a text has a word by which something may be the most of its kind."""
    return bool(superlatives(text) or _THAN_ANY.search(text) or _THAN_ELSE.search(text))


def _asked(text: str, others: Sequence[str]) -> str | None:
    """What is asked by a text in which a name is masked."""
    if (found := _FIRST.fullmatch(text) or _LAST.fullmatch(text)) and _is_most(found["what"], others):
        what = found["what"]
        is_name = any(what.startswith(one) for one in others)
        return f"which is {what if is_name else what[:1].lower() + what[1:]}"
    if (found := _WITHIN.fullmatch(text)) and _is_most(found["does"], others):
        return f"{found['where']}, which {found['does']}"
    if (found := _DOES.fullmatch(text)) and _is_most(found["does"], others):
        kind = _KIND.fullmatch(found["does"])
        return f"which {kind['kind']} {kind['does']}" if kind else f"which {found['does']}"
    return None


def _is_most(text: str, others: Sequence[str]) -> bool:
    """Whether a text says outside of names that something is the most, and not that it is one of several."""
    for one in others:
        text = text.replace(one, "_")
    return NAME not in text and not _ONE_OF.search(text) and says_most(text)
