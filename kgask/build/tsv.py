"""Tables of triples and of texts: TSV, CSV and ``subject|relation|object`` lines.

One record a line, or several in CSV where a quoted field has line breaks, which
count as blanks. Fields are stripped of surrounding blanks; empty lines and
comments (lines of ``#`` alone or beginning with ``# ``) are passed over.
"""

from __future__ import annotations

import csv
import io
import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, islice
from typing import BinaryIO

from kgask.build.source import MAX_LINE_BYTES, Problems, display, numbered_lines
from kgask.build.terms import Value
from kgask.build.writer import PackBuilder
from kgask.errors import BuildError, UsageError
from kgask.pack.literals import parse_literal, parse_typed
from kgask.pack.records import LiteralKind

TRIPLE_COLUMNS = ("subject", "relation", "object")
LABEL_COLUMNS = ("subject_label", "relation_label", "object_label")
IGNORED = "_"
QUALIFIER_COLUMNS = ("qualifier", "value")  # a relation and, in the next column, its value; repeated by REPEATED
OF_RELATION = "qualifier:"  # before a relation: the column holds its values
REPEATED = "..."
_MOST_LINES = 200  # of one record
DELIMITERS = {"tsv": "\t", "csv": ",", "pipe": "|"}


DELIMITER_CHOICES = (",", ";", "\t", "|")
# What the columns of a triple are called in a first line, without what stands behind ("source_id", "Target Node").
_CALLED = (
    frozenset("subject subj s source src head from start entity node1 node_1 node_from from_node e1 entity1".split()),
    frozenset("relation rel predicate pred p property relationship edge attribute verb relation_type rel_type "
              "relationship_type edge_type link_type edge_label interaction".split()),
    frozenset("object obj o target tgt tail to end value node2 node_2 node_to to_node e2 entity2".split()),
)  # fmt: skip
_PERHAPS = ("label", "type", "kind")  # the relation, between what is surely called so:
_ENDS = frozenset("subject object source target src tgt head tail node1 node2 e1 e2 entity1 entity2".split())
_BEHIND = re.compile(r"[ _](?:id|node|key|iri|uri)\Z")
_NUMBERS = frozenset("id edge_id row index #".split())  # of lines, which say nothing
LiteralRule = tuple[LiteralKind, str]  # kind and unit of what a relation leads to


@dataclass(frozen=True, slots=True)
class TableFormat:
    """How the lines of a table of triples are read."""

    delimiter: str = "\t"
    quoted: bool = False  # CSV quoting
    columns: tuple[str, ...] = ()  # () = subject, relation, object, or as the header says
    header: bool = False
    literals: Mapping[str, LiteralRule] = field(default_factory=dict)
    recognise: bool = False  # another delimiter, and a first line that names the columns


def check_columns(columns: Sequence[str]) -> tuple[str, ...]:
    """Column names, each known and the three of a triple among them; else :class:`UsageError`."""
    known = (*TRIPLE_COLUMNS, *LABEL_COLUMNS, *QUALIFIER_COLUMNS, IGNORED)
    for column, following in zip(columns, (*columns[1:], ""), strict=True):
        if column == REPEATED:
            if following or tuple(columns[-3:-1]) != QUALIFIER_COLUMNS:
                raise UsageError("'...' stands at the end, after qualifier,value: --columns ...,qualifier,value,...")
        elif column == OF_RELATION:
            raise UsageError("'qualifier:' needs a relation behind it, such as 'qualifier:point in time'")
        elif column not in known and not column.startswith(OF_RELATION):
            names = ", ".join((*known, "qualifier:RELATION"))
            raise UsageError(f"unknown column {column!r} (known: {names}; ... after qualifier,value repeats them)")
        if (column == "qualifier") != (following == "value"):
            raise UsageError(
                "columns 'qualifier' and 'value' come in pairs: qualifier,value; or qualifier:RELATION for values alone"
            )
    for column in (*TRIPLE_COLUMNS, *LABEL_COLUMNS):
        if columns.count(column) > 1 or (column in TRIPLE_COLUMNS and column not in columns):
            raise UsageError(f"column {column!r} must be named once in {','.join(columns)!r}")
    return tuple(columns)


def rows(
    stream: BinaryIO,
    source: str,
    problems: Problems,
    delimiter: str,
    quoted: bool = False,
    n_before: int = 0,
    windows: bool = False,
) -> Iterator[tuple[int, list[str]]]:
    """(number of the first line, fields) of every record; lines that cannot be read go to ``problems``.

    ``n_before`` lines of the source come before the stream. ``windows``: what is not UTF-8 is Windows-1252.
    """
    lines = _Lines(_texts(stream, source, problems, n_before, windows))
    for number, text in lines:
        if not text or text.isspace() or text == "#" or text.startswith("# "):
            continue
        try:
            fields = _quoted(text, lines, delimiter) if quoted else text.split(delimiter)
        except csv.Error as error:
            problems.broken(source, number, f"CSV: {error}")
            continue
        yield number, [" ".join(field.splitlines()).strip() for field in fields]


def _texts(
    stream: BinaryIO, source: str, problems: Problems, n_before: int, windows: bool
) -> Iterator[tuple[int, str]]:
    """(number, text) of every line that is text."""
    for number, line in numbered_lines(stream, unended=partial(problems.cut, source)):
        number += n_before
        if line is None:
            problems.broken(source, number, f"line longer than {MAX_LINE_BYTES} bytes")
            continue
        if number == 1:
            line = line.removeprefix(b"\xef\xbb\xbf")
        try:
            text = decoded(line, windows)
        except UnicodeDecodeError as error:
            advice = "of Excel on Windows: iconv -f WINDOWS-1252 -t UTF-8"
            problems.broken(source, number, f"not UTF-8 at byte {error.start + 1}; {advice}")
            continue
        if number == 1 and declared_delimiter(text):
            continue
        if "\0" in text:
            is_utf_16 = number == 1 and text[1::2].count("\0") > len(text) // 3
            advice = "; of UTF-16 without a byte order mark: iconv -f UTF-16LE -t UTF-8" if is_utf_16 else ""
            problems.broken(source, number, f"NUL byte{advice}")
            continue
        yield number, text


def decoded(line: bytes, windows: bool) -> str:
    """UTF-8, or else what Excel writes on Windows; UnicodeDecodeError for what is neither.

    >>> decoded("Zoë".encode(), True), decoded("Zoë".encode("cp1252"), True)
    ('Zoë', 'Zoë')
    """
    try:
        return line.decode()
    except UnicodeDecodeError:
        if not windows:
            raise
        return line.decode("cp1252")


class _Lines:
    """Numbered lines, of which some can be given back."""

    def __init__(self, lines: Iterator[tuple[int, str]]) -> None:
        self._lines, self._back = lines, deque[tuple[int, str]]()

    def __iter__(self) -> Iterator[tuple[int, str]]:
        return self

    def __next__(self) -> tuple[int, str]:
        return self._back.popleft() if self._back else next(self._lines)

    def give_back(self, taken: Sequence[tuple[int, str]]) -> None:
        """These come next again."""
        self._back.extendleft(reversed(taken))


def _quoted(text: str, lines: _Lines, delimiter: str) -> list[str]:
    """The fields of a record that begins with ``text`` and may go on in further lines.

    csv.Error where a quote is not closed within :data:`_MOST_LINES`: then no further line is taken.
    """
    taken: list[tuple[int, str]] = []

    def record() -> Iterator[str]:
        yield f"{text}\n"
        for line in islice(lines, _MOST_LINES):
            taken.append(line)
            yield f"{line[1]}\n"

    try:
        return next(csv.reader(record(), delimiter=delimiter, strict=True))
    except csv.Error as error:
        lines.give_back(taken)
        raise csv.Error(f"a quote is not closed ({error})" if taken else str(error)) from None


def read_triples(
    stream: BinaryIO,
    name: str,
    builder: PackBuilder,
    problems: Problems,
    table: TableFormat,
    tell: Callable[[str], None] = lambda line: None,
) -> None:
    """Add every triple, its qualifiers and the labels beside it to ``builder``; ``tell`` gets what was recognised."""
    source = display(name)
    # Longer fields than csv allows by default are stopped by the length of the line.
    csv.field_size_limit(2 * MAX_LINE_BYTES)
    delimiter = delimiter_of(stream, table.delimiter) if table.recognise else table.delimiter
    records = rows(stream, source, problems, delimiter, table.quoted)
    columns, records = columns_of(records, source, table, tell)
    if delimiter != table.delimiter:
        tell(f"{source}: fields end with {delimiter!r}")
    reader = TableReader(builder, columns, table.literals)
    for number, fields in records:
        try:
            reader.take(fields)
        except (BuildError, ValueError) as error:
            problems.broken(source, number, str(error))


def columns_of(
    records: Iterator[tuple[int, list[str]]], source: str, table: TableFormat, tell: Callable[[str], None]
) -> tuple[Sequence[str], Iterator[tuple[int, list[str]]]]:
    """The columns as told or as the first record names them, and the records of triples."""
    columns: Sequence[str] = table.columns or TRIPLE_COLUMNS
    if table.header:
        _, names = next(records, (0, []))
        if not table.columns:
            columns = _columns_of_header(names, source)
    elif table.recognise and not table.columns and (first := next(records, None)) is not None:
        named = _columns_named(first[1])
        if named:
            more = [column.removeprefix(OF_RELATION) for column in named if column.startswith(OF_RELATION)]
            kept = f" ({', '.join(more)}: qualifiers)" if more else ""
            tell(f"{source}: the first line names the columns{kept}; --text takes it for a triple")
        columns, records = named or columns, records if named else chain([first], records)
    return columns, records


class TableReader:
    """Lines of one table, given to the builder as triples, qualifiers and labels."""

    def __init__(self, builder: PackBuilder, columns: Sequence[str], literals: Mapping[str, LiteralRule]) -> None:
        self._builder = builder
        self._literals = literals
        self._is_repeated = columns[-1] == REPEATED
        self._columns = columns[:-1] if self._is_repeated else columns
        self._places = [columns.index(column) for column in TRIPLE_COLUMNS]
        self._labels = _label_setters(builder, columns)
        # (place of the value, its relation; "" when the field before it names the relation)
        self._qualifiers = [
            (place, column.removeprefix(OF_RELATION) if column != "value" else "")
            for place, column in enumerate(columns)
            if column == "value" or column.startswith(OF_RELATION)
        ]

    def take(self, fields: list[str]) -> None:
        """Add one line; BuildError and ValueError say what is wrong with it."""
        n_more = len(fields) - len(self._columns)
        if n_more and (n_more < -len(QUALIFIER_COLUMNS) or n_more % 2 or not self._is_repeated):
            raise BuildError(_wrong_count(fields, self._columns, self._is_repeated))
        subject, relation, obj = (fields[place] for place in self._places)
        qualifiers = self._qualifiers_of(fields) if self._qualifiers else ()
        self._builder.add(subject, relation, self._value(relation, obj), qualifiers)
        for key, text, setter in self._labels:
            if fields[text]:
                setter(fields[key], fields[text])

    def _qualifiers_of(self, fields: list[str]) -> list[tuple[str, Value]]:
        """What the line says besides its triple; empty fields say nothing."""
        found = []
        more = [(place, "") for place in range(len(self._columns) + 1, len(fields), 2)]
        for place, fixed in (*self._qualifiers, *more):
            if place >= len(fields):
                continue  # a repeated pair may be there no time
            relation, value = fixed or fields[place - 1], fields[place]
            if not fixed and bool(relation) != bool(value):
                what, lacks = ("qualifier", "value") if relation else ("value", "qualifier")
                raise BuildError(f"{what} {relation or value!r} without a {lacks} (leave both fields empty for none)")
            if value:
                found.append((relation, self._value(relation, value)))
        return found

    def _value(self, relation: str, text: str) -> Value:
        """A key or a literal: written ``"text"^^kind``, or of a relation that has literals."""
        kind = self._literals.get(relation)
        return parse_typed(text) or (text if kind is None else parse_literal(kind[0], text, kind[1]))


def _columns_of_header(names: Sequence[str], source: str) -> tuple[str, ...]:
    known = (*TRIPLE_COLUMNS, *LABEL_COLUMNS, *QUALIFIER_COLUMNS)
    columns = tuple(
        name if name.startswith(OF_RELATION) else name.lower() if name.lower() in known else IGNORED for name in names
    )
    try:
        return check_columns(columns)
    except UsageError as error:
        raise BuildError(f"{source}:1: header: {error}; --columns names them") from None


def columns_of_names(names: Sequence[str], source: str) -> tuple[str, ...]:
    """The columns that a table's own names for them mean; three that are called otherwise are a triple's, in order."""
    return _columns_named(names) or (TRIPLE_COLUMNS if len(names) == 3 else _columns_of_header(names, source))


def is_triple_header(names: Sequence[str]) -> bool:
    """Whether a first line names the columns of triples."""
    return bool(_columns_named(names))


def _columns_named(names: Sequence[str]) -> tuple[str, ...]:
    """The columns of a first line that names them as people do ("from, relation, to"); () for another line.

    Further columns hold qualifiers: "subject, relation, object, since".
    """
    plain = [_BEHIND.sub("", name.strip().lower()).replace(" ", "_") for name in names]
    places = [[at for at, name in enumerate(plain) if name in called] for called in _CALLED]
    if all(plain.count(column) == 1 for column in TRIPLE_COLUMNS):
        places = [[plain.index(column)] for column in TRIPLE_COLUMNS]
    elif places[1] == [1] and (len(plain) == 3 or (len(plain) > 3 and (places[0][:1] == [0] or places[2][:1] == [2]))):
        places = [[0], [1], [2]]  # "person, relation, what"
    elif not places[1]:
        are_ends = all(len(found) == 1 and plain[found[0]] in _ENDS for found in (places[0], places[2]))
        places[1] = [plain.index(name) for name in _PERHAPS if are_ends and name in plain][:1]
    if any(len(found) != 1 for found in places):
        return ()
    triple = {found[0]: column for found, column in zip(places, TRIPLE_COLUMNS, strict=True)}
    return tuple(triple.get(at, _further(name)) for at, name in enumerate(names))


def _further(name: str) -> str:
    """What a column beside those of a triple holds."""
    if name.lower() in LABEL_COLUMNS or name.lower().startswith(OF_RELATION):
        return name.lower() if name.lower() in LABEL_COLUMNS else name
    return f"{OF_RELATION}{name}" if name.strip("_ ") and name.lower() not in _NUMBERS else IGNORED


def declared_delimiter(line: str) -> str:
    """The delimiter that the first line of a table says as Excel has it ("sep=;"); "" for another line."""
    found = re.fullmatch(r'"?sep=(.)"?', line.removeprefix("\ufeff").rstrip("\r\n"), re.IGNORECASE)
    return found[1] if found else ""


def delimiter_of(stream: BinaryIO, usual: str) -> str:
    """The usual delimiter, or another one that the first line has twice where it has that less often ("a;b;3,5")."""
    lines = io.BytesIO(stream.peek(MAX_LINE_BYTES)) if isinstance(stream, io.BufferedReader) else io.BytesIO()
    first = next((line for line in lines if line.strip() and not line.startswith(b"#")), b"").decode(errors="replace")
    if said := declared_delimiter(first):
        return said
    others = (one for one in DELIMITER_CHOICES if first.count(one) >= 2)
    return usual if first.count(usual) >= 2 else next(others, usual)


def _wrong_count(fields: Sequence[str], columns: Sequence[str], is_repeated: bool) -> str:
    advice = "--columns and --delimiter say which" if len(fields) > len(columns) else "is the delimiter right?"
    if len(fields) > len(TRIPLE_COLUMNS) and tuple(columns) == TRIPLE_COLUMNS:
        advice += "; of a table with a row a thing: --format rows"
    if is_repeated:
        advice = "and pairs of qualifier and value"
    return f"{len(fields)} field{'s' * (len(fields) != 1)}, {len(columns)} expected ({advice})"


def _label_setters(builder: PackBuilder, columns: Sequence[str]) -> list[tuple[int, int, Callable[[str, str], None]]]:
    """(column of the key, column of its label, where the label goes)."""
    setters: list[tuple[int, int, Callable[[str, str], None]]] = []
    for column in LABEL_COLUMNS:
        if column in columns:
            owner = column.removesuffix("_label")
            setter: Callable[[str, str], None] = builder.relation if owner == "relation" else builder.label
            setters.append((columns.index(owner), columns.index(column), setter))
    return setters
