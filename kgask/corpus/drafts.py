"""A question on its way to a :class:`QueryExample`: parts of it are pointed at, then it is masked and lower-cased."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from kgask.corpus.examples import MASK, Step, tidy
from kgask.corpus.query_examples import Operand, QueryExample
from kgask.link.values import ValueSpan, value_spans
from kgask.query.nodes import Range

Steps = Sequence[str | Step | int]
Span = tuple[int, int, str]  # start, end, kind

MOST_WORDS, LEAST_WORDS = 40, 3
_SEASON = re.compile(r"\d{4}[-–]\d\d")  # "2004-05" is no May


@lru_cache(256)
def _values(text: str) -> tuple[ValueSpan, ...]:
    return tuple(value_spans(text))


def values_in(text: str) -> list[Span]:
    """Numbers, dates and ranks, in the order of the text."""
    return [(value.start, value.end, value.kind) for value in _values(text)]


def value_kind(text: str) -> str | None:
    """ "number" or "date" where a text is one and nothing else."""
    whole = _whole_value(text)
    return whole.kind if whole else None


def values_like(question: str, text: str) -> list[Span]:
    """Where a question says a number or date, in whichever words; a number may have a unit there."""
    whole = _whole_value(text)
    options = set(whole.options) if whole else set()
    plain = text.replace(",", "").lower()
    return [
        (value.start, value.end, value.kind)
        for value in _values(question)
        if value.kind != "rank"
        and (
            options & set(value.options)
            or f"{question[value.start : value.end].replace(',', '').lower()} ".startswith(f"{plain} ")
        )
    ]


def _whole_value(text: str) -> ValueSpan | None:
    found = _values(text)
    is_one = len(found) == 1 and (found[0].start, found[0].end) == (0, len(text)) and not _SEASON.fullmatch(text)
    return found[0] if is_one and found[0].kind != "rank" and not isinstance(found[0].options[0], Range) else None


def words_at(text: str, words: str) -> list[tuple[int, int]]:
    """Where these words stand whole, in any case."""
    pattern = rf"(?<![^\W_]){re.escape(words)}(?![^\W_])"
    if words[:1].isdigit() or words[-1:].isdigit():  # no part of a longer number or code
        pattern = rf"(?<![^\W_])(?<!\d[.,:/-])(?<!-){re.escape(words)}(?![^\W_]|[.,:/-]\d)"
    return [match.span() for match in re.finditer(pattern, text, re.IGNORECASE)]


def _meets(span: tuple[int, int], others: Iterable[Span]) -> bool:
    return any(start < span[1] and span[0] < end for start, end, _ in others)


class Draft:
    """Which parts of a question are operands; a step refers to one by the number that :meth:`point` gave."""

    def __init__(self, question: str) -> None:
        self.question = question
        self.spans: list[Span] = []

    def point(self, start: int, end: int, kind: str) -> int | None:
        """The number of a new operand; of the same part the one that it has; None where it cuts another."""
        if (start, end, kind) in self.spans:
            return self.spans.index((start, end, kind))
        if _meets((start, end), self.spans):
            return None
        self.spans.append((start, end, kind))
        return len(self.spans) - 1

    def name(self, words: str, kind: str) -> int | None:
        """As :meth:`point`, for the first free place where the words stand."""
        numbers = (self.point(start, end, kind) for start, end in words_at(self.question, words))
        return next((number for number in numbers if number is not None), None)

    def start(self, number: int) -> int:
        return self.spans[number][0]

    @property
    def order(self) -> list[int]:
        """The numbers of the operands in the order of the text."""
        return sorted(range(len(self.spans)), key=lambda number: self.spans[number])

    def distract(self, spans: Iterable[Span]) -> None:
        """Parts that nothing uses; those that cut an operand are left out."""
        for start, end, kind in spans:
            self.point(start, end, kind)

    def example(
        self, steps: Steps, kind: str, source: str, vocabulary: str = "wikidata", others: Sequence[str] = ()
    ) -> QueryExample | None:
        """None for a question that is too short or too long to teach."""
        text, operands = _masked(self.question, sorted(self.spans))
        if not LEAST_WORDS <= len(text.split()) <= MOST_WORDS or tidy(text) != text:
            return None
        placed = {number: place for place, number in enumerate(self.order)}
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
