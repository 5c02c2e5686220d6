"""What a pack says about one thing: a literal, a relation's words, a name that was found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal as OneOf

from kgask.pack.labels import readable_relation

LiteralKind = OneOf["number", "date", "string"]
LITERAL_KINDS: tuple[LiteralKind, ...] = ("date", "number", "string")


@dataclass(frozen=True, slots=True)
class Literal:
    """A number, date or string at the right of a triple.

    ``text`` is what the source says, without the unit. ``value`` sorts within
    a kind: the number itself, or years as a float for dates (see
    :mod:`kgask.pack.literals`); None for strings.
    """

    kind: LiteralKind
    text: str
    value: float | None = None
    unit: str = ""


@dataclass(frozen=True, slots=True)
class RelationText:
    """The words of one relation; its place in ``Pack.relations()`` is the RelationId."""

    key: str
    label: str
    aliases: tuple[str, ...] = ()
    description: str = ""
    inverse_label: str = ""  # "" when the sources name none

    @property
    def names(self) -> tuple[str, ...]:
        """All that it is called in its own direction: the label, as it stands and in words, and other names."""
        return tuple(dict.fromkeys((self.label, readable_relation(self.label), *self.aliases)))


@dataclass(frozen=True, slots=True)
class NameHit:
    """An entity found by one of its names."""

    entity: int
    name: str
    is_alias: bool
    similarity: float = 1.0  # 0..1, of normalised texts; 1 for an exact match
