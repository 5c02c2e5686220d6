"""PackBuilder: triples and texts in, a pack folder out.

    builder = PackBuilder()
    builder.add("Q1", "P50", "Q2")                       # keys: Wikidata ids, IRIs or plain names
    builder.add("Q1", "P577", parse_literal("date", "1871"), [("P291", "Q84")])  # and qualifiers
    builder.add("Q3", "P2046", parse_literal("number", "357588", "km²"))
    builder.label("Q1", "Lady Susan")                    # without one, the key is the label
    builder.alias("Q1", "Lady Susan Vernon")
    builder.description("Q1", "epistolary novel by Jane Austen")
    builder.relation("P50", "author", aliases=["writer"], inverse_label="author of")
    report = builder.write("my_pack", name="my_pack", licences=["CC0-1.0"])

(``parse_literal`` is in :mod:`kgask.pack.literals`.) The pack depends on the
set of things added, not on their order. Entities are the keys that triples
name; texts for other keys are left out and counted.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from kgask.build.folder import new_folder
from kgask.build.manifest import write_manifest
from kgask.build.names_writer import Alias, EntityText, LookUpInMemory, TextsInMemory, write_names
from kgask.build.passages_writer import split_text, write_passages
from kgask.build.plain_values import Recognised, recognised
from kgask.build.readable import entity_label, relation_label
from kgask.build.repeats import without_repeats
from kgask.build.settle import Settled, check_relations, settled
from kgask.build.statements import Said
from kgask.build.terms import Terms, Value, checked
from kgask.build.written import write_array
from kgask.pack import header
from kgask.pack.csr import Csr
from kgask.pack.iris import IRI_PREFIX
from kgask.pack.literals import literal_key, literal_label
from kgask.pack.normalise import normalise
from kgask.pack.passages import PASSAGES_FILE
from kgask.pack.qualifiers import QUALIFIERS_COUNT, STATEMENTS_COUNT
from kgask.pack.quantities import AXES_COUNT, LiteralValues
from kgask.pack.records import LiteralKind, RelationText
from kgask.pack.relation_kinds import KINDS_ARRAY, relation_kinds
from kgask.pack.schema import key_order
from kgask.pack.types import TYPES_ARRAY, TYPES_COUNT, type_relations, type_table

_REPEATS_FROM = 1 << 20  # triples that are held before repetitions are looked for


@dataclass(frozen=True, slots=True)
class BuildReport:
    """What a build wrote, and what it left out."""

    path: Path
    manifest: dict[str, Any]
    duplicates: int  # triples given more than once
    unused_texts: int  # keys with labels, aliases or descriptions that no triple names
    nested: int  # statements about statements, which a pack cannot hold


@dataclass(frozen=True, slots=True)
class Connected:
    """A graph elsewhere: what the manifest says of it, and arrays of what is known of each entity."""

    about: Mapping[str, Any]
    arrays: Callable[[list[str]], dict[str, np.ndarray]]  # of the keys of entities and literals, in the order of ids


@dataclass(slots=True)
class _Ranked:
    """One text a key, of the lowest rank; among equals the first in text order, so input order does not matter."""

    by_rank: dict[int, dict[str, str]] = field(default_factory=dict)
    losers: dict[int, dict[str, set[str]]] = field(default_factory=dict)

    def put(self, key: str, text: str, rank: int) -> None:
        texts = self.by_rank.setdefault(rank, {})
        other = texts.setdefault(key, text)
        if other != text:
            texts[key] = min(text, other)
            self.losers.setdefault(rank, {}).setdefault(key, set()).add(max(text, other))

    def best(self, key: str) -> tuple[str | None, set[str]]:
        """The text and the other texts of the same rank."""
        for rank in sorted(self.by_rank):
            text = self.by_rank[rank].get(key)
            if text is not None:
                return text, self.losers.get(rank, {}).get(key, set())
        return None, set()

    def keys(self) -> set[str]:
        return set().union(*self.by_rank.values())


class PackBuilder:
    """Collects triples and texts in memory; see the module's docstring for how to use it.

    Every method raises :class:`BuildError` (one line, without a file name) for
    text that a pack cannot hold: empty, with a NUL byte, or not Unicode.
    """

    def __init__(self) -> None:
        self._terms = Terms()
        # Rows of numbers, one after another: see build.statements.Said.
        self._triples, self._statements, self._qualifiers = array("q"), array("q"), array("q")
        self._labels = _Ranked()
        self._descriptions = _Ranked()
        self._aliases: dict[str, set[str]] = {}
        self._sitelinks: dict[str, int] = {}
        self._relation_labels = _Ranked()
        self._relation_texts: dict[str, RelationText] = {}
        self._passages: dict[str, set[str]] = {}
        self._repeats_at, self._n_repeated = _REPEATS_FROM, 0  # triples held when they are looked for; dropped ones
        self._kept = array("q")
        self.as_told = set[str]()  # relations whose values are what they were said to be: none is recognised

    def add(
        self,
        subject: str,
        relation: str,
        obj: Value,
        qualifiers: Sequence[tuple[str, Value]] = (),
        node: str | None = None,
    ) -> None:
        """Add a triple, whose object is a key or a literal, and what it is said with: pairs of relation and value.

        ``node`` stands for the triple in the sources: what they say of it are qualifiers too. Nothing is added when
        this raises.
        """
        terms = self._terms
        row = terms.entity(subject), terms.relation(relation), terms.value(obj)
        pairs = [(terms.relation(key), terms.value(value)) for key, value in qualifiers]
        if node is not None:
            self.stands_for(node, self.n_added)
        if pairs:
            own = ~len(self._statements)
            self._statements.extend((own, self.n_added))
            for pair in pairs:
                self._qualifiers.extend((own, *pair))
        self._triples.extend(row)
        if self.n_added >= self._repeats_at:
            self._drop_repeats()

    def stands_for(self, node: str, row: int = -1) -> None:
        """What is said of ``node`` is said of a triple, by default of one that a pack cannot hold."""
        self._statements.extend((self._terms.entity(node), row))

    def keep(self, value: Value) -> None:
        """An entity or literal that is in the pack whether a triple names it or not."""
        self._kept.append(self._terms.value(value))

    def knows(self, key: str) -> bool:
        """Whether a triple names this entity or relation so far."""
        return key in self._terms.entities or key in self._terms.relations

    def label(self, key: str, text: str, rank: int = 0) -> None:
        """Name an entity; the lowest rank wins, others of that rank become aliases."""
        self._labels.put(key, checked(text, "label"), rank)

    def alias(self, key: str, text: str) -> None:
        self._aliases.setdefault(key, set()).add(checked(text, "alias"))

    def description(self, key: str, text: str, rank: int = 0) -> None:
        self._descriptions.put(key, checked(text, "description"), rank)

    def sitelinks(self, key: str, number: int) -> None:
        """How many pages there are about an entity, which tells how well known it is; the highest count holds."""
        self._sitelinks[key] = max(number, self._sitelinks.get(key, 0))

    def passage(self, keys: Iterable[str], text: str) -> None:
        """A text about the entities with these keys; a long one becomes several passages."""
        for piece in split_text(checked(text, "passage")):
            self._passages.setdefault(piece, set()).update(keys)

    def relation(
        self,
        key: str,
        label: str = "",
        aliases: Iterable[str] = (),
        description: str = "",
        inverse_label: str = "",
        rank: int = 0,
    ) -> None:
        """Give a relation its words; what is empty here leaves what was given before."""
        if label:
            self._relation_labels.put(key, checked(label, "label"), rank)
        for text in (*aliases, description, inverse_label):
            if text:
                checked(text, "relation text")
        old = self._relation_texts.get(key, RelationText(key, ""))
        self._relation_texts[key] = RelationText(
            key,
            "",
            tuple(sorted({*old.aliases, *filter(None, aliases)})),
            description or old.description,
            inverse_label or old.inverse_label,
        )

    def recognise(
        self, given: Collection[str], known: Mapping[str, tuple[LiteralKind, str]] | None = None
    ) -> list[Recognised]:
        """Make literals of keys that nearly all say numbers or dates behind a relation; not behind those ``given``,
        nor behind those of which it was said what they have (``as_told``).

        Behind those ``known`` to have literals of a kind and unit each key that looks like one becomes one.
        """
        check_relations(self._terms.relations)
        triples, qualifiers = (
            np.frombuffer(rows, np.int64).reshape(-1, 3) for rows in (self._triples, self._qualifiers)
        )
        keys, is_thing = list(self._terms.entities), np.zeros(len(self._terms.entities), bool)
        is_thing[triples[:, 0]] = True
        is_thing[[self._terms.entities[key] for key in self._labels.keys() & self._terms.entities.keys()]] = True
        said = np.hstack([triples[:, 1:].T, qualifiers[:, 1:].T])
        found = [*recognised(keys, list(self._terms.relations), said, is_thing, {*given, *self.as_told}, known or {})]
        for one in found:
            numbers = np.arange(len(keys))
            for key, literal in one.values.items():
                numbers[key] = self._terms.value(literal)
            for rows in (triples, qualifiers):
                at = (rows[:, 1] == one.relation) & (rows[:, 2] >= 0)  # literals stay
                rows[at, 2] = numbers[rows[at, 2]]
        return found

    def triples(self) -> Iterator[tuple[str, str, Value]]:
        """What was added so far, with duplicates, without qualifiers."""
        terms = self._terms
        keys, literals, relations = list(terms.entities), list(terms.literals), list(terms.relations)
        for subject, relation, value in np.frombuffer(self._triples, np.int64).reshape(-1, 3).tolist():
            yield keys[subject], relations[relation], keys[value] if value >= 0 else literals[~value]

    def names(self) -> Iterator[tuple[str, str]]:
        """Keys with each label and alias given so far."""
        for texts in self._labels.by_rank.values():
            yield from texts.items()
        for losers in self._labels.losers.values():
            yield from ((key, name) for key, names in losers.items() for name in names)
        yield from ((key, name) for key, names in self._aliases.items() for name in names)

    def refer(self, meant: Mapping[tuple[str, str], str]) -> None:
        """Put other keys in the place of those that are values of a relation: pairs of relation and old key."""
        triples, terms = np.frombuffer(self._triples, np.int64).reshape(-1, 3), self._terms
        numbers = {(terms.relations[of], terms.entities[old]): terms.entity(new) for (of, old), new in meant.items()}
        for row in triples:
            row[2] = numbers.get((int(row[1]), int(row[2])), row[2])

    def relation_keys(self) -> list[str]:
        """The relations of the triples so far, in the order of their ids."""
        return sorted(self._terms.relations, key=key_order)

    @property
    def n_added(self) -> int:
        """Triples held so far; of many, repetitions are dropped now and then."""
        return len(self._triples) // 3

    def _drop_repeats(self) -> None:
        said, n_repeated = without_repeats(self._given())
        self._triples, self._statements, self._qualifiers = (
            array("q", rows.T.tobytes()) for rows in (said.triples, said.statements, said.qualifiers)
        )
        self._n_repeated += n_repeated
        self._repeats_at = max(_REPEATS_FROM, 2 * self.n_added)

    def write(
        self,
        path: str | Path,
        *,
        name: str = "",
        sources: Sequence[str] = (),
        licences: Sequence[str] = (),
        force: bool = False,
        made_from: Iterable[str | Path] = (),
        iri_prefix: str = "",
        change: Mapping[str, str] | None = None,
        connected: Connected | None = None,
    ) -> BuildReport:
        """Write the pack folder at once; see :func:`kgask.build.folder.new_folder` for what is refused.

        ``made_from`` are files and folders that it must not replace, ``iri_prefix`` is what keys that are no IRIs
        begin with where the pack is written as RDF, ``change`` what made it of an earlier version, ``connected`` the
        graph that its triples are a sample of.
        """
        path = Path(path)
        found = settled(self._terms, self._given(), self._label, self._kept)
        texts = self._texts(found)
        labelled = self._labels.keys() | self._descriptions.keys() | self._aliases.keys()
        with new_folder(path, force, sources=made_from) as folder:
            counts = {
                "entities": len(texts.every_entity),
                "literals": len(texts.every_literal),
                "relations": len(texts.relations),
                "triples": len(found.csr.out_relation),
                "names": write_names(folder / header.NAMES_FILE, texts, LookUpInMemory()),
                "aliases": len(texts.every_alias),
            }
            passages = self._passage_rows(found.keys)
            if passages:
                counts["passages"] = len(passages)
                write_passages(folder / PASSAGES_FILE, passages)
            about: dict[str, Any] = {"name": name or path.name, "sources": list(sources), "licences": list(licences)}
            if iri_prefix:
                about[IRI_PREFIX] = iri_prefix
            if change:
                about[header.CHANGE] = dict(change)
            if connected is not None:
                about[header.ENDPOINT] = dict(connected.about)
            more = connected.arrays([*found.keys, *map(literal_key, found.literals)]) if connected is not None else {}
            if any(self._sitelinks.get(key) for key in found.keys):
                pages = [self._sitelinks.get(key, 0) for key in found.keys] + [0] * len(found.literals)
                more[header.SITELINKS] = np.array(pages, np.int32)
            manifest = _write_arrays_and_manifest(folder, found.csr, counts, texts, about, more)
        unused = len(labelled.difference(found.keys, found.relation_keys))
        n_duplicates = found.n_duplicates + self._n_repeated
        return BuildReport(path, manifest, n_duplicates, unused, found.n_nested)

    def _label(self, key: str) -> str:
        return self._labels.best(key)[0] or entity_label(key)

    def _given(self) -> Said:
        def columns(rows: array[int], width: int) -> np.ndarray:
            return np.frombuffer(rows, dtype=np.int64).reshape(-1, width).T

        return Said(columns(self._triples, 3), columns(self._statements, 2), columns(self._qualifiers, 3))

    def _texts(self, found: Settled) -> TextsInMemory:
        entities, aliases = [], []
        for number, key in enumerate(found.keys):
            label, others = self._labels.best(key)
            label = entity_label(key) if label is None else label
            entities.append(EntityText(label, key, self._descriptions.best(key)[0] or ""))
            known = {normalise(label)}
            for alias in sorted(others | self._aliases.get(key, set())):
                # An alias that differs in case or accents only would be found anyway.
                norm = normalise(alias)
                if norm not in known:
                    known.add(norm)
                    aliases.append(Alias(number, alias))
        entities += [EntityText(literal_label(literal), None, "") for literal in found.literals]
        return TextsInMemory(entities, found.literals, aliases, self.relation_texts(found.relation_keys))

    def _passage_rows(self, keys: list[str]) -> list[tuple[str, list[int]]]:
        """Passages about entities that triples name, in the order of their text."""
        ids = {key: number for number, key in enumerate(keys)} if self._passages else {}
        rows = []
        for text in sorted(self._passages):
            entities = sorted(ids[key] for key in self._passages[text] if key in ids)
            if entities:
                rows.append((text, entities))
        return rows

    def relation_texts(self, keys: Iterable[str]) -> list[RelationText]:
        """The words of relations, by what was said of them."""
        return [self._relation_text(key) for key in keys]

    def _relation_text(self, key: str) -> RelationText:
        label, others = self._relation_labels.best(key)
        # A source that labels properties as it labels things (RDF) uses label() and alias() for both.
        named, also = self._labels.best(key)
        label = label or named or relation_label(key)
        text = self._relation_texts.get(key, RelationText(key, ""))
        aliases = {*text.aliases, *others, *also, *self._aliases.get(key, ())} - {label}
        description = text.description or self._descriptions.best(key)[0] or ""
        return RelationText(key, label, tuple(sorted(aliases)), description, text.inverse_label)


def _write_arrays_and_manifest(
    folder: Path,
    csr: Csr,
    counts: dict[str, int],
    texts: TextsInMemory,
    about: dict[str, Any],
    more: Mapping[str, np.ndarray],
) -> dict[str, Any]:
    if csr.n_statements:
        counts = counts | {STATEMENTS_COUNT: csr.n_statements, QUALIFIERS_COUNT: len(csr.qualifier_value)}
    arrays = {name: getattr(csr, name) for name in header.arrays_of(counts)} | dict(more)
    leads, n_relations = type_relations(texts.relations), len(texts.relations)
    arrays[KINDS_ARRAY] = relation_kinds(csr, leads, n_relations)
    types = type_table(csr, leads, n_relations)
    if len(types):
        arrays[TYPES_ARRAY] = types
        counts = counts | {TYPES_COUNT: len(types)}
    values = LiteralValues.of(texts.every_literal)
    if values.axes:
        arrays |= values.arrays
        counts = counts | {AXES_COUNT: len(values.axes)}
        about = about | {"axes": list(values.axes)}
    files = {f"{name}.npy": write_array(folder / f"{name}.npy", column) for name, column in arrays.items()}
    return write_manifest(folder, csr, files, counts, texts.relations, about)
