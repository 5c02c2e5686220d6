"""A SQLite file of a pack, read-only and not trusted; every broken file is a :class:`PackError`.

APSW is used instead of Python's own sqlite3 because it lets pages be looked at as SQLite reads them: with checksums
(:mod:`kgask.pack.blocks`) no page comes to a query that is not what was written. Only the tables of the file's own
schema are accepted, no query runs for ever, and no text is longer than :data:`MAX_TEXT_BYTES`.
"""

from __future__ import annotations

import os
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

import apsw
import numpy as np

from kgask.errors import PackError
from kgask.pack.blocks import BLOCK_BYTES, damage

MAX_TEXT_BYTES = 4 << 20  # of a row, and of what is asked with; the longest text of a build is a quarter of it
QUERY_SECONDS, BYTES_A_SECOND = 4.0, 10 << 20  # a query may take so long, and the time to read the file so slowly
_OPERATIONS = 20_000  # of SQLite's machine between two looks at the clock
_MOST_OBJECTS = 64  # tables and indices; a schema of more is not read at all
_LEAF = 0x0D  # of a table's tree: what the first page is when all of the schema is on it
_ERRORS = (apsw.Error, UnicodeDecodeError, MemoryError)
_NULL = type(None)
KINDS: Mapping[str, frozenset[type]] = {
    "i": frozenset({int}),
    "s": frozenset({str}),
    "b": frozenset({bytes}),
    "I": frozenset({int, _NULL}),
    "N": frozenset({float, _NULL}),
    "K": frozenset({int, str, _NULL}),  # the rest of a key
}


class ReadOnly:
    """One connection.

    ``application`` and ``version`` are what the file must say of itself, ``what`` what it is, ``schema`` the statements
    that made its tables, ``sums`` the checksums of its blocks, where there are any, ``longest`` the bytes of a row.
    """

    def __init__(
        self,
        path: Path,
        application: int,
        version: int,
        what: str,
        schema: str,
        sums: np.ndarray | None = None,
        longest: int = MAX_TEXT_BYTES,
    ) -> None:
        self.path = path
        self._longest = longest
        self._vfs = None if sums is None else _CheckedFiles(path, sums)
        # immutable: the file never changes under us (packs are replaced by rename), so no locks are taken.
        # The real path: APSW takes a link on the way for an error.
        uri = f"file:{quote(os.fsencode(os.path.realpath(path)))}?mode=ro&immutable=1"
        flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        self._seconds = QUERY_SECONDS
        self._until = 0.0
        try:
            self._seconds += path.stat().st_size / BYTES_A_SECOND
            _refuse_large_schema(path)
            self._db = apsw.Connection(uri, flags=flags, vfs=None if self._vfs is None else self._vfs.name)
        except OSError as error:
            raise PackError(f"{path}: {error.strerror}") from error
        except apsw.Error as error:
            raise PackError(f"{path}: {error}") from error
        try:
            self._distrust()
            found = self.query("PRAGMA application_id")[0][0], self.query("PRAGMA user_version")[0][0]
            if found != (application, version):
                raise PackError(f"{path}: not the {what} of a kgask pack of format {version}")
            self._refuse_others(_statements(schema))
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        self._db.close()
        if self._vfs is not None:
            self._vfs.unregister()
            self._vfs = None

    def query(self, sql: str, *parameters: Any) -> list[tuple]:
        """All rows; :class:`PackError` for whatever SQLite says, and where it takes too long."""
        self._until = time.monotonic() + self._seconds
        try:
            return self._db.execute(sql, parameters).fetchall()
        except _ERRORS as error:
            raise self._said(error) from error

    def rows(self, sql: str, *parameters: Any) -> Iterator[tuple]:
        """As :meth:`query`, one row after another, each with its own time."""
        self._until = time.monotonic() + self._seconds
        try:
            for row in self._db.execute(sql, parameters):
                yield row
                self._until = time.monotonic() + self._seconds
        except _ERRORS as error:
            raise self._said(error) from error

    def _said(self, error: Exception) -> PackError:
        if isinstance(error, apsw.CorruptError | apsw.NotADBError):
            return damage(self.path, str(error))
        said = "a query took too long" if isinstance(error, apsw.InterruptError) else str(error)
        return PackError(f"{self.path}: {said}; 'kgask pack check' tells what is broken")

    def typed(self, kinds: str, sql: str, *parameters: Any) -> list[tuple]:
        """As :meth:`query`, of columns of these :data:`KINDS`: SQLite's own columns hold whatever is put into them."""
        rows = self.query(sql, *parameters)
        for kind, column in zip(kinds, zip(*rows, strict=True), strict=rows != []):
            if not KINDS[kind].issuperset(map(type, column)):
                raise damage(self.path, "a column of another type")
        return rows

    def temporary(self, sql: str) -> None:
        """Make a table that lives as long as the connection."""
        self.query("PRAGMA query_only = OFF")
        self.query(sql)
        self.query("PRAGMA query_only = ON")

    def _distrust(self) -> None:
        db = self._db
        for setting in (apsw.SQLITE_DBCONFIG_ENABLE_VIEW, apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER):
            db.config(setting, 0)
        db.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
        db.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
        db.limit(apsw.SQLITE_LIMIT_LENGTH, self._longest)
        db.limit(apsw.SQLITE_LIMIT_ATTACHED, 0)
        db.set_progress_handler(lambda: time.monotonic() > self._until, _OPERATIONS)
        for pragma in ("cell_size_check", "query_only"):
            self.query(f"PRAGMA {pragma} = ON")

    def _refuse_others(self, allowed: frozenset[tuple[str, str]]) -> None:
        """Whatever is not one of the schema's own tables and indices, word for word."""
        for kind, name, sql in self.query(f"SELECT type, name, sql FROM sqlite_schema LIMIT {_MOST_OBJECTS}"):
            if (name, _plain(sql)) not in allowed:
                raise damage(self.path, f"a {kind} that is not of a pack")


class _CheckedFiles(apsw.VFS):
    """SQLite's own files, each page compared with its checksum when it is read."""

    def __init__(self, path: Path, sums: np.ndarray) -> None:
        self.name = f"kgask-{id(self)}"
        self._path, self._sums = path, sums
        super().__init__(self.name, "")

    def xOpen(self, name: Any, flags: list[int]) -> apsw.VFSFile:  # noqa: N802 - APSW's name
        return _CheckedFile(name, flags, self._path, self._sums)


class _CheckedFile(apsw.VFSFile):
    def __init__(self, name: Any, flags: list[int], path: Path, sums: np.ndarray) -> None:
        super().__init__("", name, flags)
        self._path, self._sums = path, sums

    def xRead(self, amount: int, offset: int) -> bytes:  # noqa: N802 - APSW's name
        first, last = offset // BLOCK_BYTES, -(-(offset + amount) // BLOCK_BYTES)
        start = first * BLOCK_BYTES
        data = super().xRead((last - first) * BLOCK_BYTES, start)
        for block in range(first, last):
            at = block * BLOCK_BYTES - start
            if block >= len(self._sums) or zlib.crc32(data[at : at + BLOCK_BYTES]) != self._sums[block]:
                raise damage(self._path)
        return data[offset - start : offset - start + amount]


def _refuse_large_schema(path: Path) -> None:
    """SQLite reads a whole schema before it answers anything; that of a pack is on the first page."""
    with open(path, "rb") as file:
        head = file.read(105)
    if len(head) < 105 or head[100] != _LEAF or int.from_bytes(head[103:105], "big") > _MOST_OBJECTS:
        raise damage(path, "its schema is not that of a pack")


def _statements(schema: str) -> frozenset[tuple[str, str]]:
    """(name, SQL) of every table and index that a schema makes, those among them that FTS5 makes for its own."""
    found = set[tuple[str, str]]()
    for statement in filter(None, map(_plain, schema.split(";"))):
        words = statement.split()
        name = words[3 if words[1] == "VIRTUAL" else 2].strip("(")
        found.add((name, statement))
        if words[1] == "VIRTUAL":
            found |= {
                (f"{name}_{part}", f"CREATE TABLE '{name}_{part}'{columns}") for part, columns in _OF_FTS5.items()
            }
    return frozenset(found)


_OF_FTS5 = {
    "data": "(id INTEGER PRIMARY KEY, block BLOB)",
    "idx": "(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID",
    "docsize": "(id INTEGER PRIMARY KEY, sz BLOB)",
    "config": "(k PRIMARY KEY, v) WITHOUT ROWID",
}


def _plain(sql: str | None) -> str:
    return " ".join((sql or "").split())


def of_ids(ids: Iterable[int], most: int = 100_000) -> Iterable[list[int]]:
    """Different ids, so many at a time that their JSON is never longer than a text may be."""
    every = list(set(ids))
    return (every[at : at + most] for at in range(0, len(every), most))
