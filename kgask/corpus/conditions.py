"""Conditions to put into questions: where one word of a question is not honoured, no query is right any more."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from functools import cache
from importlib import resources

DESCRIBED = 0.6  # share of the conditions that stand before a noun, where there may be one
BEFORE_NOUN, AT_END, NOTHING = "before a noun", "at the end", "nothing"
_END = re.compile(r"[\s?.!]*$")
_DETERMINED = re.compile(  # a place before a noun, or before what describes it
    r"\b(?:the|which|what|all|any|every|how many|each|his|her|their|our|my|list|those)\s+"
    r"(?:(?:first|second|third|last|most|least|other|\w+est)\s+)?(?=(?-i:[a-z]))"
    r"(?!(?:is|are|was|were|do|does|did|has|have|had|can|of|in|to|and|or|that|who|which|what|the|a|an|else)\b)",
    re.IGNORECASE,
)


def with_condition(text: str, rng: random.Random) -> str:
    """A question that asks for more than it did."""
    places = [found.end() for found in _DETERMINED.finditer(text)]
    if places and rng.random() < DESCRIBED:
        at = rng.choice(places)
        return f"{text[:at]}{rng.choice(conditions()[BEFORE_NOUN])} {text[at:]}"
    return _ended(text, rng.choice(conditions()[AT_END]))


def with_nothing(text: str, rng: random.Random) -> str:
    """A question with words that ask for nothing."""
    return _ended(text, rng.choice(conditions()[NOTHING]), rng.choice((",", "")))


def _ended(text: str, words: str, comma: str = "") -> str:
    at = _END.search(text).start()  # type: ignore[union-attr]  # it matches everywhere
    return f"{text[:at]}{comma} {words}{text[at:]}"


@cache
def conditions() -> Mapping[str, tuple[str, ...]]:
    """The lists of conditions.txt by their headings."""
    found: dict[str, list[str]] = {}
    for line in (resources.files("kgask.corpus") / "conditions.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            here = found.setdefault(line.strip("[]"), [])
        elif line and not line.startswith("#"):
            here.append(line)
    return {name: tuple(lines) for name, lines in found.items()}
