"""Write names.sqlite (layout: :mod:`kgask.pack.schema`)."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from kgask.build.database import insert, new_database
from kgask.pack import schema
from kgask.pack.header import FORMAT_MAJOR
from kgask.pack.literals import literal_key
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


@dataclass(frozen=True, slots=True)
class Texts:
    """What names.sqlite holds, in the order of ids; literals are the last of the entities."""

    entities: Sequence[EntityText]
    literals: Sequence[Literal]
    aliases: Sequence[Alias]
    relations: Sequence[RelationText]

    @property
    def first_literal(self) -> int:
        return len(self.entities) - len(self.literals)


def write_names(path: Path, texts: Texts) -> int:
    """Write the file and return the number of names (entries of the look-up table)."""
    with new_database(path, schema.APPLICATION_ID, FORMAT_MAJOR, schema.DDL) as conn:
        things = texts.entities[: texts.first_literal]
        _insert_texts(conn, "labels", (thing.label for thing in things))
        _insert_texts(conn, "keys", ("" if thing.key in (None, thing.label) else str(thing.key) for thing in things))
        _insert_texts(conn, "descriptions", (thing.description for thing in things))
        _insert_texts(conn, "literals", map(literal_key, texts.literals))
        _insert_texts(conn, "aliases", (f"{alias.entity} {alias.name}" for alias in texts.aliases))
        insert(conn, "relations", 6, ((i, *_relation_row(relation)) for i, relation in enumerate(texts.relations)))
        return _write_lookup(conn, texts)


def _insert_texts(conn: sqlite3.Connection, table: str, texts: Iterable[str]) -> None:
    insert(conn, table, 2, ((number, pack_texts(block)) for number, block in blocks_of(texts)))


def _insert_words(conn: sqlite3.Connection, table: str, words: Iterable[str]) -> None:
    insert(conn, table, 2, ((block[0], pack_texts(block)) for _, block in blocks_of(words, WORDS)))


def _relation_row(text: RelationText) -> tuple[str, ...]:
    aliases = json.dumps(text.aliases, ensure_ascii=False)
    return text.key, text.label, aliases, text.description, text.inverse_label


def _write_lookup(conn: sqlite3.Connection, texts: Texts) -> int:
    """The look-up table, the words of each name, and the words backwards."""
    hashes: set[tuple[int, int]] = set()
    words: set[str] = set()
    n_refs = len(texts.entities) + len(texts.aliases)

    def rows() -> Iterator[tuple[int, str]]:
        for ref, norms in _norms(texts):
            hashes.update((schema.name_hash(norm), ref) for norm in norms)
            text = " ".join(norms)
            words.update(text.split())
            yield ref, text

    insert(conn, "name_words (rowid, name)", 2, rows())
    conn.execute("INSERT INTO name_words (name_words) VALUES ('optimize')")
    bits, n_names = bucket_bits(n_refs), 0
    insert(conn, "sizes", 2, [(len(texts.aliases), bits)])
    for bucket, n_entries, entries in buckets_of(sorted(hashes), bits, n_refs):
        n_names += n_entries
        insert(conn, "names", 2, [(bucket, entries)])
    # Words with digits are never read as typos (kgask.pack.fuzzy).
    spelt = [word for word in words if not any(map(str.isdigit, word))]
    _insert_words(conn, "words", sorted(spelt))
    _insert_words(conn, "reversed_words", sorted(word[::-1] for word in spelt))
    return n_names


def _norms(texts: Texts) -> Iterator[tuple[int, list[str]]]:
    """(ref, normalised names) by ref; a literal whose label is more than its text has both."""
    for ref, entity in enumerate(texts.entities):
        norms = [normalise(entity.label)]
        is_literal = ref >= texts.first_literal
        if is_literal and (text := normalise(texts.literals[ref - texts.first_literal].text)) != norms[0]:
            norms.append(text)
        yield ref, norms
    for number, alias in enumerate(texts.aliases, len(texts.entities)):
        yield number, [normalise(alias.name)]
