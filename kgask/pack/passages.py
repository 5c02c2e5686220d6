"""passages.sqlite: texts attached to entities, found by their words; a pack need not have any."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from kgask.pack.blocks import damage
from kgask.pack.database import ReadOnly
from kgask.types import Passage

PASSAGES_FILE = "passages.sqlite"
APPLICATION_ID, VERSION = 0x6B677073, 1  # "kgps"
MAX_QUERY_WORDS = 64
_BLOCK = 1 << 12  # passages read at a time

DDL = """
CREATE TABLE passages (id INTEGER PRIMARY KEY, text TEXT NOT NULL);
CREATE TABLE about (entity INTEGER, passage INTEGER, PRIMARY KEY (entity, passage)) WITHOUT ROWID;
CREATE INDEX about_passage ON about (passage);
CREATE VIRTUAL TABLE words USING fts5(text, content='passages', content_rowid='id',
  tokenize="porter unicode61 remove_diacritics 2");
"""


class Passages(ReadOnly):
    """One connection to passages.sqlite."""

    def __init__(self, path: Path, n_entities: int, sums: np.ndarray | None = None) -> None:
        super().__init__(path, APPLICATION_ID, VERSION, "passages", DDL, sums)
        self._n_entities = n_entities

    def __len__(self) -> int:
        return int(self.query("SELECT count(*) FROM passages")[0][0])

    def search(self, text: str, limit: int, about: Iterable[int] | None = None) -> list[Passage]:
        """The passages with any word of ``text``, best BM25 first; ``about`` keeps those of these entities."""
        words = list(dict.fromkeys(re.findall(r"\w+", text)))[:MAX_QUERY_WORDS]
        if not words:
            return []
        asked = " OR ".join(f'"{word}"' for word in words)
        only, parameters = "", [asked, limit]
        if about is not None:
            only = "AND rowid IN (SELECT passage FROM about JOIN json_each(?) j ON about.entity = j.value)"
            parameters.insert(1, json.dumps(sorted(set(about))))
        rows = self.query(
            f"SELECT rowid, bm25(words) FROM words WHERE words MATCH ? {only} ORDER BY 2, 1 LIMIT ?", *parameters
        )
        return self._of({int(row): -float(score) for row, score in rows})

    def of(self, entities: Iterable[int], limit: int) -> list[Passage]:
        """Passages about any of the entities, in the order of their ids."""
        wanted = json.dumps(sorted(set(entities)))
        rows = self.query(
            "SELECT DISTINCT passage FROM about JOIN json_each(?) j ON about.entity = j.value ORDER BY 1 LIMIT ?",
            wanted,
            limit,
        )
        return self._of({int(row[0]): 0.0 for row in rows})

    def every(self) -> Iterator[Passage]:
        """All passages, in the order of their ids, some at a time."""
        last = self.query("SELECT max(id) FROM passages")[0][0]
        for start in range(0, -1 if last is None else last + 1, _BLOCK):
            rows = self.query("SELECT id FROM passages WHERE id BETWEEN ? AND ? ORDER BY id", start, start + _BLOCK - 1)
            yield from self._of({int(row): 0.0 for (row,) in rows})

    def _of(self, scores: dict[int, float]) -> list[Passage]:
        ids = json.dumps(list(scores))
        texts = dict(self.typed("is", "SELECT p.id, p.text FROM passages p JOIN json_each(?) j ON p.id = j.value", ids))
        entities: dict[int, list[int]] = {}
        for passage, entity in self.typed(
            "ii",
            "SELECT passage, entity FROM about JOIN json_each(?) j ON passage = j.value ORDER BY 1, 2",
            ids,
        ):
            entities.setdefault(passage, []).append(entity)
        if len(texts) != len(scores):
            raise damage(self.path, "texts are missing")
        if not all(0 <= one < self._n_entities for about in entities.values() for one in about):
            raise damage(self.path, "a text about what is not there")
        return [Passage(id, texts[id], tuple(entities.get(id, ())), score) for id, score in scores.items()]
