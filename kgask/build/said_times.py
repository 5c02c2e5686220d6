"""Times of day in a table as people write them, as ISO writes them."""

from __future__ import annotations

import re

_TIME = re.compile(
    r"(\d{1,2})(?::([0-5]\d)(?::([0-5]\d)(?:\.0+)?)?)?(?: ?([ap])\.?m\.?)?(?:Z|[+-]\d\d:\d\d)?", re.IGNORECASE
)
_PADDED = re.compile(r"[012]\d:\d\d.*|.*[ap]\.?m\.?", re.IGNORECASE)
_DURATION = re.compile(
    r"\b(?:durations?|lengths?|laps?|run(?:ning)? ?times?|runtimes?|took|takes?|pace|splits?|elapsed"
    r"|play ?times?|long)\b",
    re.IGNORECASE,
)


def iso_time(text: str) -> str | None:
    """A time of day; None for any other text.

    >>> iso_time("7:42"), iso_time("19:05:00"), iso_time("7 pm"), iso_time("12:30 a.m.")
    ('T07:42', 'T19:05', 'T19:00', 'T00:30')
    >>> iso_time("7"), iso_time("25:00"), iso_time("13:00 pm")
    (None, None, None)
    """
    found = _TIME.fullmatch(text)
    if found is None or not (found[2] or found[4]):
        return None
    hour = int(found[1])
    if found[4]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if found[4].lower() == "p" else 0)
    seconds = f":{found[3]}" if (found[3] or "00") != "00" else ""
    return f"T{hour:02}:{found[2] or '00'}{seconds}" if hour < 24 else None


def is_surely_time(text: str) -> bool:
    """Whether a text is written as clocks show it: with two digits of hours, or half of the day.

    >>> is_surely_time("07:42"), is_surely_time("7:42"), is_surely_time("7 pm")
    (True, False, True)
    """
    return _PADDED.fullmatch(text) is not None and iso_time(text) is not None


def is_duration(relation: str) -> bool:
    """Whether what a relation of this name says is how long something took: minutes and seconds."""
    return _DURATION.search(relation) is not None
