"""A question on its way to a :class:`QueryExample`: parts of it are pointed at, then it is masked and lower-cased."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from kgask.corpus.examples import MASK, Step, tidy
from kgask.corpus.query_examples import Operand, QueryExample

Steps = Sequence[str | Step | int]
Span = tuple[int, int, str]  # start, end, kind

MOST_WORDS, LEAST_WORDS = 40, 3
_MONTHS = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|sept|oct|nov|dec)[a-z]*\\.?"
_DATE = re.compile(
    rf"(?<![\w-])(?:\d{{1,2}}(?:st|nd|rd|th)? {_MONTHS},? \d{{4}}|{_MONTHS} \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}}"
    rf"|{_MONTHS},? \d{{4}}|\d{{4}}-\d\d-\d\d|(?:1[0-9]|20)\d\d)(?![\w%-]|[.,:/]\d)",
    re.IGNORECASE,
)
_UNITS = (
    "km²|km2|km|m|metres?|meters?|kilomet(?:re|er)s?|miles?|feet|ft|kg|tons?|%|percent|mhz|khz|watts?|million|billion|"
    "minutes?|hours?|seconds?|days?|years?|points?|people|dollars?|kw|mw|mph|km/h|inches"
)
_NUMBER = re.compile(
    r"(?<![\w.,:/#$€£-])[$€£]?[+-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?"
    rf"(?: ?(?:{_UNITS})(?!\w))?(?![\w-]|[.,:/]\d)",
    re.IGNORECASE,
)


def values_in(text: str) -> list[Span]:
    """Numbers, with their units, and dates as digits write them, in the order of the text."""
    found = [(match.start(), match.end(), "date") for match in _DATE.finditer(text)]
    for match in _NUMBER.finditer(text):
        if not _meets(match.span(), found):
            found.append((match.start(), match.end(), "number"))
    return sorted(found)


def value_kind(text: str) -> str | None:
    """ "number" or "date" where a text is nothing else."""
    return next((kind for start, end, kind in values_in(text) if (start, end) == (0, len(text))), None)


def words_at(text: str, words: str) -> list[tuple[int, int]]:
    """Where these words stand whole, in any case."""
    pattern = rf"(?<![^\W_]){re.escape(words)}(?![^\W_])"
    if value_kind(words) == "number":
        pattern = rf"(?<![\w.,:/-]){re.escape(words)}(?![\w-]|[.,:/]\d)"
    return [match.span() for match in re.finditer(pattern, text, re.IGNORECASE)]


def _meets(span: tuple[int, int], others: Iterable[Span]) -> bool:
    return any(start < span[1] and span[0] < end for start, end, _ in others)


class Draft:
    """Which parts of a question are operands; a step refers to one by the number that :meth:`point` gave."""

    def __init__(self, question: str) -> None:
        self.question = question
        self._spans: list[Span] = []

    def point(self, start: int, end: int, kind: str) -> int | None:
        """The number of a new operand; of the same part the one that it has; None where it cuts another."""
        if (start, end, kind) in self._spans:
            return self._spans.index((start, end, kind))
        if _meets((start, end), self._spans):
            return None
        self._spans.append((start, end, kind))
        return len(self._spans) - 1

    def name(self, words: str, kind: str) -> int | None:
        """As :meth:`point`, for the first free place where the words stand."""
        numbers = (self.point(start, end, kind) for start, end in words_at(self.question, words))
        return next((number for number in numbers if number is not None), None)

    def start(self, number: int) -> int:
        return self._spans[number][0]

    def distract(self, spans: Iterable[Span]) -> None:
        """Parts that nothing uses; those that cut an operand are left out."""
        for start, end, kind in spans:
            self.point(start, end, kind)

    def example(
        self, steps: Steps, kind: str, source: str, vocabulary: str = "wikidata", others: Sequence[str] = ()
    ) -> QueryExample | None:
        """None for a question that is too short or too long to teach."""
        order = sorted(range(len(self._spans)), key=lambda number: self._spans[number])
        text, operands = _masked(self.question, [self._spans[number] for number in order])
        if not LEAST_WORDS <= len(text.split()) <= MOST_WORDS or tidy(text) != text:
            return None
        placed = {number: place for place, number in enumerate(order)}
        written = tuple(placed[step] if isinstance(step, int) else step for step in steps)
        return QueryExample(text, operands, written, kind, source, vocabulary, tuple(others))


def _masked(question: str, spans: Sequence[Span]) -> tuple[str, tuple[Operand, ...]]:
    """The question in lower case with entities masked; ``spans`` in order, none cuts another."""
    text, at = "", 0
    operands = []
    for start, end, kind in spans:
        text += _plain(question[at:start], text)
        words = MASK if kind == "entity" else " ".join(question[start:end].lower().split())
        operands.append(Operand(len(text), len(text) + len(words), kind))
        text, at = text + words, end
    return (text + _plain(question[at:], text)).rstrip(), tuple(operands)


def _plain(words: str, before: str) -> str:
    """Words between operands, as :func:`kgask.corpus.examples.tidy` has them."""
    words = re.sub(r"\s+", " ", words.lower()).replace(" ?", "?")
    if not before or before.endswith(" "):
        words = words.lstrip()
    return words[1:] if before.endswith(MASK) and words.startswith(" '") else words
