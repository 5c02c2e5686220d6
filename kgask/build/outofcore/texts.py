"""Names and passages as streams, for the writers that all builds share."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kgask.build.names_writer import Alias, NamesPart, literal_names, named, words_of
from kgask.build.outofcore.learned import LITERALS, as_literals
from kgask.build.outofcore.numbering import batched
from kgask.build.outofcore.staged import ALIAS, DESCRIPTION, LABEL
from kgask.build.outofcore.store import ROWS, Store
from kgask.build.writer import PackBuilder
from kgask.pack import schema
from kgask.pack.normalise import normalised
from kgask.pack.records import Literal, RelationText

if TYPE_CHECKING:
    import pyarrow


_TABLES = {
    "named": "SELECT label, CASE WHEN key = label THEN '' ELSE key END AS key FROM (SELECT e.id, e.key, "
    "coalesce(l.text, e.key) AS label FROM entities e LEFT JOIN labels l ON l.id = e.id) ORDER BY id",
    "described": "SELECT id, text FROM descriptions WHERE text <> '' ORDER BY id",
    "literals": LITERALS,
    "aliases": "SELECT entity, name FROM aliases ORDER BY id",
}


@dataclass(frozen=True, slots=True)
class StoredTexts:
    """See :class:`kgask.build.names_writer.Texts`: Arrow files of a folder, which two processes may read at once."""

    folder: Path
    first_literal: int
    n_literals: int
    relations: Sequence[RelationText]
    parent: int | None = None  # the process whose death ends the reading: somebody else may go on in its folder

    @classmethod
    def export(cls, store: Store, relations: Sequence[RelationText], folder: Path) -> StoredTexts:
        """Write the files, sorted, each text once."""
        for name, query in _TABLES.items():
            _export(folder / f"{name}.arrow", store.batches(query))
        n_things, n_literals = (int(store.row(f"SELECT count(*) FROM {of}")[0]) for of in ("entities", "literals"))
        return cls(folder, n_things, n_literals, relations)

    def remove(self) -> None:
        for name in _TABLES:
            (self.folder / f"{name}.arrow").unlink(missing_ok=True)

    def labels(self) -> Iterator[str]:
        return chain.from_iterable(self._lists("named", 0))

    def keys(self) -> Iterator[str]:
        return chain.from_iterable(self._lists("named", 1))

    def named(self) -> Iterator[tuple[list[str], list[str]]]:
        """Labels and keys, some at a time."""
        return zip(self._lists("named", 0), self._lists("named", 1), strict=True)

    def described(self) -> Iterator[tuple[int, str]]:
        return ((entity, text) for entity, text in self._rows("described"))

    def literals(self) -> Iterator[Literal]:
        return as_literals(self._rows("literals"))

    def aliases(self) -> Iterator[Alias]:
        return (Alias(*row) for row in self._rows("aliases"))

    def names(self) -> Iterator[NamesPart]:
        first = 0
        for labels in self._lists("named", 0):
            yield NamesPart(first, normalised(labels), {})
            first += len(labels)
        for some in batched(self.literals(), ROWS):
            yield literal_names(first, some)
            first += len(some)
        for names in self._lists("aliases", 1):
            yield NamesPart(first, normalised(names), {})
            first += len(names)

    def _rows(self, table: str) -> Iterator[tuple[Any, ...]]:
        for batch in self._batches(table):
            yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)

    def _lists(self, table: str, column: int) -> Iterator[list[Any]]:
        return (batch.column(column).to_pylist() for batch in self._batches(table))

    def _batches(self, table: str) -> Iterator[pyarrow.RecordBatch]:
        import pyarrow

        path = self.folder / f"{table}.arrow"
        if not path.stat().st_size:
            return
        with pyarrow.OSFile(str(path)) as file:  # mapped, all of it would count as resident
            for batch in pyarrow.ipc.open_stream(file):
                if self.parent not in (None, os.getppid()):
                    raise SystemExit(1)
                yield batch


def _export(path: Path, batches: Iterable[pyarrow.RecordBatch]) -> None:
    import pyarrow

    path.unlink(missing_ok=True)
    writer = None
    with pyarrow.OSFile(str(path), "wb") as file:
        for batch in batches:
            writer = writer or pyarrow.ipc.new_stream(file, batch.schema)
            writer.write_batch(batch)
        if writer is not None:
            writer.close()


class StoredLookUp:
    """See :class:`kgask.build.names_writer.LookUp`: sorted by DuckDB."""

    def __init__(self, store: Store) -> None:
        self._store = store
        store.create("hashes", {"hash": "int64", "ref": "int64"})
        store.create("spelt", {"word": "string", "backwards": "string"})

    def add(self, part: NamesPart) -> None:
        norms, refs = named(part)
        columns = {"hash": schema.name_hashes(norms), "ref": np.array(refs, np.int64)}
        self._store.append("hashes", columns, dict.fromkeys(columns, "int64"))
        words = [*words_of(_without_digits(norms))]
        spelt = {"word": words, "backwards": [word[::-1] for word in words]}
        self._store.append("spelt", spelt, dict.fromkeys(spelt, "string"))

    def hashes(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        found = self._store.columns("SELECT hash, ref FROM hashes ORDER BY hash, ref")
        return ((hashes, refs) for hashes, refs in found)

    def words(self) -> Iterable[str]:
        return (word for (word,) in self._store.stream("SELECT DISTINCT word FROM spelt ORDER BY word"))

    def reversed_words(self) -> Iterable[str]:
        found = self._store.stream("SELECT DISTINCT backwards FROM spelt ORDER BY backwards")
        return (word for (word,) in found)


def _without_digits(norms: Sequence[str]) -> list[str]:
    """The different words of normalised names, but for those with a digit of ASCII."""
    import pyarrow
    from pyarrow import compute

    words = compute.list_flatten(compute.split_pattern(pyarrow.array(norms, pyarrow.string()), " ")).unique()
    found: list[str] = words.filter(compute.invert(compute.match_substring_regex(words, "[0-9]"))).to_pylist()
    return found


def relation_texts(store: Store) -> list[RelationText]:
    """The words of all relations by id: what was said of them in its order, and their texts among those of things."""
    builder = PackBuilder()
    keys = [key for (key,) in store.stream("SELECT key FROM relations ORDER BY id")]
    wanted = set(keys)
    for (words,) in store.stream("SELECT words FROM relation_words ORDER BY place"):
        key, label, aliases, description, inverse, rank = json.loads(words)
        if key in wanted:
            builder.relation(key, label, aliases, description, inverse, rank)
    give = {LABEL: builder.label, DESCRIPTION: builder.description}
    for what, key, text, rank in store.stream(
        "SELECT what, key, text, rank FROM texts WHERE key IN (SELECT key FROM relations)"
    ):
        if what == ALIAS:
            builder.alias(key, text)
        else:
            give[what](key, text, rank)
    return builder.relation_texts(keys)


class StoredPassages:
    """Passages about entities that triples name, in the order of their text; read anew each time."""

    def __init__(self, store: Store) -> None:
        self._store = store
        store.make("about", "SELECT DISTINCT p.text, e.id FROM passages p JOIN entities e ON e.key = p.key")

    def __len__(self) -> int:
        return int(self._store.row("SELECT count(DISTINCT text) FROM about")[0])

    def __iter__(self) -> Iterator[tuple[str, list[int]]]:
        rows = self._store.stream("SELECT text, id FROM about ORDER BY text, id")
        return ((text, [number for _, number in group]) for text, group in groupby(rows, itemgetter(0)))
