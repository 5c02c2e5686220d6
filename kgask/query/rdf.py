"""A pack as RDF: the view that the SPARQL of a query (:mod:`kgask.query.sparql`) is about.

::

    e:Q3        rdfs:label "Nile" ;  r:P2043 l:6650-km .          # every triple, as it is
    l:6650-km   kg:low 6650000.0 ; kg:high 6650000.0 ; kg:unit "m" ; kg:text "6650" ; rdfs:label "6650 km" .
    l:1811      kg:low -58074.0 ; kg:high -57710.0 ; kg:unit "date" ; kg:text "1811" ;
                kg:earliest "1811-01-01T00:00:00Z" ; kg:latest "1811-12-31T00:00:00Z" .
    _:s0        kg:subject e:Q7186 ; kg:relation r:P166 ; kg:object e:Q44585 ; q:P585 l:1911 .   # a statement

Keys become IRIs: one that is an absolute IRI stays as it is, any other is percent-encoded after the pack's prefix
(``iri_prefix`` in its manifest, else ``urn:kgask:``), a relation after that and ``relation/``, and as a qualifier after
``qualifier/``; a prefix that ends in ``/entity/`` is a Wikibase's, whose relations are in ``/prop/direct/`` and
``/prop/qualifier/``. A qualifier always has an IRI of its own, so that it is not taken for a triple of its statement.

A literal is a node ``urn:kgask:literal/KIND/TEXT[/UNIT]``: ``kg:low`` and ``kg:high`` (xsd:double) are the interval of
:mod:`kgask.pack.quantities` and ``kg:unit`` its axis: numbers in base units, dates in days since 1970-01-01. Dates have
``kg:earliest`` and ``kg:latest`` too (xsd:dateTime of XSD 1.1, midnight UTC; year 0000 is 1 BCE). Text has ``kg:text``
and a label only.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from urllib.parse import quote

import numpy as np

from kgask.errors import PackError
from kgask.pack.arrays import distinct
from kgask.pack.iris import ABSOLUTE, DEFAULT_PREFIX, IRI_PREFIX, is_prefix
from kgask.pack.literals import literal_key
from kgask.pack.quantities import DATE, date_of_day, quantity
from kgask.pack.records import Literal
from kgask.pack.store import Pack
from kgask.types import EntityId

VOCABULARY = "urn:kgask:vocabulary#"
LITERALS = "urn:kgask:literal/"
RDFS_LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
XSD = "http://www.w3.org/2001/XMLSchema#"
MAX_ENCODED = 400  # characters of a literal's IRI; the IRI of a longer one is a hash

_CHUNK = 1 << 14
_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r"})
# A unit is compared as text in SPARQL: what would need an escape there is percent-encoded.
_NOT_IN_UNITS = re.compile(r'[\x00-\x1f\x7f"\\]|%(?=[0-9A-Fa-f]{2})')


class Iris:
    """How the entities and relations of one pack are called in RDF.

    Raises :class:`~kgask.errors.PackError` for a manifest whose prefix is no IRI.
    """

    def __init__(self, pack: Pack) -> None:
        self._pack = pack
        prefix = pack.manifest.get(IRI_PREFIX, DEFAULT_PREFIX)
        if not isinstance(prefix, str) or not is_prefix(prefix):
            raise PackError(f"{pack.path}: iri_prefix in its manifest begins no absolute IRI: {str(prefix)[:60]!r}")
        self.entities = prefix
        root = prefix.removesuffix("entity/") if prefix.endswith("/entity/") else ""
        self.relations, self.qualifiers = (
            f"{root}prop/{wikibase}/" if root else f"{prefix}{ours}/"
            for wikibase, ours in (("direct", "relation"), ("qualifier", "qualifier"))
        )

    def of_entities(self, ids: Sequence[EntityId]) -> list[str]:
        """The IRIs of entities and literals, in the order asked."""
        literals = self._pack.literals(ids)
        return [
            self._iri(self.entities, key) if literal is None else literal_iri(literal)
            for key, literal in zip(self._pack.keys(ids), literals, strict=True)
        ]

    def of_relation(self, key: str) -> str:
        """The IRI of the relation with this key, between subject and object."""
        return self._iri(self.relations, key)

    def of_qualifier(self, key: str) -> str:
        """The IRI of the same relation between a statement and what it says besides."""
        return f"{self.qualifiers}{quote(key, safe='', errors='replace')}"

    def _iri(self, prefix: str, key: str) -> str:
        ours = (self.entities, self.relations, self.qualifiers, DEFAULT_PREFIX, RDFS_LABEL)
        if ABSOLUTE.fullmatch(key) and not key.startswith(ours):
            return key
        return f"{prefix}{quote(key, safe='', errors='replace')}"


def literal_iri(literal: Literal) -> str:
    """``urn:kgask:literal/number/6650/km``: the same for equal literals of any pack."""
    parts = [literal.kind, literal.text, *([literal.unit] if literal.unit else [])]
    iri = LITERALS + "/".join(quote(part, safe="", errors="replace") for part in parts)
    if len(iri) <= MAX_ENCODED:
        return iri
    digest = hashlib.sha256(literal_key(literal).encode("utf-8", "replace")).hexdigest()
    return f"{LITERALS}sha256/{digest}"


def unit_text(axis: str) -> str:
    """An axis as ``kg:unit`` has it: without characters that SPARQL would need to escape."""
    return _NOT_IN_UNITS.sub(lambda found: f"%{ord(found[0]):02X}", axis)


def midnight(day: float) -> str:
    """The xsd:dateTime of a day number.

    >>> midnight(0.0), midnight(-719529.0)
    ('1970-01-01T00:00:00Z', '-0001-12-31T00:00:00Z')
    """
    year, month, of_month = date_of_day(int(day))
    return f"{'-' if year < 0 else ''}{abs(year):04}-{month:02}-{of_month:02}T00:00:00Z"


def n_triples(pack: Pack, done: Callable[[int], None] = lambda _: None) -> Iterator[bytes]:
    """The whole view as N-Triples, in pieces of some thousand lines.

    ``done`` is called with how many of the pack's entities, triples and statements are written so far.
    """
    iris = Iris(pack)
    relations = [f"<{iris.of_relation(text.key)}>" for text in pack.relations()]
    qualifiers = [f"<{iris.of_qualifier(text.key)}>" for text in pack.relations()]
    label = f"<{RDFS_LABEL}>"
    for names in (relations, qualifiers):
        pairs = zip(names, pack.relation_labels(), strict=True)
        yield _bytes(f"{name} {label} {_quoted(text)} ." for name, text in pairs)
    for start in range(0, pack.n_entities, _CHUNK):
        entities = range(start, min(start + _CHUNK, pack.n_entities))
        yield _bytes(_about_entities(pack, iris, entities))
        done(entities.stop)
    for start in range(0, pack.n_triples, _CHUNK):
        ids = range(start, min(start + _CHUNK, pack.n_triples))
        rows = _triples(pack, iris, relations, ids)
        yield _bytes(f"{s} {r} {o} ." for s, r, o in rows)
        done(pack.n_entities + ids.stop)
    for start in range(0, pack.n_statements, _CHUNK):
        rows_of = range(start, min(start + _CHUNK, pack.n_statements))
        yield _bytes(_about_statements(pack, iris, relations, qualifiers, rows_of))
        done(pack.n_entities + pack.n_triples + rows_of.stop)


def _about_entities(pack: Pack, iris: Iris, ids: range) -> Iterator[str]:
    for iri, text, literal in zip(iris.of_entities(ids), pack.labels(ids), pack.literals(ids), strict=True):
        node = f"<{iri}>"
        yield f"{node} <{RDFS_LABEL}> {_quoted(text)} ."
        if literal is None:
            continue
        yield f"{node} <{VOCABULARY}text> {_quoted(literal.text)} ."
        found = quantity(literal)
        if found is None:
            continue
        yield f"{node} <{VOCABULARY}unit> {_quoted(unit_text(found.axis))} ."
        for name, number in (("low", found.low), ("high", found.high)):
            yield f'{node} <{VOCABULARY}{name}> "{number!r}"^^<{XSD}double> .'
        if found.axis == DATE:
            for name, number in (("earliest", found.low), ("latest", found.high)):
                yield f'{node} <{VOCABULARY}{name}> "{midnight(number)}"^^<{XSD}dateTime> .'


def _triples(
    pack: Pack, iris: Iris, relations: list[str], ids: Sequence[int] | np.ndarray
) -> Iterator[tuple[str, str, str]]:
    """Subject, relation and object of triples, as terms of N-Triples."""
    subjects, of, objects = pack.triples(ids)
    named = _named(iris, subjects, objects)
    for subject, relation, obj in zip(subjects.tolist(), of.tolist(), objects.tolist(), strict=True):
        yield named[subject], relations[relation], named[obj]


def _about_statements(
    pack: Pack, iris: Iris, relations: list[str], qualifiers: list[str], rows: range
) -> Iterator[str]:
    ends = pack.qualifier_indptr[rows.start : rows.stop + 1].tolist()
    said_by, said = (array[ends[0] : ends[-1]] for array in (pack.qualifier_relation, pack.qualifier_value))
    values = _named(iris, said)
    of = _triples(pack, iris, relations, pack.statement_triple[rows.start : rows.stop])
    for row, triple, low, high in zip(rows, of, ends[:-1], ends[1:], strict=True):
        node = f"_:s{row}"
        for name, term in zip(("subject", "relation", "object"), triple, strict=True):
            yield f"{node} <{VOCABULARY}{name}> {term} ."
        for at in range(low - ends[0], high - ends[0]):
            yield f"{node} {qualifiers[int(said_by[at])]} {values[int(said[at])]} ."


def _named(iris: Iris, *ids: np.ndarray) -> dict[int, str]:
    """The term of each entity, looked up in one batch."""
    entities = distinct(np.concatenate(ids)).tolist()
    return {entity: f"<{iri}>" for entity, iri in zip(entities, iris.of_entities(entities), strict=True)}


def _quoted(text: str) -> str:
    return f'"{text.translate(_ESCAPES)}"'


def _bytes(lines: Iterator[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")
