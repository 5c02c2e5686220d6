"""Times of day that are said in words, as a graph that has some writes them: "half past ten" is 10:30."""

from __future__ import annotations

import re

from kgask.link.values import value_spans
from kgask.pack.literals import clock_text
from kgask.pack.quantities import CLOCK
from kgask.pack.store import Pack
from kgask.query.nodes import Date, Number, Range

_IN_DIGITS = re.compile(r"[\d:.]+(?: ?[ap]\.?m\.?)?", re.IGNORECASE)


def with_clock(text: str, pack: Pack) -> str:
    """The question with each time of day as it is written; any other as it is."""
    axes = pack.manifest.get("axes", ())
    if CLOCK not in axes:
        return text
    for span in reversed(value_spans(text, axes)):
        first, said = span.options[0], text[span.start : span.end]
        if _IN_DIGITS.fullmatch(said):
            continue
        if isinstance(first, Date) and first.quantity.axis == CLOCK:
            text = text[: span.start] + _written(first) + text[span.end :]
        elif (
            isinstance(first, Range)
            and first.quantity.axis == CLOCK
            and not text[: span.start].endswith(("in ", "the "))
        ):
            text = f"{text[: span.start]}between {_written(first.low)} and {_written(first.high)}{text[span.end :]}"
    return text


def _written(time: Date | Number) -> str:
    return clock_text(round(time.quantity.low))
