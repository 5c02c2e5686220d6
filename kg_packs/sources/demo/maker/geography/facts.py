"""Mondial's facts as they are published here: one a line, ``subject, relation, object, type, unit, qualifiers``."""

from __future__ import annotations

import gzip
from dataclasses import dataclass, field
from pathlib import Path

SOURCE = "mondial"

_UNITS = {"metre": "m", "kilometre": "km", "square kilometre": "km²", "percent": "%", "": ""}

# Numbers that cannot be right (a digit too many, an elevation in the place of a depth) or count a river from a
# confluence on, where everybody counts from its farthest source. None: left out.
_CORRECTED = {
    ("river/Nile", "length"): "6650",
    ("river/Amazonas", "length"): "6400",
    ("lake/Dead Sea", "area"): "605",
    ("lake/Salar de Atacama", "depth"): None,
    ("lake/Lake Nyos", "depth"): "208",
    ("lake/Lake Pinatubo", "depth"): None,
    ("city/Lilongwe, Malawi, Malawi", "population"): "989319",
    ("sea/San Francisco Bay", "area"): None,
}


@dataclass(frozen=True, slots=True)
class Value:
    """The object of a fact: text of a literal, or ``kind/name`` of a thing; and what is said of it."""

    text: str
    unit: str = ""
    said: dict[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The name of a thing, without its kind."""
        return self.text.split("/", 1)[1]


@dataclass(slots=True)
class Thing:
    """A subject: ``city/Paris, Île-de-France, France`` has the name before the first place that it is in."""

    kind: str
    name: str
    values: dict[str, list[Value]] = field(default_factory=dict)

    def get(self, relation: str) -> list[Value]:
        """All values of a relation."""
        return self.values.get(relation, [])

    def first(self, relation: str) -> Value | None:
        """The first value that is said without a year; None where there is none."""
        return next((value for value in self.get(relation) if "year" not in value.said), None)

    def number(self, relation: str) -> float | None:
        """The first value as a number."""
        value = self.first(relation)
        return float(value.text) if value else None

    def countries(self, relation: str = "located in") -> list[str]:
        """Names of the countries that it is in, each once."""
        return list(dict.fromkeys(value.name for value in self.get(relation)))

    def provinces(self, relation: str = "located in") -> list[str]:
        """Names of provinces with their countries, each once."""
        found = (f"{v.said['province']}, {v.name}" for v in self.get(relation) if "province" in v.said)
        return list(dict.fromkeys(found))


def read_things(data: Path) -> dict[str, Thing]:
    """Every subject by ``kind/name``, in the order of the file."""
    things: dict[str, Thing] = {}
    with gzip.open(data / "mondial" / "facts.tsv.gz", "rt", encoding="utf-8") as file:
        for line in file:
            subject, relation, text, _kind, unit, said = line.rstrip("\n").split("\t")
            thing = things.setdefault(subject, Thing(*subject.split("/", 1)))
            corrected = text if "year=" in said else _CORRECTED.get((subject, relation), text)
            if corrected is None:
                continue
            text = corrected
            pairs = dict(pair.split("=", 1) for pair in said.split(";") if pair)
            thing.values.setdefault(relation, []).append(Value(text, _UNITS.get(unit, unit), pairs))
    return things
