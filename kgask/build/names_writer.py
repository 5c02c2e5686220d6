"""Write names.sqlite (layout: :mod:`kgask.pack.schema`)."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import NamedTuple, Protocol

from kgask.build.database import insert, new_database
from kgask.pack import schema
from kgask.pack.header import FORMAT_MAJOR
from kgask.pack.literals import literal_key, literal_label
from kgask.pack.normalise import normalise
from kgask.pack.packed import WORDS, blocks_of, bucket_bits, buckets_of, pack_texts
from kgask.pack.records import Literal, RelationText


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
    """What names.sqlite holds, in the order of ids; literals are the last of the entities."""

    @property
    def first_literal(self) -> int: ...

    @property
    def relations(self) -> Sequence[RelationText]: ...

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
    """Write the file and return the number of names (entries of the look-up table)."""
    with new_database(path, schema.APPLICATION_ID, FORMAT_MAJOR, schema.DDL) as conn:
        _insert_texts(conn, "labels", (thing.label for thing in _things(texts)))
        _insert_texts(conn, "keys", (thing.key if thing.key != thing.label else "" for thing in _things(texts)))
        _insert_texts(conn, "descriptions", _in_place(texts.described(), texts.first_literal))
        _insert_texts(conn, "literals", map(literal_key, texts.literals()))
        _insert_texts(conn, "aliases", (f"{alias.entity} {alias.name}" for alias in texts.aliases()))
        insert(conn, "relations", 6, ((i, *_relation_row(relation)) for i, relation in enumerate(texts.relations)))
        return _write_look_up(conn, texts, look_up)


def _things(texts: Texts) -> Iterator[EntityText]:
    return islice(texts.entities(), texts.first_literal)


def _in_place(rows: Iterable[tuple[int, str]], n: int) -> Iterator[str]:
    """A text for each of ``n`` places, empty for those of which no row tells; the rows are in order."""
    at = 0
    for place, text in rows:
        yield from ("" for _ in range(at, place))
        yield text
        at = place + 1
    yield from ("" for _ in range(at, n))


def _insert_texts(conn: sqlite3.Connection, table: str, texts: Iterable[str | None]) -> None:
    blocks = blocks_of(text or "" for text in texts)
    insert(conn, table, 2, ((number, pack_texts(block)) for number, block in blocks))


def _insert_words(conn: sqlite3.Connection, table: str, words: Iterable[str]) -> None:
    insert(conn, table, 2, ((block[0], pack_texts(block)) for _, block in blocks_of(words, WORDS)))


def _relation_row(text: RelationText) -> tuple[str, ...]:
    aliases = json.dumps(text.aliases, ensure_ascii=False)
    return text.key, text.label, aliases, text.description, text.inverse_label


def _write_look_up(conn: sqlite3.Connection, texts: Texts, look_up: LookUp) -> int:
    """The look-up table, the words of each name, and the words backwards."""
    n_refs = n_names = 0

    def said() -> Iterator[tuple[int, str]]:
        nonlocal n_refs
        for ref, norms in texts.names():
            look_up.add(ref, norms)
            n_refs = ref + 1
            yield ref, " ".join(norms)

    def buckets() -> Iterator[tuple[int, bytes]]:
        nonlocal n_names
        for bucket, n_entries, entries in buckets_of(look_up.hashes(), bits, n_refs):
            n_names += n_entries
            yield bucket, entries

    insert(conn, "name_words (rowid, name)", 2, said())
    conn.execute("INSERT INTO name_words (name_words) VALUES ('optimize')")
    bits = bucket_bits(n_refs)
    insert(conn, "sizes", 2, [(sum(1 for _ in texts.aliases()), bits)])
    insert(conn, "names", 2, buckets())
    _insert_words(conn, "words", look_up.words())
    _insert_words(conn, "reversed_words", look_up.reversed_words())
    return n_names
