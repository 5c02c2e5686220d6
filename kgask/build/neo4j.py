"""Neo4j's CSV exports: the typed headers of neo4j-admin import, and the one table that APOC writes.

Nodes: ``personId:ID(Person),name,born:int,:LABEL``. Edges: ``:START_ID(Person),role,:END_ID(Film),:TYPE``.
APOC: ``_id,_labels,name,...,_start,_end,_type,...``. Files may come in any order.
https://neo4j.com/docs/operations-manual/current/import/ ("CSV file header format")
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import BinaryIO

from kgask.build.property_graph import PropertyGraph, types_of
from kgask.build.source import MAX_LINE_BYTES, Problems, display, open_source
from kgask.build.tsv import DELIMITER_CHOICES, rows
from kgask.build.writer import PackBuilder
from kgask.errors import BuildError

_FIELD = re.compile(
    r"(?P<name>.*?)(?::(?P<type>[A-Za-z_]+)(?P<many>\[\])?(?:\((?P<space>[^()]*)\))?(?:\{[^{}]*\})?)?", re.DOTALL
)
_ROLES = ("ID", "LABEL", "START_ID", "END_ID", "TYPE", "IGNORE")
_NUMBERS = ("int", "long", "short", "byte", "float", "double")
_APOC = ("_id", "_labels", "_start", "_end", "_type")
_ARRAY = ";"


@dataclass(frozen=True, slots=True)
class _Field:
    """One column of a header."""

    name: str
    type: str = ""  # lower case; "" for what it looks like
    is_many: bool = False
    role: str = ""  # of _ROLES
    space: str = ""  # of ids, which are told apart by it

    @classmethod
    def of(cls, text: str) -> _Field:
        if text in _APOC:
            return cls(text, role={"_id": "ID", "_labels": "LABEL"}.get(text, text.strip("_").upper() + "_ID"))
        found = _FIELD.fullmatch(text)
        assert found is not None
        name, type, space = found["name"], found["type"] or "", found["space"] or ""
        role = type if type in _ROLES else ""
        return cls(name, "" if role else type.lower(), bool(found["many"]), role, space)


def is_header(name: str) -> bool:
    """Whether a file begins as an export of Neo4j does."""
    with open_source(name) as stream:
        first = stream.readline(MAX_LINE_BYTES).decode(errors="replace").lstrip("\ufeff").rstrip("\r\n")
    roles = {field.role for field in _fields(first, _delimiter_of(first))}
    return bool(roles & {"ID", "START_ID"}) and bool(re.search(r":(?:START_)?ID\b|\A\"?_id\b", first))


def _delimiter_of(first: str) -> str:
    return max(DELIMITER_CHOICES, key=first.count)


def _fields(header: str, delimiter: str) -> list[_Field]:
    return [_Field.of(text.strip().strip('"')) for text in header.split(delimiter)]


def read_neo4j(
    stream: BinaryIO, name: str, builder: PackBuilder, problems: Problems, delimiter: str | None = None
) -> None:
    """Add the nodes or edges of one file."""
    source = display(name)
    peeked = stream.peek(MAX_LINE_BYTES) if hasattr(stream, "peek") else b""
    first = peeked.split(b"\n", 1)[0].decode(errors="replace")
    records = rows(stream, source, problems, delimiter or _delimiter_of(first), quoted=True)
    _, header = next(records, (0, []))
    reader = _Reader([_Field.of(text) for text in header], builder)
    if not reader.is_header:
        raise BuildError(f"{source}:1: no header of Neo4j's; write :ID, :LABEL, or :START_ID, :END_ID, :TYPE")
    for number, fields in records:
        try:
            reader.take(fields)
        except (BuildError, ValueError) as error:
            problems.broken(source, number, str(error))


class _Reader:
    """Rows of one file."""

    def __init__(self, fields: Sequence[_Field], builder: PackBuilder) -> None:
        self._fields, self._graph = fields, PropertyGraph(builder)
        # APOC has "_type", whose role here is TYPE_ID
        self._places = {field.role.replace("TYPE_ID", "TYPE"): at for at, field in enumerate(fields) if field.role}

    @property
    def is_header(self) -> bool:
        return "ID" in self._places or {"START_ID", "END_ID"} <= self._places.keys()

    def take(self, row: list[str]) -> None:
        if len(row) != len(self._fields):
            raise BuildError(f"{len(row)} fields, {len(self._fields)} expected (is the delimiter right?)")
        properties = {
            field.name: _typed(field, text)
            for field, text in zip(self._fields, row, strict=True)
            if not field.role and text
        }
        start = self._key("START_ID", row)
        if start:
            end = self._key("END_ID", row)
            if not end:
                raise BuildError("an edge without an end")
            self._graph.edge(start, self._text("TYPE", row), end, properties)
        elif key := self._key("ID", row):
            self._graph.node(key, _labels(self._text("LABEL", row)), properties)
        else:
            raise BuildError("neither a node (ID) nor an edge (START_ID)")

    def _text(self, role: str, row: list[str]) -> str:
        return row[self._places[role]] if role in self._places else ""

    def _key(self, role: str, row: list[str]) -> str:
        """The key of a node, which its id is within its space."""
        text = self._text(role, row)
        if not text:
            return ""
        field = self._fields[self._places[role]]
        space = field.space or ("node" if field.name in _APOC else "")
        return f"{space}/{text}" if space else text


def _labels(text: str) -> list[str]:
    return types_of(text) if text.startswith(":") else [part.strip() for part in text.split(_ARRAY) if part.strip()]


def _typed(field: _Field, text: str) -> object:
    """A property as its header types it."""
    if field.is_many:
        return [_number(field, part.strip()) for part in text.split(_ARRAY) if part.strip()]
    return _number(field, text)


def _number(field: _Field, text: str) -> object:
    if field.type not in _NUMBERS:
        return text
    try:
        return float(text) if "." in text or "e" in text.lower() else int(text)
    except ValueError:
        raise BuildError(f"{field.name}: {text[:40]!r} is no {field.type}") from None
