"""Dates and spans of time as people write them: days, months, years with an era, decades, centuries."""

from __future__ import annotations

import re
from dataclasses import dataclass

from kgask.errors import QueryError
from kgask.link.numerals import ORDINAL_WORDS
from kgask.query.nodes import Date, Range


def _unnamed(form: str) -> str:
    """A pattern whose groups have no names, so that it can stand twice in one."""
    return re.sub(r"\?P<\w+>", "?:", form)


MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)(?![^\W_])\.?"
)
DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?(?![^\W_])"
_ERA = r"(?: ?(?P<era>b\.?c\.?e?\.?|c\.?e\.?|a\.?d\.?)(?![^\W_]))"
_YEAR = rf"(?P<year>\d{{3,4}}(?![^\W_])|\d{{1,4}}(?={_unnamed(_ERA)})){_ERA}?(?![^\W_]|[.,]\d)"
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"(?:the )?{DAY}(?: day)?(?: of)?[ -]{MONTH},?(?: of)?[ -]{_YEAR}",
        rf"{MONTH} (?:the )?{DAY}(?:,? of| in|,)? {_YEAR}",
        rf"{MONTH},?(?: of| in)? {_YEAR}",
        r"(?P<era>ad|a\.d\.|bc) (?P<year>\d{1,4})(?![^\W_]|[.,]\d)",
        rf"(?P<year>\d{{1,5}}){_ERA}",
    )
)
_NO_YEAR = re.compile(  # a day of some year is no date
    _unnamed(rf"(?:{DAY}(?: of)? {MONTH}|{MONTH} (?:the )?{DAY})(?![^\W_])"), re.IGNORECASE
)
_ISO = re.compile(r"(\d{4})-(\d\d)(?:-(\d\d))?(?:T[\d:.]+Z?)?(?![^\W_]|-)")
_NUMERIC = re.compile(r"(\d{1,2})([/.])(\d{1,2})\2(\d{4})(?![^\W_])")
_DECADE = re.compile(r"(?P<year>\d{3}0)['\u2019]?s(?![^\W_])")
_SHORT_DECADE = re.compile(
    r"(?:the (?:early |mid[- ]|late )?['\u2019\u2018]?|['\u2019\u2018])(?P<year>[1-9]0)['\u2019]?s(?![^\W_])",
    re.IGNORECASE,
)
_TENS = "twenties thirties forties fifties sixties seventies eighties nineties".split()
_WORD_DECADE = re.compile(rf"the (?:early |mid[- ]|late )?(?P<tens>{'|'.join(_TENS)})(?![^\W_])", re.IGNORECASE)
_CENTURY = re.compile(
    rf"(?P<nth>\d{{1,2}}(?:st|nd|rd|th)|[a-z]+(?:-[a-z]+)?)[ -](?P<long>century|centuries|millennium){_ERA}?(?![^\W_])",
    re.IGNORECASE,
)
FIRST_YEAR, LAST_YEAR = 1000, 2100  # what a bare number of four digits may mean


@dataclass(frozen=True, slots=True)
class Dated:
    """A date as it stands in the text: characters ``start`` to ``end``; no options where its year is missing."""

    start: int
    end: int
    options: tuple[Date | Range, ...]


def date_at(text: str, at: int) -> Dated | None:
    """The date that begins at ``at`` and can be nothing else; None where there is none."""
    return (
        _numeric(text, at)
        or _long_time(text, at)
        or next((found for form in _FORMS if (found := _in_words(text, at, form))), None)
        or _without_year(text, at)
    )


def bare_year(digits: str, before_christ: bool = False) -> Date | None:
    """A number of up to four digits as a year; None where it cannot be one."""
    if not 0 < len(digits) <= 4 or not int(digits):
        return None
    return _date(1 - int(digits) if before_christ else int(digits), 0, 0)


def is_likely_year(digits: str) -> bool:
    return len(digits) == 4 and FIRST_YEAR <= int(digits) <= LAST_YEAR


def years(first: int, last: int) -> Range:
    """From one astronomical year to another."""
    return Range(Date(_iso(first)), Date(_iso(last)))


def _in_words(text: str, at: int, form: re.Pattern[str]) -> Dated | None:
    match = form.match(text, at)
    if match is None:
        return None
    found = match.groupdict()
    year = int(found["year"])
    if (found["era"] or "").lower().startswith("b"):
        year = 1 - year
    month = MONTHS.index(found["month"][:3].lower()) + 1 if found.get("month") else 0
    date = _date(year, month, int(found.get("day") or 0))
    return (
        Dated(match.start("day") if found.get("day") and form is _FORMS[0] else at, match.end(), (date,))
        if date
        else None
    )


def _without_year(text: str, at: int) -> Dated | None:
    match = _NO_YEAR.match(text, at)
    return Dated(at, match.end(), ()) if match else None


def _numeric(text: str, at: int) -> Dated | None:
    """ISO dates; days and months with strokes in both orders, the day first."""
    iso = _ISO.match(text, at)
    if iso:
        date = _date(int(iso[1]), int(iso[2]), int(iso[3] or 0))
        return Dated(at, iso.end(), (date,)) if date and (iso[3] or int(iso[2])) else None
    match = _NUMERIC.match(text, at)
    if match is None:
        return None
    first, second, year = int(match[1]), int(match[3]), int(match[4])
    orders = ((second, first), (first, second)) if match[2] == "/" else ((second, first),)
    dates = dict.fromkeys(date for month, day in orders if month and day and (date := _date(year, month, day)))
    return Dated(at, match.end(), tuple(dates)) if dates else None


def _long_time(text: str, at: int) -> Dated | None:
    """Decades and centuries; "1900s" may be either, the longer first."""
    decade = _DECADE.match(text, at)
    if decade:
        year = int(decade["year"])
        ten, hundred = years(year, year + 9), years(year, year + 99)
        return Dated(at, decade.end(), (hundred, ten) if year % 100 == 0 else (ten,))
    for form in (_SHORT_DECADE, _WORD_DECADE):
        if match := form.match(text, at):
            group = "year" if form is _SHORT_DECADE else "tens"
            tens = int(match[group]) if group == "year" else (_TENS.index(match[group].lower()) + 2) * 10
            return Dated(
                match.start(group), match.end(), (years(1900 + tens, 1909 + tens), years(1800 + tens, 1809 + tens))
            )
    century = _CENTURY.match(text, at)
    return _century(century) if century else None


def _century(match: re.Match[str]) -> Dated | None:
    said = match["nth"].lower()
    nth = int(said[:-2]) if said[0].isdigit() else ORDINAL_WORDS.get(said, 0)
    length = 1000 if match["long"].lower() == "millennium" else 100
    if not 0 < nth <= 99:
        return None
    first, last = (nth - 1) * length + 1, nth * length
    if (match["era"] or "").lower().startswith("b"):
        first, last = 1 - last, 1 - first
    return Dated(match.start(), match.end(), (years(first, last),))


def _date(year: int, month: int, day: int) -> Date | None:
    """A date of an astronomical year; None for a day that there is not."""
    try:
        return Date(_iso(year, month, day))
    except QueryError:
        return None


def _iso(year: int, month: int = 0, day: int = 0) -> str:
    months = f"-{month:02}" if month else ""
    return f"{'-' if year < 0 else ''}{abs(year):04}{months}" + (f"-{day:02}" if day else "")
