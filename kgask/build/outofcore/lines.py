"""Plain tables, split a block of lines at a time; every line that is not plain goes to kgask's own reader.

Plain is a line of the table's columns with a key in each: no quotes (a literal, a quoted field), no comment, no blanks
at the ends of a field, no control characters. What the readers make of such a line is no more than its fields.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, BinaryIO, TypeAlias, cast

import numpy as np

from kgask.build.outofcore.staged import ALIAS, DESCRIPTION, LABEL, StagedBuilder
from kgask.build.recipe import Recipe, read_one, table_of
from kgask.build.source import MAX_LINE_BYTES, TABLE_FORMATS, Problems, display, open_source
from kgask.build.texts import TextKind, read_text_lines, read_texts
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

if TYPE_CHECKING:
    import pyarrow

    Column: TypeAlias = pyarrow.Array | pyarrow.ChunkedArray

_BYTES_A_ROW = 128  # of a block: as many lines as rows of a batch, about
_BOM = b"\xef\xbb\xbf"
# Quotes, control characters, and what may begin a blank or a line break that is not ASCII.
_ODD_BYTES = bytes([*range(32), ord('"'), 0xC2, 0xE1, 0xE2, 0xE3])
# Blanks and line breaks that are not ASCII.
_BLANK_CODES = (0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000)
_BLANKS = [chr(code).encode() for code in _BLANK_CODES]
_PLAIN_COLUMNS = {*TRIPLE_COLUMNS, IGNORED, "subject_label", "object_label"}
_TEXTS: Mapping[TextKind, int] = {"labels": LABEL, "aliases": ALIAS, "descriptions": DESCRIPTION}


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
    if not at or ord(delimiter) > 127 or not set(columns) <= _PLAIN_COLUMNS or (table.quoted and b'"' in first):
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

    def take(self, block: bytes, n_before: int) -> int:
        """The lines of a block; how many there are."""
        whole = plain_fields(block, self._table.delimiter, len(self._columns))
        if whole is not None and not self._of_literals(whole[self._columns.index("relation")]):
            self._insert(dict(zip(self._columns, whole, strict=True)))
            return len(whole[0])
        lines = split(block, self._table.delimiter, len(self._columns))
        if lines is None:
            self.rest(io.BytesIO(block), n_before)
            return block.count(b"\n")
        fields = dict(zip(self._columns, lines.fields, strict=True))
        if not self._of_literals(fields["relation"]):
            self._insert(fields)
        else:
            lines.odd = np.arange(len(lines.starts))
        for at in lines.odd.tolist():
            self.rest(io.BytesIO(lines.line(at)), n_before + at)
        return len(lines.starts)

    def _of_literals(self, relations: Column) -> bool:
        """Whether the recipe says of any of them that it leads to literals."""
        found = relations.unique().to_pylist()
        for relation in found:
            self._builder.check_relation(relation)
        return any(relation in self._table.literals for relation in found)

    def _insert(self, fields: Mapping[str, Column]) -> None:
        import pyarrow

        store = self._builder.store
        triple = [fields[column] for column in TRIPLE_COLUMNS]
        store.insert("said_keys", pyarrow.table(triple, ["s", "r", "v"]))
        for owner in ("subject", "object"):
            if f"{owner}_label" in fields:
                insert_texts(self._builder, LABEL, fields[owner], fields[f"{owner}_label"], 0, False)
        self._builder.added(len(triple[0]))

    def rest(self, stream: BinaryIO, n_before: int) -> None:
        """All that is in the stream, by kgask's reader; ``n_before`` lines come before it."""
        csv.field_size_limit(2 * MAX_LINE_BYTES)
        records = rows(stream, self._source, self._problems, self._table.delimiter, self._table.quoted, n_before)
        for number, fields in records:
            try:
                self._reader.take(fields)
            except (BuildError, ValueError) as error:
                self._problems.broken(self._source, number, str(error))


def read_text_file(
    name: str, kind: TextKind, builder: PackBuilder, problems: Problems, rank: int, on_bytes: Callable[[int], None]
) -> None:
    """See :func:`kgask.build.texts.read_texts`: plain lines of TSV by blocks."""
    if kind not in _TEXTS or ".csv" in name.lower() or not isinstance(builder, StagedBuilder):
        read_texts(name, kind, builder, problems, rank, on_bytes)
        return
    n_before = 0
    with open_source(name, on_bytes) as stream:
        for block in _blocks(stream, builder.store.rows * _BYTES_A_ROW):
            more_odd = b"|" if kind == "aliases" else b""
            if (whole := plain_fields(block, "\t", 2, more_odd)) is not None:
                keys, texts = whole
                insert_texts(builder, _TEXTS[kind], keys, texts, 0 if kind == "aliases" else rank, True)
                n_before += len(keys)
                continue
            lines = split(block, "\t", 2, more_odd)
            if lines is None:
                read_text_lines(io.BytesIO(block), name, kind, builder, problems, rank, n_before)
                n_before += block.count(b"\n")
                continue
            keys, texts = lines.fields
            insert_texts(builder, _TEXTS[kind], keys, texts, 0 if kind == "aliases" else rank, True)
            for at in lines.odd.tolist():
                read_text_lines(io.BytesIO(lines.line(at)), name, kind, builder, problems, rank, n_before + at)
            n_before += len(lines.starts)


def insert_texts(builder: StagedBuilder, what: int, keys: Column, texts: Column, rank: int, in_file: bool) -> None:
    """Texts of entities; ``in_file``: which may be of keys that nothing names."""
    import pyarrow

    of_all = {"what": pyarrow.scalar(what, pyarrow.int8()), "rank": rank, "in_file": in_file}
    columns = {name: pyarrow.repeat(value, len(keys)) for name, value in of_all.items()}
    builder.store.insert("texts", pyarrow.table({"key": keys, "text": texts, **columns}))


def plain_fields(block: bytes, delimiter: str, n_fields: int, more_odd: bytes = b"") -> list[Column] | None:
    """The fields of each column of a block all of whose lines are plain; None of any other.

    What :func:`split` makes of it, in a tenth of the time.
    """
    import pyarrow
    from pyarrow import compute, csv

    block = block.replace(b"\r\n", b"\n") if b"\r" in block else block
    ends = b"\n" + delimiter.encode()
    if block.translate(None, bytes({*range(256)} - ({*range(32), ord('"'), *more_odd} - {*ends}))):
        return None
    if not block.isascii() and any(blank in block for blank in _BLANKS):
        return None
    names = [*map(str, range(n_fields))]
    try:
        table = csv.read_csv(
            pyarrow.BufferReader(block),
            csv.ReadOptions(column_names=names),
            csv.ParseOptions(delimiter=delimiter, quote_char=False, ignore_empty_lines=False),
            csv.ConvertOptions(column_types=dict.fromkeys(names, pyarrow.string())),
        )
    except pyarrow.ArrowInvalid:  # other columns, no UTF-8
        return None
    lengths = [compute.min_max(compute.binary_length(column)).as_py() for column in table.columns]
    is_odd = not all(one["min"] for one in lengths) or sum(one["max"] for one in lengths) + n_fields > MAX_LINE_BYTES
    is_odd = is_odd or compute.any(compute.starts_with(table[0], "#")).as_py()
    blank = (may(column, " ") for column in table.columns for may in (compute.starts_with, compute.ends_with))
    return None if is_odd or any(compute.any(one).as_py() for one in blank) else table.columns


@cache
def _odd_codes(more: bytes) -> np.ndarray:
    """Which bytes make a line odd, bool [256]."""
    return np.isin(np.arange(256), [*_ODD_BYTES, *more])


@dataclass(slots=True)
class Split:
    """The lines of a block, and the fields of those that are plain."""

    block: bytes
    starts: np.ndarray  # [n]: where each line begins
    odd: np.ndarray  # the lines that are not plain, ascending
    fields: list[pyarrow.Array]  # of each column

    def line(self, at: int) -> bytes:
        """With its break."""
        return self.block[self.starts[at] : self.starts[at + 1] if at + 1 < len(self.starts) else None]


def split(block: bytes, delimiter: str, n_fields: int, more_odd: bytes = b"") -> Split | None:
    """Lines split at ``delimiter``; those with a byte of ``more_odd`` are odd too. None for what is not UTF-8."""
    import pyarrow

    try:
        block.decode()
    except UnicodeDecodeError:
        return None
    block = block.replace(b"\r\n", b"\n") if b"\r" in block else block
    block = block if block.endswith(b"\n") else block + b"\n"
    codes = np.frombuffer(block, np.uint8)
    odd = _odd_codes(more_odd).take(codes)
    is_end = (codes == 10) | (codes == ord(delimiter))
    odd[is_end] = False
    starts = np.concatenate([[0], np.flatnonzero(codes == 10)[:-1] + 1])
    # An empty field, one that begins or ends with a blank, and a line that may be a comment.
    ends = np.flatnonzero(is_end)
    begins = np.concatenate([[0], ends[:-1] + 1])
    odd[begins] |= is_end[begins] | (codes[begins] == 32)
    odd[ends] |= codes[ends - 1] == 32
    odd[starts] |= codes[starts] == ord("#")
    lengths = np.diff(starts, append=len(codes))
    is_plain = ~np.logical_or.reduceat(odd, starts) & (lengths <= MAX_LINE_BYTES)
    is_plain &= np.diff(np.flatnonzero(codes[ends] == 10), prepend=-1) == n_fields
    if not is_plain.all():
        kept = np.repeat(is_plain, lengths)
        codes, is_end = codes[kept], is_end[kept]
    ends = np.flatnonzero(is_end)
    offsets = np.concatenate([[0], ends - np.arange(len(ends))]).astype(np.int32)
    texts = pyarrow.py_buffer(codes[~is_end].tobytes())
    flat = pyarrow.StringArray.from_buffers(len(ends), pyarrow.py_buffer(offsets.tobytes()), texts)
    fields = [flat.take(pyarrow.array(np.arange(at, len(ends), n_fields))) for at in range(n_fields)]
    return Split(block, starts, np.flatnonzero(~is_plain), fields)
