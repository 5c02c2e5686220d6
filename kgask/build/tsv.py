"""Tables of triples and of texts: TSV, CSV and ``subject|relation|object`` lines.

One record a line. Fields are stripped of surrounding blanks; empty lines and
comments (lines of ``#`` alone or beginning with ``# ``) are passed over.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import BinaryIO

from kgask.build.source import MAX_LINE_BYTES, Problems, display, numbered_lines
from kgask.build.writer import PackBuilder
from kgask.errors import BuildError, UsageError
from kgask.pack.literals import parse_literal, parse_typed
from kgask.pack.records import Literal, LiteralKind

TRIPLE_COLUMNS = ("subject", "relation", "object")
LABEL_COLUMNS = ("subject_label", "relation_label", "object_label")
IGNORED = "_"
DELIMITERS = {"tsv": "\t", "csv": ",", "pipe": "|"}


@dataclass(frozen=True, slots=True)
class TableFormat:
    """How the lines of a table of triples are read."""

    delimiter: str = "\t"
    quoted: bool = False  # CSV quoting
    columns: tuple[str, ...] = ()  # () = subject, relation, object, or as the header says
    header: bool = False
    literals: Mapping[str, tuple[LiteralKind, str]] = field(default_factory=dict)  # relation -> kind, unit


def check_columns(columns: Sequence[str]) -> tuple[str, ...]:
    """Column names, each known and the three of a triple among them; else :class:`UsageError`."""
    known = (*TRIPLE_COLUMNS, *LABEL_COLUMNS, IGNORED)
    for column in columns:
        if column not in known:
            raise UsageError(f"unknown column {column!r} (known: {', '.join(known)})")
    for column in (*TRIPLE_COLUMNS, *LABEL_COLUMNS):
        if columns.count(column) > 1 or (column in TRIPLE_COLUMNS and column not in columns):
            raise UsageError(f"column {column!r} must be named once in {','.join(columns)!r}")
    return tuple(columns)


def rows(
    stream: BinaryIO, source: str, problems: Problems, delimiter: str, quoted: bool = False
) -> Iterator[tuple[int, list[str]]]:
    """(line number, fields) of every record; lines that cannot be read go to ``problems``."""
    for number, line in numbered_lines(stream):
        if line is None:
            problems.broken(source, number, f"line longer than {MAX_LINE_BYTES} bytes")
            continue
        if number == 1:
            line = line.removeprefix(b"\xef\xbb\xbf")
        if not line or line.isspace() or line == b"#" or line.startswith(b"# "):
            continue
        try:
            text = line.decode()
        except UnicodeDecodeError as error:
            problems.broken(source, number, f"not UTF-8 at byte {error.start + 1}")
            continue
        if "\0" in text:
            problems.broken(source, number, "NUL byte")
            continue
        try:
            fields = next(csv.reader([text], delimiter=delimiter, strict=True)) if quoted else text.split(delimiter)
        except csv.Error as error:
            problems.broken(source, number, f"CSV: {error} (a quoted field ends on its line)")
            continue
        yield number, [field.strip() for field in fields]


def read_triples(stream: BinaryIO, name: str, builder: PackBuilder, problems: Problems, table: TableFormat) -> None:
    """Add every triple (and the labels beside it) to ``builder``."""
    source = display(name)
    # Longer fields than csv allows by default are stopped by the length of the line.
    csv.field_size_limit(2 * MAX_LINE_BYTES)
    records = rows(stream, source, problems, table.delimiter, table.quoted)
    columns = table.columns or TRIPLE_COLUMNS
    if table.header:
        _, names = next(records, (0, []))
        if not table.columns:
            columns = _columns_of_header(names, source)
    places = [columns.index(column) for column in TRIPLE_COLUMNS]
    labels = _label_setters(builder, columns)
    for number, fields in records:
        try:
            if len(fields) != len(columns):
                raise BuildError(_wrong_count(fields, columns))
            subject, relation, obj = (fields[place] for place in places)
            builder.add(subject, relation, _object(obj, table.literals.get(relation)))
            for key, text, setter in labels:
                if fields[text]:
                    setter(fields[key], fields[text])
        except (BuildError, ValueError) as error:
            problems.broken(source, number, str(error))


def _columns_of_header(names: Sequence[str], source: str) -> tuple[str, ...]:
    known = (*TRIPLE_COLUMNS, *LABEL_COLUMNS)
    columns = tuple(name if name in known else IGNORED for name in (n.lower() for n in names))
    try:
        return check_columns(columns)
    except UsageError as error:
        raise BuildError(f"{source}:1: header: {error}; --columns names them") from None


def _wrong_count(fields: Sequence[str], columns: Sequence[str]) -> str:
    advice = "--columns and --delimiter say which" if len(fields) > len(columns) else "is the delimiter right?"
    return f"{len(fields)} field{'s' * (len(fields) != 1)}, {len(columns)} expected ({advice})"


def _object(text: str, kind: tuple[LiteralKind, str] | None) -> str | Literal:
    """A key or a literal: written ``"text"^^kind``, or of a relation that has literals."""
    typed = parse_typed(text)
    if typed is not None:
        return typed
    return text if kind is None else parse_literal(kind[0], text, kind[1])


def _label_setters(builder: PackBuilder, columns: Sequence[str]) -> list[tuple[int, int, Callable[[str, str], None]]]:
    """(column of the key, column of its label, where the label goes)."""
    setters: list[tuple[int, int, Callable[[str, str], None]]] = []
    for column in LABEL_COLUMNS:
        if column in columns:
            owner = column.removesuffix("_label")
            setter: Callable[[str, str], None] = builder.relation if owner == "relation" else builder.label
            setters.append((columns.index(owner), columns.index(column), setter))
    return setters
