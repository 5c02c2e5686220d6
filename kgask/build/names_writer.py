"""Write names.sqlite (layout: :mod:`kgask.pack.schema`)."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import chain, repeat
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np

from kgask.build.database import insert, new_database
from kgask.pack import schema
from kgask.pack.header import FORMAT_MAJOR
from kgask.pack.literals import literal_key, literal_label
from kgask.pack.normalise import normalised
from kgask.pack.packed import WORDS, blocks_of, bucket_bits, buckets_of, pack_texts
from kgask.pack.records import Literal, RelationText

_BLOCKS = ("labels", "keys", "descriptions", "literals", "aliases")  # tables of texts


class EntityText(NamedTuple):
    label: str
    key: str | None  # None for a literal, whose key follows from its text
    description: str


class Alias(NamedTuple):
    entity: int
    name: str


class NamesPart(NamedTuple):
    """Normalised names of refs that follow each other."""

    first: int  # ref
    norms: list[str]  # one of each
    others: Mapping[int, str]  # another one, of some, by place


class LookUp(Protocol):
    """What the look-up tables hold: given by ref, in ascending order, and read back sorted."""

    def add(self, part: NamesPart) -> None: ...

    def hashes(self) -> Iterable[tuple[np.ndarray, np.ndarray]]:
        """Hashes and refs, int64 [n] each, some at a time, in order."""

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

    def labels(self) -> Iterable[str]:
        """Of entities."""

    def keys(self) -> Iterable[str]:
        """Of entities; empty where that is the label."""

    def described(self) -> Iterable[tuple[int, str]]: ...

    def literals(self) -> Iterable[Literal]: ...

    def aliases(self) -> Iterable[Alias]: ...

    def names(self) -> Iterable[NamesPart]:
        """Of all refs, in order; a literal whose label is more than its text has both."""


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

    def labels(self) -> Iterable[str]:
        return (entity.label for entity in self.every_entity[: self.first_literal])

    def keys(self) -> Iterable[str]:
        things = self.every_entity[: self.first_literal]
        return ((entity.key or "") if entity.key != entity.label else "" for entity in things)

    def described(self) -> Iterable[tuple[int, str]]:
        return ((i, entity.description) for i, entity in enumerate(self.every_entity) if entity.description)

    def literals(self) -> Iterable[Literal]:
        return self.every_literal

    def aliases(self) -> Iterable[Alias]:
        return self.every_alias

    def names(self) -> Iterator[NamesPart]:
        first, n_entities = self.first_literal, len(self.every_entity)
        yield NamesPart(0, normalised([entity.label for entity in self.every_entity[:first]]), {})
        yield literal_names(first, self.every_literal)
        yield NamesPart(n_entities, normalised([alias.name for alias in self.every_alias]), {})


def literal_names(first: int, literals: Sequence[Literal]) -> NamesPart:
    """The normalised names of literals from one on: the label, and the text where that is another."""
    norms, texts = normalised([*map(literal_label, literals)]), normalised([literal.text for literal in literals])
    both = enumerate(zip(norms, texts, strict=True))
    return NamesPart(first, norms, {at: text for at, (norm, text) in both if text != norm})


@dataclass(slots=True)
class LookUpInMemory:
    _norms: list[str] = field(default_factory=list)
    _refs: list[int] = field(default_factory=list)
    _words: set[str] = field(default_factory=set)

    def add(self, part: NamesPart) -> None:
        norms, refs = named(part)
        self._norms += norms
        self._refs += refs
        self._words |= words_of(norms)

    def hashes(self) -> Iterable[tuple[np.ndarray, np.ndarray]]:
        hashes, refs = schema.name_hashes(self._norms), np.array(self._refs, np.int64)
        order = np.lexsort((refs, hashes))
        return [(hashes[order], refs[order])]

    def words(self) -> Iterable[str]:
        return sorted(self._words)

    def reversed_words(self) -> Iterable[str]:
        return sorted(word[::-1] for word in self._words)


def named(part: NamesPart) -> tuple[list[str], list[int]]:
    """Every normalised name of a part, and the ref of each."""
    refs = [*range(part.first, part.first + len(part.norms)), *(part.first + at for at in part.others)]
    return [*part.norms, *part.others.values()], refs


def words_of(norms: Iterable[str]) -> set[str]:
    """Those of normalised names that have no digit: others are never read as typos (:mod:`kgask.pack.fuzzy`)."""
    every = set(" ".join(norms).split())
    return {word for word in every if word.isalpha() or not (word.isdigit() or any(map(str.isdigit, word)))}


def write_names(path: Path, texts: Texts, look_up: LookUp, written: Callable[[], Path] | None = None) -> int:
    """Write the file and return the number of names (entries of the look-up table).

    With ``written`` the texts come from a file that :func:`write_texts` has made when it returns.
    """
    with new_database(path, schema.APPLICATION_ID, FORMAT_MAJOR, schema.DDL) as conn:
        if written is None:
            _insert_every_text(conn, texts)
        n_names = _write_look_up(conn, texts, look_up)
        if written is not None:
            _copy_texts(conn, written())
        return n_names


def write_texts(path: Path, texts: Texts) -> None:
    """A file with the texts alone: what there is before anything can be looked up."""
    with new_database(path, schema.APPLICATION_ID, FORMAT_MAJOR, schema.DDL) as conn:
        _insert_every_text(conn, texts)
        insert(conn, "sizes", 2, [(sum(1 for _ in texts.aliases()), 0)])


def _insert_every_text(conn: sqlite3.Connection, texts: Texts) -> None:
    _insert_texts(conn, "labels", texts.labels())
    _insert_texts(conn, "keys", texts.keys())
    _insert_texts(conn, "descriptions", _in_place(texts.described(), texts.first_literal))
    _insert_texts(conn, "literals", map(literal_key, texts.literals()))
    _insert_texts(conn, "aliases", (f"{alias.entity} {alias.name}" for alias in texts.aliases()))
    insert(conn, "relations", 6, ((i, *_relation_row(relation)) for i, relation in enumerate(texts.relations)))


def _copy_texts(conn: sqlite3.Connection, path: Path) -> None:
    with closing(sqlite3.connect(path)) as given:
        for table, width in (*dict.fromkeys(_BLOCKS, 2).items(), ("relations", 6)):
            insert(conn, table, width, given.execute(f"SELECT * FROM {table}"))


def _in_place(rows: Iterable[tuple[int, str]], n: int) -> Iterator[str]:
    """A text for each of ``n`` places, empty for those of which no row tells; the rows are in order."""
    return chain.from_iterable(_runs(rows, n))


def _runs(rows: Iterable[tuple[int, str]], n: int) -> Iterator[Iterable[str]]:
    at = 0
    for place, text in rows:
        yield repeat("", place - at)
        yield (text,)
        at = place + 1
    yield repeat("", n - at)


def _insert_texts(conn: sqlite3.Connection, table: str, texts: Iterable[str]) -> None:
    insert(conn, table, 2, ((number, pack_texts(block)) for number, block in blocks_of(texts)))


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
        for part in texts.names():
            look_up.add(part)
            n_refs = part.first + len(part.norms)
            for at, other in part.others.items():
                part.norms[at] += f" {other}"
            yield from enumerate(part.norms, part.first)

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
