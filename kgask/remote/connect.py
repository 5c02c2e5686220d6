"""``kgask pack connect``: asks an endpoint what it has, and writes the folder that questions are asked through.

The folder is a pack of its names, its relations with their words, how often each is said, how many triples each named
entity has, and a sample of triples, from which is learned what relations lead to. All of it is fetched in pages.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from kgask.build.folder import check_target
from kgask.build.rdf import TEXTS, RdfReader
from kgask.build.terms import Value, checked
from kgask.build.writer import BuildReport, Connected, PackBuilder
from kgask.errors import BuildError, RemoteError
from kgask.pack.header import DEGREES
from kgask.pack.iris import DEFAULT_PREFIX
from kgask.pack.literals import literal_key
from kgask.pack.records import Literal
from kgask.query.rdf import LITERALS, VOCABULARY
from kgask.remote.endpoint import Cell, Endpoint, Limits, Row
from kgask.remote.met_statements import exactly
from kgask.remote.stated import COLUMNS, REIFIES, Form, Statements, form_of
from kgask.remote.terms import Keys, literal_in, literal_node

PAGE = 50_000  # rows
ASKED_OF = 2_000  # entities whose triples are counted in one request
SAMPLED, MOST_SAMPLED = 2_000, 100_000  # triples of a relation, and of all
RELATIONS_EACH = 25  # relations whose samples are fetched in one request
_TYPES = "VALUES ?is { <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://www.wikidata.org/prop/direct/P31> }"
_DIRECT = re.compile(r"(https?://[^/]+/)prop/direct/P\d+")  # of a Wikibase
_PROPERTY = re.compile(r"P\d+")
STATED = 200  # rows of statements of a relation

Tell = Callable[[int, str], None]  # how many names so far, and what is fetched


@dataclass(frozen=True, slots=True)
class Wish:
    """What to connect to and how; see ``kgask pack connect --help``."""

    url: str
    target: Path
    languages: tuple[str, ...] = ("en",)
    classes: tuple[str, ...] = ()  # IRIs: only their instances are named
    most_names: int = 500_000
    most_relations: int = 2_000
    limits: Limits = Limits()
    credentials: str = ""
    name: str = ""
    iri_prefix: str = ""
    force: bool = False


@dataclass(frozen=True, slots=True)
class Connection:
    """What was written, and what of the graph is not in the folder."""

    report: BuildReport
    n_names: int
    notes: tuple[str, ...]


def connect(wish: Wish, tell: Tell) -> Connection:
    """Ask the endpoint and write the folder.

    Raises :class:`~kgask.errors.RemoteError` or :class:`~kgask.errors.BuildError`; then nothing is written.
    """
    check_target(wish.target, wish.force)
    return _Connecting(wish, tell).write()


class _Connecting:
    def __init__(self, wish: Wish, tell: Tell) -> None:
        self._wish, self._tell = wish, tell
        self._endpoint = Endpoint(wish.url, wish.limits, wish.credentials)
        self._page, self._asked_of = (min(most, wish.limits.rows) for most in (PAGE, ASKED_OF))
        self._builder, self._notes = PackBuilder(), list[str]()
        self._reader = RdfReader(self._builder, 0, [tag.lower() for tag in wish.languages])
        self._values: dict[str, Value] = {}  # of the IRIs that are named
        self._degrees: dict[str, list[int]] = {}

    def write(self) -> Connection:
        self._tell(0, "relations")
        said = self._predicates()
        texts = [iri for iri in TEXTS if iri in said]
        prefix = self._wish.iri_prefix or self._prefix(said)
        keys = Keys(prefix, *_relation_prefixes(prefix))
        relations = self._relations(said, keys)
        self._describe(relations, prefix, texts)
        statements = self._statements(said, prefix)
        by = {keys.relation(iri) for iri in said} | {statements.qualifier(iri, keys) for iri in said}
        self._names(texts, keys, by, _is_wikibase(said))
        n_names = len(self._values)
        self._sample(relations, keys)
        self._sample_statements(statements, relations, keys, texts, prefix)
        self._name_sampled(texts, n_names)
        self._count()
        is_ours = any(iri.startswith(VOCABULARY) for iri in said)
        about = {
            "url": self._wish.url,
            "connected": datetime.now(UTC).isoformat(timespec="seconds"),
            "languages": list(self._wish.languages),
            "labels": [iri for iri in texts if TEXTS[iri][0] == "label"],
            "literal_nodes": is_ours,
            "credentials": self._wish.credentials,
            "seconds": self._wish.limits.seconds,
            "bytes": self._wish.limits.bytes,
            "rows": self._wish.limits.rows,
            "statements": statements.form,
            "counts": [
                said[relations[key]] if key in relations else [0, 0, 0] for key in self._builder.relation_keys()
            ],
        }
        report = self._builder.write(
            self._wish.target,
            name=self._wish.name,
            sources=[self._wish.url],
            force=self._wish.force,
            iri_prefix="" if prefix == DEFAULT_PREFIX else prefix,
            connected=Connected(about, self._degree_arrays),
        )
        return Connection(report, n_names, tuple(self._notes))

    # --- relations ---------------------------------------------------------------------------------

    def _predicates(self) -> dict[str, list[int]]:
        """Every predicate with its triples and its different subjects and objects, the most frequent first."""
        counts = "(COUNT(*) AS ?n) (COUNT(DISTINCT ?s) AS ?ns) (COUNT(DISTINCT ?o) AS ?no)"
        query = f"SELECT ?p {counts} WHERE {{ ?s ?p ?o }} GROUP BY ?p ORDER BY DESC(?n) LIMIT {self._page}"
        try:
            rows = self._endpoint.select(query)
        except RemoteError as error:
            # Too large to be counted: Wikibases list their relations.
            rows = self._endpoint.select(
                f"SELECT ?p WHERE {{ ?x <http://wikiba.se/ontology#directClaim> ?p }} LIMIT {self._page}"
            )
            if not rows:
                raise
            self._notes.append(f"relations are not counted ({error})")
            rows += [{"p": {"type": "uri", "value": iri}} for iri in TEXTS]
        found = {row["p"]["value"]: [_count(row, name) for name in ("n", "ns", "no")] for row in rows if "p" in row}
        if not found:
            raise RemoteError(f"{self._wish.url} has no triples")
        return found

    @staticmethod
    def _prefix(said: Iterable[str]) -> str:
        roots = {found[1] for iri in said if (found := _DIRECT.fullmatch(iri))}
        return f"{min(roots)}entity/" if roots else DEFAULT_PREFIX

    def _relations(self, said: dict[str, list[int]], keys: Keys) -> dict[str, str]:
        """Keys and IRIs of the relations: what names things is none, nor what tells of Wikibase's or our statements."""
        is_wikibase = _is_wikibase(said)
        found: dict[str, str] = {}
        for iri in said:
            is_aside = iri in TEXTS or iri == REIFIES or iri.startswith(_qualifier_prefix(DEFAULT_PREFIX))
            if is_aside or (is_wikibase and not _DIRECT.fullmatch(iri)):
                continue
            key = keys.relation(iri)
            if key is not None:
                found.setdefault(key, iri)
        if not found:
            raise RemoteError(f"{self._wish.url} has no relations between things, only names")
        if len(found) > self._wish.most_relations:
            self._notes.append(
                f"{len(found):,} relations, of which the {self._wish.most_relations:,} most frequent are used"
            )
        return dict(list(found.items())[: self._wish.most_relations])

    def _describe(self, relations: dict[str, str], prefix: str, texts: Sequence[str]) -> None:
        """The words of relations, which a Wikibase has of the entity with their id."""
        by_iri = {iri: key for key, iri in relations.items()}
        by_iri |= {f"{prefix}{key}": key for key in relations if prefix != DEFAULT_PREFIX}
        for iris in _batches(list(by_iri), self._asked_of):
            for row in self._texts_of(texts, _values("?s", iris)):
                self._take_text(row, by_iri[row["s"]["value"]])

    # --- names -------------------------------------------------------------------------------------

    def _names(self, texts: Sequence[str], keys: Keys, relations: Set[str | None], is_wikibase: bool) -> None:
        """What is named, but for relations: a Wikibase names them as things."""
        kinds = _values("?kind", self._wish.classes)
        of = f"{_TYPES} {kinds} ?s ?is ?kind . " if self._wish.classes else ""
        for row in self._texts_of(texts, of):
            iri = row["s"]["value"]
            if iri.startswith(_qualifier_prefix(DEFAULT_PREFIX)):
                continue
            value = self._values.get(iri) or _value_of(iri, row, keys)
            if value is None or value in relations or (is_wikibase and _PROPERTY.fullmatch(str(value))):
                continue
            if iri not in self._values and len(self._values) >= self._wish.most_names:
                self._notes.append(f"names beyond the first {len(self._values):,} were left out (--most-names)")
                return
            if iri not in self._values:
                self._values[iri] = value
                self._builder.keep(value)
                self._tell(len(self._values), "names")
            if isinstance(value, str):
                self._take_text(row, value)
        if not self._values:
            raise RemoteError(f"{self._wish.url} names nothing in {', '.join(self._wish.languages)}; see --language")

    def _take_text(self, row: Row, key: str) -> None:
        cell = row["o"]
        try:
            self._reader.take_text(key, row["p"]["value"], cell["value"], cell.get("xml:lang"))
        except BuildError:
            return  # what a pack cannot hold is no name: NUL bytes, half characters

    def _texts_of(self, texts: Sequence[str], of: str) -> Iterator[Row]:
        """Texts in the languages asked for or in none, page by page; an endpoint may give less than asked for."""
        # Beside other VALUES a list of relations is a filter: some engines read all triples else.
        said = (
            f"?s ?p ?o FILTER(?p IN ({', '.join(f'<{iri}>' for iri in texts)}))"
            if of
            else f"{_values('?p', texts)} ?s ?p ?o"
        )
        tags = " || ".join(f'LANGMATCHES(LANG(?o), "{tag}")' for tag in self._wish.languages)
        wanted = f'{of}{said} FILTER(ISIRI(?s) && ISLITERAL(?o) && (LANG(?o) = "" || {tags}))'
        start = 0
        while rows := self._endpoint.select(
            f"SELECT ?s ?p ?o WHERE {{ {wanted} }} ORDER BY ?s ?p ?o LIMIT {self._page} OFFSET {start}"
        ):
            yield from (row for row in rows if row.keys() >= {"s", "p", "o"})
            start += len(rows)

    # --- how many triples each has ------------------------------------------------------------------

    def _count(self) -> None:
        """Out of and into each named entity; where that takes the endpoint too long it is not known."""
        aside = f"?p NOT IN ({', '.join(f'<{iri}>' for iri in TEXTS)})"
        ours = f'!STRSTARTS(STR(?p), "{VOCABULARY}") && !STRSTARTS(STR(?p), "{_qualifier_prefix(DEFAULT_PREFIX)}")'
        for n_done, iris in enumerate(_batches(list(self._values), self._asked_of)):
            self._tell(n_done * self._asked_of, "counting")
            for at, end in enumerate(("?s", "?o")):
                pattern = f"{_values(end, iris)} ?s ?p ?o FILTER({aside} && {ours})"
                try:
                    rows = self._endpoint.select(f"SELECT {end} (COUNT(*) AS ?n) WHERE {{ {pattern} }} GROUP BY {end}")
                except RemoteError as error:
                    self._notes.append(f"how many triples things have is not known of all ({error})")
                    return
                for row in rows:
                    if end[1:] in row:
                        self._degrees.setdefault(row[end[1:]]["value"], [0, 0])[at] = _count(row, "n")

    def _degree_arrays(self, keys: list[str]) -> dict[str, np.ndarray]:
        counts = {
            (value if isinstance(value, str) else literal_key(value)): self._degrees[iri]
            for iri, value in self._values.items()
            if iri in self._degrees
        }
        table = np.array([counts.get(key, (0, 0)) for key in keys], np.int64).reshape(-1, 2)
        table = np.minimum(table, np.iinfo(np.int32).max).astype("<i4")
        return dict(zip(DEGREES, table.T.copy(), strict=True))

    # --- a sample ------------------------------------------------------------------------------------

    def _sample(self, relations: dict[str, str], keys: Keys) -> None:
        """At least one triple of each relation, so that the folder has it."""
        each = max(1, min(SAMPLED, MOST_SAMPLED // len(relations), self._wish.limits.rows // RELATIONS_EACH))
        by_iri = {iri: key for key, iri in relations.items()}
        for n_done, iris in enumerate(_batches(list(by_iri), RELATIONS_EACH)):
            self._tell(n_done * RELATIONS_EACH, "sample")
            parts = (f"{{ SELECT ?s ?p ?o WHERE {{ VALUES ?p {{ <{iri}> }} ?s ?p ?o }} LIMIT {each} }}" for iri in iris)
            for row in self._endpoint.select(f"SELECT ?s ?p ?o WHERE {{ {' UNION '.join(parts)} }}"):
                if row.keys() >= {"s", "p", "o"}:
                    self._add(row, by_iri, keys)

    def _add(self, row: Row, by_iri: dict[str, str], keys: Keys) -> None:
        subject, obj = (self._met(row[end], keys) for end in ("s", "o"))
        relation = by_iri.get(row["p"]["value"])
        if relation is None or obj is None or not isinstance(subject, str):
            return
        try:
            self._builder.add(subject, relation, obj)
        except BuildError:
            return  # a key with a NUL byte

    def _met(self, cell: Cell, keys: Keys) -> Value | None:
        if cell["type"] == "uri":
            iri = cell["value"]
            value = self._values.get(iri) or (literal_node(iri) if iri.startswith(LITERALS) else keys.entity(iri))
            if isinstance(value, str):
                self._values[iri] = value
            return value
        return None if cell["type"] == "bnode" else literal_in(cell)

    # --- statements ----------------------------------------------------------------------------------

    def _statements(self, said: Iterable[str], prefix: str) -> Statements:
        """How the endpoint tells what triples are said with."""

        def has_rows(query: str) -> bool:
            try:
                return bool(self._endpoint.select(query))
            except RemoteError:
                return False  # it does not know such patterns

        form = form_of({*said}, _is_wikibase(said), has_rows)
        own = f"{prefix.removesuffix('entity/')}prop/qualifier/" if form == Form.WIKIBASE else _qualifier_prefix(prefix)
        return Statements(form, *_relation_prefixes(prefix), own)

    def _sample_statements(
        self, statements: Statements, relations: dict[str, str], keys: Keys, texts: Sequence[str], prefix: str
    ) -> None:
        """Some statements of each relation: which relations have any, and what is said by them."""
        if statements.form == Form.NONE:
            return
        by_iri = {iri: key for key, iri in relations.items()}
        each = max(1, min(STATED, self._wish.limits.rows // RELATIONS_EACH))
        by = dict[str, str]()  # IRIs of relations that only statements have
        for n_done, iris in enumerate(_batches(list(by_iri), RELATIONS_EACH)):
            self._tell(n_done * RELATIONS_EACH, "statements")
            parts = (f"{{ {statements.query(iri, '', each)} }}" for iri in iris)
            try:
                rows = self._endpoint.select(f"SELECT {COLUMNS} WHERE {{ {' UNION '.join(parts)} }}")
            except RemoteError as error:
                self._notes.append(f"what triples are said with is not known of all ({error})")
                break
            for (subject, relation, obj, _), said in self._stated(rows, statements, by_iri, keys, by).items():
                self._builder.add(subject, relation, obj, said)
        fresh = {key: iri for iri, key in by.items() if key not in relations}
        self._describe(fresh, prefix, texts)

    def _stated(
        self, rows: Sequence[Row], statements: Statements, by_iri: dict[str, str], keys: Keys, by: dict[str, str]
    ) -> dict[tuple[str, str, Value, str], list[tuple[str, Value]]]:
        """What each statement is said with, by its triple and node; ``by`` gets the relations that it is said by."""
        found = dict[tuple[str, str, Value, str], list[tuple[str, Value]]]()
        for row in (row for row in rows if row.keys() >= {"s", "p", "o", "q", "v"}):
            subject, obj, value = (self._met(row[name], keys) for name in ("s", "o", "v"))
            relation, key = by_iri.get(row["p"]["value"]), statements.qualifier(row["q"]["value"], keys)
            if key is None or relation is None or not isinstance(subject, str) or obj is None or value is None:
                continue
            by[row["q"]["value"]] = key
            found.setdefault((subject, relation, obj, row.get("st", {}).get("value", "")), []).append(
                (key, exactly(value, row))
            )
        return found

    def _name_sampled(self, texts: Sequence[str], n_named: int) -> None:
        """What the sample brought beside what is named: it is told by its label too."""
        for iris in _batches(list(self._values)[n_named:], self._asked_of):
            for row in self._texts_of(texts, f"{_values('?s', iris)} "):
                self._take_text(row, str(self._values[row["s"]["value"]]))


def _value_of(iri: str, row: Row, keys: Keys) -> Value | None:
    """What is named: an entity, or in kgask's own view a literal; of one whose IRI is a hash the label is the text."""
    try:
        if not iri.startswith(LITERALS):
            key = keys.entity(iri)
            return checked(key, "key") if key is not None else None
        return literal_node(iri) or Literal("string", checked(row["o"]["value"], "literal"))
    except BuildError:
        return None


def _relation_prefixes(prefix: str) -> tuple[str]:
    root = prefix.removesuffix("entity/") if prefix.endswith("/entity/") else ""
    return (f"{root}prop/direct/" if root else f"{prefix}relation/",)


def _is_wikibase(said: Iterable[str]) -> bool:
    return any(map(_DIRECT.fullmatch, said))


def _qualifier_prefix(prefix: str) -> str:
    return f"{prefix}qualifier/"


def _values(variable: str, iris: Iterable[str]) -> str:
    return f"VALUES {variable} {{ {' '.join(f'<{iri}>' for iri in iris)} }}"


def _count(row: Row, name: str) -> int:
    text = row[name]["value"] if name in row else ""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else 0


def _batches(items: list[Any], size: int) -> Iterator[list[Any]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]
