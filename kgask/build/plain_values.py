"""Numbers and dates that a table writes as bare text: relations whose objects nearly all are some become literals.

A field of a table is a key; ``35`` behind ``age`` would be an entity called 35, of which nothing is more or less. What
every field of a relation says is looked at when all is read: numbers, all with the same unit or none, with decimal
points or commas (:mod:`kgask.build.said_numbers`), dates as ISO or as people write them (``5 March 1995``), or times of
day (:mod:`kgask.build.said_times`). Of four digits a year is meant where the relation's name tells of when something
happened. Keys that something is said of, that have a label, or that look like codes (``007``, a relation called
"phone") stay what they are.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from kgask.build.said_dates import Order, is_slashed, iso_date, orders_of
from kgask.build.said_numbers import Convention, Votes, Written, is_number, usual, written
from kgask.build.said_times import is_duration, is_surely_time, iso_time
from kgask.pack.arrays import distinct
from kgask.pack.label_units import unit_of_label
from kgask.pack.labels import readable_relation
from kgask.pack.literals import parse_literal
from kgask.pack.quantities import is_unit
from kgask.pack.records import Literal, LiteralKind

MOST_WORDS = 0.35  # of the values of a relation that is called as dates are and has days, that are none
MOST_OTHERS = 0.1  # of the values of a relation that are no number or date ("unknown")
LOOKED_AT = 100  # values of a relation that are looked at before all of them are
_FEWEST_OF_OWN_UNIT = 3  # values with one word behind the number that make it a unit
_SIGNS = "%‰$€£¥"  # units that nothing can be converted to
_DATE_TIME = re.compile(r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(?:Z|[+-]\d\d:?\d\d)?(?:\[.*\])?")
_LONG = 120  # characters from which on a text is no name
_OF_YEAR = re.compile(r"\w year\Z|\Ayear \w")  # "founded year", where 948 is one too
_YEAR = re.compile(r"1[0-9]\d\d|20\d\d")
_CODES = re.compile(
    r"\b(?:ids?|codes?|phones?|tel|fax|mobile|zip|post ?codes?|isbn|ean|sku|iban|ips?|vlan|port|room|serial|version"
    r")\b"
)
_COUNTED = re.compile(r"\b(?:number|num|nr|count|amount|total) of\b|\bcount\b|^(?:num|number) |\blines\b")
_WHEN = re.compile(
    r"\b(?:years?|dates?|yr|born|births?|died|deaths?|built|made|began|begun|starts?|ends?|since|until|from|when|time|"
    r"won|lit|laid|sunk|dug|written|hung|rebuilt|inception|premiere|release|debut|founding|opening|[a-z]{3,}ed)\b|"
    r"\A(?:to|left|split|split up|broke up|quit)\Z"
)


def is_code(relation: str) -> bool:
    """Whether digits behind a relation of this name are a code rather than a number."""
    words = relation.lower().replace("_", " ")
    return _CODES.search(words) is not None and _COUNTED.search(words) is None


def is_when(relation: str) -> bool:
    """Whether a relation of this name tells of when something was."""
    return _WHEN.search(relation.lower()) is not None


def bare_value(relation: str, value: object) -> str | Literal | None:
    """What a value of a database or a JSON file says: a literal, a name, or None for nothing (NULL, "", bytes).

    A short text is a name, for people ask what else has it (a city); texts that are all numbers or dates become
    literals when all is read (:func:`recognised`).
    """
    if isinstance(value, Literal):
        return value
    if value is None or isinstance(value, bytes) or not (text := str(value).strip()):
        return None
    if isinstance(value, bool):
        return parse_literal("string", text.lower())
    if isinstance(value, int | float) and not is_code(relation):
        least = 100 if _OF_YEAR.search(readable_relation(relation).lower()) else 1000
        is_year = isinstance(value, int) and least <= value <= 2100 and is_when(relation)
        unit = unit_of_label(readable_relation(relation))
        return parse_literal("date", text) if is_year else parse_literal("number", text, unit)
    if len(text) > _LONG or "\n" in text:
        return parse_literal("string", text)
    return parse_literal("date", iso_day(text)) if _DATE_TIME.fullmatch(text) else text


def looks_like_value(text: str) -> bool:
    """Whether a text is written as a number (with a unit), a date or a time of day."""
    return is_number(text) or is_date(text) or iso_time(text) is not None


def is_date(text: str) -> bool:
    """Whether a text is a day or month with its year, or a time as ISO writes it."""
    return iso_date(text) is not None or is_slashed(text) or _DATE_TIME.fullmatch(text) is not None


def iso_day(text: str) -> str:
    """A date with a time as ISO writes it, without the time where that is midnight; any other text as it is.

    >>> iso_day("2009-01-01 00:00:00"), iso_day("2009-01-01T08:30Z"), iso_day("2009")
    ('2009-01-01', '2009-01-01T08:30', '2009')
    """
    found = _DATE_TIME.fullmatch(text)
    if found is None:
        return text
    return f"{found[1]}T{found[2]}" if found[2].strip("0:.") else found[1]


class Reading(NamedTuple):
    """What the values of a relation are taken for."""

    kind: LiteralKind
    unit: str = ""
    convention: Convention = Convention.POINT
    order: Order | None = None  # of the day and the month in a date
    is_time: bool = False  # of day


@dataclass(frozen=True, slots=True)
class Recognised:
    """What the values of a relation were taken for."""

    relation: int
    name: str
    reading: Reading
    unclear: str  # a value that is another number with decimal commas, where no value tells
    values: dict[int, Literal]  # number of the key -> what it is

    def __str__(self) -> str:
        kind, unit, convention, order, is_time = self.reading
        ordered = f", {order}" if order else ""
        commas = " with decimal commas" if convention is Convention.COMMA else ""
        is_told = "," in self.unclear or (self.unclear and convention is Convention.COMMA)
        one = as_literal(self.unclear, self.reading) if is_told else None
        told = f", {self.unclear} is {one.text}" if one is not None else ""
        said = "times of day" if is_time else f"{kind}s{f' in {unit}' if unit else ''}"
        return f"{self.name} ({said}{commas}{ordered}{told})"


def recognised(
    keys: Sequence[str],
    relations: Sequence[str],
    said: np.ndarray,
    is_thing: np.ndarray,
    given: Collection[str],
    known: Mapping[str, tuple[LiteralKind, str]],
) -> Iterator[Recognised]:
    """The relations whose values are numbers or dates.

    ``keys`` and ``relations`` are by number, ``said`` is int64 [2, N]: relation and value (negative for a literal) of
    all that is said; ``is_thing``, bool [keys], tells keys that are no bare values; ``given`` are relations whose kind
    the user gave, ``known`` those that have literals of a kind and unit already: what looks like one joins them.
    """
    bare = dict(_bare(keys, relations, said, is_thing, given, known))
    convention = usual(looks.votes for looks, _ in bare.values() if looks.may_be_values)
    orders = set[Order]().union(*(looks.orders for looks, _ in bare.values()))
    order = next(iter(orders)) if len(orders) == 1 else None
    for relation, (looks, own) in bare.items():
        like = known.get(relations[relation])
        as_like = Reading(*like, looks.convention(convention), looks.order(order)) if like else None
        reading = as_like or looks.reading(convention, order)
        if reading is None:
            continue
        read = {
            number: _as_known(keys[number], reading) if like else as_literal(keys[number], reading) for number in own
        }
        values = {number: literal for number, literal in read.items() if literal is not None}
        if values:
            yield Recognised(relation, looks.relation, reading, looks.unclear, values)


def _bare(
    keys: Sequence[str],
    relations: Sequence[str],
    said: np.ndarray,
    is_thing: np.ndarray,
    given: Collection[str],
    known: Mapping[str, tuple[LiteralKind, str]],
) -> Iterator[tuple[int, tuple[Looks, list[int]]]]:
    """Relations whose values may be numbers or dates, what they look like, and the numbers of their keys."""
    order = np.argsort(said[0], kind="stable")
    of_relation, values = said[0][order], said[1][order]
    for relation in distinct(of_relation).tolist():
        first, last = np.searchsorted(of_relation, [relation, relation + 1])
        own = distinct(values[first:last])
        if relations[relation] in known:
            own = own[own >= 0]
            own = own[~is_thing[own]]
        elif relations[relation] in given or own[0] < 0 or is_thing[own].any():
            continue
        looks = Looks(readable_relation(relations[relation]))
        looks.see(keys[number] for number in own[:: max(1, len(own) // LOOKED_AT)].tolist())
        if relations[relation] not in known and not looks.may_be_values:
            continue
        looks = Looks(looks.relation)
        looks.see(keys[number] for number in own.tolist())
        yield relation, (looks, own.tolist())


@dataclass(slots=True)
class Looks:
    """What all values of a relation look like; they may be shown in parts."""

    relation: str  # its name in words
    n_seen: int = 0
    n_times: int = 0
    n_sure_times: int = 0
    n_dates: Counter[Order | None] = field(default_factory=Counter)  # as they are read in each order, and in none
    orders: set[Order] = field(default_factory=set)  # that some dates have, and can have only
    n_numbers: Counter[Convention] = field(default_factory=Counter)
    votes: Votes = field(default_factory=Votes)
    has_days: bool = False
    is_coded: bool = False  # a number begins with a zero
    units: set[str] = field(default_factory=set)

    def see(self, texts: Iterable[str]) -> None:
        for text in texts:
            self.n_seen += 1
            self.has_days |= iso_date(text) is not None or is_slashed(text)
            self.orders |= orders_of([text])
            self.n_times += iso_time(text) is not None
            self.n_sure_times += is_surely_time(text)
            for order in (None, *Order):
                self.n_dates[order] += as_literal(text, Reading("date", order=order)) is not None
            if not self.is_coded and len(self.units) < 2:
                self._see_number(text)

    def _see_number(self, text: str) -> None:
        point = written(text)
        # Only where a sign stands between digits the conventions differ.
        comma = written(text, Convention.COMMA) if "," in text or "." in text or point is None else point
        self.votes.count(text, point, comma)
        for convention, number in ((Convention.POINT, point), (Convention.COMMA, comma)):
            if number is not None:
                self.is_coded |= number.is_coded
                self.units.add(number.unit)
                self.n_numbers[convention] += _literal(number) is not None

    @property
    def unclear(self) -> str:
        """One of the numbers that differ by convention, where nothing tells which one is meant."""
        return self.votes.unclear if self.votes.convention is None else ""

    def convention(self, usual: Convention) -> Convention:
        """That of the values; the usual one where they do not tell."""
        return self.votes.convention or (usual if self.votes.unclear else Convention.POINT)

    def order(self, usual: Order | None) -> Order | None:
        """That of the dates; the usual one where they do not tell, None where they contradict each other."""
        return next(iter(self.orders)) if len(self.orders) == 1 else None if self.orders else usual

    def _is_own_unit(self, unit: str, convention: Convention) -> bool:
        """Whether a word that nothing can be converted to is what all of them count: ``240 EUR``, ``312 pages``."""
        return unit.isalpha() and len(unit) > 2 and self.n_numbers[convention] == self.n_seen >= _FEWEST_OF_OWN_UNIT

    def _are_times(self, enough: float) -> bool:
        """Whether nearly all are times of day: minutes and seconds are written so too, but of what takes some time."""
        if is_duration(self.relation) or self.n_times < enough:
            return False
        return self.n_sure_times >= enough or is_when(self.relation)

    @property
    def may_be_values(self) -> bool:
        return any(self.reading(convention, order) is not None for convention in Convention for order in Order)

    def reading(self, usual: Convention, usual_order: Order | None = None) -> Reading | None:
        """What nearly all of them are."""
        enough, name = self.n_seen * (1 - MOST_OTHERS), self.relation.lower()
        if (self.has_days or is_when(name)) and self.n_dates[None] >= enough:
            return Reading("date")
        if self.has_days and is_when(name) and self.n_dates[None] >= self.n_seen * (1 - MOST_WORDS):
            return Reading("date")  # "lease until" has an "open-ended" among its days
        if self._are_times(enough):
            return Reading("date", is_time=True)
        order = self.order(usual_order)
        if order is not None and self.n_dates[order] >= enough:
            return Reading("date", order=order)
        convention = self.convention(usual)
        if len(self.units) != 1 or self.is_coded or is_code(name) or self.n_numbers[convention] < enough:
            return None
        (unit,) = self.units
        if unit not in ("", *_SIGNS) and not is_unit(unit) and not self._is_own_unit(unit, convention):
            return None
        return Reading("number", unit or unit_of_label(self.relation), convention)


def as_literal(text: str, reading: Reading) -> Literal | None:
    """A text as a date, a time of day, or a number with exactly this unit; None for what is none (2019-02-30 too)."""
    if reading.is_time:
        time = iso_time(text)
        return None if time is None else parse_literal("date", time)
    if reading.kind == "date":
        said = text if _YEAR.fullmatch(text) else iso_date(text, reading.order)
        with suppress(ValueError):
            return None if said is None else parse_literal("date", said)
        return None
    number = written(text, reading.convention)
    if number is None or number.unit not in ("", reading.unit):  # the column's name may say it
        return None
    return _literal(replace(number, unit=reading.unit))


def _as_known(text: str, reading: Reading) -> Literal | None:
    """As :func:`as_literal`; a number without a unit has that of the others."""
    number = written(text, reading.convention) if reading.kind == "number" else None
    return _literal(replace(number, unit=reading.unit)) if number and not number.unit else as_literal(text, reading)


def _literal(number: Written) -> Literal | None:
    """None for one of too many digits."""
    with suppress(ValueError):
        return parse_literal("number", number.text, number.unit)
    return None
