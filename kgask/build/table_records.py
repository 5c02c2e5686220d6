"""The records of a table, whatever divides its fields, quoted as CSV has it or not."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from kgask.build.source import MAX_LINE_BYTES, Problems, display, open_source
from kgask.build.tsv import DELIMITER_CHOICES, declared_delimiter, rows

LOOKED_AT = 200  # lines, before it is said whether fields are quoted

Record = tuple[int, list[str]]  # number of the first line, fields


@contextmanager
def records_of(source: str, delimiter: str | None) -> Iterator[Iterator[Record]]:
    """The records of a table, the first of which may name its columns; lines that cannot be read are passed over."""
    with open_source(source) as stream:
        yield records_in(stream, source, Problems(True, lambda _: None), delimiter)


def records_in(stream: BinaryIO, name: str, problems: Problems, delimiter: str | None) -> Iterator[Record]:
    """The same of a stream; lines that cannot be read go to ``problems``."""
    peeked = stream.peek(MAX_LINE_BYTES) if hasattr(stream, "peek") else b""
    first = next((line for line in peeked.splitlines() if line.strip() and not line.startswith(b"#")), b"")
    text = first.decode(errors="replace")
    delimiter = delimiter or declared_delimiter(text) or max(DELIMITER_CHOICES, key=text.count)
    is_quoted = delimiter != "\t" or _has_quotes(peeked.decode(errors="replace"), delimiter)
    return rows(stream, display(name), problems, delimiter, is_quoted)


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
