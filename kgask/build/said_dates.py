"""Dates in a table as people write them, as ISO writes them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum

_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_DAY, _YEAR = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?", r"(?P<year>\d{4})"
_WEEKDAY = r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day,? )?"
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"{_WEEKDAY}{_DAY}[ -]{_MONTH},?[ -]{_YEAR}", rf"{_WEEKDAY}{_MONTH} {_DAY},? {_YEAR}", rf"{_MONTH},? {_YEAR}",
    )
)  # fmt: skip
_POINTS = re.compile(r"(\d{1,2})\. ?(\d{1,2})\. ?(\d{4})")  # nobody writes the month first with points
_SLASHES = re.compile(r"(\d{1,2})([/-])(\d{1,2})\2(\d{4}|(?<=/)\d\d)")
_LAST_SHORT = 40  # of two digits, that are a year of this century
_YEAR_FIRST = re.compile(r"(\d{4})([/.])(\d{1,2})\2(\d{1,2})")
_ISO = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?")


class Order(StrEnum):
    """Which of two numbers before the year is the day: as with decimal commas, other values of the column tell."""

    DAY = "day first"
    MONTH = "month first"


def is_slashed(text: str) -> bool:
    """Whether a text is a date whose month is told by the order alone: ``5/3/1995``."""
    return any(iso_date(text, order) is not None for order in Order) and iso_date(text) is None


def orders_of(texts: Iterable[str]) -> set[Order]:
    """The orders that some of the dates have, which are none in the other.

    >>> orders_of(["5/3/1995", "15/3/1995"]), orders_of(["5/3/1995"])
    ({<Order.DAY: 'day first'>}, set())
    """
    found = ([order for order in Order if iso_date(text, order) is not None] for text in texts if is_slashed(text))
    return {orders[0] for orders in found if len(orders) == 1}


def iso_date(text: str, order: Order | None = None) -> str | None:
    """A day or month with its year; None for any other text, and where which is the month is anybody's guess.

    >>> iso_date("5 March 1995"), iso_date("Mar 5, 1995"), iso_date("sept 1995"), iso_date("1995-03-05")
    ('1995-03-05', '1995-03-05', '1995-09', '1995-03-05')
    >>> iso_date("5.3.1995"), iso_date("31.12.1999"), iso_date("5.13.1995")
    ('1995-03-05', '1999-12-31', None)
    >>> iso_date("5/3/1995"), iso_date("March 5"), iso_date("1995")
    (None, None, None)
    >>> iso_date("5/3/1995", Order.DAY), iso_date("5/3/1995", Order.MONTH), iso_date("1995/3/5")
    ('1995-03-05', '1995-05-03', '1995-03-05')
    >>> iso_date("5/3/95", Order.DAY), iso_date("5/3/24", Order.DAY)
    ('1995-03-05', '2024-03-05')
    """
    if _ISO.fullmatch(text):
        return text
    if (points := _POINTS.fullmatch(text)) is not None:
        return _day(points[3], points[2], points[1])
    if (year_first := _YEAR_FIRST.fullmatch(text)) is not None:
        return _day(year_first[1], year_first[3], year_first[4])
    if (slashes := _SLASHES.fullmatch(text)) is not None:
        first, _, second, year = slashes.groups()
        year = year if len(year) == 4 else f"{20 if int(year) <= _LAST_SHORT else 19}{year}"
        day, month = (first, second) if order is Order.DAY else (second, first)
        return None if order is None else _day(year, month, day)
    found = next((match for form in _FORMS if (match := form.fullmatch(text))), None)
    if found is None:
        return None
    said = found.groupdict()
    month = _MONTHS.index(said["month"][:3].lower()) + 1
    return f"{said['year']}-{month:02}" + (f"-{int(said['day']):02}" if "day" in said else "")


def _day(year: str, month: str, day: str) -> str | None:
    return f"{year}-{int(month):02}-{int(day):02}" if 1 <= int(month) <= 12 and 1 <= int(day) <= 31 else None
