"""A SQLite file that is not what it says: other rows and types, views and triggers in place of tables."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from pathlib import Path

_VALUES = (
    "NULL", "-1", "0", "9223372036854775807", "1e308", "-9e999", "0.5", "''", "'x'", "x'ff00ed'", "zeroblob(100000)",
    "char(0)", "char(27)||'[2J'", "'\"'", "printf('%.*c', 200000, 'y')", "CAST(x'eda080' AS TEXT)",
    "CAST(x'ff' AS TEXT)",
    "printf('%.*c', 6000, '9')", "'[\"a\", 1, null]'", "'[' || '[['", "'Infinity'",
)  # fmt: skip
_ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)"


def database(rng: random.Random, path: Path) -> str:
    """Change a database in place; says how."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA writable_schema = ON")
        tables = dict(
            db.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%'")
        )
        table = rng.choice(sorted(tables))
        columns = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
        sql = rng.choice(_CHANGES)(rng, table, columns)
        try:
            db.executescript(sql)
        except sqlite3.Error as error:
            db.execute("PRAGMA user_version = 4711")
            return f"user_version, for {sql[:80]!r} does not work ({error})"
    return sql[:200]


def _value(rng: random.Random, table: str, columns: list[str]) -> str:
    limit = rng.choice(["", f" WHERE rowid % {rng.choice([3, 20, 90])} = 1"])
    return f"UPDATE {table} SET {rng.choice(columns)} = {rng.choice(_VALUES)}{limit}"


def _rows(rng: random.Random, table: str, columns: list[str]) -> str:
    return f"DELETE FROM {table}" + rng.choice(["", f" WHERE rowid % {rng.randrange(1, 9)} = 0"])


def _view(rng: random.Random, table: str, columns: list[str]) -> str:
    """A view under the table's name that has no end, or says something else."""
    listed = ", ".join(f"x AS {column}" for column in columns)
    other = ", ".join(f"'Mallory' AS {column}" for column in columns)
    body = rng.choice([f"{_ENDLESS} SELECT {listed} FROM c", f"SELECT {other} FROM {table}_old"])
    return f"ALTER TABLE {table} RENAME TO {table}_old; CREATE VIEW {table} AS {body}"


def _more(rng: random.Random, table: str, columns: list[str]) -> str:
    return rng.choice(
        [
            f"CREATE TRIGGER t AFTER INSERT ON {table} BEGIN SELECT 1; END",
            f"CREATE TABLE extra AS {_ENDLESS} SELECT x FROM c LIMIT 10000",
            f"CREATE INDEX own ON {table} ({rng.choice(columns)})",
            f"ALTER TABLE {table} ADD COLUMN more DEFAULT 1",
            f"DROP TABLE {table}",
            f"ALTER TABLE {table} RENAME COLUMN {rng.choice(columns)} TO other",
        ]
    )


def _pragma(rng: random.Random, table: str, columns: list[str]) -> str:
    return rng.choice(
        ["PRAGMA user_version = 99", "PRAGMA application_id = 1", "PRAGMA journal_mode = WAL",
        "PRAGMA encoding = 'UTF-16'",
         "DELETE FROM sqlite_master", f"UPDATE sqlite_master SET sql = 'CREATE TABLE x(' WHERE name = '{table}'",
         "UPDATE sqlite_master SET rootpage = rootpage + 1"]
    )  # fmt: skip


def _index(rng: random.Random, table: str, columns: list[str]) -> str:
    return rng.choice(
        ["INSERT INTO name_words (name_words) VALUES ('delete-all')", "DELETE FROM name_words_data",
         "UPDATE name_words_data SET block = zeroblob(40)", "DELETE FROM name_words WHERE rowid < 20",
         "INSERT INTO name_words (rowid, name) VALUES (4, 'mallory')"]
    )  # fmt: skip


_CHANGES = (_value, _value, _value, _rows, _view, _more, _pragma, _index)
