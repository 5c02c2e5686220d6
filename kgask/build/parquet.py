"""Tables of triples in Parquet, read a batch of rows at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

from kgask.build.rows import LOOKED_AT, add_rows, are_things, understood_rows
from kgask.build.source import STDIN, Problems
from kgask.build.tables import Table
from kgask.build.tsv import TableFormat, TableReader, columns_of_names
from kgask.build.writer import PackBuilder
from kgask.errors import BuildError, UsageError

if TYPE_CHECKING:
    import pyarrow

_ROWS = 1 << 14
_UNNAMED = "__index_level_"  # pandas calls an index so that has no name
_PLAIN = ("utf8", "string", "int", "uint", "float", "double", "decimal", "bool", "date", "timestamp", "dictionary")


def read_parquet(
    path: str,
    builder: PackBuilder,
    problems: Problems,
    table: TableFormat,
    tell: Callable[[str], None],
    mapped: Table | None = None,
) -> None:
    """Add every row as a line of a table is added: columns as told, by their names, or three in their order.

    Of other columns a row is a thing (:mod:`kgask.build.rows`), unless nothing is to be recognised. Numbers and dates
    are texts until all is read, as in a table. Raises UsageError where pyarrow is missing, BuildError for what is no
    Parquet, and for columns of lists or structures.
    """
    if path == STDIN:
        raise UsageError("Parquet is read from a file, for its index stands at the end; write stdin to one")
    records = _records(path)
    _, names = next(records)
    some = [*islice(records, LOOKED_AT)]
    records = chain(some, records)
    if mapped or (table.recognise and not table.columns and are_things(names, [fields for _, fields in some])):
        add_rows(chain([(0, names)], records), path, builder, problems, tell, mapped)
        return
    reader = TableReader(builder, table.columns or columns_of_names(names, path), table.literals)
    for number, fields in records:
        try:
            reader.take(fields)
        except (BuildError, ValueError) as error:
            problems.broken(path, number, str(error))


def table_in(path: str) -> Table:
    """What a file with a row a thing means, by its columns and first rows."""
    return understood_rows(_records(path), path)


def _in_order(schema: pyarrow.Schema) -> list[str]:
    """The columns, first those of pandas' index, which it writes last."""
    about = schema.pandas_metadata or {}
    index = [name for name in about.get("index_columns", []) if isinstance(name, str) and name in schema.names]
    return [*index, *(name for name in schema.names if name not in index)]


def _records(path: str) -> Iterator[tuple[int, list[str]]]:
    """The names of the columns as record 0, then the rows from 1 on."""
    try:
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile
    except ImportError:
        raise UsageError("Parquet needs one more package: pip install 'kgask[scale]'") from None
    try:
        file = ParquetFile(Path(path))
        names = _in_order(file.schema_arrow)
        yield 0, ["" if name.startswith(_UNNAMED) else name for name in names]
        for column in file.schema_arrow:
            if not str(column.type).startswith(_PLAIN):
                raise BuildError(
                    f"{path}: column {column.name!r} holds {column.type}; a field is a text, number or date"
                )
        number = 0
        for batch in file.iter_batches(_ROWS):
            for row in zip(*(batch.column(name).to_pylist() for name in names), strict=True):
                number += 1
                yield number, ["" if value is None else " ".join(str(value).split()) for value in row]
    except (ArrowException, OSError) as error:
        raise BuildError(f"{path}: not readable as Parquet ({str(error).splitlines()[0]})") from None
