"""Write names.sqlite (layout: :mod:`kgask.pack.schema`)."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from kgask.errors import BuildError
from kgask.pack import schema
from kgask.pack.header import FORMAT_MAJOR
from kgask.pack.normalise import normalise
from kgask.pack.records import Literal, RelationText

_SHARED_PREFIX = 4  # a prefix that fewer keys share is not worth a row


class EntityText(NamedTuple):
    label: str
    key: str | None  # None for a literal, whose key follows from its text
    description: str


class Alias(NamedTuple):
    entity: int
    name: str


def write_names(
    path: Path,
    entities: Sequence[EntityText],
    literals: Sequence[Literal],
    aliases: Sequence[Alias],
    relations: Sequence[RelationText],
) -> int:
    """Write the file and return the number of names (rows of the look-up table).

    ``entities`` are in id order with the literals last, in the order of ``literals``.
    """
    from sqlite_utils import Database

    db = Database(str(path))
    try:
        # The folder is thrown away if the build dies, so no journal is needed.
        db.conn.executescript("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA page_size=4096;")
        db.conn.execute(f"PRAGMA application_id = {schema.APPLICATION_ID}")
        db.conn.execute(f"PRAGMA user_version = {FORMAT_MAJOR}")
        db.conn.executescript(schema.DDL)
        # executemany of the connection: sqlite-utils' own insert_all takes a dict a row, three times as slow.
        with db.conn:
            _write_entities(db.conn, entities, literals, aliases)
            _write_relations(db.conn, relations)
            n_names = _write_lookup(db.conn, entities, literals, aliases)
        db.vacuum()
    except sqlite3.Error as error:
        raise BuildError(f"{path}: {error}") from error
    finally:
        db.close()
    return n_names


def _write_entities(
    conn: sqlite3.Connection,
    entities: Sequence[EntityText],
    literals: Sequence[Literal],
    aliases: Sequence[Alias],
) -> None:
    prefixes = _shared_prefixes(entities)
    conn.executemany("INSERT INTO prefixes VALUES (?, ?)", ((i, prefix) for prefix, i in prefixes.items()))
    conn.executemany(
        "INSERT INTO entities VALUES (?, ?, ?, ?)",
        ((i, entity.label, *_stored_key(entity, prefixes)) for i, entity in enumerate(entities)),
    )
    conn.executemany("INSERT INTO aliases VALUES (?, ?, ?)", ((i, *alias) for i, alias in enumerate(aliases)))
    conn.executemany(
        "INSERT INTO descriptions VALUES (?, ?)",
        ((i, entity.description) for i, entity in enumerate(entities) if entity.description),
    )
    first = len(entities) - len(literals)
    conn.executemany(
        "INSERT INTO literals VALUES (?, ?, ?, ?, ?)",
        ((i, x.kind, x.value, x.unit, x.text) for i, x in enumerate(literals, first)),
    )


def _shared_prefixes(entities: Sequence[EntityText]) -> dict[str, int]:
    counts = Counter(schema.split_key(e.key)[0] for e in entities if e.key not in (None, e.label))
    shared = sorted(prefix for prefix, count in counts.items() if prefix and count >= _SHARED_PREFIX)
    return {prefix: i for i, prefix in enumerate(shared)}


def _stored_key(entity: EntityText, prefixes: dict[str, int]) -> tuple[int | None, int | str | None]:
    """The ``prefix`` and ``rest`` columns."""
    if entity.key is None or entity.key == entity.label:
        return None, None
    prefix, rest = schema.split_key(entity.key)
    if prefix in prefixes:
        return prefixes[prefix], rest
    return None, entity.key


def _write_relations(conn: sqlite3.Connection, relations: Sequence[RelationText]) -> None:
    conn.executemany(
        "INSERT INTO relations VALUES (?, ?, ?, ?, ?, ?)",
        (
            (i, r.key, r.label, json.dumps(r.aliases, ensure_ascii=False), r.description, r.inverse_label)
            for i, r in enumerate(relations)
        ),
    )


def _write_lookup(
    conn: sqlite3.Connection,
    entities: Sequence[EntityText],
    literals: Sequence[Literal],
    aliases: Sequence[Alias],
) -> int:
    """The hash table, the words of each name, and the words backwards."""
    hashes: list[tuple[int, int]] = []
    words: set[str] = set()
    rows: list[tuple[int, str]] = []
    for ref, norms in _norms(entities, literals, aliases):
        hashes += {(schema.name_hash(norm), ref) for norm in norms}
        rows.append((ref, " ".join(norms)))
        words.update(rows[-1][1].split())
    conn.executemany("INSERT INTO names VALUES (?, ?)", sorted(hashes))
    conn.executemany("INSERT INTO name_words (rowid, name) VALUES (?, ?)", rows)
    conn.execute("INSERT INTO name_words (name_words) VALUES ('optimize')")
    # Words with digits are never read as typos (kgask.pack.fuzzy), so they need no reverse.
    backwards = sorted(word[::-1] for word in words if not any(map(str.isdigit, word)))
    conn.executemany("INSERT INTO reversed_words VALUES (?)", ((word,) for word in backwards))
    return len(hashes)


def _norms(
    entities: Sequence[EntityText], literals: Sequence[Literal], aliases: Sequence[Alias]
) -> Iterator[tuple[int, list[str]]]:
    """(ref, normalised names) by ref; a literal whose label is more than its text has both."""
    first = len(entities) - len(literals)
    for ref, entity in enumerate(entities):
        norms = [normalise(entity.label)]
        if ref >= first and (text := normalise(literals[ref - first].text)) != norms[0]:
            norms.append(text)
        yield ref, norms
    for number, alias in enumerate(aliases):
        yield len(entities) + number, [normalise(alias.name)]
