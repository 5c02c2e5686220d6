"""Tables of facts with types, units and qualifiers: Mondial, F1DB, Chinook and OpenFlights, as lines of a pack.

Columns: subject, relation, object, type, unit, and where there are any qualifiers (``position=1|points=9``). An entity
is ``kind/name``, which stays its key; its label is the name without the places that tell namesakes apart ("Córdoba"
of "Córdoba, Andalucía, Spain"), its kind becomes an ``instance of`` triple.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from kgask.errors import UsageError
from kgask.pack.records import LiteralKind
from kgask.sets.pack_lines import CLASS, INSTANCE_OF, PackLines, literal
from kgask.sets.rows import in_data, lines_of

MONDIAL, F1DB, CHINOOK, OPENFLIGHTS = (
    Path(name) / "facts.tsv.gz" for name in ("mondial", "f1db", "chinook", "openflights")
)
_KINDS: Mapping[str, LiteralKind] = {"quantity": "number", "date": "date", "string": "string"}
_UNITS = {
    "metre": "m",
    "kilometre": "km",
    "square kilometre": "km²",
    "percent": "%",
    "degree": "°",
    "million US dollar": "US dollars",
}
_MILLION = 1_000_000
HISTORY = "population by year"  # every count with its year; "population" is the newest


@dataclass(frozen=True, slots=True)
class Fact:
    subject: str
    relation: str
    object: str
    type: str  # entity, quantity, date or string
    unit: str
    qualifiers: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Form:
    """How the facts of one set become lines."""

    kinds: Mapping[str, str] = field(default_factory=dict)  # what a kind is called, where not as in the key
    names: frozenset[str] = frozenset()  # relations whose texts are names of the subject
    short_names: frozenset[str] = frozenset()  # ... and are asked for besides
    categories: frozenset[str] = frozenset()  # relations whose texts are categories, so entities
    qualifiers: Mapping[str, tuple[str, str]] = field(default_factory=dict)  # name -> (relation, kind of its value)
    places: Mapping[str, int] = field(default_factory=dict)  # kind -> how many places follow the name


def facts(path: Path) -> Iterator[Fact]:
    """Rows of a table; UsageError for a line of another form."""
    for number, line in lines_of(path):
        columns = line.split("\t")
        if len(columns) not in (5, 6):
            raise UsageError(f"{path}:{number}: {len(columns)} fields, 5 or 6 expected")
        subject, relation, obj, kind, unit, said = (*columns, "")[:6]
        pairs = tuple((name, value) for name, _, value in (part.partition("=") for part in said.split("|") if part))
        yield Fact(subject, relation, obj, kind, unit, pairs)


def mondial(data: Path) -> PackLines:
    form = Form(
        kinds={"mountains": "mountain range", "islands": "island group"},
        names=frozenset({"other name"}),
        short_names=frozenset({"abbreviation"}),
        categories=frozenset({"kind"}),
        qualifiers={
            "year": ("point in time", "date"),
            "percentage": ("percentage", "number %"),
            "length": ("border length", "number km"),
            "type": ("kind of membership", "membership"),
            "province": ("province", "province"),
            "from": ("independent from", "country"),
        },
        places={"city": 2, "province": 1},
    )
    return _Reader(form, list(_with_history(in_data(data, MONDIAL)))).lines()


def _with_history(path: Path) -> Iterator[Fact]:
    """Populations with a year as :data:`HISTORY`; the newest one is said with its year where that is known."""
    every = list(facts(path))
    years = {
        (one.subject, one.object): one.qualifiers for one in every if one.relation == "population" and one.qualifiers
    }
    for one in every:
        if one.relation != "population":
            yield one
        elif one.qualifiers:
            yield Fact(one.subject, HISTORY, one.object, one.type, one.unit, one.qualifiers)
        else:
            said = years.get((one.subject, one.object), ())
            yield Fact(one.subject, one.relation, one.object, one.type, one.unit, said)


def f1(data: Path) -> PackLines:
    form = Form(
        names=frozenset({"full name"}),
        categories=frozenset({"kind", "direction"}),
        qualifiers={
            "position": ("position", "number"),
            "points": ("points", "number"),
            "grid": ("grid position", "number"),
            "constructor": ("constructor", "constructor"),
        },
    )
    found = _Reader(form, list(facts(in_data(data, F1DB)))).lines()
    for key, label in list(found.labels.items()):
        if key.startswith("season/"):
            found.labels[key] = f"{label} season"
            found.alias(key, label)
        elif key.startswith("kind/"):
            found.labels[key] = f"{label} circuit"
    return found


def chinook(data: Path) -> PackLines:
    form = Form(categories=frozenset({"composer", "media type"}))
    return _Reader(form, list(facts(in_data(data, CHINOOK)))).lines()


def openflights(data: Path) -> PackLines:
    form = Form(short_names=frozenset({"IATA code", "ICAO code"}), categories=frozenset({"time zone"}))
    found = _Reader(form, list(facts(in_data(data, OPENFLIGHTS)))).lines()
    found.labels |= {key: label.rsplit(" (", 1)[0] for key, label in found.labels.items() if key.startswith("airport/")}
    return found


class _Reader:
    """Facts of one set as lines."""

    def __init__(self, form: Form, every: list[Fact]) -> None:
        self._form = form
        self._facts = every
        self._entities = {one.subject for one in every} | {one.object for one in every if one.type == "entity"}
        self._found = PackLines()

    def lines(self) -> PackLines:
        for key in sorted(self._entities):
            self._name(key)
        for one in self._facts:
            if one.relation in self._form.names | self._form.short_names:
                self._found.alias(one.subject, one.object)
            if one.relation not in self._form.names:
                self._found.add(one.subject, one.relation, self._value(one), list(self._said(one)))
        return self._found

    def _name(self, key: str) -> None:
        kind, _, name = key.partition("/")
        n_places = self._form.places.get(kind, 0)
        label, *places = name.rsplit(", ", n_places)
        called = self._form.kinds.get(kind, kind)
        self._found.labels[key] = label
        if places:
            self._found.descriptions[key] = f"{called} in {', '.join(dict.fromkeys(places))}"
        else:
            self._found.descriptions[key] = called
        self._found.add(key, INSTANCE_OF, CLASS + kind)
        self._found.labels[CLASS + kind] = called

    def _value(self, one: Fact) -> str:
        if one.type == "entity":
            return one.object
        if one.relation in self._form.categories:
            return self._category(one.relation, one.object)
        text, unit = one.object, _UNITS.get(one.unit, one.unit)
        if one.unit == "million US dollar":
            text = f"{round(float(text) * _MILLION)}"
        return literal(_KINDS[one.type], text, unit)

    def _category(self, kind: str, name: str) -> str:
        key = f"{kind}/{name}"
        self._found.labels[key] = name
        return key

    def _said(self, one: Fact) -> Iterator[tuple[str, str]]:
        for name, text in one.qualifiers:
            relation, form = self._form.qualifiers[name]
            yield relation, self._qualifier(form, text, one)

    def _qualifier(self, form: str, text: str, one: Fact) -> str:
        kind, _, unit = form.partition(" ")
        if kind in ("number", "date"):
            return _number_or_text(kind, text.split(" ")[0] if unit else text, unit)
        if kind == "membership":
            return self._category(kind, text)
        key = f"{kind}/{text}"
        if kind == "province":  # named with its country
            key = f"{key}, {one.object.partition('/')[2]}"
        return key if key in self._entities else literal("string", text)


def _number_or_text(kind: str, text: str, unit: str) -> str:
    """A result such as "DNF" stands where others have a position."""
    try:
        return literal("date" if kind == "date" else "number", text, unit)
    except ValueError:
        return literal("string", text)
