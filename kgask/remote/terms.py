"""RDF terms of an endpoint and what a pack knows them by: keys of entities and relations, literals."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import quote, unquote

from kgask.build.rdf import literal_of, wikidata_id
from kgask.build.terms import checked
from kgask.errors import BuildError
from kgask.pack.iris import ABSOLUTE, DEFAULT_PREFIX
from kgask.pack.literals import parse_literal
from kgask.pack.records import Literal
from kgask.query.rdf import LITERALS, VOCABULARY, XSD
from kgask.remote.endpoint import Cell, is_iri

WIKIDATA_PREFIX = "http://www.wikidata.org/entity/"
_STRING = f"{XSD}string"
_TYPES_OF = {  # what a literal of a kind may be there, by the length of its text for dates
    "number": ("integer", "decimal", "double"),
    4: ("gYear", "integer"),
    7: ("gYearMonth",),
    10: ("date",),
}
_QUOTED = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"})


class Keys:
    """Turns IRIs into keys: the inverse of :class:`kgask.query.rdf.Iris`, whose prefixes it is given."""

    def __init__(self, entities: str, relations: str) -> None:
        self._entities, self._relations = entities, relations

    def relation(self, iri: str) -> str | None:
        """The key of a relation; None for what is none of a pack: of kgask's own vocabulary."""
        if iri.startswith(VOCABULARY):
            return None
        return self.local(iri, self._relations) or wikidata_id(iri) or self._whole(iri)

    def entity(self, iri: str) -> str | None:
        """The key of an entity; None for an IRI that could not be asked for by it."""
        return self.local(iri, self._entities) or wikidata_id(iri) or self._whole(iri)

    @staticmethod
    def local(iri: str, prefix: str) -> str | None:
        """The key behind a prefix; None for an IRI that does not begin so, or is not written as one of a key."""
        rest = iri.removeprefix(prefix)
        if rest == iri or not rest:
            return None
        key = unquote(rest, errors="replace")
        return key if quote(key, safe="") == rest else None

    @staticmethod
    def _whole(iri: str) -> str | None:
        return iri if ABSOLUTE.fullmatch(iri) and not iri.startswith(DEFAULT_PREFIX) else None


def literal_node(iri: str) -> Literal | None:
    """The literal that an IRI of kgask's own view stands for; None for another, or for one that is a hash."""
    rest = iri.removeprefix(LITERALS)
    kind, *texts = map(unquote, rest.split("/"))
    if rest == iri or kind == "sha256" or len(texts) not in (1, 2):
        return None
    try:
        return parse_literal(kind, *texts)
    except ValueError:
        return None


def literal_in(cell: Cell) -> Literal | None:
    """The literal of a row; None for one that a pack cannot hold."""
    try:
        literal = literal_of(cell["value"], cell.get("datatype", _STRING))
        checked(literal.text, "literal")
    except BuildError:
        return None
    return literal


def term_in(cell: Cell) -> str:
    """An IRI or literal of a row as it is written in a query."""
    if cell["type"] == "uri":
        return f"<{cell['value']}>"
    text = _text(cell["value"])
    if tag := cell.get("xml:lang", ""):
        return f"{text}@{tag}" if tag.replace("-", "").isalnum() and tag.isascii() else text
    datatype = cell.get("datatype", "")
    return f"{text}^^<{datatype}>" if is_iri(datatype) else text


def terms_of(literal: Literal, languages: Iterable[str]) -> list[str]:
    """How an endpoint may write a literal of which no term was seen."""
    text = _text(literal.text)
    if literal.kind == "string":
        return [text, *(f"{text}@{tag}" for tag in languages)]
    types = _TYPES_OF.get(literal.kind) or _TYPES_OF.get(len(literal.text), ("dateTime",))
    return [f"{text}^^<{XSD}{name}>" for name in types]


def _text(text: str) -> str:
    """Quoted; a control character or half a character that no query may hold becomes a question mark."""
    plain = "".join(c if c in "\n\r\t" or c >= " " else "?" for c in text).encode("utf-8", "replace").decode()
    return f'"{plain.translate(_QUOTED)}"'
