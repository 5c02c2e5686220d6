"""Times of day as people say them: "7:42", "9 am", "half past ten", "noon", "in the afternoon"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from kgask.link.numerals import numeral_at
from kgask.pack.literals import clock_text
from kgask.query.nodes import Date, Range

_HALF, _PART_OF_DAY = r"\s?(?P<half>[ap])\.?\s?m\b\.?", r"(?: in)? (?:the |this )(?P<part>morning|afternoon|evening)"
_HALVES = rf"(?:{_HALF}|{_PART_OF_DAY}|(?P<night> at night))"
_HOUR_THEN = r"(?P<hour>\d{1,2}(?!\d)|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
_HOUR = rf"{_HOUR_THEN}\b"
_MINUTES = r"(?P<minutes>\d{1,2}|five|ten|a quarter|quarter|twenty(?:[ -]five)?|half)"
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"(?P<hour>[01]?\d|2[0-3])[:h](?P<rest>[0-5]\d)(?::[0-5]\d)?(?![\d:]){_HALVES}?",
        rf"{_MINUTES}(?: minutes?)? (?P<side>past|to|before|after) {_HOUR}(?: o['\u2019]?clock)?{_HALVES}?",
        rf"(?P<hour>\d{{1,2}})\.(?P<rest>[0-5]\d)(?=\s?[ap]\.?m\b){_HALVES}",
        rf"{_HOUR} ?o['\u2019]?clock\b{_HALVES}?",
        rf"(?P<hour>\d{{1,2}}) ?h\b{_HALVES}?",
        rf"{_HOUR_THEN}{_HALVES}",
        r"(?:12 )?(?P<word>noon|midday|midnight)\b",
    )
)
_BARE = re.compile(  # and no number of things, and none with a unit
    rf"{_HOUR}(?![.,:/'\u2019-]?\w)(?! (?:[a-z]{{3,}}s|of|percent|per|km|m|kg|g|l|h|€)\b| ?[%€$£°])", re.IGNORECASE
)
_PART = re.compile(r"(?:the |this )?(?P<part>morning|afternoon|evening)s?\b", re.IGNORECASE)
_BEFORE_PART = re.compile(
    r"\b(?:in|during|for|of|(?:mon|tues|wednes|thurs|fri|satur|sun)day|every|each|this) \Z", re.IGNORECASE
)
_BEFORE_BARE = re.compile(
    r"\b(?:before|after|until|till|by|from|since|past|at|(?:later|earlier) than|between|between \S+ and|from \S+ to)"
    r"(?: about| around)? \Z",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"(?:between|from) ", re.IGNORECASE)
_JOINT = re.compile(r" (?:and|to|until|till) | ?[-\u2013\u2014] ?", re.IGNORECASE)
_PARTS = {"morning": (0, 12 * 60), "afternoon": (12 * 60, 18 * 60), "evening": (17 * 60, 24 * 60)}  # minutes
_LOOKED_BACK = 40  # characters of what stands before an hour
_WORDS = {"noon": 12, "midday": 12, "midnight": 0}
_NIGHT_ENDS, _DAY_BEGINS = 6, 6  # hours: "2 at night" is early, of 1 to 5 alone the afternoon is meant
_HALF_DAY = 12


@dataclass(frozen=True, slots=True)
class Timed:
    """A time of day, or a part of the day, as it stands in the text."""

    start: int
    end: int
    option: Date | Range


def time_at(text: str, at: int) -> Timed | None:
    """The time of day that begins at ``at``, in a text about a graph that has times of day.

    >>> [time_at(text, 0).option for text in ("7:42", "9 am", "half past four in the afternoon", "noon")]
    [Date(text='T07:42'), Date(text='T09:00'), Date(text='T16:30'), Date(text='T12:00')]
    >>> time_at("before 4", 7).option, time_at("before 4 trains", 7), time_at("the morning", 0)
    (Date(text='T16:00'), None, None)
    """
    for form in _FORMS:
        if (found := form.match(text, at)) is not None:
            minutes = _minutes(found.groupdict())
            return None if minutes is None else Timed(at, found.end(), Date(f"T{clock_text(60 * minutes)}"))
    before = text[max(0, at - _LOOKED_BACK) : at]
    if _BEFORE_PART.search(before) and (part := _PART.match(text, at)) is not None:
        first, last = _PARTS[part["part"].lower()]
        ends = (Date(f"T{clock_text(60 * minutes)}") for minutes in (first, last - 1))
        return Timed(at, part.end(), Range(*ends))
    bare = _BARE.match(text, at) if _BEFORE_BARE.search(before) else None
    hour = _number(bare["hour"]) if bare is not None else None
    if bare is None or hour is None or not 0 < hour < 24:
        return None
    hour += _HALF_DAY * (hour < _DAY_BEGINS)
    return Timed(at, bare.end(), Date(f"T{hour:02}:00"))


def times_at(text: str, at: int) -> Timed | None:
    """As :func:`time_at`; "between 9 and 11" is all that lies between.

    >>> times_at("from 9:30 to 5", 0).option
    Range(low=Date(text='T09:30'), high=Date(text='T17:00'))
    """
    between = _BETWEEN.match(text, at)
    start = between.end() if between else at
    first = time_at(text, start)
    joint = _JOINT.match(text, first.end) if first else None
    last = time_at(text, joint.end()) if joint else None
    if first is None or last is None:
        return None if between else first
    if not (isinstance(first.option, Date) and isinstance(last.option, Date)):
        return None
    if first.option.quantity.low >= last.option.quantity.low:
        return None
    return Timed(at, last.end, Range(first.option, last.option))


def _minutes(said: dict[str, str | None]) -> int | None:
    """Since midnight; None where there is no such time."""
    if said.get("word"):
        return 60 * _WORDS[str(said["word"]).lower()]
    hour = _number(str(said["hour"]))
    rest = _number(said.get("rest") or said.get("minutes") or "0")
    if hour is None or rest is None or rest > 59:
        return None
    hour = _of_day(hour, said, is_rounded=not said.get("rest"))
    before = (said.get("side") or "").lower() in ("to", "before")
    minutes = 60 * hour + (-rest if before else rest)
    return minutes % (24 * 60) if hour <= 24 else None


def _of_day(hour: int, said: dict[str, str | None], is_rounded: bool) -> int:
    """The hour by a clock of twenty-four: as its half of the day says; else "quarter to six" may be either."""
    half, part = (said.get("half") or "").lower(), (said.get("part") or "").lower()
    if half == "a" or part == "morning" or (said.get("night") and (hour < _NIGHT_ENDS or hour == _HALF_DAY)):
        return hour % _HALF_DAY if hour <= _HALF_DAY else hour
    if half == "p" or part or said.get("night"):
        return hour % _HALF_DAY + _HALF_DAY if hour <= _HALF_DAY else hour
    return hour + _HALF_DAY * (is_rounded and 0 < hour < _DAY_BEGINS)


def _number(said: str) -> int | None:
    words = {"half": 30, "quarter": 15, "a quarter": 15}
    if said.lower() in words:
        return words[said.lower()]
    found = numeral_at(said, 0)
    return int(found.value) if found is not None and found.end == len(said) else None
