"""Names and passages as streams, for the writers that all builds share."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter

import numpy as np

from kgask.build.names_writer import Alias, NamesPart, literal_names, named, words_of
from kgask.build.outofcore.learned import LITERALS, as_literals
from kgask.build.outofcore.numbering import batched
from kgask.build.outofcore.staged import ALIAS, DESCRIPTION, LABEL
from kgask.build.outofcore.store import Store
from kgask.build.writer import PackBuilder
from kgask.pack import schema
from kgask.pack.normalise import normalised
from kgask.pack.records import Literal, RelationText


class StoredTexts:
    """See :class:`kgask.build.names_writer.Texts`."""

    def __init__(self, store: Store, relations: Sequence[RelationText]) -> None:
        self._store, self.relations = store, relations
        self.first_literal = int(store.row("SELECT count(*) FROM entities")[0])
        self.n_literals = int(store.row("SELECT count(*) FROM literals")[0])
        store.make(
            "named",
            "SELECT id, label, CASE WHEN key = label THEN '' ELSE key END AS key FROM ("
            "SELECT e.id, e.key, coalesce(l.text, e.key) AS label FROM entities e LEFT JOIN labels l ON l.id = e.id)",
        )

    def labels(self) -> Iterator[str]:
        return self._column("SELECT label FROM named ORDER BY id")

    def keys(self) -> Iterator[str]:
        return self._column("SELECT key FROM named ORDER BY id")

    def _column(self, query: str) -> Iterator[str]:
        for batch in self._store.batches(query):
            yield from batch.column(0).to_pylist()

    def described(self) -> Iterable[tuple[int, str]]:
        return self._store.stream("SELECT id, text FROM descriptions WHERE text <> '' ORDER BY id")

    def literals(self) -> Iterable[Literal]:
        return as_literals(self._store.stream(LITERALS))

    def aliases(self) -> Iterable[Alias]:
        return (Alias(*row) for row in self._store.stream("SELECT entity, name FROM aliases ORDER BY id"))

    def names(self) -> Iterator[NamesPart]:
        first = 0
        for batch in self._store.batches("SELECT label FROM named ORDER BY id"):
            yield NamesPart(first, normalised(batch.column(0).to_pylist()), {})
            first += batch.num_rows
        for some in batched(self.literals(), self._store.rows):
            yield literal_names(first, some)
            first += len(some)
        for batch in self._store.batches("SELECT name FROM aliases ORDER BY id"):
            yield NamesPart(first, normalised(batch.column(0).to_pylist()), {})
            first += batch.num_rows


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
        words = [*words_of(norms)]
        spelt = {"word": words, "backwards": [word[::-1] for word in words]}
        self._store.append("spelt", spelt, dict.fromkeys(spelt, "string"))

    def hashes(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        found = self._store.columns("SELECT DISTINCT hash, ref FROM hashes ORDER BY hash, ref")
        return ((hashes, refs) for hashes, refs in found)

    def words(self) -> Iterable[str]:
        return (word for (word,) in self._store.stream("SELECT DISTINCT word FROM spelt ORDER BY word"))

    def reversed_words(self) -> Iterable[str]:
        found = self._store.stream("SELECT DISTINCT backwards FROM spelt ORDER BY backwards")
        return (word for (word,) in found)


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
