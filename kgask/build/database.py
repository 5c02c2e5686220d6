"""A new SQLite file of a pack: made at once, in a folder that is thrown away when the build dies."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from kgask.errors import BuildError


@contextmanager
def new_database(path: Path, application: int, version: int, ddl: str) -> Iterator[sqlite3.Connection]:
    """Yield the connection to fill in one transaction; what SQLite cannot do is a :class:`BuildError`."""
    from sqlite_utils import Database

    try:
        with closing(Database(str(path))) as db:
            db.conn.executescript(
                f"PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA page_size=4096;"
                f"PRAGMA application_id = {application}; PRAGMA user_version = {version}; {ddl}"
            )
            with db.conn:
                yield db.conn
            db.vacuum()
    except sqlite3.Error as error:
        raise BuildError(f"{path}: {error}") from error


def insert(conn: sqlite3.Connection, table: str, width: int, rows: Iterable[tuple[object, ...]]) -> None:
    """Rows of ``width`` columns; sqlite-utils' own insert_all takes a dict a row, three times as slow."""
    conn.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * width)})", rows)
