"""Numbers, dates and ranks that stand in a question, as constants of a query.

A comparator ("more than", "before") is no part of a span; "between ... and ..." is one span with a range. What a
number may mean is told in the order of likeliness: 1811 is a year before it is a number, 40 % is 40 percent before it
is 40. Digits that belong to a name or a code ("P-101", "Boeing 747", "10.0.0.1") are no numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from kgask.errors import QueryError
from kgask.link.dates import MONTH, bare_year, date_at, is_likely_year
from kgask.link.numerals import Numeral, numeral_at, rank_at
from kgask.link.times import times_at
from kgask.link.units import CURRENCIES, OwnUnit, own_units, unit_at
from kgask.pack.quantities import CLOCK
from kgask.query.nodes import Date, Number, Range

ValueKind = Literal["number", "date", "rank"]
Option = Number | Date | Range | int
MAX_VALUES = 12  # in one question; what comes after is not looked at


@dataclass(frozen=True, slots=True)
class ValueSpan:
    """A number, date or rank in a question, and what it may mean, most likely first."""

    start: int
    end: int
    kind: ValueKind
    options: tuple[Option, ...]  # of a rank an int, -1 is the last, -2 the last but one

    @property
    def place(self) -> tuple[int, int]:
        return self.start, self.end


@dataclass(frozen=True, slots=True)
class _End:
    """One value, before it is known whether it ends a range."""

    span: ValueSpan
    numeral: Numeral | None = None
    units: tuple[str, ...] = ("",)


_BEGINS = (  # beginnings of the words that values begin with; whatever else begins so is looked at in vain
    "zero|one|two|twi|three|thri|four|five|fif|six|seven|eigh|nine|nin|ten|elev|twel|twen|thir|for|hundred|thousand|"
    "million|billion|trillion|dozen|half|an? |minus|first|second|last|penult|runner|jan|feb|mar|apr|may|jun|jul|aug|"
    "sep|oct|nov|dec|ad |a\\.d|bc |the |between|from|us|eur|gbp|mid-|early-|late-|pre-|post-|non-"
)
_START = re.compile(
    rf"(?<![^\W_])(?<![^\W_][-.,:/'\u2019_])(?:[$€£¥]|[-+\u2212] ?(?=\d)|['\u2019\u2018](?=\d0)|\d|{_BEGINS})",
    re.IGNORECASE,
)
_START_OR_TIME = re.compile(
    rf"{_START.pattern}|(?<![^\W_])(?:a? ?quarter|noon|midday|midnight|morning|afternoon|evening)", re.IGNORECASE
)
_GOES_ON = re.compile(r"[^\W_]|[-.,:/_][^\W_]|['\u2019](?!s(?![^\W_]))[^\W_]")  # right after: a code, not a number
_REST = re.compile(r"(?:[^\W_]|[-.,:/_'\u2019](?=[^\W_]))*")
_UNIT_GAP = re.compile(r"[ -]?")
_CURRENCY = re.compile(r"(?:us)?[$€£¥] ?|usd |eur |gbp ", re.IGNORECASE)
_BEFORE_RANGE = re.compile(r"(?:between|from) (?:the )?", re.IGNORECASE)
_BETWEEN = re.compile(r" (?:and|to) (?:the )?| ?[-\u2013\u2014] ?", re.IGNORECASE)
_TO = re.compile(r" (?:to|until|till|through) (?:the )?| ?[-\u2013\u2014] ?", re.IGNORECASE)
_PRONOUN_ONE = re.compile(
    r"(?:which|the|this|that|no|any|every|each|some|another|what|only|first|last) $", re.IGNORECASE
)
_AFTER_ONE = re.compile(r" (?:of|another|who|that|which|is|was|has|did|does)(?![^\W_])", re.IGNORECASE)
_OF_AMOUNT = re.compile(
    r"(?:(?:more|fewer|less|greater|higher|lower|larger|smaller|bigger) than|at least|at most|exactly|over|under|about"
    r"|approximately|as many as|up to|number|numbers) $",
    re.IGNORECASE,
)
_OF_TIME = re.compile(r"(?:in|before|after|since|until|till|by|around|circa|of|year) $", re.IGNORECASE)
_COUNTED = re.compile(
    r" (?:people|inhabitants|residents|citizens|members|students|employees|species|speakers|pages|times|copies|votes"
    r"|persons|men|women|children|islands|seats|points|goals|words|units|items|pieces)(?![^\W_])",
    re.IGNORECASE,
)
_WORD_BEFORE = re.compile(r"([^\W\d_][^\W_]*\.?) $")
_CENTURY_AFTER = re.compile(r"[ -](?:centur|millenni).*", re.IGNORECASE)
_MORE = re.compile(r" [^\W_]")
_OLD = re.compile(r"[ -](?:old|of age)(?![^\W_])", re.IGNORECASE)
_JOINED = re.compile(r"(?:early|mid|late|pre|post|non)-(?=\d)", re.IGNORECASE)
_OF_MONTH = re.compile(rf"(?:st|nd|rd|th)?(?: of)?[ -]{MONTH}", re.IGNORECASE)
_PROSE = frozenset(
    "in on at to for from by with and or is are was were than between before after since until about over under least "
    "most exactly the top year under age number than has had have more fewer less list name show give find tell which "
    "what do does did can all any how my me her his".split()
)


def value_spans(text: str, axes: Iterable[str] = ()) -> list[ValueSpan]:
    """The values of a question, in their order; they do not overlap.

    ``axes`` are those of a pack (:attr:`kgask.pack.quantities.LiteralValues.axes`): a unit that only the pack knows
    ("million US dollar") is read as the pack writes it. Where it has times of day, "before 9" may be one.
    """
    axes = tuple(axes)
    own, has_times = own_units(axes), CLOCK in axes
    found: list[ValueSpan] = []
    at = 0
    while (start := (_START_OR_TIME if has_times else _START).search(text, at)) and len(found) < MAX_VALUES:
        timed = times_at(text, start.start()) if has_times else None
        timed = None if timed is not None and _OF_MONTH.match(text, timed.end) else timed  # "before 1 April"
        spans, at = _at(text, start.start(), own)
        if timed is not None:
            others = [option for one in spans if one.end == timed.end for option in one.options]
            spans, at = [ValueSpan(timed.start, timed.end, "date", (timed.option, *others))], timed.end
        found += spans
    return found


def _at(text: str, at: int, own: Mapping[str, OwnUnit]) -> tuple[list[ValueSpan], int]:
    """The value that begins at ``at``, if any, and where to look on."""
    ranged = _range(text, at, own)
    if ranged:
        return [ranged], ranged.end
    one = _one(text, at, own)
    if one and (one.span.kind == "rank" or not _GOES_ON.match(text, one.span.end)) and not _is_named(text, one):
        return ([one.span] if one.span.options else []), one.span.end
    if joined := _JOINED.match(text, at):
        return _at(text, joined.end(), own)
    skipped = _REST.match(text, at)
    return [], max(at + 1, skipped.end() if skipped else 0)


def _range(text: str, at: int, own: Mapping[str, OwnUnit]) -> ValueSpan | None:
    before = _BEFORE_RANGE.match(text, at)
    first = _one(text, before.end() if before else at, own)
    if first is None:
        return None
    joint = (_BETWEEN if before and "between" in before[0].lower() else _TO).match(text, first.span.end)
    last = _one(text, joint.end(), own) if joint else None
    if joint is None or last is None or last.span.kind == "rank" or _GOES_ON.match(text, last.span.end):
        return None
    if first.span.kind == "rank":
        first = _as_century(text, first, last)
    first, last = _alike(first, last, bare_joint=not joint[0].strip(" ").isalpha())
    known = dict.fromkeys(_ranges(first.span.options, last.span.options))
    start = at if before else first.span.start
    return ValueSpan(start, last.span.end, _kind(known), tuple(known)) if known else None


def _ranges(lows: Iterable[Option], highs: Iterable[Option]) -> list[Range]:
    highs = list(highs)
    return [ranged for low in lows for high in highs if (ranged := _ranged(low, high))]


def _kind(options: Iterable[Option]) -> ValueKind:
    first = next(iter(options))
    if isinstance(first, Range):
        first = first.low
    return "rank" if isinstance(first, int) else "date" if isinstance(first, Date) else "number"


def _as_century(text: str, rank: _End, last: _End) -> _End:
    """The 16th of "between the 16th and 18th century"."""
    ends_with = _CENTURY_AFTER.search(text, last.span.start, last.span.end)
    said = text[rank.span.start : rank.span.end] + ends_with[0] if ends_with else ""
    dated = date_at(said, 0)
    return _End(replace(rank.span, kind="date", options=dated.options)) if dated and dated.end == len(said) else rank


def _alike(first: _End, last: _End, bare_joint: bool) -> tuple[_End, _End]:
    """Two ends of a range with what only one of them says: unit, scale, era, the century of "1914-18"."""
    low, high = first.numeral, last.numeral
    if low and low.digits and last.span.kind == "date" and not high:
        if (day := _as_day(first, low, last)) is not None:
            return day, last
        before_christ = any(isinstance(o, Date) and o.text.startswith(("-", "0000")) for o in last.span.options)
        year = bare_year(low.digits, before_christ)
        return _End(replace(first.span, options=(year,) if year else ())), last
    if low is None or high is None:
        return first, last
    if bare_joint and is_likely_year(low.digits) and len(high.digits) == 2:
        digits = low.digits[:2] + high.digits
        return first, _with(last, replace(high, value=float(digits), digits=digits), last.units)
    units = last.units if first.units == ("",) else first.units
    if low.digits and not high.digits and low.value < 1e3 <= high.value and high.scale > 1:
        low = replace(low, value=low.value * high.scale, digits="")
    return (first if (low, units) == (first.numeral, first.units) else _with(first, low, units)), last


def _as_day(first: _End, low: Numeral, last: _End) -> _End | None:
    """The 15th of "between 15 and 20 June 2025"."""
    last_day = next((option.text for option in last.span.options if isinstance(option, Date)), "")
    if len(low.digits) > 2 or last_day.count("-") != 2 or last_day.startswith("-"):
        return None
    try:
        day = Date(f"{last_day[:-2]}{int(low.digits):02}")
        return _End(replace(first.span, kind="date", options=(day,))) if day.quantity else None
    except (QueryError, ValueError):
        return None


def _with(end: _End, numeral: Numeral, units: tuple[str, ...]) -> _End:
    options = _options(numeral, units, likely_year=is_likely_year(numeral.digits) and units == ("",))
    return _End(replace(end.span, options=options), numeral, units)


def _ranged(low: Option, high: Option) -> Range | None:
    """A range of two values of one kind and unit, the lower first."""
    if isinstance(low, Number) and isinstance(high, Number):
        if low.unit != high.unit or low.number >= high.number:
            return None
    elif isinstance(low, Range) and isinstance(high, Range):
        low, high = low.low, high.high
    elif not (isinstance(low, Date) and isinstance(high, Date)):
        return None
    try:
        return Range(low, high)
    except QueryError:
        return None


def _one(text: str, at: int, own: Mapping[str, OwnUnit]) -> _End | None:
    """The value that begins at ``at``, no range."""
    dated = date_at(text, at)
    if dated:
        return _End(ValueSpan(dated.start, dated.end, "date", dated.options))
    currency = _CURRENCY.match(text, at)
    numeral = numeral_at(text, currency.end() if currency else at)
    rank = None if currency else rank_at(text, at)
    if rank and (numeral is None or rank[0] > numeral.end):
        return _End(ValueSpan(at, rank[0], "rank", (rank[1],)))
    if numeral is None or (text[at : numeral.end].lower() == "one" and not _counts(text, at, numeral.end)):
        return None
    if currency:
        unit = CURRENCIES.get(currency[0].strip().lower(), currency[0].strip().upper())
        return _number(text, at, numeral, numeral.end, unit, own)
    gap = _UNIT_GAP.match(text, numeral.end)
    assert gap is not None
    named = unit_at(text, gap.end(), numeral.written, own)
    is_whole = named and (_OLD.match(text, named[0]) or not _GOES_ON.match(text, named[0]))
    if named and is_whole and (gap[0] or numeral.written):
        return _number(text, at, numeral, named[0], named[1], own)
    return _number(text, at, numeral, numeral.end, "", own)


def _number(text: str, at: int, numeral: Numeral, end: int, unit: str, own: Mapping[str, OwnUnit]) -> _End:
    units = _units(unit)
    years_old = _OLD.match(text, end) if unit == "year" else None
    if years_old:
        end, units = years_old.end(), ("", "year")
    before = text[:at]
    is_date = bool(
        units == ("",)
        and numeral.digits
        and not _COUNTED.match(text, end)
        and (
            (is_likely_year(numeral.digits) and not _OF_AMOUNT.search(before))
            or (len(numeral.digits) == 3 and _OF_TIME.search(before) and not _MORE.match(text, end))
            or before.lower().endswith(" year ")
        )
    )
    options = _options(numeral, units, is_date)
    if unit in own:
        own_unit = own[unit]
        options = (Number(numeral.value / own_unit.scale, own_unit.text), *options)
    options = tuple(dict.fromkeys(options))
    return _End(ValueSpan(at, end, _kind(options), options), numeral, units)


def _units(unit: str) -> tuple[str, ...]:
    """The unit, and no unit where packs often write none."""
    return ("",) if not unit else (unit, "", "percent") if unit == "%" else (unit, "")


def _options(numeral: Numeral, units: tuple[str, ...], likely_year: bool) -> tuple[Number | Date, ...]:
    numbers: list[Number | Date] = [Number(numeral.value, unit) for unit in units]
    year = bare_year(numeral.digits) if units == ("",) else None
    if year is None:
        return tuple(numbers)
    return (year, *numbers) if likely_year else (*numbers, year) if len(numeral.digits) == 4 else tuple(numbers)


def _counts(text: str, at: int, end: int) -> bool:
    """Whether "one" is a number, not a pronoun."""
    before = text[:at]
    if _OF_AMOUNT.search(before):
        return True
    return not (_PRONOUN_ONE.search(before) or _AFTER_ONE.match(text, end) or not text[end:].strip(" ?.!"))


def _is_named(text: str, one: _End) -> bool:
    """Whether a bare number belongs to the name before it: "Apollo 11", "Boeing 747"; a likely year does not."""
    if one.span.kind != "number" or one.numeral is None or one.units != ("",):
        return False
    word = _WORD_BEFORE.search(text[: one.span.start])
    return word is not None and word[1][0].isupper() and word[1].lower() not in _PROSE
