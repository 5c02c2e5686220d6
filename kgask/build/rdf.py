"""RDF into triples: N-Triples, N-Quads, Turtle, RDF/XML, JSON-LD, parsed by pyoxigraph.

Texts for people (rdfs:label, skos:prefLabel, skos:altLabel, schema:name,
schema:description, rdfs:comment and their like) name things and are no
triples. Every other triple is kept, rdf:type too; graph names are dropped.
Quoted triples (RDF 1.2: ``<< >>``, ``{| |}``, rdf:reifies) and Wikidata's
statement nodes become qualifiers (:mod:`kgask.build.statements`). Wikidata
IRIs become Wikidata ids (Q42, P50), so that RDF and tables meet. Blank nodes
are named by source and order of appearance, and called by their values; a list
is its members (:mod:`kgask.build.blank_nodes`).
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Any, BinaryIO, cast
from urllib.parse import quote

from kgask.build.blank_nodes import FIRST, LIST, NIL, REST, BlankNodes
from kgask.build.json_depth import JsonGuard
from kgask.build.readable import entity_label, spelled_apart
from kgask.build.said_times import iso_time
from kgask.build.schema_org import with_context
from kgask.build.source import Problems, display
from kgask.build.statements import Role, role_of
from kgask.build.tables import singular
from kgask.build.terms import Value
from kgask.build.writer import PackBuilder
from kgask.build.xml import XmlGuard
from kgask.errors import BuildError
from kgask.pack.literals import parse_literal
from kgask.pack.records import Literal, LiteralKind

_RDFS = "http://www.w3.org/2000/01/rdf-schema#"
_SKOS = "http://www.w3.org/2004/02/skos/core#"
_SCHEMA = ("http://schema.org/", "https://schema.org/")
_XSD = "http://www.w3.org/2001/XMLSchema#"
_PREF_LABEL = f"{_SKOS}prefLabel"
# In order: when two predicates name a thing in the same language, the first wins.
_LABELS = (
    f"{_RDFS}label",
    _PREF_LABEL,
    *(f"{schema}name" for schema in _SCHEMA),
    "http://xmlns.com/foaf/0.1/name",
    "http://purl.org/dc/terms/title",
    "http://purl.org/dc/elements/1.1/title",
)
_ALIASES = (f"{_SKOS}altLabel", *(f"{schema}alternateName" for schema in _SCHEMA))
_DESCRIPTIONS = (
    *(f"{schema}description" for schema in _SCHEMA),
    f"{_RDFS}comment",
    "http://purl.org/dc/terms/description",
)
# Predicate -> what it gives (label, alias or description), its place among those that give the same, and how many
# these are.
TEXTS = {
    predicate: (kind, place, len(predicates))
    for kind, predicates in (("label", _LABELS), ("alias", _ALIASES), ("description", _DESCRIPTIONS))
    for place, predicate in enumerate(predicates)
}
# What a vocabulary of one's own calls names by, by the last part of its IRI: where nothing above names a thing.
_OWN_NAMES = ("name", "label", "fullname", "displayname", "hasname", "preferredname")
_LEAST_OWN, _DIFFERENT_OWN, _MOST_OWN = 2, 0.8, 100_000  # things that are named so, and the share of different names
_OWN_RANK = 1000  # behind those of all languages
# SKOS says that the one is the other read the other way round; a thesaurus has mostly one of them.
_INVERSES = {f"{_SKOS}broader": f"{_SKOS}narrower", f"{_SKOS}narrower": f"{_SKOS}broader"}
_DATES = {f"{_XSD}{name}" for name in ("date", "dateTime", "gYear", "gYearMonth", "dateTimeStamp")}
_TIME = f"{_XSD}time"
_INTEGERS = ("integer", "long", "int", "short", "byte", "nonNegativeInteger", "positiveInteger",
             "nonPositiveInteger", "negativeInteger", "unsignedLong", "unsignedInt", "unsignedShort",
             "unsignedByte")  # fmt: skip
_NUMBERS = {f"{_XSD}{name}" for name in ("decimal", "double", "float", *_INTEGERS)}
_WIKIDATA = re.compile(r"https?://www\.wikidata\.org/(?:entity|prop/direct|wiki)/([QPL]\d+)")
_WIKIDATA_NODE = re.compile(r"https?://www\.wikidata\.org/(entity/statement|value|reference)/")
_OF_CLASSES = ("http://www.w3.org/1999/02/22-rdf-syntax-ns#type", f"{_RDFS}subClassOf")
_LOCAL = re.compile(r"[/#:]")
_REIFIES = "http://www.w3.org/1999/02/22-rdf-syntax-ns#reifies"
_FREE_SECONDS, _SECONDS_A_BYTE = 5.0, 5e-6  # of the parser, which takes a twentieth of it for what is meant well
_UNTAGGED = 1  # a text without a language ranks between the languages asked for and all others


def read_rdf(
    stream: BinaryIO,
    name: str,
    number: int,
    format: str,
    builder: PackBuilder,
    problems: Problems,
    languages: Sequence[str],
) -> None:
    """Add every triple and text of one RDF source; ``number`` tells the blank nodes of sources apart."""
    reader = RdfReader(builder, number, [language.lower() for language in languages])
    source = display(name)
    for quad in _quads(stream, source, format, problems):
        try:
            reader.take(quad)
        except BuildError as error:
            # The parser gives no line for a statement that is good RDF but cannot be in a pack.
            problems.broken(source, None, f"{error}: {_statement(quad)}")
    reader.settle()


def _quads(stream: BinaryIO, source: str, format: str, problems: Problems) -> Iterator[Any]:
    from pyoxigraph import RdfFormat, parse

    known = {
        "nt": RdfFormat.N_TRIPLES,
        "nq": RdfFormat.N_QUADS,
        "ttl": RdfFormat.TURTLE,
        "rdf": RdfFormat.RDF_XML,
        "jsonld": RdfFormat.JSON_LD,
    }
    if guard := {"rdf": XmlGuard, "jsonld": JsonGuard}.get(format):
        stream = cast(BinaryIO, guard(stream, source))
    # What is named relative to the document is that, wherever the file lies; JSON-LD leaves it out without a base.
    base = None if format in ("nt", "nq") else f"file:///{quote(PurePath(source).name)}"
    try:
        read = _Read(with_context(stream) if format == "jsonld" else stream)
    except SyntaxError as error:
        problems.broken(source, error.lineno, _reason(error, format))
        return
    quads, spent = parse(cast(BinaryIO, read), format=known[format], base_iri=base), 0.0
    while True:
        began = time.process_time()
        try:
            quad = next(quads)
        except StopIteration:
            return
        except SyntaxError as error:
            # The parser finds the next statement by itself, except in XML and JSON.
            problems.broken(source, error.lineno, _reason(error, format))
            if format in ("rdf", "jsonld"):
                return
            continue
        except MemoryError as error:  # what the parser says of a statement that its buffer does not hold
            raise BuildError(f"{source}:{read.n_lines + 1}: a statement or literal is too long ({error})") from None
        spent += time.process_time() - began
        if spent > _FREE_SECONDS + _SECONDS_A_BYTE * read.n_bytes:
            why = "its contexts or prefixes cost far more than its size"
            raise BuildError(f"{source}:{read.n_lines + 1}: {spent:.0f} s for {read.n_bytes:,} bytes: {why}")
        yield quad


class _Read:
    """A stream that knows how many bytes and lines were read from it."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream, self.n_bytes, self.n_lines = stream, 0, 0

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(size)
        self.n_bytes += len(data)
        self.n_lines += data.count(b"\n")
        return data


def _reason(error: SyntaxError, format: str) -> str:
    """The parser's words without the place, which is told before them."""
    text = re.sub(r"^Parser error (at|between) line .*?: ", "", " ".join(str(error.msg).split()))
    if format in ("nt", "nq") and "subject of a triple" in text:
        text += "; << quoted triples >> are read as Turtle: --format ttl"
    if "remote contexts" in text:
        text = "a context elsewhere, which is never fetched; write the context into the file"
    return text


def _statement(quad: Any, limit: int = 120) -> str:
    text = f"{quad.subject} {quad.predicate} {quad.object}"
    return text if len(text) <= limit else text[:limit] + "..."


class RdfReader:
    """One source's statements, given to the builder as triples or texts."""

    def __init__(self, builder: PackBuilder, number: int, languages: list[str]) -> None:
        from pyoxigraph import BlankNode, NamedNode, Triple
        from pyoxigraph import Literal as RdfLiteral

        self._types = (NamedNode, BlankNode, RdfLiteral, Triple)
        self._builder = builder
        self._number = number
        self._languages = languages
        self._blank: dict[str, str] = {}
        self.blank = BlankNodes(builder)
        self._keys: dict[str, str] = {}
        self._classes: set[str] = set()
        self._own_names: dict[str, dict[str, str]] = {}  # by predicate, of each thing

    def settle(self) -> None:
        """Give what waited for the end of the source: blank nodes, and names by a vocabulary of one's own."""
        self.blank.settle()
        for predicate, named in self._own_names.items():
            are_names = len({*named.values()}) >= max(_LEAST_OWN, _DIFFERENT_OWN * len(named))
            for key, text in named.items():
                if are_names:
                    self._builder.label(key, text, _OWN_RANK)
                else:
                    self._builder.add(key, self._iri(predicate), literal_of(text, ""))

    def _may_be_named(self, key: str, predicate: str, obj: Any) -> bool:
        """Whether a text may be what a thing is called, by a vocabulary of one's own; then it is kept until the end."""
        named = self._own_names.get(predicate, {})
        is_name = isinstance(obj, self._types[2]) and _LOCAL.split(predicate)[-1].lower() in _OWN_NAMES
        if not is_name or not obj.value.strip() or key in named or len(named) >= _MOST_OWN or key.startswith("_:"):
            return False
        self._own_names.setdefault(predicate, {})[key] = obj.value
        return True

    def take(self, quad: Any) -> None:
        predicate, obj = quad.predicate.value, quad.object
        if predicate == _REIFIES:
            self._take_reified(self._key(quad.subject), obj)
        elif isinstance(obj, self._types[2]) and predicate in TEXTS:
            self.take_text(self._key(quad.subject), predicate, obj.value, obj.language)
        elif not self._is_aside(quad.subject, predicate) and not (
            self._may_be_named(self._key(quad.subject), predicate, obj)
        ):
            self._take_triple(self._key(quad.subject), predicate, self._value(obj), obj)

    def _take_triple(self, subject: str, predicate: str, value: Value, obj: Any) -> None:
        """What blank nodes have to do with waits until the source is read (:mod:`kgask.build.blank_nodes`)."""
        if predicate in _OF_CLASSES:
            self._name_class(value)
        if predicate == _OF_CLASSES[1]:
            self._name_class(subject)
        is_blank = subject.startswith("_:")
        if is_blank and predicate in (FIRST, REST):
            self.blank.element(subject, predicate, value)
        elif isinstance(obj, self._types[1]):
            self.blank.leads_to(subject, self._iri(predicate), str(value))
        elif value != NIL and not (is_blank and value == LIST):
            self._builder.add(subject, self._iri(predicate), value)
            if (other_way := _INVERSES.get(predicate)) is not None and isinstance(value, str):
                self._builder.add(value, self._iri(other_way), subject)
            if is_blank:
                self.blank.says(subject, value)

    def _name_class(self, key: Value) -> None:
        """A class that nothing names is called by the words of its IRI: "Glove Puppet" for ``ex:GlovePuppet``."""
        if isinstance(key, str) and "://" in key and key not in self._classes:
            self._classes.add(key)
            words = spelled_apart(entity_label(key))
            if words != entity_label(key):
                self._builder.label(key, words, _OWN_RANK + 1)

    def _take_reified(self, node: str, triple: Any) -> None:
        """What is said of the node is said of the triple, which is taken as said too."""
        if not isinstance(triple, self._types[3]):
            raise BuildError("rdf:reifies leads to a triple, <<( subject predicate object )>>")
        try:
            subject, predicate, obj = self._key(triple.subject), triple.predicate.value, self._value(triple.object)
            if predicate in TEXTS:
                self._builder.stands_for(node)
            else:
                self._builder.add(subject, self._iri(predicate), obj, node=node)
        except BuildError:
            self._builder.stands_for(node)  # so that nothing said of it becomes a triple of its own
            raise

    def _value(self, term: Any) -> Value:
        return literal_of(term.value, term.datatype.value) if isinstance(term, self._types[2]) else self._key(term)

    def _is_aside(self, subject: Any, predicate: str) -> bool:
        """Whether this tells of a Wikidata statement what a pack does not hold: references, types, calendars."""
        return (
            isinstance(subject, self._types[0])
            and _WIKIDATA_NODE.match(subject.value) is not None
            and role_of(predicate)[0] == Role.PLAIN
        )

    def _key(self, term: Any) -> str:
        if isinstance(term, self._types[0]):
            return self._iri(term.value)
        if isinstance(term, self._types[1]):
            return self._blank.setdefault(term.value, f"_:s{self._number}n{len(self._blank)}")
        raise BuildError("a quoted triple cannot be in a pack")

    def _iri(self, iri: str) -> str:
        key = self._keys.get(iri)
        if key is None:
            key = self._keys[iri] = wikidata_id(iri) or iri
        return key

    def take_text(self, key: str, predicate: str, text: str, tag: str | None) -> None:
        """A name or description of ``key`` (one of :data:`TEXTS`), in the language of the tag."""
        if not text.strip():
            return
        language, (kind, place, n_places) = self._language_rank(tag), TEXTS[predicate]
        if kind != "alias":
            give = self._builder.label if kind == "label" else self._builder.description
            give(key, text, language * n_places + place)
            if predicate == _PREF_LABEL and language <= len(self._languages) and (one := singular(text)) != text:
                self._builder.alias(key, one)  # a thesaurus names what there are several of by the plural
        elif language <= len(self._languages):
            # Names in other languages would be found by accident and make more names ambiguous.
            self._builder.alias(key, text)

    def _language_rank(self, tag: str | None) -> int:
        """0 for the best language; ``en`` asks for ``en-GB`` too; untagged, then all others come last."""
        if tag is None:
            return len(self._languages)
        for rank, language in enumerate(self._languages):
            if tag.lower() == language or tag.lower().startswith(language + "-"):
                return rank
        return len(self._languages) + _UNTAGGED


def wikidata_id(iri: str) -> str | None:
    """The id in a Wikidata IRI of an entity or a direct relation; None for another IRI."""
    match = _WIKIDATA.fullmatch(iri)
    return match[1] if match else None


def literal_of(text: str, datatype: str) -> Literal:
    """A literal of the datatype's kind; ill-typed ones ("2021-02-30"^^xsd:date is legal RDF) stay strings.

    Raises :class:`BuildError` for an empty one.
    """
    kind: LiteralKind = "date" if datatype in (*_DATES, _TIME) else "number" if datatype in _NUMBERS else "string"
    text = iso_time(text) or text if datatype == _TIME else text
    text = text.removeprefix("+") if kind == "number" else text
    try:
        return parse_literal(kind, text)
    except ValueError:
        if not text.strip():
            raise BuildError("empty literal") from None
        return Literal("string", text)
