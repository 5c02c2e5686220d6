"""The records of a table, whatever divides its fields, quoted as CSV has it or not."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from typing import BinaryIO

from kgask.build.column_names import LEAST_FULL, MOST_ABOVE, head_of
from kgask.build.source import MAX_LINE_BYTES, Problems, display, open_source
from kgask.build.tsv import DELIMITER_CHOICES, declared_delimiter, decoded, rows

LOOKED_AT = 200  # lines, before it is said whether fields are quoted

Record = tuple[int, list[str]]  # number of the first line, fields


@contextmanager
def records_of(source: str, delimiter: str | None) -> Iterator[Iterator[Record]]:
    """The records of a table, the first of which may name its columns; lines that cannot be read are passed over."""
    with open_source(source) as stream:
        yield records_in(stream, source, Problems(True, lambda _: None), delimiter)


def records_in(stream: BinaryIO, name: str, problems: Problems, delimiter: str | None) -> Iterator[Record]:
    """The same of a stream, from the names of the columns on; lines that cannot be read go to ``problems``."""
    peeked = stream.peek(MAX_LINE_BYTES) if hasattr(stream, "peek") else b""
    try:
        text = decoded(peeked, windows=True)
    except UnicodeDecodeError:  # it may end within a character
        text = peeked.decode(errors="replace")
    first, *below = [line for line in text.splitlines() if line.strip() and not line.startswith("#")] or [""]
    delimiter = delimiter or declared_delimiter(first) or _delimiter([first, *below[:MOST_ABOVE]])
    is_quoted = delimiter != "\t" or _has_quotes(text, delimiter)
    return _from_names(rows(stream, display(name), problems, delimiter, is_quoted, windows=True))


def _from_names(records: Iterator[Record]) -> Iterator[Record]:
    """The records from the names of the columns on, without empty ones."""
    full = ((line, fields) for line, fields in records if any(fields))
    first = [*islice(full, MOST_ABOVE)]
    return chain(first[head_of([fields for _, fields in first]) :], full)


def _delimiter(lines: Sequence[str]) -> str:
    """What divides the first line that has nearly as many fields as any."""
    most = max(line.count(one) for line in lines for one in DELIMITER_CHOICES)
    likely = (line for line in lines if max(map(line.count, DELIMITER_CHOICES)) >= LEAST_FULL * most)
    return max(DELIMITER_CHOICES, key=next(likely, lines[0]).count)


def _has_quotes(text: str, delimiter: str) -> bool:
    """Whether fields that begin with a quote end with one, as CSV has it: only so all records have as many fields.

    Or, where they have as many in any case, quotes within fields are doubled. A field of a TSV may well be `"Heroes"`.
    """
    lines = text.splitlines(keepends=True)[:LOOKED_AT]
    counts = set[int]()
    try:
        for record in csv.reader(lines, delimiter=delimiter, strict=True):
            counts.add(len(record))
    except csv.Error as error:
        if "end of data" not in str(error):  # the last record may go on behind what is looked at
            return False
    is_needed = len({line.count(delimiter) for line in lines[:-1]}) > 1 or '""' in text
    return len(counts) == 1 and is_needed
