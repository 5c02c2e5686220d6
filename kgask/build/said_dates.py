"""Dates in a table as people write them, as ISO writes them."""

from __future__ import annotations

import re

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
_ISO = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?")


def iso_date(text: str) -> str | None:
    """A day or month with its year; None for any other text, and where which is the month is anybody's guess.

    >>> iso_date("5 March 1995"), iso_date("Mar 5, 1995"), iso_date("sept 1995"), iso_date("1995-03-05")
    ('1995-03-05', '1995-03-05', '1995-09', '1995-03-05')
    >>> iso_date("5.3.1995"), iso_date("31.12.1999"), iso_date("5.13.1995")
    ('1995-03-05', '1999-12-31', None)
    >>> iso_date("5/3/1995"), iso_date("March 5"), iso_date("1995")
    (None, None, None)
    """
    if _ISO.fullmatch(text):
        return text
    if (points := _POINTS.fullmatch(text)) is not None:
        day, month, year = points.groups()
        return f"{year}-{int(month):02}-{int(day):02}" if 1 <= int(month) <= 12 and 1 <= int(day) <= 31 else None
    found = next((match for form in _FORMS if (match := form.fullmatch(text))), None)
    if found is None:
        return None
    said = found.groupdict()
    month = _MONTHS.index(said["month"][:3].lower()) + 1
    return f"{said['year']}-{month:02}" + (f"-{int(said['day']):02}" if "day" in said else "")
