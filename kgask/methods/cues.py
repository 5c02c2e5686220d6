"""What the words of a question want done with sets: kinds of query that a planner may have missed, ranks, how many.

A word is enough here: whatever is proposed for one too many is judged like everything else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from kgask.link.values import ValueSpan
from kgask.plan.query_onnx import KINDS
from kgask.query import nodes

LIKELY = 0.15  # probability of a kind from which queries of it are proposed
MOST_RANKS = 3
MOST_COUNTED = 100  # a greater number is hardly how many things one thing has
_CUES = {
    "difference": r"not|never|no|none|nobody|without|w/o|except(?:ing|ed)?|but|excluding|minus|neither|nor|other than|"
    r"leaving (?:out|aside)|apart from|besides|absent|lack(?:s|ing)?|missing|unlike|cannot|nothing|free of|"
    r"out of it|stayed out|yet to|"
    r"\w+n['\u2019]?t",
    "union": r"or|either|and|plus|together|along with|as well as",
    "intersection": r"both|as well|also|too|and",
    "arithmetic": r"total(?:s|ling)?|altogether|sum|add(?:s|ed|ing)?|combined|together|in all|average|mean|differ\w*|"
    r"between|gap|how far|how long|how many more|how much|by how|below|above|ahead|behind|on top|"
    r"earn(?:s|ed|ings)?|spen[dt]s?|revenue|turnover|takings|turn(?:ed)? over|br(?:ing|ought) in|raised?|"
    r"(?:made|make|took|take) (?:from|with|on|in|off)|worth of",
    "count": r"how many|number of|count|nr of|amount of",
    "superlative": r"\w{2,}est|most|least|fewest|top|worst|record|last|first",
    "filter": r"than|over|under|above|below|before|after|since|until|till|between|from|at least|at most|up to|prior|"
    r"beyond|more|less|fewer|or (?:later|earlier|higher|lower)|exceed\w*|"
    r"out(?:size|number|weigh|rank|strip|do|grow|live)\w*",
    "ordinal": r"silver|bronze|behind|next|runner[- ]up|second|third|fourth|fifth|sixth|last but one|rank(?:s|ed|ing)?|"
    r"follow(?:s|ed)|no\. ?\d|number (?:\d|two|three|four|five|six)",
}
_SAID = {kind: re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE) for kind, words in _CUES.items()}
_ADDS_UP = re.compile(r"\b(?:most|least|fewest|totals?|altogether|overall|in all|combined|together)\b", re.IGNORECASE)
_LEAVES_SOME = re.compile(
    r"\b(?:others?|else|rest|remaining|remains?|left|only|alone|just|instead|rather|still|outside|aside|exclusively|"
    r"un[a-z]{3,}|non-?[a-z]{2,})\b",
    re.IGNORECASE,
)
_SECOND = re.compile(
    r"\b(?:next|runner[- ]up|after|behind|silver|apart from|besides|other than|only one|last but one|second to last|"
    r"penultimate|follows|before (?:that|it|him|her|them))\b",
    re.IGNORECASE,
)
_THIRD = re.compile(r"\bbronze\b", re.IGNORECASE)
NUMBERED = re.compile(
    r"(?:\b(?:number|no\.?|nr\.?|place|rank|position)|#)\s*(\d{1,2}|two|three|four|five|six)\b", re.IGNORECASE
)
_WORDS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10}
SEVERAL = re.compile(
    rf"\b(\d{{1,2}}|{'|'.join(_WORDS)})\s+(?:\w+\s+)?(?:\w{{2,}}est|most|least|fewest|top|best)\b|"
    rf"\b(?:top|first|last)\s+(\d{{1,2}}|{'|'.join(_WORDS)})\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question wants done with what it names."""

    kinds: frozenset[str]
    values: tuple[ValueSpan, ...]  # numbers, dates and ranks
    ranks: tuple[tuple[int, int], ...]  # first and last place that an order is asked for
    excepts: bool = False  # a name may be left out of what is asked for
    adds_up: bool = False  # it may ask for what entries add up to
    said: tuple[int, ...] = ()  # relations that a word beside its names and class words is about

    @property
    def counts(self) -> list[nodes.Number]:
        """The numbers without a unit, by which the size of a set may be meant."""
        options = (option for one in self.values for option in one.options)
        return [one for one in options if isinstance(one, nodes.Number) and not one.unit and one.number < MOST_COUNTED]

    @classmethod
    def of(cls, text: str, kind_probs: np.ndarray, values: Sequence[ValueSpan], said: Iterable[int] = ()) -> Asked:
        """``kind_probs`` is the planner's word on :data:`~kgask.plan.query_onnx.KINDS`, ``said`` the relations."""
        likely = {kind for kind, prob in zip(KINDS, kind_probs.tolist(), strict=False) if prob >= LIKELY}
        cued = {kind for kind, words in _SAID.items() if words.search(text)}
        ranks = tuple(dict.fromkeys(_ranks(text, values)))[:MOST_RANKS]
        excepts = _SECOND.search(text) is not None
        adds_up = _ADDS_UP.search(text) is not None
        return cls(frozenset(likely | cued), tuple(values), ranks or ((1, 1),), excepts, adds_up, tuple(said))


def denies(text: str) -> bool:
    """Whether any word may take something away from a set."""
    return _SAID["difference"].search(text) is not None or _LEAVES_SOME.search(text) is not None


def _ranks(text: str, values: Sequence[ValueSpan]) -> Iterator[tuple[int, int]]:
    """What a question says of places, in either direction, for both are proposed."""
    if found := SEVERAL.search(text):
        yield 1, _number(found[1] or found[2])
    for one in values:
        for option in one.options if one.kind == "rank" else ():
            if isinstance(option, int) and option:
                yield abs(option), abs(option)
    if found := NUMBERED.search(text):
        yield _number(found[1]), _number(found[1])
    if _THIRD.search(text):
        yield 3, 3
    if _SECOND.search(text):
        yield from ((2, 2), (1, 1))  # "after" may be of a date


def _number(word: str) -> int:
    return max(1, int(word) if word.isdigit() else _WORDS[word.lower()])
