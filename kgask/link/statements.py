"""Statements as a matter of form: where the verb stands, and the question whether it is so.

Nothing here knows a pack; ``closed`` are names that a statement says.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

Span = tuple[int, int]
AUXILIARY = r"(?:is|are|was|were|has|have|had|does|do|did|can|could|will|would|must|may|might)"
_AUXILIARIES = frozenset(AUXILIARY.strip("()?:").split("|"))
_NO_VERBS = frozenset("'s s of and or the in on at by for from to with a an as".split())
_SINCE = re.compile(r"\bsince (?=\d{3,4}\b)(\d{3,4})")
_IN_PRESENT = re.compile(r"[A-Z][\w'.-]* [a-z]+s\b")  # "Peru borders": a name, it seems, and what it does
_THERE = re.compile(r"\bthere['\u2019]s\b", re.I)
_WORD = re.compile(r"[\w'\u2019.-]+")
_RELATIVE = frozenset("who which that whose whom where".split())
_PARTICIPLE = re.compile(
    r"(?:been|\w{2,}ed|won|written|made|born|sung|given|taken|become|held|led|known|shown|had|played|met|lost|grown|"
    r"shared|run|left|found|gone|come|seen|spoken|drawn|done|never|ever|also|always|not|set|got|gotten)\b",
    re.IGNORECASE,
)


def as_question(text: str, closed: Sequence[str] = ()) -> str:
    """A positive claim as the question whether it is so; ``closed`` are names within it.

    >>> as_question("Poe was born in Boston"), as_question("Hitchcock had children")
    ('Was Poe born in Boston?', 'Did Hitchcock have children?')
    >>> as_question("There is a river in Asia"), as_question("The man who was king has died")
    ('Is there a river in Asia?', 'Has the man who was king died?')
    >>> as_question("Peru borders Chile"), as_question("Peru borders Chile", ["Peru", "Chile"])
    ('Does Peru borders Chile?', 'Does Peru borders Chile?')
    """
    text = _SINCE.sub(r"in \1", _THERE.sub("there is", text))
    at = main_verb(text, closed)
    if at is None or text[at[0] : at[1]].lower() not in _AUXILIARIES:
        is_present = text[: at[1]].endswith("s") if at else not closed and _IN_PRESENT.search(text)
        return f"{'Does' if is_present else 'Did'} {_lowered(text, closed)}?"
    start, end = at
    word, subject, rest = text[start:end].lower(), _lowered(text[:start].strip(), closed), text[end:].strip()
    if word in ("has", "have", "had") and not _PARTICIPLE.match(rest):
        return f"{'Did' if word == 'had' else 'Does'} {subject} have {rest}?"
    return f"{word.capitalize()} {subject} {rest}?"


def main_verb(text: str, names: Sequence[str]) -> Span | None:
    """The first auxiliary that is in no name and no relative clause of the subject, or else what is like a verb.

    None where there is neither.
    """
    places, before, is_relative, likely = places_of(text, names), "", False, None
    for found in _WORD.finditer(text):
        if any(first <= found.start() < last for first, last in places):
            before = "name"
            continue
        word = found[0].lower()
        if word in _RELATIVE and found.start() > 0:
            is_relative = True
        elif word in _AUXILIARIES and found.start() > 0 and not (is_relative and before in _RELATIVE):
            return found.span()
        elif likely is None and before == "name" and word not in _NO_VERBS and not is_relative:
            likely = found.span()
        before = word
    return likely


def _lowered(text: str, closed: Sequence[str]) -> str:
    """Without the capital of its first word, where that is in no name."""
    first = text.split(" ", 1)[0]
    is_plain = first.lower() in _SMALL
    if any(text.startswith(name) and name and not (is_plain and name == first) for name in closed):
        return text
    return text[:1].lower() + text[1:] if is_plain else text


_SMALL = frozenset(
    "the a an there one two three four five six seven eight nine ten some any all both each every most more less fewer "
    "at exactly only his her its their this that these those in on by of from no several many somebody people "
    "nearly almost about roughly around over under".split()
)


def places_of(text: str, names: Sequence[str]) -> list[Span]:
    """Where the names stand."""
    return [found.span() for name in names if name for found in re.finditer(re.escape(name), text)]
