"""Write names.sqlite (layout: :mod:`kgask.pack.schema`)."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from kgask.build.database import insert, new_database
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
    """Write the file and return the number of names (rows of the look-up table)."""
    with new_database(path, schema.APPLICATION_ID, FORMAT_MAJOR, schema.DDL) as conn:
        prefixes = _shared_prefixes(texts.entities)
        described = ((i, entity.description) for i, entity in enumerate(texts.entities) if entity.description)
        insert(conn, "prefixes", 2, ((i, prefix) for prefix, i in prefixes.items()))
        insert(conn, "entities", 4, ((i, e.label, *_stored_key(e, prefixes)) for i, e in enumerate(texts.entities)))
        insert(conn, "aliases", 3, ((i, *alias) for i, alias in enumerate(texts.aliases)))
        insert(conn, "descriptions", 2, described)
        literals = enumerate(texts.literals, texts.first_literal)
        insert(conn, "literals", 5, ((i, x.kind, x.value, x.unit, x.text) for i, x in literals))
        insert(conn, "relations", 6, ((i, *_relation_row(relation)) for i, relation in enumerate(texts.relations)))
        return _write_lookup(conn, texts)


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


def _relation_row(text: RelationText) -> tuple[str, ...]:
    aliases = json.dumps(text.aliases, ensure_ascii=False)
    return text.key, text.label, aliases, text.description, text.inverse_label


def _write_lookup(conn: sqlite3.Connection, texts: Texts) -> int:
    """The hash table, the words of each name, and the words backwards."""
    hashes: list[tuple[int, int]] = []
    words: set[str] = set()
    rows: list[tuple[int, str]] = []
    for ref, norms in _norms(texts):
        hashes += {(schema.name_hash(norm), ref) for norm in norms}
        rows.append((ref, " ".join(norms)))
        words.update(rows[-1][1].split())
    insert(conn, "names", 2, sorted(hashes))
    insert(conn, "name_words (rowid, name)", 2, rows)
    conn.execute("INSERT INTO name_words (name_words) VALUES ('optimize')")
    # Words with digits are never read as typos (kgask.pack.fuzzy).
    spelt = [word for word in words if not any(map(str.isdigit, word))]
    insert(conn, "words", 1, ((word,) for word in sorted(spelt)))
    insert(conn, "reversed_words", 1, ((word,) for word in sorted(word[::-1] for word in spelt)))
    return len(hashes)


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
