"""Tables as folders of Parquet that Apache Spark reads and writes, on this machine or on a cluster.

Everything lies in the stage's folder, which on a cluster all workers have to see. The workers need no Python: all that
they run is SQL. Spark's own words, its temporary files and its log stay in that folder, too.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kgask.build.outofcore.spark_driver import Driver, told
from kgask.build.outofcore.store import OWN_BYTES, ROWS, Store, in_parts
from kgask.machine.files import write_whole

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame

_ROW_BITS = 33  # of monotonically_increasing_id(): the part is above, the row below
_SQL = {"string": "STRING", "double": "DOUBLE", "int64": "BIGINT", "int8": "TINYINT", "bool": "BOOLEAN"}
_WORDS = (
    "replace_all(x STRING, pattern STRING, other STRING) RETURNS STRING RETURN regexp_replace(x, pattern, other)",
)


class SparkStore(Store):
    """``memory`` is of this process and the driver that it starts, in bytes; a cluster's workers have their own.

    Raises as :meth:`kgask.build.outofcore.spark_driver.Driver.start` does.
    """

    def __init__(self, folder: Path, master: str, memory: int, rows: int = ROWS) -> None:
        self.rows, self._folder, self._state = rows, folder / "tables", folder / "tables.json"
        # What each name stands for: columns of a folder of Parquet, or a query.
        self._known: dict[str, tuple[str, str]] = {}
        self._stale: set[str] = set()  # tables with files that Spark does not know of
        self._names = count()
        scratch = folder / "spill"
        for path in (self._folder, scratch):
            path.mkdir(exist_ok=True)
        self._driver = Driver.start(master, memory - OWN_BYTES, scratch)
        self._session = self._driver.session
        try:
            for words in _WORDS:
                self._sql(f"CREATE TEMPORARY FUNCTION {words}")
            self._go_on()
        except BaseException:
            self.close(False)
            raise

    def _go_on(self) -> None:
        """With the tables that finished steps left; what is none of them goes."""
        with suppress(OSError, ValueError):
            self._known = {name: (what, text) for name, (what, text) in json.loads(self._state.read_bytes()).items()}
        for path in self._folder.iterdir():
            if path.name not in self._known:
                shutil.rmtree(path)
        for name, (what, _) in sorted(self._known.items(), key=lambda known: known[1][0] == "query"):
            self._show(name) if what == "query" or (self._folder / name).is_dir() else self._known.pop(name)

    def close(self, is_well: bool = True) -> None:
        self._driver.close(is_well)

    def _sql(self, query: str) -> DataFrame:
        while self._stale:
            self._show(self._stale.pop())
        with told():
            return self._session.sql(query)

    def fetch(self, query: str) -> list[tuple[Any, ...]]:
        found = self._sql(query)
        with told():
            return [tuple(row) for row in found.collect()]

    def create(self, table: str, columns: Mapping[str, str]) -> None:
        new = self._new()
        new.mkdir()
        self._put(table, new, ", ".join(f"`{name}` {_SQL[kind]}" for name, kind in columns.items()))

    def make(self, table: str, query: str) -> None:
        self._put(table, *self._written(query))

    def view(self, name: str, query: str) -> None:
        self.drop(name)
        self._note(name, "query", query)

    def add(self, table: str, query: str) -> None:
        new, _ = self._written(query)
        for part in _parts(new):
            part.rename(self._folder / table / f"{next(self._names):05}-{part.name}")
        shutil.rmtree(new)
        self._stale.add(table)

    def number(self, table: str, query: str, order: str, first: int = 0) -> None:
        # No one place has to see all rows: each sorted part is counted, and its rows go on behind the parts before it.
        part, row = f"shiftright(place, {_ROW_BITS})", f"place & {(1 << _ROW_BITS) - 1}"
        ordered = f"SELECT * FROM ({query}) ORDER BY {order}"
        self.make("sorted", f"SELECT *, monotonically_increasing_id() AS place FROM ({ordered})")
        sizes = f"SELECT {part} AS part, count(*) AS n FROM sorted GROUP BY part"
        before = f"SELECT part, sum(n) OVER (ORDER BY part) - n AS n FROM ({sizes})"
        self.make(
            table,
            f"SELECT CAST({first} + ({row}) + b.n AS BIGINT) AS id, s.* EXCEPT (place) FROM sorted s "
            f"JOIN ({before}) b ON b.part = {part}",
        )
        self.drop("sorted")

    def drop(self, *names: str) -> None:
        for name in names:
            self._stale.discard(name)
            if self._known.pop(name, None) is not None:
                self._session.catalog.dropTempView(name)
                self._save()
                shutil.rmtree(self._folder / name, ignore_errors=True)

    def insert(self, table: str, rows: pyarrow.Table) -> None:
        from pyarrow import parquet

        with told():
            parquet.write_table(rows, self._folder / table / f"{next(self._names):05}.parquet")
        self._stale.add(table)

    def batches(self, query: str) -> Iterator[pyarrow.RecordBatch]:
        from pyarrow import parquet

        folder, _ = self._written(query)
        try:
            for part in _parts(folder):
                with parquet.ParquetFile(part) as file:
                    for batch in file.iter_batches(self.rows):
                        yield from in_parts(batch, self.rows)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _written(self, query: str) -> tuple[Path, str]:
        """A new folder of what a query gives, in its order, and the columns."""
        found, new = self._sql(query), self._new()
        with told():
            found.write.parquet(new.as_uri())
        return new, found.schema.toDDL()

    def _new(self) -> Path:
        # A Spark that was killed with its build may still write for a moment: never to a folder of this one's.
        return self._folder / f"{next(self._names)}.{os.getpid()}"

    def _put(self, table: str, new: Path, columns: str) -> None:
        """A folder becomes a table."""
        self.drop(table)
        new.rename(self._folder / table)
        self._note(table, "columns", columns)

    def _note(self, name: str, what: str, text: str) -> None:
        self._known[name] = what, text
        self._save()
        self._show(name)

    def _save(self) -> None:
        write_whole(self._state, json.dumps(self._known))

    def _show(self, name: str) -> None:
        """To Spark, which lists a table's files when it is told of it."""
        what, text = self._known[name]
        with told():
            if what == "query":
                self._session.sql(f"CREATE OR REPLACE TEMPORARY VIEW {name} AS {text}")
            else:
                rows = self._session.read.schema(text).parquet((self._folder / name).as_uri())
                rows.createOrReplaceTempView(name)


def _parts(folder: Path) -> list[Path]:
    """The files that Spark wrote, in the order of its rows."""
    return sorted(folder.glob("part-*.parquet"))
