"""names.sqlite, read-only: what entities and relations are called, and which entity a name means."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from kgask.errors import PackError
from kgask.pack import schema
from kgask.pack.blocks import damage
from kgask.pack.database import ReadOnly, of_ids
from kgask.pack.header import FORMAT_MAJOR
from kgask.pack.literals import literal_key, parse_typed
from kgask.pack.normalise import normalise
from kgask.pack.records import Literal, NameHit, RelationText

LAST_CHARACTER = "\U0010ffff"
_LITERALS = frozenset({("string", True), ("number", False), ("date", False)})  # kind, and whether it has no value
_BLOCK = 1 << 16  # entities that are read at a time
MOST_COUNTED = 2000  # names that have a word: more is common, however many


class Names(ReadOnly):
    """One connection to names.sqlite."""

    def __init__(self, path: Path, n_entities: int, n_literals: int, sums: np.ndarray | None = None) -> None:
        super().__init__(path, schema.APPLICATION_ID, FORMAT_MAJOR, "names", schema.DDL, sums)
        self.n_entities = n_entities
        self.first_literal = n_entities - n_literals
        self._prefixes: dict[int, str] | None = None

    def by_id(self, columns: str, kinds: str, table: str, ids: Iterable[int]) -> dict[int, tuple]:
        """Rows of ``table`` by id; ids that have no row are left out. ``kinds`` are those of the columns."""
        sql = (
            f"SELECT t.id, {columns} FROM (SELECT value AS wanted FROM json_each(?)) j"
            f" CROSS JOIN {table} t ON t.id = j.wanted"
        )
        found: dict[int, tuple] = {}
        for some in of_ids(ids):
            found.update((row[0], row[1:]) for row in self.typed("i" + kinds, sql, json.dumps(some)))
        return found

    def labels(self, ids: Iterable[int]) -> list[str]:
        ids = list(map(int, ids))
        rows = self.by_id("label", "s", "entities", ids)
        return [self._row(rows, i)[0] for i in ids]

    def _row(self, rows: dict[int, tuple], entity: int) -> tuple:
        if entity not in rows:
            raise PackError(f"no entity {entity} in this pack of {self.n_entities}")
        return rows[entity]

    def keys(self, ids: Iterable[int]) -> list[str]:
        ids = list(map(int, ids))
        rows = self.by_id("label, prefix, rest", "sIK", "entities", ids)
        literals = self._literal_rows(ids)
        return [literal_key(literals[i]) if i in literals else self._key(*self._row(rows, i)) for i in ids]

    def _key(self, label: str, prefix: int | None, rest: int | str | None) -> str:
        if rest is None:
            return label
        if self._prefixes is None:
            self._prefixes = dict(self.typed("is", "SELECT id, prefix FROM prefixes"))
        return f"{self._prefixes.get(prefix, '') if prefix is not None else ''}{rest}"

    def every(self) -> Iterator[tuple[int, str, str]]:
        """Id, key and label of all entities and literals, in the order of their ids, a block at a time."""
        columns = "e.id, e.label, e.prefix, e.rest, l.kind, l.text, l.value, l.unit"
        for start in range(0, self.n_entities, _BLOCK):
            rows = self.query(
                f"SELECT {columns} FROM entities e LEFT JOIN literals l ON l.id = e.id WHERE e.id BETWEEN ? AND ? "
                "ORDER BY e.id",
                start,
                min(start + _BLOCK, self.n_entities) - 1,
            )
            for expected, (number, label, prefix, rest, *literal) in enumerate(rows, start):
                if number != expected:
                    raise PackError(f"no entity {expected} in this pack of {self.n_entities}")
                is_literal = number >= self.first_literal and literal[0] is not None
                yield number, literal_key(Literal(*literal)) if is_literal else self._key(label, prefix, rest), label
            if start + len(rows) < min(start + _BLOCK, self.n_entities):
                raise PackError(f"no entity {start + len(rows)} in this pack of {self.n_entities}")

    def aliases_between(self, first: int, last: int) -> list[tuple[int, str]]:
        """(entity, alias) of the entities from ``first`` to ``last``."""
        return self.typed(
            "is", "SELECT entity, name FROM aliases WHERE entity BETWEEN ? AND ? ORDER BY id", first, last
        )

    def descriptions(self, ids: Iterable[int]) -> list[str]:
        ids = list(map(int, ids))
        rows = self.by_id("text", "s", "descriptions", ids)
        return [rows[i][0] if i in rows else "" for i in ids]

    def literals(self, ids: Iterable[int]) -> list[Literal | None]:
        ids = list(map(int, ids))
        found = self._literal_rows(ids)
        return [found.get(i) for i in ids]

    def _literal_rows(self, ids: Sequence[int]) -> dict[int, Literal]:
        ids = [i for i in ids if i >= self.first_literal]
        if not ids:
            return {}
        rows = self.by_id("kind, text, value, unit", "ssNs", "literals", ids)
        if not {(kind, value is None) for kind, _, value, _ in rows.values()} <= _LITERALS:
            raise damage(self.path, "a literal of no kind")
        return {i: Literal(*row) for i, row in rows.items()}

    def relations(self) -> list[RelationText]:
        sql = "SELECT key, label, aliases, description, inverse_label FROM relations ORDER BY id"
        rows = self.typed("sssss", sql)
        return [RelationText(key, label, self._aliases(aliases), *texts) for key, label, aliases, *texts in rows]

    def _aliases(self, text: str) -> tuple[str, ...]:
        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, list) or not all(isinstance(alias, str) for alias in found):
            raise damage(self.path, "other names of a relation that are none")
        return tuple(found)

    def find_key(self, key: str) -> int | None:
        """The entity with this key, by bisection over the ids (they are in the order of keys)."""
        try:
            literal = parse_typed(key)
        except ValueError:
            return None
        if literal is not None:
            return self._find_literal(literal)
        wanted = schema.key_order(key)
        low, high = 0, self.first_literal
        while low < high:
            middle = (low + high) // 2
            found = self.keys([middle])[0]
            if found == key:
                return middle
            if schema.key_order(found) < wanted:
                low = middle + 1
            else:
                high = middle
        return None

    def _find_literal(self, literal: Literal) -> int | None:
        key = literal_key(literal)
        refs = self._refs([schema.name_hash(normalise(literal.text))])
        ids = [ref for ref, _ in refs if self.first_literal <= ref < self.n_entities]
        return next((i for i, found in zip(ids, self.keys(ids), strict=True) if found == key), None)

    def _refs(self, hashes: Iterable[int]) -> list[tuple[int, int]]:
        """(ref, hash) of every name whose hash is one of ``hashes``."""
        return self.typed(
            "ii",
            "SELECT n.ref, n.hash FROM json_each(?) j CROSS JOIN names n ON n.hash = j.value",
            json.dumps(list(set(hashes))),
        )

    def hits(self, refs: Iterable[int]) -> dict[int, NameHit]:
        """The name and entity behind each ref."""
        refs = set(refs)
        labels = self.by_id("label", "s", "entities", (r for r in refs if r < self.n_entities))
        aliases = self.by_id(
            "entity, name", "is", "aliases", (r - self.n_entities for r in refs if r >= self.n_entities)
        )
        hits = {ref: NameHit(ref, label, False) for ref, (label,) in labels.items()}
        for alias, (entity, name) in aliases.items():
            hits[alias + self.n_entities] = NameHit(entity, name, True)
        if not self._are_entities(hit.entity for hit in hits.values()):
            raise damage(self.path, "a name of what is not there")
        return hits

    def exact(self, norms: Iterable[str]) -> dict[str, list[NameHit]]:
        """Names whose normalised form is one of ``norms``; only norms that are found are in the answer.

        Labels come before aliases, lower ids first.
        """
        by_hash: dict[int, list[str]] = {}
        for norm in set(norms):
            by_hash.setdefault(schema.name_hash(norm), []).append(norm)
        refs = self._refs(by_hash)
        hits = self.hits(ref for ref, _ in refs)
        literals = self._literal_rows([ref for ref, _ in refs if ref < self.n_entities])
        found: dict[str, list[NameHit]] = {}
        for ref, hashed in sorted(refs):
            hit = hits.get(ref)
            if hit is None:
                raise damage(self.path, "a name without an entity")
            forms = {normalise(hit.name)}
            if ref in literals:
                forms.add(normalise(literals[ref].text))
            for norm in by_hash[hashed]:
                if norm in forms:
                    found.setdefault(norm, []).append(hit)
        return found

    def refs_with_words(self, expression: str, limit: int) -> list[int]:
        """Refs of the names that match an FTS5 expression."""
        rows = self.query("SELECT rowid FROM name_words WHERE name_words MATCH ? LIMIT ?", expression, limit)
        return [row[0] for row in rows]

    def entities_of(self, refs: Iterable[int]) -> list[int]:
        """The entity that each ref names, in the order of ``refs``."""
        refs = list(refs)
        owners = self.by_id("entity", "i", "aliases", (r - self.n_entities for r in refs if r >= self.n_entities))
        found = [ref if ref < self.n_entities else owners.get(ref - self.n_entities, (-1,))[0] for ref in refs]
        if not self._are_entities(found):
            raise damage(self.path, "a name of what is not there")
        return found

    def _are_entities(self, ids: Iterable[int]) -> bool:
        return all(0 <= one < self.n_entities for one in ids)

    def word_counts(self, words: Iterable[str]) -> dict[str, int]:
        """How many names have each word, :data:`MOST_COUNTED` at most; words that no name has are left out."""
        sql = f"SELECT count(*) FROM (SELECT 1 FROM name_words WHERE name_words MATCH ? LIMIT {MOST_COUNTED})"
        counts = {word: self.query(sql, f'"{word}"')[0][0] for word in words if _is_token(word)}
        return {word: count for word, count in counts.items() if count}

    def words_beginning(self, start: str, shortest: int, longest: int) -> set[str]:
        """Words of names that begin with ``start``, of ``shortest`` to ``longest`` characters."""
        if self.has_words:
            return self._words("word", "words", start, shortest, longest)
        return self._words("term", "temp.vocabulary", start, shortest, longest)

    def words_ending(self, end: str, shortest: int, longest: int) -> set[str]:
        """Words of names that end with ``end``, of ``shortest`` to ``longest`` characters."""
        backwards = self._words("word", "reversed_words", end[::-1], shortest, longest)
        return {word[::-1] for word in backwards}

    @cached_property
    def has_words(self) -> bool:
        """Whether the words are listed; else FTS5's vocabulary is opened, as a temporary table, which is no write."""
        if self.query("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'words'"):
            return True
        self.temporary("CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, name_words, row)")
        return False

    def _words(self, column: str, table: str, start: str, shortest: int, longest: int) -> set[str]:
        sql = f"SELECT {column} FROM {table} WHERE {column} >= ? AND {column} < ? AND length({column}) BETWEEN ? AND ?"
        return {word for (word,) in self.typed("s", sql, start, start + LAST_CHARACTER, shortest, longest)}


def _is_token(word: str) -> bool:
    """Whether FTS5 takes the word as it is (see the tokenizer in :mod:`kgask.pack.schema`)."""
    return all(unicodedata.category(char)[0] in "LNM" for char in word)
