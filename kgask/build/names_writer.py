"""Write names.sqlite (layout: :mod:`kgask.pack.schema`)."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, Protocol

from kgask.build.database import insert, new_database
from kgask.pack import schema
from kgask.pack.header import FORMAT_MAJOR
from kgask.pack.literals import literal_label
from kgask.pack.normalise import normalise
from kgask.pack.records import Literal, RelationText

SHARED_PREFIX = 4  # a prefix that fewer keys share is not worth a row


class EntityText(NamedTuple):
    label: str
    key: str | None  # None for a literal, whose key follows from its text
    description: str


class Alias(NamedTuple):
    entity: int
    name: str


class LookUp(Protocol):
    """What the look-up tables hold: given by ref, in ascending order, and read back sorted."""

    def add(self, ref: int, norms: Sequence[str]) -> None:
        """The normalised forms of one name."""

    def hashes(self) -> Iterable[tuple[int, int]]:
        """(hash, ref), each once, in order."""

    def words(self) -> Iterable[str]:
        """The words without digits, each once, in order."""

    def reversed_words(self) -> Iterable[str]:
        """The same words backwards, in their own order."""


class Texts(Protocol):
    """What names.sqlite holds, in the order of ids; literals are the last of the entities. Each is read once."""

    @property
    def first_literal(self) -> int: ...

    @property
    def relations(self) -> Sequence[RelationText]: ...

    def prefixes(self) -> Iterable[tuple[str, int]]:
        """How many keys that are not their entity's label have a prefix, in any order; rare ones may be left out."""

    def entities(self) -> Iterable[EntityText]: ...

    def described(self) -> Iterable[tuple[int, str]]: ...

    def literals(self) -> Iterable[Literal]: ...

    def aliases(self) -> Iterable[Alias]: ...

    def names(self) -> Iterable[tuple[int, list[str]]]:
        """(ref, normalised names) by ref; a literal whose label is more than its text has both."""


@dataclass(frozen=True, slots=True)
class TextsInMemory:
    """Of a builder that holds all of them."""

    every_entity: Sequence[EntityText]
    every_literal: Sequence[Literal]
    every_alias: Sequence[Alias]
    relations: Sequence[RelationText]

    @property
    def first_literal(self) -> int:
        return len(self.every_entity) - len(self.every_literal)

    def prefixes(self) -> Iterable[tuple[str, int]]:
        keys = (entity.key for entity in self.every_entity if entity.key is not None and entity.key != entity.label)
        return Counter(schema.split_key(key)[0] for key in keys).items()

    def entities(self) -> Iterable[EntityText]:
        return self.every_entity

    def described(self) -> Iterable[tuple[int, str]]:
        return ((i, entity.description) for i, entity in enumerate(self.every_entity) if entity.description)

    def literals(self) -> Iterable[Literal]:
        return self.every_literal

    def aliases(self) -> Iterable[Alias]:
        return self.every_alias

    def names(self) -> Iterator[tuple[int, list[str]]]:
        first, n_entities = self.first_literal, len(self.every_entity)
        yield from enumerate([normalise(entity.label)] for entity in self.every_entity[:first])
        yield from enumerate((literal_norms(literal) for literal in self.every_literal), first)
        yield from enumerate(([normalise(alias.name)] for alias in self.every_alias), n_entities)


def literal_norms(literal: Literal) -> list[str]:
    """The normalised names of a literal: its label, and its text where that is another."""
    return [*dict.fromkeys((normalise(literal_label(literal)), normalise(literal.text)))]


@dataclass(slots=True)
class LookUpInMemory:
    _hashes: list[tuple[int, int]] = field(default_factory=list)
    _words: set[str] = field(default_factory=set)

    def add(self, ref: int, norms: Sequence[str]) -> None:
        self._hashes += {(schema.name_hash(norm), ref) for norm in norms}
        self._words.update(*(norm.split() for norm in norms))

    def hashes(self) -> Iterable[tuple[int, int]]:
        return sorted(self._hashes)

    def words(self) -> Iterable[str]:
        return sorted(filter(is_spelt, self._words))

    def reversed_words(self) -> Iterable[str]:
        return sorted(word[::-1] for word in self._words if is_spelt(word))


def is_spelt(word: str) -> bool:
    """Words with digits are never read as typos (:mod:`kgask.pack.fuzzy`)."""
    return not any(map(str.isdigit, word))


def write_names(path: Path, texts: Texts, look_up: LookUp) -> int:
    """Write the file and return the number of names (rows of the look-up table)."""
    with new_database(path, schema.APPLICATION_ID, FORMAT_MAJOR, schema.DDL) as conn:
        shared = sorted(prefix for prefix, count in texts.prefixes() if prefix and count >= SHARED_PREFIX)
        prefixes = {prefix: i for i, prefix in enumerate(shared)}
        insert(conn, "prefixes", 2, enumerate(shared))
        insert(conn, "entities", 4, ((i, e.label, *_stored_key(e, prefixes)) for i, e in enumerate(texts.entities())))
        insert(conn, "aliases", 3, ((i, *alias) for i, alias in enumerate(texts.aliases())))
        insert(conn, "descriptions", 2, texts.described())
        literals = enumerate(texts.literals(), texts.first_literal)
        insert(conn, "literals", 5, ((i, x.kind, x.value, x.unit, x.text) for i, x in literals))
        insert(conn, "relations", 6, ((i, *_relation_row(relation)) for i, relation in enumerate(texts.relations)))
        return _write_look_up(conn, texts, look_up)


def _stored_key(entity: EntityText, prefixes: dict[str, int]) -> tuple[int | None, int | str | None]:
    """The ``prefix`` and ``rest`` columns."""
    if entity.key is None or entity.key == entity.label:
        return None, None
    prefix, rest = schema.split_key(entity.key)
    if prefix in prefixes:
        return prefixes[prefix], rest
    return None, entity.key


def _relation_row(text: RelationText) -> tuple[str, ...]:
    aliases = json.dumps(text.aliases, ensure_ascii=False)
    return text.key, text.label, aliases, text.description, text.inverse_label


def _write_look_up(conn: sqlite3.Connection, texts: Texts, look_up: LookUp) -> int:
    """The words of each name, the hash table, and the words backwards."""

    def said() -> Iterator[tuple[int, str]]:
        for ref, norms in texts.names():
            look_up.add(ref, norms)
            yield ref, " ".join(norms)

    insert(conn, "name_words (rowid, name)", 2, said())
    conn.execute("INSERT INTO name_words (name_words) VALUES ('optimize')")
    insert(conn, "names", 2, look_up.hashes())
    insert(conn, "words", 1, ((word,) for word in look_up.words()))
    insert(conn, "reversed_words", 1, ((word,) for word in look_up.reversed_words()))
    return int(conn.execute("SELECT count(*) FROM names").fetchone()[0])
