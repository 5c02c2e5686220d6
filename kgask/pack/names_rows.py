"""names.sqlite of format 1, as kgask before 0.3 wrote it: a row for every text."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator
from functools import cached_property
from pathlib import Path

import numpy as np

from kgask.pack import schema
from kgask.pack.blocks import damage
from kgask.pack.database import of_ids
from kgask.pack.names import LAST_CHARACTER, Names
from kgask.pack.records import Literal

_LITERALS = frozenset({("string", True), ("number", False), ("date", False)})  # kind, and whether it has no value


class RowNames(Names):
    """One connection to names.sqlite of format 1."""

    def __init__(self, path: Path, n_entities: int, n_literals: int, sums: np.ndarray | None = None) -> None:
        super().__init__(path, n_entities, n_literals, 1, schema.DDL_1, sums)

    def _by_id(self, columns: str, kinds: str, table: str, ids: Iterable[int]) -> dict[int, tuple]:
        """Rows of ``table`` by id; ids that have no row are left out. ``kinds`` are those of the columns."""
        sql = (
            f"SELECT t.id, {columns} FROM (SELECT value AS wanted FROM json_each(?)) j"
            f" CROSS JOIN {table} t ON t.id = j.wanted"
        )
        found: dict[int, tuple] = {}
        for some in of_ids(ids):
            found.update((row[0], row[1:]) for row in self.typed("i" + kinds, sql, json.dumps(some)))
        return found

    def _labels(self, ids: Collection[int]) -> dict[int, str]:
        return {i: label for i, (label,) in self._by_id("label", "s", "entities", ids).items()}

    def _entity_keys(self, ids: Collection[int]) -> dict[int, str]:
        rows = self._by_id("label, prefix, rest", "sIK", "entities", ids)
        return {i: self._key(*row) for i, row in rows.items()}

    def _key(self, label: str, prefix: int | None, rest: int | str | None) -> str:
        if rest is None:
            return label
        return f"{self._prefixes.get(prefix, '') if prefix is not None else ''}{rest}"

    @cached_property
    def _prefixes(self) -> dict[int, str]:
        return dict(self.typed("is", "SELECT id, prefix FROM prefixes"))

    def _descriptions(self, ids: Collection[int]) -> dict[int, str]:
        return {i: text for i, (text,) in self._by_id("text", "s", "descriptions", ids).items()}

    def _literal_rows(self, ids: Collection[int]) -> dict[int, Literal]:
        ids = [i for i in ids if i >= self.first_literal]
        if not ids:
            return {}
        rows = self._by_id("kind, text, value, unit", "ssNs", "literals", ids)
        if not {(kind, value is None) for kind, _, value, _ in rows.values()} <= _LITERALS:
            raise damage(self.path, "a literal of no kind")
        return {i: Literal(*row) for i, row in rows.items()}

    def _aliases(self, numbers: Collection[int]) -> dict[int, tuple[int, str]]:
        return {
            i: (entity, name) for i, (entity, name) in self._by_id("entity, name", "is", "aliases", numbers).items()
        }

    def aliases_between(self, first: int, last: int) -> list[tuple[int, str]]:
        return self.typed(
            "is", "SELECT entity, name FROM aliases WHERE entity BETWEEN ? AND ? ORDER BY id", first, last
        )

    def code(self, norm: str) -> int:
        return schema.name_hash(norm)

    def _refs(self, codes: Collection[int]) -> list[tuple[int, int]]:
        return self.typed(
            "ii",
            "SELECT n.ref, n.hash FROM json_each(?) j CROSS JOIN names n ON n.hash = j.value",
            json.dumps(list(set(codes))),
        )

    def looked_up(self) -> list[tuple[int, int]]:
        return self.query("SELECT hash, ref FROM names")

    def words_beginning(self, start: str, shortest: int, longest: int) -> set[str]:
        if self.has_words:
            return self._words("words", start, shortest, longest)
        return self._listed("term", "temp.vocabulary", start, shortest, longest)

    @cached_property
    def has_words(self) -> bool:
        """Whether the words are listed; else FTS5's vocabulary is opened, as a temporary table, which is no write."""
        if self.query("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'words'"):
            return True
        self.temporary("CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, name_words, row)")
        return False

    def _words(self, table: str, start: str, shortest: int, longest: int) -> set[str]:
        return self._listed("word", table, start, shortest, longest)

    def _listed(self, column: str, table: str, start: str, shortest: int, longest: int) -> set[str]:
        sql = f"SELECT {column} FROM {table} WHERE {column} >= ? AND {column} < ? AND length({column}) BETWEEN ? AND ?"
        return {word for (word,) in self.typed("s", sql, start, start + LAST_CHARACTER, shortest, longest)}

    def listed_words(self, table: str) -> Iterator[str]:
        return (word for (word,) in self.rows(f"SELECT word FROM {table}"))

    def problems(self, counts: dict[str, int]) -> Iterator[str]:
        expected = {
            "entities": (counts["entities"], 0),
            "literals": (counts["literals"], self.first_literal),
            "aliases": (counts.get("aliases", 0), 0),
        }
        for table, (count, first) in expected.items():
            found = self.query(f"SELECT count(*), min(id), max(id) FROM {table}")[0]
            if found != ((count, first, first + count - 1) if count else (0, None, None)):
                yield f"names.sqlite: {table} has {found[0]} rows; {count} from {first} on are expected"
        for table, column in (("aliases", "entity"), ("descriptions", "id")):
            worst = self.query(f"SELECT count(*) FROM {table} WHERE NOT {column} BETWEEN 0 AND ?", self.n_entities - 1)
            if worst[0][0]:
                yield f"names.sqlite: {table} of {worst[0][0]} entities that are not there"
