"""Numbers and dates that a table writes as bare text: relations whose objects nearly all are some become literals.

A field of a table is a key; ``35`` behind ``age`` would be an entity called 35, of which nothing is more or less. What
every field of a relation says is looked at when all is read: numbers, all with the same unit or none, or dates as ISO
or as people write them (``5 March 1995``, ``Mar 5, 1995``). Of four digits a year is meant where the relation's name
tells of when something happened. Keys that something is said of, that have a label, or that look like codes (``007``, a
relation called "phone") stay what they are.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np

from kgask.build.label_units import unit_of_label
from kgask.build.said_dates import iso_date
from kgask.pack.labels import readable_relation
from kgask.pack.literals import parse_literal
from kgask.pack.quantities import is_unit
from kgask.pack.records import Literal, LiteralKind

MOST_OTHERS = 0.1  # of the values of a relation that are no number or date ("unknown")
LOOKED_AT = 100  # values of a relation that are looked at before all of them are
_SIGNS = "%‰$€£¥"  # units that nothing can be converted to
_NUMBER = re.compile(
    r"(?:(?P<before>[$€£¥])\s?)?(?P<sign>[+-]?)(?P<digits>\d{1,3}(?:,\d{3})+|\d+)(?P<rest>\.\d+)?"
    r"(?(before)|\s?(?P<behind>(?:[^\W\d_]|[°%‰€$£¥µ])[\w°/²³]{0,7})?)"
)
_DATE_TIME = re.compile(r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(?:Z|[+-]\d\d:?\d\d)?(?:\[.*\])?")
_LONG = 120  # characters from which on a text is no name
_YEAR = re.compile(r"1[0-9]\d\d|20\d\d")
_CODES = re.compile(
    r"\b(?:ids?|codes?|phones?|tel|fax|mobile|zip|post ?codes?|isbn|ean|sku|iban|ips?|vlan|ports?|rooms?|serial|version"
    r")\b"
)
_WHEN = re.compile(
    r"\b(?:years?|dates?|yr|born|births?|died|deaths?|built|made|began|begun|starts?|ends?|since|until|from|when|time|"
    r"won|inception|premiere|release|debut|founding|opening|[a-z]{3,}ed)\b"
)


def is_code(relation: str) -> bool:
    """Whether digits behind a relation of this name are a code rather than a number."""
    return _CODES.search(relation.lower()) is not None


def is_when(relation: str) -> bool:
    """Whether a relation of this name tells of when something was."""
    return _WHEN.search(relation.lower()) is not None


def bare_value(relation: str, value: object) -> str | Literal | None:
    """What a value of a database or a JSON file says: a literal, a name, or None for nothing (NULL, "", bytes).

    A short text is a name, for people ask what else has it (a city); texts that are all numbers or dates become
    literals when all is read (:func:`recognised`).
    """
    if value is None or isinstance(value, bytes) or not (text := str(value).strip()):
        return None
    if isinstance(value, bool):
        return parse_literal("string", text.lower())
    if isinstance(value, int | float) and not is_code(relation):
        is_year = isinstance(value, int) and 1000 <= value <= 2100 and is_when(relation)
        return parse_literal("date" if is_year else "number", text)
    if len(text) > _LONG or "\n" in text:
        return parse_literal("string", text)
    return parse_literal("date", iso_day(text)) if _DATE_TIME.fullmatch(text) else text


def looks_like_value(text: str) -> bool:
    """Whether a text is written as a number (with a unit) or a date."""
    return _NUMBER.fullmatch(text) is not None or is_date(text)


def is_date(text: str) -> bool:
    """Whether a text is a day or month with its year, or a time as ISO writes it."""
    return iso_date(text) is not None or _DATE_TIME.fullmatch(text) is not None


def iso_day(text: str) -> str:
    """A date with a time as ISO writes it, without the time where that is midnight; any other text as it is.

    >>> iso_day("2009-01-01 00:00:00"), iso_day("2009-01-01T08:30Z"), iso_day("2009")
    ('2009-01-01', '2009-01-01T08:30', '2009')
    """
    found = _DATE_TIME.fullmatch(text)
    if found is None:
        return text
    return f"{found[1]}T{found[2]}" if found[2].strip("0:.") else found[1]


@dataclass(frozen=True, slots=True)
class Recognised:
    """What the values of a relation were taken for."""

    relation: int
    name: str
    kind: LiteralKind
    unit: str
    values: dict[int, Literal]  # number of the key -> what it is

    def __str__(self) -> str:
        return f"{self.name} ({self.kind}s{f' in {self.unit}' if self.unit else ''})"


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
    order = np.argsort(said[0], kind="stable")
    of_relation, values = said[0][order], said[1][order]
    for relation in np.unique(of_relation).tolist():
        first, last = np.searchsorted(of_relation, [relation, relation + 1])
        own = np.unique(values[first:last])
        if (like := known.get(relations[relation])) is not None:
            bare = own[own >= 0]
            if alike := _alike(_by_number(keys, bare[~is_thing[bare]]), *like):
                yield Recognised(relation, readable_relation(relations[relation]), *like, alike)
            continue
        if relations[relation] in given or own[0] < 0 or is_thing[own].any():
            continue
        name = readable_relation(relations[relation])
        some = own[:: max(1, len(own) // LOOKED_AT)]
        if _kind_of(name, _by_number(keys, some)) is None:
            continue
        texts = _by_number(keys, own)
        if (kind := _kind_of(name, texts)) is not None:
            read = {number: as_literal(text, *kind) for number, text in texts.items()}
            yield Recognised(relation, name, *kind, {at: one for at, one in read.items() if one is not None})


def _kind_of(name: str, texts: Mapping[int, str]) -> tuple[LiteralKind, str] | None:
    looks = Looks(name)
    looks.see(texts.values())
    return looks.kind


def _by_number(keys: Sequence[str], numbers: np.ndarray) -> dict[int, str]:
    return {number: keys[number] for number in numbers.tolist()}


@dataclass(slots=True)
class Looks:
    """What all values of a relation look like; they may be shown in parts."""

    relation: str  # its name in words
    n_seen: int = 0
    n_dates: int = 0
    n_numbers: int = 0
    has_days: bool = False
    is_coded: bool = False  # a number begins with a zero
    units: set[str] = field(default_factory=set)

    def see(self, texts: Iterable[str]) -> None:
        for text in texts:
            self.n_seen += 1
            self.has_days |= iso_date(text) is not None
            self.n_dates += as_literal(text, "date", "") is not None
            if (number := _NUMBER.fullmatch(text)) is not None and not self.is_coded and len(self.units) < 2:
                self.is_coded = _has_leading_zero(number)
                self.units.add(unit := _unit(number))
                self.n_numbers += as_literal(text, "number", unit) is not None

    @property
    def kind(self) -> tuple[LiteralKind, str] | None:
        """What nearly all of them are, and their unit."""
        enough, name = self.n_seen * (1 - MOST_OTHERS), self.relation.lower()
        if (self.has_days or is_when(name)) and self.n_dates >= enough:
            return "date", ""
        if len(self.units) != 1 or self.is_coded or is_code(name) or self.n_numbers < enough:
            return None
        (unit,) = self.units
        return ("number", unit or unit_of_label(self.relation)) if unit in ("", *_SIGNS) or is_unit(unit) else None


def as_literal(text: str, kind: LiteralKind, unit: str) -> Literal | None:
    """A text as a date, or as a number with exactly this unit; None for what is none (2019-02-30 too)."""
    with suppress(ValueError):
        if kind == "date":
            said = _date(text)
            return None if said is None else parse_literal(kind, said)
        number = _NUMBER.fullmatch(text)
        if number is not None and _unit(number) in ("", unit):  # the column's name may say it
            return parse_literal(kind, _plain(number), unit)
    return None


def _alike(texts: dict[int, str], kind: LiteralKind, unit: str) -> dict[int, Literal]:
    """Those that are dates, or numbers of this unit or none."""
    if kind == "date":
        return _parsed(kind, {at: said for at, text in texts.items() if (said := _date(text)) is not None})
    found = {at: match for at, text in texts.items() if (match := _NUMBER.fullmatch(text))}
    plain = {at: _plain(match) for at, match in found.items() if _unit(match) in ("", unit)}
    return _parsed("number", plain, unit)


def _parsed(kind: LiteralKind, texts: dict[int, str], unit: str = "") -> dict[int, Literal]:
    """Without what is none after all, such as 2019-02-30."""
    found = {}
    for number, text in texts.items():
        with suppress(ValueError):
            found[number] = parse_literal(kind, text, unit)
    return found


def _date(text: str) -> str | None:
    """As ISO writes it."""
    return text if _YEAR.fullmatch(text) else iso_date(text)


def _unit(number: re.Match[str]) -> str:
    return number["before"] or number["behind"] or ""


def _has_leading_zero(number: re.Match[str]) -> bool:
    return len(number["digits"]) > 1 and number["digits"].startswith("0")


def _plain(number: re.Match[str]) -> str:
    return f"{number['sign']}{number['digits'].replace(',', '')}{number['rest'] or ''}"
