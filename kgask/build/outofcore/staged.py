"""A builder that keeps what it is given in DuckDB, so that every reader of sources reads into it."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from kgask.build.outofcore.store import Store
from kgask.build.passages_writer import split_text
from kgask.build.plain_values import Looks, Reading, Recognised, as_literal
from kgask.build.said_numbers import usual
from kgask.build.statements import Role, role_of
from kgask.build.terms import Value, checked, checked_key, checked_literal
from kgask.build.writer import PackBuilder
from kgask.errors import BuildError
from kgask.pack.labels import readable_relation
from kgask.pack.records import Literal, LiteralKind

# A value is a key (kind NULL) or a literal: its text, kind, unit, and number to sort by.
_VALUE = {"r": "string", "v": "string", "kind": "string", "unit": "string", "num": "double"}
SAID = {"s": "string", **_VALUE, "row": "int64"}  # row: of triples that statements are about
_TABLES: dict[str, dict[str, str]] = {
    "said_whole": SAID,
    "statements": {"statement": "int64", "owner": "string", "own": "int64", "row": "int64"},
    "qualifiers": {"own": "int64", **_VALUE},
    "texts": {"what": "int8", "key": "string", "text": "string", "rank": "int64", "in_file": "bool"},
    "sitelinks": {"key": "string", "n": "int64"},
    "passages": {"text": "string", "key": "string"},
    "relation_words": {"place": "int64", "words": "string"},
}
# Of plain tables; most triples are, and need no room for what a literal or a statement has.
SAID_KEYS = {name: SAID[name] for name in ("s", "r", "v")}
_SAID = (
    "SELECT s, r, v, kind, unit, num, row FROM said_whole UNION ALL SELECT s, r, v, CAST(NULL AS STRING) AS kind, "
    "CAST(NULL AS STRING) AS unit, CAST(NULL AS DOUBLE) AS num, CAST(NULL AS BIGINT) AS row FROM said_keys"
)
_READ_AS = {"r": "string", "old": "string", **{name: _VALUE[name] for name in ("v", "kind", "unit", "num")}}
LABEL, ALIAS, DESCRIPTION = range(3)
_MOST_CHECKED = 1 << 16
# Begins as a number, money or a date does.
_MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
_DIGIT = f"regexp_like(v, '^([+-]?[0-9]|[$€£¥].?[0-9]|(?i:{_MONTHS}|[a-z]+day,).*[0-9])')"
_SPOKEN = "SELECT r, v, kind FROM said UNION ALL SELECT r, v, kind FROM qualifiers"


class StagedBuilder(PackBuilder):
    """Rows wait for their batch to be full; what is held in Python grows with relations, not with entities.

    Refuses, as :class:`BuildError`, what this engine does not build: statement nodes of a Wikidata RDF dump.
    """

    def __init__(self, store: Store) -> None:
        super().__init__()
        self.store, self._n, self._n_qualified, self._in_files = store, 0, 0, False
        self._n_statements, self._n_words = 0, 0
        self._waiting: dict[str, list[tuple[Any, ...]]] = {table: [] for table in _TABLES}
        self._key = lru_cache(_MOST_CHECKED)(checked_key)
        self._literal = lru_cache(_MOST_CHECKED)(checked_literal)
        self._known_relations: set[str] = set()
        for table, columns in (*_TABLES.items(), ("said_keys", SAID_KEYS)):
            store.create(table, columns)

    def add(
        self,
        subject: str,
        relation: str,
        obj: Value,
        qualifiers: Sequence[tuple[str, Value]] = (),
        node: str | None = None,
    ) -> None:
        row = self._key(subject), *self._told(relation, obj)
        pairs = [self._told(key, value) for key, value in qualifiers]
        own = None
        if node is not None or pairs:
            own = self._n_qualified
            self._n_qualified += 1
        if node is not None:
            self._state(self._key(node), None, own)
        if pairs:
            self._state(None, own, own)
            for pair in pairs:
                self._put("qualifiers", (own, *pair))
        self._put("said_whole", (*row, own))
        self._n += 1

    def _told(self, relation: str, value: Value) -> tuple[str, str, str | None, str | None, float | None]:
        self.check_relation(relation)
        if isinstance(value, str):
            return relation, self._key(value), None, None, None
        literal = self._literal(value)
        return relation, literal.text, literal.kind, literal.unit, literal.value

    def check_relation(self, relation: str) -> None:
        """BuildError for one that a pack cannot hold, or that this engine does not understand."""
        if relation in self._known_relations:
            return
        if role_of(checked(relation, "relation"))[0] != Role.PLAIN:
            raise BuildError(
                f"{relation}: statement nodes of Wikidata's RDF are built by --engine memory only; "
                "its JSON dump and its truthy dump are built by --engine duckdb"
            )
        self._known_relations.add(relation)

    def stands_for(self, node: str, row: int = -1) -> None:
        self._state(self._key(node), None, None if row < 0 else row)

    def _state(self, owner: str | None, own: int | None, row: int | None) -> None:
        self._put("statements", (self._n_statements, owner, own, row))
        self._n_statements += 1

    def knows(self, key: str) -> bool:
        """Files of texts ask this; theirs for what nobody names are left out in the end, uncounted."""
        self._in_files = True
        return True

    def label(self, key: str, text: str, rank: int = 0) -> None:
        self._text(LABEL, key, checked(text, "label"), rank)

    def alias(self, key: str, text: str) -> None:
        self._text(ALIAS, key, checked(text, "alias"), 0)

    def description(self, key: str, text: str, rank: int = 0) -> None:
        self._text(DESCRIPTION, key, checked(text, "description"), rank)

    def sitelinks(self, key: str, number: int) -> None:
        if number:
            self._put("sitelinks", (key, number))

    def _text(self, what: int, key: str, text: str, rank: int) -> None:
        self._put("texts", (what, key, text, rank, self._in_files))

    def passage(self, keys: Iterable[str], text: str) -> None:
        keys = list(keys)
        for piece in split_text(checked(text, "passage")):
            for key in keys:
                self._put("passages", (piece, key))

    def relation(
        self,
        key: str,
        label: str = "",
        aliases: Iterable[str] = (),
        description: str = "",
        inverse_label: str = "",
        rank: int = 0,
    ) -> None:
        words = (key, label, list(aliases), description, inverse_label, rank)
        for text in (label, *words[2], description, inverse_label):
            if text:
                checked(text, "relation text")
        self._put("relation_words", (self._n_words, json.dumps(words)))
        self._n_words += 1

    def recognise(
        self, given: Collection[str], known: Mapping[str, tuple[LiteralKind, str]] | None = None
    ) -> list[Recognised]:
        self.flush()
        self.store.create("read_as", _READ_AS)
        bare = {(at, relation): self._looks(at, relation) for at, relation in self._bare({*given, *self.as_told})}
        convention, found = usual(looks.votes for looks in bare.values() if looks.may_be_values), list[Recognised]()
        for (at, relation), looks in bare.items():
            if (reading := looks.reading(convention)) is not None:
                self._read_as(at, relation, reading)
                found.append(Recognised(0, looks.relation, reading, looks.unclear, {}))
        if found:
            for table, source in (("said_whole", "said"), ("qualifiers", "qualifiers")):
                taken = {name: f"coalesce(a.{name}, t.{name}) AS {name}" for name in ("v", "kind", "unit", "num")}
                self.store.make(
                    table,
                    f"SELECT {', '.join(taken.get(c, f't.{c}') for c in _TABLES[table])} "
                    f"FROM {source} t LEFT JOIN read_as a ON t.r = a.r AND t.v = a.old AND t.kind IS NULL",
                )
            self.store.create("said_keys", SAID_KEYS)
            self.store.view("said", _SAID)
        return found

    def _bare(self, given: Collection[str]) -> list[tuple[int, str]]:
        """Relations without literals nine in ten of whose values begin as numbers and dates do, none of them things.

        Each with its place in the table ``bare``.
        """
        found = self.store.stream(
            f"SELECT r FROM (SELECT r, v, kind FROM ({_SPOKEN}) WHERE r IN (SELECT r FROM ({_SPOKEN}) GROUP BY r "
            f"HAVING count(kind) = 0 AND bool_or({_DIGIT}))) GROUP BY r "
            f"HAVING count(DISTINCT v) FILTER (WHERE {_DIGIT}) >= 0.9 * count(DISTINCT v) ORDER BY r"
        )
        bare = [relation for (relation,) in [*found] if relation not in given]
        if not bare:
            return []
        types = {"place": "int64", "r": "string"}
        self.store.create("bare", types)
        self.store.append("bare", {"place": range(len(bare)), "r": bare}, types)
        of_things = {
            relation
            for (relation,) in self.store.stream(
                f"SELECT DISTINCT r FROM ({_SPOKEN}) WHERE r IN (SELECT r FROM bare) AND "
                f"v IN (SELECT s FROM said UNION ALL SELECT key FROM texts WHERE what = {LABEL})"
            )
        }
        return [(at, relation) for at, relation in enumerate(bare) if relation not in of_things]

    def _looks(self, place: int, relation: str) -> Looks:
        looks = Looks(readable_relation(relation))
        for texts in self._values(place):
            looks.see(texts)
        return looks

    def _read_as(self, place: int, relation: str, reading: Reading) -> None:
        """What becomes of each value of a relation."""
        for texts in self._values(place):
            rows = [
                (relation, text, one.text, one.kind, one.unit, one.value)
                for text in texts
                if (one := as_literal(text, reading)) is not None
            ]
            if rows:
                self.store.append("read_as", dict(zip(_READ_AS, zip(*rows, strict=True), strict=True)), _READ_AS)

    def _values(self, place: int) -> Iterator[list[str]]:
        relation = f"SELECT r FROM bare WHERE place = {place}"
        for batch in self.store.batches(f"SELECT DISTINCT v FROM ({_SPOKEN}) WHERE r IN ({relation})"):
            yield batch.column(0).to_pylist()

    def triples(self) -> Iterator[tuple[str, str, Value]]:
        self.flush()
        for s, r, v, kind, unit, num in self.store.stream("SELECT s, r, v, kind, unit, num FROM said"):
            yield s, r, v if kind is None else Literal(kind, v, num, unit)

    def names(self) -> Iterator[tuple[str, str]]:
        self.flush()
        yield from self.store.stream(f"SELECT key, text FROM texts WHERE what IN ({LABEL}, {ALIAS})")

    def refer(self, meant: Mapping[tuple[str, str], str]) -> None:
        types = {"r": "string", "old": "string", "new": "string"}
        self.flush()
        self.store.create("meant", types)
        rows = [(relation, old, new) for (relation, old), new in meant.items()]
        self.store.append("meant", dict(zip(types, zip(*rows, strict=True), strict=True)), types)
        columns = ["coalesce(m.new, t.v) AS v" if column == "v" else f"t.{column}" for column in SAID]
        self.store.make(
            "said_whole",
            f"SELECT {', '.join(columns)} FROM said t LEFT JOIN meant m "
            "ON t.r = m.r AND t.v = m.old AND t.kind IS NULL",
        )
        self.store.create("said_keys", SAID_KEYS)
        self.store.view("said", _SAID)

    @property
    def n_added(self) -> int:
        return self._n

    def added(self, n: int) -> None:
        """So many triples were put into ``said_keys`` without :meth:`add`."""
        self._n += n

    def _put(self, table: str, row: tuple[Any, ...]) -> None:
        waiting = self._waiting[table]
        waiting.append(row)
        if len(waiting) >= self.store.rows:
            self._flush(table)

    def _flush(self, table: str) -> None:
        rows, types = self._waiting[table], _TABLES[table]
        if rows:
            self.store.append(table, dict(zip(types, zip(*rows, strict=True), strict=True)), types)
            rows.clear()

    def flush(self) -> None:
        """Everything given so far is in the database, its triples in ``said``."""
        for table in _TABLES:
            self._flush(table)
        self.store.view("said", _SAID)
