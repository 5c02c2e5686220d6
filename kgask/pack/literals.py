"""Numbers, dates and strings: how they are read, sorted, shown and named by a key.

The key of a literal is also the way to write one in a source::

    "1811"^^date   "1811-10-30"^^date   "-0043-03-15"^^date   "44 BC"^^date   "T07:42"^^date
    "357588"^^number   "357588"^^number[km²]   "Mansfield Park, 1"^^string

Dates are proleptic Gregorian. ISO years are astronomical, as in ISO 8601 and
XSD 1.1: year 0000 is 1 BCE and -0043 is 44 BCE. The value of a date is its
year plus (month - 1)/12 plus (day - 1)/372: it orders dates, and its floor is
the year; it is not meant for differences in days. The text of a date is its
shortest ISO form, so that 44 BC, -0043 and a dateTime at midnight meet; a time
of day is kept in the text but does not order. A time of day without a date
(xsd:time, ISO 8601 with its T) is a date of no day: its value is its part of a
day, and it is compared with other times of day only.
"""

from __future__ import annotations

import math
import re

from kgask.pack.records import LITERAL_KINDS, Literal, LiteralKind

_TYPED = re.compile(r'"(?P<text>.*)"\^\^(?P<kind>\w*)(?:\[(?P<unit>[^\]]*)\])?', re.DOTALL)
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,4})?", re.ASCII)
_ISO_DATE = re.compile(
    r"(?P<year>[+-]?\d{1,12})(?:-(?P<month>\d\d)(?:-(?P<day>\d\d))?)?"
    r"(?P<time>T\d\d:\d\d(:\d\d(\.\d+)?)?)?(Z|[+-]\d\d:\d\d)?",
    re.ASCII,
)
_TIME_OF_DAY = re.compile(r"T([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?", re.ASCII)
_ERA_YEAR = re.compile(r"(?P<ad>AD )?(?P<year>\d{1,12})( (?P<era>BCE?|CE|AD))?", re.ASCII | re.IGNORECASE)
_DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_SECONDS_A_DAY = 86_400
_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip


def parse_typed(field: str) -> Literal | None:
    """Read ``"text"^^kind[unit]``; None when the field is not written so.

    Raises :class:`ValueError`, with the reason, for an unknown kind or a text
    that is not of its kind.
    """
    if not field.startswith('"'):
        return None
    match = _TYPED.fullmatch(field)
    if match is None:
        return None
    return parse_literal(match["kind"], match["text"], match["unit"] or "")


def parse_literal(kind: LiteralKind | str, text: str, unit: str = "") -> Literal:
    """Read ``text`` as a literal of ``kind``; :class:`ValueError` says why it is none."""
    if kind not in LITERAL_KINDS:
        raise ValueError(f"unknown literal type {kind!r} (known: {', '.join(LITERAL_KINDS)})")
    text = text.strip() if kind != "string" else text
    if not text.strip():
        raise ValueError(f"empty {kind}")
    if "]" in unit:
        raise ValueError("a unit cannot hold a ]")
    if unit and kind != "number":
        raise ValueError(f"a {kind} has no unit")
    if kind == "number":
        return Literal("number", text, _number_value(text), unit)
    if kind == "date":
        if (seconds := time_of_day(text)) is not None:
            return Literal("date", f"T{clock_text(seconds)}", seconds / _SECONDS_A_DAY)
        year, month, day = date_parts(text)
        value = year + (max(month, 1) - 1) / 12 + (max(day, 1) - 1) / 372
        return Literal("date", text if _has_time(text) else _iso_date(year, month, day), value)
    return Literal("string", text)


def literal_key(literal: Literal) -> str:
    """The key that :func:`parse_typed` reads back to the same literal."""
    unit = f"[{literal.unit}]" if literal.unit else ""
    return f'"{literal.text}"^^{literal.kind}{unit}'


def literal_label(literal: Literal) -> str:
    """The text that a person reads: "357588 km²", "1811", "15 March 44 BCE"."""
    if literal.unit:
        return f"{literal.text} {literal.unit}"
    if literal.kind == "date":
        return _date_label(literal.text)
    return literal.text


def time_of_day(text: str) -> int | None:
    """Seconds from midnight of a time of day as ISO writes it; None for any other text.

    >>> time_of_day("T07:42"), time_of_day("T24:01"), time_of_day("2009-01-01T08:30")
    (27720, None, None)
    """
    match = _TIME_OF_DAY.fullmatch(text)
    return None if match is None else 3600 * int(match[1]) + 60 * int(match[2]) + int(match[3] or 0)


def clock_text(seconds: int) -> str:
    """A time of day as it is shown, of seconds from midnight: "07:42", "07:42:10"."""
    minutes, rest = divmod(seconds, 60)
    return f"{minutes // 60:02}:{minutes % 60:02}" + (f":{rest:02}" if rest else "")


def _number_value(text: str) -> float:
    if not _NUMBER.fullmatch(text):
        raise ValueError(f"not a number: {_short(text)} (write it like 357588 or -1.5e3)")
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"number out of range: {_short(text)}")
    return value


def _has_time(text: str) -> bool:
    match = _ISO_DATE.fullmatch(text)
    return match is not None and bool((match["time"] or "").strip("T0:."))


def _iso_date(year: int, month: int, day: int) -> str:
    sign = "-" if year < 0 else ""
    return f"{sign}{abs(year):04}" + (f"-{month:02}" if month else "") + (f"-{day:02}" if day else "")


def date_parts(text: str) -> tuple[int, int, int]:
    """Astronomical year, month and day; month and day are 0 when the text gives none."""
    match = _ISO_DATE.fullmatch(text)
    if match:
        year, month, day = int(match["year"]), int(match["month"] or 0), int(match["day"] or 0)
        if month > 12 or (month and day > _days_in(year, month)) or (day and not month):
            raise ValueError(f"no such date: {_short(text)}")
        return year, month, day
    match = _ERA_YEAR.fullmatch(text)
    if match is None or (match["ad"] and match["era"]):
        raise ValueError(f"not a date: {_short(text)} (write it like 1811, 1811-10-30 or 44 BCE)")
    year = int(match["year"])
    if (match["era"] or "").upper().startswith("BC"):
        return 1 - year, 0, 0
    return year, 0, 0


def _days_in(year: int, month: int) -> int:
    if month == 2 and (year % 4 or (year % 100 == 0 and year % 400)):
        return 28
    return _DAYS[month - 1]


def _date_label(text: str) -> str:
    if time_of_day(text) is not None:
        return text[1:]
    if _has_time(text):
        return text
    year, month, day = date_parts(text)
    if year <= 0:
        words = [str(day)] if day else []
        words += [_MONTHS[month - 1]] if month else []
        return " ".join([*words, f"{1 - year} BCE"])
    return str(year) + (f"-{month:02}" if month else "") + (f"-{day:02}" if day else "")


def _short(text: str, limit: int = 60) -> str:
    return repr(text if len(text) <= limit else text[:limit] + "...")
