"""A SPARQL endpoint as a pack: names from its folder, triples from the endpoint, as they are read.

Whatever reads a graph says first what it is about to read (:meth:`~kgask.pack.csr.Csr.need`). :meth:`complete` runs a
question with what is known so far, gathers what was missed, fetches all of it at once, and runs it again, until nothing
is missed: as many requests as what is read depends on each other, a hop each and one for the answers, and the answer is
the one that the whole graph would give.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np

from kgask.errors import BudgetError, KgaskError, PackError
from kgask.pack.arrays import distinct
from kgask.pack.csr import build_csr
from kgask.pack.header import ARRAYS, DEGREES, ENDPOINT, NAMES_FILE, open_array
from kgask.pack.qualifiers import QUALIFIER_ARRAYS
from kgask.pack.quantities import AXES_COUNT, LiteralValues
from kgask.pack.relation_kinds import SINGLE
from kgask.pack.store import Given, Pack
from kgask.query.rdf import LITERALS, Iris, literal_iri
from kgask.remote.endpoint import Cell, Endpoint, Limits, Row
from kgask.remote.met_statements import MetStatements, Stated, exactly
from kgask.remote.names import RESERVED, ConnectedNames
from kgask.remote.stated import Form, Statements
from kgask.remote.terms import Keys, literal_in, literal_node, term_in, terms_of
from kgask.remote.wanted import HUB, NONE, Known, Wanted, Writer
from kgask.types import EntityId, Statement, TripleId

MOST_REQUESTS = 5  # for one question
MOST_KEPT = 2_000_000  # triples that are kept from one question to the next
ONE = 1.1  # ends an owner, on average, up to which at least nine of ten have one


class ConnectedPack(Pack):
    """See the module. Raises :class:`~kgask.errors.RemoteError` where the endpoint cannot be asked."""

    def __init__(
        self, path: Path, manifest: dict[str, Any], arrays: dict[str, np.ndarray], sums: dict[str, np.ndarray]
    ) -> None:
        super().__init__(path, manifest, arrays, sums)
        about = manifest[ENDPOINT]
        try:
            limits = Limits(float(about["seconds"]), int(about["bytes"]), int(about["rows"]))
            self.endpoint = Endpoint(about["url"], limits, str(about["credentials"]))
            self._languages, self._texts = list(map(str, about["languages"])), list(map(str, about["labels"]))
            self._has_literal_nodes = bool(about["literal_nodes"])
            self._form = Form(about.get("statements", ""))  # kgask 0.2 knew none
            counts = np.array(about["counts"], np.int64).reshape(self.n_relations, 3)  # triples, subjects, objects
        except (KeyError, TypeError, ValueError) as error:
            raise PackError(f"{path}: what it says of its endpoint is broken ({error}); connect again") from None
        self._counts = counts
        self._own_degrees = [np.asarray(open_array(path, name, manifest, sums.get(f"{name}.npy"))) for name in DEGREES]
        self._sample = self._columns()
        self._stated, self._statements = MetStatements(self._sampled_statements()), self._told_as()
        self._has_stated = np.zeros(self.n_relations, bool)  # relations whose triples have statements in the sample
        self._has_stated[self._sample[1][self.statement_triple]] = True
        self._known, self._wanted = Known(self.n_relations), Wanted()
        self._met: list[np.ndarray] = []  # [3, n] each: subjects, relations, objects
        self._owners: dict[int, np.ndarray] = {}  # of directed relations
        self._seen_terms: dict[int, set[str]] = {}  # of literals that were met
        self._is_run, self._source = False, dict[str, Any]()
        self._rebuild()

    @cached_property
    def names(self) -> ConnectedNames:
        counts = self.manifest["counts"]
        path = self.path / NAMES_FILE
        return ConnectedNames(
            path, counts["entities"], counts["literals"], self._sums.get(NAMES_FILE), self._want_labels
        )

    # --- what is read ------------------------------------------------------------------------------

    def need(self, entities: np.ndarray, relations: np.ndarray) -> None:
        entities, relations = distinct(entities), np.asarray(relations, np.int64)
        self._want(self._known.missing(entities, relations))

    def need_rows(self, entities: np.ndarray | Sequence[EntityId], inverse: bool) -> None:
        entities = distinct(np.asarray(entities, np.int64))  # of no entity too
        is_hub = self._degrees(entities, inverse=True) > HUB
        self._want(self._known.missing_rows(entities, inverse, is_hub))

    def need_statements(self, triples: np.ndarray) -> None:
        subjects, relations, _ = self.triples(triples)
        is_stated = self._has_stated[relations]
        codes = self._known.missing_statements(subjects[is_stated], relations[is_stated])
        if len(codes):
            self._wanted.stated.append(codes)
            self._fetch_alone()

    def statements(self, triple_ids: Iterable[TripleId]) -> dict[TripleId, tuple[Statement, ...]]:
        wanted = [*triple_ids]
        self.need_statements(np.array(wanted, np.int64))
        return super().statements(wanted)

    def owners(self, relation: int) -> np.ndarray:
        """Raises :class:`~kgask.errors.BudgetError` where there are more than a request may bring."""
        most = self.endpoint.limits.rows
        if self.counted(relation)[1] > most:
            raise BudgetError(f"more than {most:,} things have that relation, too many to be fetched")
        if relation not in self._known.owners:
            self._wanted.owners.add(relation)
            self._fetch_alone()
        return self._owners.get(relation, NONE)

    def counted(self, relation: int) -> tuple[int, int]:
        triples, subjects, objects = self._counts[relation % self.n_relations].tolist()
        return triples, objects if relation >= self.n_relations else subjects

    def _want(self, codes: np.ndarray) -> None:
        if len(codes):
            self._wanted.codes.append(codes)
            self._fetch_alone()

    def _want_labels(self, entities: list[int]) -> None:
        if fresh := set(entities) - self._known.labels:
            self._wanted.labels |= fresh
            self._fetch_alone()

    def _fetch_alone(self) -> None:
        """What is read outside of :meth:`complete` is fetched at once."""
        if not self._is_run:
            self._start()
            self._fetch()

    def complete(self, run: Callable[[], Given]) -> Given:
        """What ``run`` comes to when all that it reads is known, or after :data:`MOST_REQUESTS` requests.

        ``source`` then says whether anything was left out.
        """
        if self._is_run:
            return run()
        self._is_run = True
        self._start()
        try:
            while True:
                self._wanted = Wanted()
                is_last = self._source["requests"] >= MOST_REQUESTS
                try:
                    found = run()
                except KgaskError:
                    if is_last or not self._wanted:
                        raise
                else:
                    if is_last or not self._wanted:
                        self._source["complete"] &= not self._wanted
                        return found
                self._fetch()
        finally:
            self._is_run = False
            self._wanted = Wanted()

    @property
    def held(self) -> str:
        return f"triples at {self.endpoint.url}"

    @property
    def source(self) -> dict[str, Any]:
        return dict(self._source)

    def _start(self) -> None:
        is_partial = not self._source.get("complete", True)  # what was cut counts as known, for one question only
        if is_partial or sum(rows.shape[1] for rows in self._met) > MOST_KEPT:
            self.forget()
        now = datetime.now(UTC).isoformat(timespec="seconds")
        self._source = {"endpoint": self.endpoint.url, "time": now, "requests": 0, "rows": 0, "bytes": 0, "ms": 0.0}
        self._source["complete"] = True

    def forget(self) -> None:
        """What was fetched so far is fetched again when it is read."""
        self._known, self._met, self._owners = Known(self.n_relations), [], {}
        self._stated.forget()
        self._rebuild()

    # --- fetching ----------------------------------------------------------------------------------

    def _fetch(self) -> None:
        wanted, self._wanted = self._wanted, Wanted()
        began, n_bytes = time.perf_counter(), self.endpoint.n_bytes
        for query in self._writer.queries(wanted):
            rows = self.endpoint.select(query)
            if len(rows) > self.endpoint.limits.rows:
                self._source["complete"] = False
            self._take(rows)
            self._source["requests"] += 1
            self._source["rows"] += len(rows)
        self._source["bytes"] += self.endpoint.n_bytes - n_bytes
        self._source["ms"] = round(self._source["ms"] + (time.perf_counter() - began) * 1000, 3)
        self._known.learn(wanted)
        self._rebuild()

    @cached_property
    def _writer(self) -> Writer:
        iris = Iris(self)
        relations = [f"<{iris.of_relation(text.key)}>" for text in self.relations()]
        texts = [f"<{iri}>" for iri in self._texts]
        most = self.endpoint.limits.rows + 1
        common = np.argsort(-self._counts[:, 0]).tolist()
        return Writer(self._terms, relations, common, texts, most, self._statements)

    @cached_property
    def _relation_ids(self) -> dict[str, int]:
        iris = Iris(self)
        return {iris.of_relation(text.key): at for at, text in enumerate(self.relations())}

    @cached_property
    def _qualifier_ids(self) -> dict[str, int]:
        return {self._statements.iri_of(self._relations[at].key, iri): at for iri, at in self._relation_ids.items()}

    @cached_property
    def _keys(self) -> Keys:
        iris = Iris(self)
        return Keys(iris.entities, iris.relations)

    def _terms(self, entities: Sequence[int]) -> list[list[str]]:
        """How each entity or literal is written in a query; nothing for a blank node."""
        iris = Iris(self).of_entities(entities)
        literals = self.literals(entities)
        found = []
        for entity, iri, literal in zip(entities, iris, literals, strict=True):
            if literal is None:
                found.append([f"<{iri}>"])
            elif self._has_literal_nodes:
                found.append([f"<{literal_iri(literal)}>"])
            else:
                found.append(sorted(self._seen_terms.get(entity) or terms_of(literal, self._languages)))
        return found

    def _take(self, rows: Sequence[Row]) -> None:
        """Triples of known relations, and labels of entities that were met."""
        self._own([row for row in rows if row.keys() in ({"s", "p"}, {"p", "o"})])
        self._state([row for row in rows if row.keys() >= {"s", "p", "o", "q", "v"}])
        known = [row for row in rows if row.keys() == {"s", "p", "o"} and row["s"]["type"] == "uri"]
        said = [(row, relation) for row in known if (relation := self._relation_ids.get(row["p"]["value"])) is not None]
        ids = self._ids([cell for row, _ in said for cell in (row["s"], row["o"])])
        ends = zip(ids[::2], [relation for _, relation in said], ids[1::2], strict=True)
        triples = [(s, r, o) for s, r, o in ends if s is not None and o is not None]
        if triples:
            self._met.append(np.array(triples, np.int64).T)
        self._name([row for row in known if row["p"]["value"] in self._texts])

    def _own(self, rows: Sequence[Row]) -> None:
        """The owners of directed relations: subjects, or objects of inverse ones."""
        ids = self._ids([row["s"] if "s" in row else row["o"] for row in rows])
        found: dict[int, list[int]] = {}
        for row, number in zip(rows, ids, strict=True):
            plain = self._relation_ids.get(row["p"]["value"])
            if plain is not None and number is not None:
                found.setdefault(plain + self.n_relations * ("o" in row), []).append(number)
        self._owners |= {relation: distinct(np.array(numbers, np.int64)) for relation, numbers in found.items()}

    def _state(self, rows: Sequence[Row]) -> None:
        """What triples are said with."""
        said = [(row, self._relation_ids.get(row["p"]["value"]), self._qualifier_ids.get(row["q"]["value"]))
                for row in rows]  # fmt: skip
        cells = [row[name] for row in rows for name in ("s", "o")]
        ends, values = self._ids(cells), self._ids([row["v"] for row in rows], rows)
        self._stated.begin()
        for (row, relation, by), subject, obj, value in zip(said, ends[::2], ends[1::2], values, strict=True):
            if (
                subject is not None
                and relation is not None
                and obj is not None
                and by is not None
                and value is not None
            ):
                self._stated.take(row, (subject, relation, obj), (by, value))

    def _ids(self, cells: Sequence[Cell], rows: Sequence[Row] = ()) -> list[int | None]:
        """The ids of terms; None for blank nodes and what a pack cannot hold. ``rows`` say how precise a date is."""
        values: list[Any] = [self._value(cell) for cell in cells]
        if rows:
            values = [exactly(one, row) for one, row in zip(values, rows, strict=True)]
        keys = list(dict.fromkeys(value for value in values if isinstance(value, str)))
        by_key = dict(zip(keys, self.names.ids_of_keys(keys), strict=True))
        found: list[int | None] = []
        for cell, value in zip(cells, values, strict=True):
            number = by_key[value] if isinstance(value, str) else value and self.names.id_of_literal(value)
            found.append(number)
            if number is not None and cell["type"] not in ("uri", "bnode") and not (rows or self._has_literal_nodes):
                self._seen_terms.setdefault(number, set()).add(term_in(cell))
        return found

    def _value(self, cell: Cell) -> Any:
        """A key (text), a literal, or None."""
        if cell["type"] == "uri":
            iri = cell["value"]
            return literal_node(iri) if iri.startswith(LITERALS) else self._keys.entity(iri)
        return None if cell["type"] == "bnode" else literal_in(cell)

    def _name(self, rows: Sequence[Row]) -> None:
        """Labels in the best language, by the best relation."""
        ranks = {tag: rank for rank, tag in enumerate([*self._languages, ""])}
        best: dict[str, tuple[tuple[int, int], str]] = {}
        for row in rows:
            tag, text = row["o"].get("xml:lang", "").lower().split("-")[0], row["o"]["value"].strip()
            place = (ranks.get(tag, len(ranks)), self._texts.index(row["p"]["value"]))
            key = self._keys.entity(row["s"]["value"])
            if key and text and (key not in best or (place, text) < best[key]):
                best[key] = place, text.encode("utf-8", "replace").decode()
        for entity, (_, label) in zip(self.names.ids_of_keys(list(best)), best.values(), strict=True):
            self.names.name(entity, label)

    # --- arrays ------------------------------------------------------------------------------------

    def _columns(self) -> np.ndarray:
        """int64 [3, T]: the triples of the folder, by the ids of :class:`ConnectedNames`."""
        subjects = np.repeat(np.arange(self.n_entities, dtype=np.int64), np.diff(self.out_indptr))
        first = self.n_entities - self.n_literals
        objects = self.out_object.astype(np.int64)
        return np.stack([subjects, self.out_relation.astype(np.int64), objects + RESERVED * (objects >= first)])

    def _sampled_statements(self) -> Stated:
        first, values = self.n_entities - self.n_literals, self.qualifier_value.astype(np.int64)
        qualifiers = np.stack([self.qualifier_relation.astype(np.int64), values + RESERVED * (values >= first)])
        triples = self._columns()[:, np.asarray(self.statement_triple)]
        return Stated(triples, np.diff(np.asarray(self.qualifier_indptr)).astype(np.int64), qualifiers)

    def _told_as(self) -> Statements:
        iris = Iris(self)
        return Statements(self._form, iris.relations, iris.qualifiers)

    def _rebuild(self) -> None:
        """The arrays of what was fetched, with the folder's sample where nothing was."""
        subjects, relations, objects = self._sample
        stale = self._known.covers(subjects, relations, inverse=False)
        stale |= self._known.covers(objects, relations + self.n_relations, inverse=True)
        columns = np.concatenate([self._sample[:, ~stale], *self._met], axis=1)
        self.n_entities, self.n_literals = self.names.n_all, self.names.n_all_literals
        csr = build_csr(columns[0], columns[1], columns[2], self.n_entities, self.n_relations)
        for name in ARRAYS:
            setattr(self, name, getattr(csr, name))
        self.n_triples = len(self.out_relation)
        said = self._stated.known(self._known).of(csr, self.n_entities, self.n_relations)
        for name in QUALIFIER_ARRAYS:
            setattr(self, name, getattr(said, name))
        self.n_fetches += 1
        self.__dict__.pop("literal_values", None)

    def degree(self, ids: Iterable[int]) -> np.ndarray:
        """Triples in and out of each entity: as counted when the pack was connected, else those that are known."""
        wanted = np.fromiter(map(int, ids), np.int64)
        return self._degrees(wanted, inverse=False) + self._degrees(wanted, inverse=True)

    def _degrees(self, ids: np.ndarray, inverse: bool) -> np.ndarray:
        counted = self._own_degrees[inverse]
        first = len(counted) - self.manifest["counts"]["literals"]
        own = np.where(ids < first, ids, np.where(ids >= first + RESERVED, ids - RESERVED, len(counted)))
        is_own = own < len(counted)
        indptr = self.in_indptr if inverse else self.out_indptr
        found = indptr[ids + 1].astype(np.int64) - indptr[ids]
        found[is_own] = np.maximum(found[is_own], counted[own[is_own]])
        return found

    @cached_property
    def literal_values(self) -> LiteralValues:
        own, met = self._own_values, LiteralValues.of(self.names.met_literals)
        axes = (*own.axes, *(axis for axis in met.axes if axis not in own.axes))
        codes = np.array([axes.index(axis) for axis in met.axes] + [-1], np.int16)[met.axis]  # -1 stays -1
        low, high = np.concatenate([own.low, met.low]), np.concatenate([own.high, met.high])
        return LiteralValues(low, high, np.concatenate([own.axis, codes]), axes)

    @cached_property
    def _own_values(self) -> LiteralValues:
        if AXES_COUNT not in self.manifest["counts"]:  # texts only
            n = self.manifest["counts"]["literals"]
            return LiteralValues(np.full(n, np.nan), np.full(n, np.nan), np.full(n, -1, np.int16), ())
        return self._stored_values()

    @cached_property
    def relation_kinds(self) -> np.ndarray:
        """Only what counts of the whole graph say: that a relation has one end. No sample tells what is complete."""
        triples, subjects, objects = self._counts.T
        is_said = triples > 0
        return np.concatenate(
            [SINGLE * (is_said & (triples <= ONE * owners)) for owners in (subjects, objects)]
        ).astype(np.int8)

    @classmethod
    def open(cls, path: str | Path, *, connected: bool = True) -> Self:
        """As :meth:`Pack.open`."""
        return super().open(path, connected=connected)
