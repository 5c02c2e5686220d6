"""Plain tables, split by DuckDB a block of lines at a time; every line that is not plain goes to kgask's own reader.

Plain is a line of the table's columns with a key in each: no quotes (a literal, a quoted field), no comment, no blanks
at the ends of a field, no control characters. What the readers make of such a line is no more than its fields.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import BinaryIO, cast

import numpy as np

from kgask.build.outofcore.staged import LABEL, StagedBuilder
from kgask.build.recipe import Recipe, read_one, table_of
from kgask.build.source import MAX_LINE_BYTES, TABLE_FORMATS, Problems, display
from kgask.build.tsv import (
    IGNORED,
    TRIPLE_COLUMNS,
    TableFormat,
    TableReader,
    columns_of,
    delimiter_of,
    read_triples,
    rows,
)
from kgask.build.writer import PackBuilder
from kgask.errors import BuildError

_BYTES_A_ROW = 128  # of a block: as many lines as rows of a batch, about
_BOM = b"\xef\xbb\xbf"
# Blanks and line breaks within a field, as Python strips and splits them, but the space.
_BLANK = r"\x{85}\x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}"
_PLAIN_COLUMNS = {*TRIPLE_COLUMNS, IGNORED, "subject_label", "object_label"}
_ENTITY_LABELS = ("subject", "object")


def read_source(
    stream: BinaryIO,
    source: str,
    number: int,
    format: str,
    recipe: Recipe,
    builder: PackBuilder,
    problems: Problems,
    tell: Callable[[str], None],
) -> None:
    """See :func:`kgask.build.recipe.read_one`: a table by blocks, any other source as it is always read."""
    if format in TABLE_FORMATS and isinstance(builder, StagedBuilder):
        _read_table(stream, source, builder, problems, table_of(recipe, format), tell)
    else:
        read_one(stream, source, number, format, recipe, builder, problems, tell)


def _read_table(
    stream: BinaryIO,
    name: str,
    builder: StagedBuilder,
    problems: Problems,
    table: TableFormat,
    tell: Callable[[str], None],
) -> None:
    blocks = _blocks(stream, builder.store.rows * _BYTES_A_ROW)
    first = next(blocks, b"")
    told: list[str] = []
    start = io.BufferedReader(cast(io.RawIOBase, io.BytesIO(first)), len(first) or 1)
    delimiter = delimiter_of(start, table.delimiter) if table.recognise else table.delimiter
    records = rows(start, display(name), Problems(True, lambda _: None), delimiter, table.quoted)
    columns, records = columns_of(records, display(name), table, told.append)
    at, _ = next(records, (0, []))
    if not at or not set(columns) <= _PLAIN_COLUMNS or (table.quoted and b'"' in first):
        read_triples(_joined(first, blocks), name, builder, problems, table, tell)
        return
    for line in told:
        tell(line)
    if delimiter != table.delimiter:
        tell(f"{display(name)}: fields end with {delimiter!r}")
    lines = _PlainLines(builder, display(name), problems, replace(table, delimiter=delimiter), columns)
    n_before = at - 1
    skipped = re.match(rb"(?:[^\n]*\n){%d}" % n_before, first)
    block: bytes | None = first[skipped.end() :] if skipped else first
    while block is not None:
        if table.quoted and b'"' in block:  # a quoted field may have line breaks
            lines.rest(_joined(block, blocks), n_before)
            return
        n_before += lines.take(block, n_before)
        block = next(blocks, None)


def _blocks(stream: BinaryIO, size: int) -> Iterator[bytes]:
    """Whole lines, without a byte order mark."""
    is_first = True
    while data := stream.read(size):
        data += stream.readline()
        yield data.removeprefix(_BOM) if is_first else data
        is_first = False


class _Joined(io.RawIOBase):
    """Blocks as one stream."""

    def __init__(self, first: bytes, blocks: Iterator[bytes]) -> None:
        self._left, self._blocks = memoryview(first), blocks

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(buffer)  # type: ignore[arg-type]
        while not len(self._left):
            if (block := next(self._blocks, None)) is None:
                return 0
            self._left = memoryview(block)
        n = min(len(view), len(self._left))
        view[:n], self._left = self._left[:n], self._left[n:]
        return n


def _joined(first: bytes, blocks: Iterator[bytes]) -> BinaryIO:
    return io.BufferedReader(_Joined(first, blocks), 1 << 18)


class _PlainLines:
    """Blocks of one table into the builder's tables."""

    def __init__(
        self, builder: StagedBuilder, source: str, problems: Problems, table: TableFormat, columns: Sequence[str]
    ) -> None:
        self._builder, self._source, self._problems = builder, source, problems
        self._table, self._columns = table, columns
        self._reader = TableReader(builder, columns, table.literals)
        self._places = {column: place + 1 for place, column in enumerate(columns)}
        ends = re.escape(table.delimiter) if table.delimiter != "\t" else r"\t"
        self._odd = (
            rf'["\x00-\x08\x0A-\x1F{_BLANK}]|\A#|\A(?:{ends}| )|(?:{ends}| )\z|{ends} | {ends}|{ends}{ends}|\A\z'
        )

    def take(self, block: bytes, n_before: int) -> int:
        """The lines of a block; how many there are."""
        import pyarrow

        ends = np.flatnonzero(np.frombuffer(block, np.uint8) == 10)
        starts = np.concatenate([[0], ends + 1]).astype(np.int64)
        if len(block) > starts[-1]:
            ends = np.append(ends, len(block))
        else:
            starts = starts[:-1]
        if not self._is_text(block, ends - starts):
            self.rest(io.BytesIO(block), n_before)
            return len(starts)
        # Each line with its break, which SQL takes off: Arrow's offsets leave no gaps.
        offsets = np.append(starts, len(block)).astype(np.int32)
        texts = pyarrow.StringArray.from_buffers(
            len(starts), pyarrow.py_buffer(offsets.tobytes()), pyarrow.py_buffer(block)
        )
        numbers = pyarrow.array(np.arange(len(starts)) + n_before + 1)
        self._insert(pyarrow.table({"line": texts, "number": numbers}))
        return len(starts)

    @staticmethod
    def _is_text(block: bytes, lengths: np.ndarray) -> bool:
        try:
            block.decode()
        except UnicodeDecodeError:
            return False
        return not len(lengths) or int(lengths.max()) <= MAX_LINE_BYTES

    def _insert(self, lines: object) -> None:
        store, field = self._builder.store, self._places
        literal = [f"fields[{field['relation']}] = {_quoted(relation)}" for relation in self._table.literals]
        store.run("CREATE OR REPLACE TABLE split (number BIGINT, line VARCHAR, fields VARCHAR[], odd BOOLEAN)")
        store.insert(
            "split",
            lines,
            f"SELECT number, text, fields, regexp_matches(text, {_quoted(self._odd)}) OR len(fields) <> "
            f"{len(self._columns)}{''.join(f' OR {one}' for one in literal)} FROM (SELECT number, text, "
            f"string_split(text, {_quoted(self._table.delimiter)}) AS fields FROM "
            "(SELECT number, rtrim(line, chr(13) || chr(10)) AS text FROM given))",
        )
        for (relation,) in store.stream(f"SELECT DISTINCT fields[{field['relation']}] FROM split WHERE NOT odd"):
            self._builder.check_relation(relation)
        triple = ", ".join(f"fields[{field[column]}]" for column in TRIPLE_COLUMNS)
        store.run(f"INSERT INTO said SELECT {triple}, NULL, NULL, NULL, NULL FROM split WHERE NOT odd")
        for owner in _ENTITY_LABELS:
            if (label := field.get(f"{owner}_label")) is not None:
                store.run(
                    f"INSERT INTO texts SELECT {LABEL}, fields[{field[owner]}], fields[{label}], 0, false "
                    "FROM split WHERE NOT odd"
                )
        self._builder.added(int(store.row("SELECT count(*) FROM split WHERE NOT odd")[0]))
        for number, line in store.stream("SELECT number, line FROM split WHERE odd ORDER BY number"):
            self.rest(io.BytesIO(line.encode()), number - 1)

    def rest(self, stream: BinaryIO, n_before: int) -> None:
        """All that is in the stream, by kgask's reader; ``n_before`` lines come before it."""
        csv.field_size_limit(2 * MAX_LINE_BYTES)
        records = rows(stream, self._source, self._problems, self._table.delimiter, self._table.quoted, n_before)
        for number, fields in records:
            try:
                self._reader.take(fields)
            except (BuildError, ValueError) as error:
                self._problems.broken(self._source, number, str(error))


def _quoted(text: str) -> str:
    """A text constant of SQL."""
    return "'" + text.replace("'", "''") + "'"
