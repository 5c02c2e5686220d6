"""A SQLite file of a pack, read-only; every broken file is a :class:`PackError`."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any
from urllib.parse import quote

from kgask.errors import PackError


class ReadOnly:
    """One connection. ``application`` and ``version`` are what the file must say of itself, ``what`` what it is."""

    def __init__(self, path: Path, application: int, version: int, what: str) -> None:
        self.path = path
        # immutable: the file never changes under us (packs are replaced by rename), so no locks are taken.
        uri = f"file:{quote(str(path.absolute()))}?mode=ro&immutable=1"
        try:
            self._db = sqlite3.connect(uri, uri=True, check_same_thread=False)
        except sqlite3.Error as error:
            raise PackError(f"{path}: {error}") from error
        found = self.query("PRAGMA application_id")[0][0], self.query("PRAGMA user_version")[0][0]
        if found != (application, version):
            self.close()
            raise PackError(f"{path}: not the {what} of a kgask pack of format {version}")

    def close(self) -> None:
        self._db.close()

    def query(self, sql: str, *parameters: Any) -> list[tuple]:
        try:
            return self._db.execute(sql, parameters).fetchall()
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise PackError(f"{self.path}: {error}; 'kgask pack check' tells what is broken") from error
