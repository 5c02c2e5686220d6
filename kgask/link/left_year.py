"""Days and months without their year, where all that a graph dates so lies in one: "loans in March", "on 3 June"."""

from __future__ import annotations

import re
from calendar import month_name
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from kgask.link.dates import DAY, MONTH, MONTHS
from kgask.pack.arrays import distinct
from kgask.pack.labels import relation_phrase
from kgask.pack.quantities import DATE, date_of_day, day_number
from kgask.pack.store import Pack
from kgask.query.axes import literal_places, qualifier_axis, relation_axis

MOST_TRIPLES = 200_000  # of a graph whose dates are looked at: those of a larger one lie in many years
_DAYS_OF_WEEK = "monday tuesday wednesday thursday friday saturday sunday".split()
_WEEKDAY = rf"(?P<weekday>{'|'.join(_DAYS_OF_WEEK)})"
_LIFE = re.compile(r"\b(?:born|birth\w*|dob|died|deaths?|dead)\b", re.IGNORECASE)
_NO_YEAR = r"(?!(?:,| of|,? in)? ?['\u2019]?\d)(?!-\d)"
_DATED = (
    re.compile(rf"\b(?:{_WEEKDAY},? )?(?:the )?{DAY}(?: of)? {MONTH}{_NO_YEAR}", re.IGNORECASE),
    re.compile(rf"\b(?:{_WEEKDAY},? )?{MONTH} (?:the )?{DAY}{_NO_YEAR}", re.IGNORECASE),
)
_OF_MONTH = re.compile(  # "may" and "march" are verbs
    rf"(?<!\d )(?<!\d(?:st|nd|rd|th) )\b"
    r"(?P<before>in|from|during|of|since|until|till|before|after|by|for|to|and|this|early|late) "
    rf"{MONTH}{_NO_YEAR}(?! (?:the )?\d)",
    re.IGNORECASE,
)
_OF_DAY = re.compile(
    rf"\b(?:on (?:{_WEEKDAY},? )?|(?:for )?(?P<also>{'|'.join(_DAYS_OF_WEEK)}),? )the {DAY}"
    r"(?=,| (?:of this month|at|in|for|and|go|did|is|was)\b|\W*\Z)",
    re.IGNORECASE,
)
_ON_WEEKDAY = re.compile(rf"\bon (?:the )?{_WEEKDAY}(?! (?:the )?\d)\b", re.IGNORECASE)

SEASON, MIN_WORD = 400, 3  # days from the first to the last that what is dated alike may lie in; letters of no word
_ANY_DATE = frozenset("date dates year time".split())


@dataclass(frozen=True, slots=True)
class _Season:
    days: np.ndarray  # since 1970-01-01
    others: frozenset[str]  # words of relations whose dates lie in many years


_SEASONS: WeakKeyDictionary[Pack, _Season] = WeakKeyDictionary()


def with_year(text: str, pack: Pack) -> str:
    """A question with the year of each day or month that has none, where the graph's dates tell which is meant.

    Left as it is where they lie in several years, and where it asks about births and deaths.
    """
    if pack.source is not None or pack.n_triples > MOST_TRIPLES or _LIFE.search(text) is not None:
        return text
    asked = text
    for form in _DATED:
        text = form.sub(lambda said: _day(said, pack, asked), text)
    text = _OF_MONTH.sub(lambda said: _month(said, pack, asked), text)
    text = _OF_DAY.sub(lambda said: _day_of_only_month(said, pack, asked), text)
    return _ON_WEEKDAY.sub(lambda said: _only_such_day(said, pack, asked), text)


def _day(said: re.Match[str], pack: Pack, text: str) -> str:
    month, day = _number_of(said["month"]), int(said["day"])
    dates = _dates(pack, text)
    years = {year for year, of, at in dates if (of, at) == (month, day)}
    years = years or {year for year, of, _ in dates if of == month}
    if len(years) != 1 or not _fits(said["weekday"], (year := years.pop(), month, day)):
        return said[0]
    return f"{day} {said['month'].strip('.')} {year}"


def _month(said: re.Match[str], pack: Pack, text: str) -> str:
    month = _number_of(said["month"])
    if pack.exact([month_name[month].lower()]) or any(_is_called(label, month) for label in pack.relation_labels()):
        return said[0]  # there are things called so: what flowers in July, "nights May"
    years = {year for year, of, _ in _dates(pack, text) if of == month}
    return f"{said['before']} {said['month'].strip('.')} {years.pop()}" if len(years) == 1 else said[0]


def _day_of_only_month(said: re.Match[str], pack: Pack, text: str) -> str:
    months, day = {(year, month) for year, month, _ in _dates(pack, text)}, int(said["day"])
    if len(months) != 1:
        return said[0]
    ((year, month),) = months
    if not _fits(said["weekday"] or said["also"], (year, month, day)):
        return said[0]
    return f"on {day} {month_name[month]} {year}"


def _only_such_day(said: re.Match[str], pack: Pack, text: str) -> str:
    meant = [date for date in _dates(pack, text) if _fits(said["weekday"], date)]
    if len(meant) != 1 or pack.exact([said["weekday"].lower()]):
        return said[0]
    ((year, month, day),) = meant
    return f"on {day} {month_name[month]} {year}"


def _is_called(relation: str, month: int) -> bool:
    return not {month_name[month].lower(), month_name[month][:3].lower()}.isdisjoint(
        relation_phrase(relation).lower().split()
    )


def _number_of(month: str) -> int:
    return MONTHS.index(month[:3].lower()) + 1


def _fits(weekday: str | None, date: tuple[int, int, int]) -> bool:
    """Whether a day is of the week as it is said to be."""
    if weekday is None:
        return True
    return _DAYS_OF_WEEK[(day_number(*date) + 3) % 7] == weekday.lower()  # 1970-01-01 was a Thursday


def _dates(pack: Pack, text: str) -> list[tuple[int, int, int]]:
    """Year, month and day of what a graph dates to the day within a season, but births and deaths; each once. None
    where a question says what another date of it is called."""
    if pack not in _SEASONS:
        _SEASONS[pack] = _seasons(pack)
    season = _SEASONS[pack]
    said = set(re.findall(r"[a-z]{4,}", text.lower()))
    return [] if said & season.others else [date_of_day(int(day)) for day in season.days]


def _seasons(pack: Pack) -> _Season:
    values, days, others = pack.literal_values, [np.zeros(0)], set[str]()
    labels = [relation_phrase(text.label).lower() for text in pack.relations()]
    dated = [
        at for at in range(pack.n_relations) if relation_axis(pack, at) == DATE or qualifier_axis(pack, at) == DATE
    ]
    for relation in dated:
        ends = [pack.out_object[pack.out_relation == relation]]
        ends.append(pack.qualifier_value[pack.qualifier_relation == relation])
        places = literal_places(pack, np.concatenate(ends))
        places = places[places >= 0]
        places = places[values.axis[places] == values.axes.index(DATE)]
        low, high = values.low[places], values.high[places]
        if len(low) and (low == high).all() and low.max() - low.min() <= SEASON and not _LIFE.search(labels[relation]):
            days.append(low)
        else:
            others.update(word for word in labels[relation].split() if len(word) > MIN_WORD and word not in _ANY_DATE)
    return _Season(distinct(np.concatenate(days)), frozenset(others))
