"""A SQLite database as a source: its tables as :mod:`kgask.build.tables` understands them.

Only plain tables are read: a view or a virtual table would run what somebody else wrote. The database is opened
read-only, texts are bounded in length, and a query that gives no row for a while is stopped.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

from kgask.build.plain_values import bare_value, iso_day
from kgask.build.said_times import iso_time
from kgask.build.source import Problems
from kgask.build.tables import MEASURES, Column, Table, readable, relation_of, singular, understood
from kgask.build.terms import Value
from kgask.build.writer import PackBuilder
from kgask.errors import BuildError
from kgask.machine.files import open_regular
from kgask.pack.literals import parse_literal

TYPE = "instance of"
MAGIC = b"SQLite format 3\0"
MOST_SECONDS = 20.0  # without a row
_MOST_TEXT = 1 << 20
_MOST_TABLES = 10_000


def read_sqlite(
    path: Path, mapped: Iterable[Table] | None, builder: PackBuilder, problems: Problems, tell: Callable[[str], None]
) -> None:
    """Add every row of a database's plain tables, as they look or as ``mapped``. Raises :class:`BuildError`."""
    with _opened(path) as db:
        tables, passed_over = _tables_of(db, path)
        if passed_over:
            tell(f"{path}: {', '.join(passed_over)} passed over: only plain tables are read")
        every = {table.name: table for table in tables}
        for table in tables if mapped is None else mapped:
            builder.as_told.update(column.relation for column in table.columns if column.kind)
            reader = _TableReader(db, path, table, every, builder, problems)
            for row in db.rows(reader.sql):
                reader.take(row)


def tables_of(path: Path) -> list[Table]:
    """What the plain tables of a database mean, by their names and foreign keys."""
    with _opened(path) as db:
        return _tables_of(db, path)[0]


class _Database:
    """One connection; every failure is a :class:`BuildError`."""

    def __init__(self, path: Path) -> None:
        self._path, self._since = path, time.monotonic()
        # Where no writer has left a log, none is made: a database in a folder that cannot be written to is read too.
        has_log = path.with_name(f"{path.name}-wal").exists()
        how = "mode=ro" if has_log else "mode=ro&immutable=1"
        self.connection = sqlite3.connect(f"file:{quote(str(path.absolute()))}?{how}", uri=True)
        self.connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 4 * _MOST_TEXT)
        self.connection.execute("PRAGMA trusted_schema = OFF")
        self.connection.text_factory = lambda data: data.decode(errors="replace")
        self.connection.set_progress_handler(self._is_late, 100_000)

    def _is_late(self) -> bool:
        return time.monotonic() - self._since > MOST_SECONDS

    def rows(self, sql: str) -> Iterator[tuple[object, ...]]:
        self._since = time.monotonic()
        try:
            for row in self.connection.execute(sql):
                yield row
                self._since = time.monotonic()
        except sqlite3.Error as error:
            reason = f"a query gave no row in {MOST_SECONDS:.0f} s" if self._is_late() else str(error)
            raise BuildError(f"{self._path}: {reason}") from error


def _refuse_cut(path: Path) -> None:
    """SQLite reads what is left of a file without a word where no row that is asked for stood in the rest."""
    with open_regular(path) as file:
        head = file.read(100)
    page_bytes, n_pages = int.from_bytes(head[16:18], "big"), int.from_bytes(head[28:32], "big")
    stated = n_pages * (1 << 16 if page_bytes == 1 else page_bytes)
    is_stated = head[24:28] == head[92:96]  # else an old SQLite wrote last, which does not keep the number of pages
    if is_stated and (size := path.stat().st_size) < stated:
        raise BuildError(f"{path}: is cut short: {size:,} bytes, {stated:,} expected")


@contextmanager
def _opened(path: Path) -> Iterator[_Database]:
    try:
        _refuse_cut(path)  # before SQLite opens what may be a pipe
        db = _Database(path)
    except sqlite3.Error as error:
        raise BuildError(f"{path}: {error}") from error
    except OSError as error:
        raise BuildError(f"{path}: {error.strerror}") from error
    with closing(db.connection):
        yield db


def _tables_of(db: _Database, path: Path) -> tuple[list[Table], list[str]]:
    """Plain tables, in the order of their names, and what else there is."""
    listed = [(str(name), kind) for schema, name, kind, *_ in db.rows("PRAGMA table_list") if schema == "main"]
    names = sorted(name for name, kind in listed if kind == "table" and not name.startswith("sqlite_"))
    if len(names) > _MOST_TABLES:
        raise BuildError(f"{path}: {len(names)} tables; at most {_MOST_TABLES} are read")
    tables = understood(_with_ends(db, [_table(db, name) for name in names]))
    return tables, sorted(f"{kind} {name}" for name, kind in listed if kind in ("view", "virtual"))


def _table(db: _Database, name: str) -> Table:
    """Its key and columns; those of a foreign key that are several are one."""
    found = [*db.rows(f"PRAGMA table_xinfo({_sql(name)})")]
    keys = sorted((int(str(at)), str(column)) for _, column, _, _, _, at, _ in found if at)
    columns = [str(column) for _, column, *_, hidden in found if not hidden]
    groups: dict[int, list[tuple[str, str | None, str]]] = {}
    for number, _, other, column, end, *_ in db.rows(f"PRAGMA foreign_key_list({_sql(name)})"):
        groups.setdefault(int(str(number)), []).append((str(column), None if end is None else str(end), str(other)))
    foreign = [
        Column(tuple(one[0] for one in group), _foreign(group, [*groups.values()]), table=group[0][2],
               ends=tuple(one[1] for one in group if one[1] is not None))
        for group in groups.values()
    ]  # fmt: skip
    foreign.sort(key=lambda column: columns.index(column.names[0]) if column.names[0] in columns else -1)
    of_others = {column for one in foreign for column in one.names}
    key = tuple(column for _, column in keys) or (_row_number(columns),)
    own = [column for column in columns if column not in of_others and column not in key]
    plain = (_plain(db, name, column) for column in own)
    return Table(name, key, "", (), (*foreign, *plain))


def _foreign(key: list[tuple[str, str | None, str]], every: list[list[tuple[str, str | None, str]]]) -> str:
    """What a foreign key is called: as its column is, and of several columns as the only table is that it leads to."""
    table = key[0][2]
    if len(key) > 1 and sum(other[0][2] == table for other in every) == 1:
        return singular(readable(table))
    return relation_of(tuple(one[0] for one in key))


def _plain(db: _Database, table: str, name: str) -> Column:
    """A column of values; one that is called by a unit alone, and holds numbers only, measures something in it."""
    relation, unit = MEASURES.get(readable(name), ("", ""))
    others = f"SELECT 1 FROM main.{_sql(table)} WHERE typeof({_sql(name)}) NOT IN ('integer', 'real', 'null') LIMIT 1"
    if not relation or next(db.rows(others), None):
        return Column((name,), relation_of((name,)))
    return Column((name,), relation, "number", unit)


def _row_number(columns: list[str]) -> str:
    """What the number of a row is called that has no key; a column may have one of its names."""
    taken = {column.lower() for column in columns}
    return next((name for name in ("rowid", "_rowid_", "oid") if name not in taken), "rowid")


def _with_ends(db: _Database, tables: list[Table]) -> Iterator[Table]:
    """Foreign keys with the columns that they are equal to; without those to a table that is not there."""
    every = {table.name.lower(): table for table in tables}
    for table in tables:
        columns = []
        for column in table.columns:
            other = every.get(column.table.lower())
            if not column.table:
                columns.append(column)
            elif other is None:
                columns += [Column((name,), relation_of((name,))) for name in column.names]
            elif len(ends := column.ends or other.key) == len(column.names):
                columns.append(replace(column, table=other.name, ends=ends))
        yield replace(table, columns=tuple(columns))


class _TableReader:
    """Rows of one table, given to the builder."""

    def __init__(
        self, db: _Database, path: Path, table: Table, every: dict[str, Table], builder: PackBuilder, problems: Problems
    ) -> None:
        self._table, self._builder, self._problems = table, builder, problems
        self._where, self._parts = f"{path}: {table.name}", list[int]()
        columns: list[str] = []

        def asked(parts: list[str]) -> slice:
            columns.extend(parts)
            return slice(len(columns) - len(parts), len(columns))

        self._key = asked(_key_of(table, "t"))
        self._label = asked([f"t.{_sql(name)}" for name in table.label])
        ends = [column for column in (*table.joins, *table.columns) if column.table]
        self._ends = [(column, asked(_end(column, every, f"o{at}"))) for at, column in enumerate(ends)]
        plain = [column for column in table.columns if not column.table]
        self._values = [(column, asked([f"t.{_sql(column.names[0])}"])) for column in plain]
        joined = (_join(column, every, f"o{at}") for at, column in enumerate(ends))
        self.sql = f"SELECT {', '.join(columns)} FROM main.{_sql(table.name)} t{''.join(joined)}"

    def take(self, row: tuple[object, ...]) -> None:
        """Add one row; what is wrong with it goes to the problems."""
        try:
            if self._table.joins:
                self._join(row)
            else:
                self._thing(row)
        except (BuildError, ValueError) as error:
            self._problems.broken(f"{self._where}, row {_joined(row[self._key])}", None, str(error))

    def _thing(self, row: tuple[object, ...]) -> None:
        key = f"{self._table.name}/{_joined(row[self._key])}"
        if self._table.type:
            self._builder.add(key, TYPE, self._table.type)
        for relation, value in self._said(row):
            self._builder.add(key, relation, value)
        label = " ".join(str(part).strip() for part in row[self._label] if part not in (None, ""))
        label = label or " ".join(part for part in row[self._key] if isinstance(part, str))  # a registration, no number
        if label:
            self._builder.label(key, label)

    def _join(self, row: tuple[object, ...]) -> None:
        first, second = (_row_of(column, row[places]) for column, places in self._ends[:2])
        if first and second:
            self._builder.add(first, self._table.relation, second, [*self._said(row)])

    def _said(self, row: tuple[object, ...]) -> Iterator[tuple[str, Value]]:
        for column, places in self._ends[len(self._table.joins) :]:
            if other := _row_of(column, row[places]):
                yield column.relation, other
        for column, place in self._values:
            (value,) = row[place]
            if (said := _value(column, value)) is not None:
                yield column.relation, said


def _key_of(table: Table, name: str) -> list[str]:
    return [f"{name}.{_sql(column)}" for column in table.key]


def _end(column: Column, every: dict[str, Table], name: str) -> list[str]:
    """SQL of the key of the row that a foreign key names: its own columns, where they are that key."""
    other = every[column.table]
    return [f"t.{_sql(own)}" for own in column.names] if column.ends == other.key else _key_of(other, name)


def _join(column: Column, every: dict[str, Table], name: str) -> str:
    """SQL that finds the row which a foreign key names by other columns than its key."""
    other = every[column.table]
    if column.ends == other.key:
        return ""
    same = (f"{name}.{_sql(end)} = t.{_sql(own)}" for end, own in zip(column.ends, column.names, strict=True))
    return f" LEFT JOIN main.{_sql(other.name)} {name} ON {' AND '.join(same)}"


def _row_of(column: Column, values: tuple[object, ...]) -> str:
    """The key of the row that is named; "" where none is."""
    return "" if any(value is None for value in values) else f"{column.table}/{_joined(values)}"


def _joined(values: tuple[object, ...]) -> str:
    """The key of a row; of several columns the commas within one are escaped."""
    parts = [value.hex() if isinstance(value, bytes) else str(value) for value in values]
    return parts[0] if len(parts) == 1 else ",".join(part.replace("\\", "\\\\").replace(",", "\\,") for part in parts)


def _value(column: Column, value: object) -> Value | None:
    """A value as its column says, else as it looks; None for what says nothing (NULL, "", bytes)."""
    if not column.kind or value is None or isinstance(value, bytes) or not (text := str(value).strip()):
        return bare_value(column.relation, value)
    if column.kind == "name":
        return text
    if column.kind == "text":
        return parse_literal("string", text)
    return parse_literal(column.kind, iso_time(text) or iso_day(text) if column.kind == "date" else text, column.unit)


def _sql(name: str) -> str:
    escaped = name.replace('"', '""')
    return f'"{escaped}"'
