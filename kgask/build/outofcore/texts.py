"""Names and passages as streams, for the writers that all builds share."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter

import numpy as np

from kgask.build.names_writer import Alias, EntityText, is_spelt, literal_norms
from kgask.build.outofcore.learned import LITERALS, as_literals
from kgask.build.outofcore.staged import ALIAS, DESCRIPTION, LABEL
from kgask.build.outofcore.store import Store
from kgask.build.writer import PackBuilder
from kgask.pack import schema
from kgask.pack.literals import literal_label
from kgask.pack.normalise import normalise
from kgask.pack.records import Literal, RelationText

# What normalise makes of ASCII without apostrophes, which may be possessive; NULL or "" for what it must be asked.
_PLAIN_NORM = (
    r"CASE WHEN regexp_like(label, '^[ -&(-~]*\z') THEN trim(replace_all(lower(label), '[^a-z0-9]+', ' ')) END"
)


class StoredTexts:
    """See :class:`kgask.build.names_writer.Texts`."""

    def __init__(self, store: Store, relations: Sequence[RelationText]) -> None:
        self._store, self.relations = store, relations
        self.first_literal = int(store.row("SELECT count(*) FROM entities")[0])
        self._n_literals = int(store.row("SELECT count(*) FROM literals")[0])
        store.make(
            "named",
            "SELECT e.id, e.key, coalesce(l.text, e.key) AS label "
            "FROM entities e LEFT JOIN labels l ON l.id = e.id ORDER BY e.id",
        )

    def entities(self) -> Iterator[EntityText]:
        for key, label in self._store.stream("SELECT key, label FROM named ORDER BY id"):
            yield EntityText(label, key, "")
        for literal in self.literals():
            yield EntityText(literal_label(literal), None, "")

    def described(self) -> Iterable[tuple[int, str]]:
        return self._store.stream("SELECT id, text FROM descriptions WHERE text <> '' ORDER BY id")

    def literals(self) -> Iterable[Literal]:
        return as_literals(self._store.stream(LITERALS))

    def aliases(self) -> Iterable[Alias]:
        return (Alias(*row) for row in self._store.stream("SELECT entity, name FROM aliases ORDER BY id"))

    def names(self) -> Iterator[tuple[int, list[str]]]:
        labels = self._store.stream(f"SELECT label, {_PLAIN_NORM} AS norm FROM named ORDER BY id")
        yield from enumerate([norm or normalise(label)] for label, norm in labels)
        yield from enumerate(map(literal_norms, self.literals()), self.first_literal)
        aliases = enumerate(self.aliases(), self.first_literal + self._n_literals)
        yield from ((ref, [normalise(alias.name)]) for ref, alias in aliases)


class StoredLookUp:
    """See :class:`kgask.build.names_writer.LookUp`: sorted by DuckDB."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._hashes, self._refs, self._words = list[int](), list[int](), set[str]()
        store.create("hashes", {"hash": "int64", "ref": "int64"})
        store.create("spelt", {"word": "string", "backwards": "string"})

    def add(self, ref: int, norms: Sequence[str]) -> None:
        for norm in norms:
            self._hashes.append(schema.name_hash(norm))
            self._refs.append(ref)
            self._words.update(norm.split())
        if len(self._refs) >= self._store.rows or len(self._words) >= self._store.rows:
            self._flush()

    def _flush(self) -> None:
        columns = {"hash": np.array(self._hashes, np.int64), "ref": np.array(self._refs, np.int64)}
        self._store.append("hashes", columns, dict.fromkeys(columns, "int64"))
        words = [*filter(is_spelt, self._words)]
        spelt = {"word": words, "backwards": [word[::-1] for word in words]}
        self._store.append("spelt", spelt, dict.fromkeys(spelt, "string"))
        for waiting in (self._hashes, self._refs, self._words):
            waiting.clear()

    def hashes(self) -> Iterable[tuple[int, int]]:
        self._flush()
        return self._store.stream("SELECT DISTINCT hash, ref FROM hashes ORDER BY hash, ref")

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
