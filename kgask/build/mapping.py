"""What the tables among the sources of a build mean, and what a mapping file makes of them (:mod:`kgask.build.tables`).

A database has tables; a file with a row a thing is one, called as the file is: ``employees.csv`` is ``employees``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain
from pathlib import Path

from kgask.build.source import STDIN
from kgask.build.tables import Table, from_toml
from kgask.errors import BuildError, UsageError
from kgask.machine.files import open_regular

WITH_TABLES = ("sqlite", "rows", "parquet")


def tables_of(source: str, format: str, delimiter: str | None = None) -> list[Table]:
    """What the tables of a source mean as it looks; UsageError for a source without any."""
    if format == "sqlite":
        from kgask.build.sqlite import tables_of as of_database

        return of_database(Path(source))
    if format == "rows" and source != STDIN:
        from kgask.build.rows import table_in

        return [table_in(source, delimiter)]
    if format == "parquet":
        from kgask.build.parquet import table_in as in_parquet

        return [in_parquet(source)]
    raise UsageError(f"{source}: only databases and tables with a row a thing have a mapping (--format rows says so)")


def mapped(
    mapping: Path, sources: Iterable[tuple[str, str]], delimiter: str | None, tell: Callable[[str], None]
) -> dict[str, list[Table]]:
    """The tables of each source (with its format) as the file says; what is not in it is left out, which is told."""
    every = {source: tables_of(source, format, delimiter) for source, format in sources if format in WITH_TABLES}
    if not every:
        raise UsageError("--mapping says what tables mean, and no source is a database or has a row a thing")
    try:
        with open_regular(mapping) as file:
            said = from_toml(file.read(1 << 21), str(mapping), chain.from_iterable(every.values()))
    except OSError as error:
        raise BuildError(f"{mapping}: {error.strerror or error}") from error
    by_name = {table.name: table for table in said}
    found = {source: [by_name[one.name] for one in tables if one.name in by_name] for source, tables in every.items()}
    for source, tables in found.items():
        if not tables:
            tell(f"{source}: left out, for {mapping} says nothing of it")
    return found
