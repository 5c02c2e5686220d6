"""A DuckDB database on disk that keeps within its memory: rows in by batches, rows out as streams."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kgask.errors import BuildError, UsageError

if TYPE_CHECKING:
    import duckdb
    import pyarrow

ROWS = 1 << 17  # of a batch
ADVICE = "the engine duckdb needs more packages: pip install 'kgask[scale]'"
_OWN_BYTES = 350 << 20  # Python, numpy, Arrow's batches and SQLite's cache
LEAST_BYTES = 600_000_000


def check_installed() -> None:
    """UsageError with what to type where DuckDB is missing."""
    try:
        import duckdb  # noqa: F401
        import pyarrow  # noqa: F401
    except ImportError:
        raise UsageError(ADVICE) from None


class Store:
    """``rows`` is how many a batch has at most, out and in; ``memory`` is of the whole process, in bytes."""

    def __init__(self, path: Path, spill: Path, memory: int, rows: int = ROWS) -> None:
        import duckdb

        self.rows = rows
        with _told():
            self._db = duckdb.connect(
                str(path),
                config={
                    "memory_limit": f"{max(memory - _OWN_BYTES, 200 << 20) >> 20}MiB",
                    "temp_directory": str(spill),
                    "preserve_insertion_order": "false",
                    # Never a look elsewhere for an extension.
                    "autoinstall_known_extensions": "false",
                    "autoload_known_extensions": "false",
                },
            )

    def close(self) -> None:
        self._db.close()

    def run(self, sql: str, *parameters: object) -> None:
        with _told():
            self._db.execute(sql, parameters or None).fetchall()  # a result that is not fetched blocks what follows

    def row(self, sql: str, *parameters: object) -> tuple[Any, ...]:
        """The only row."""
        with _told():
            (found,) = self._db.execute(sql, parameters or None).fetchall()
        return tuple(found)

    def batches(self, sql: str) -> Iterator[pyarrow.RecordBatch]:
        """The result, part by part, while other statements run."""
        with _told():
            cursor = self._db.cursor()
            try:
                for batch in cursor.sql(sql).to_arrow_reader(self.rows):
                    for start in range(0, batch.num_rows, self.rows):
                        yield batch.slice(start, self.rows)
            finally:
                cursor.close()

    def columns(self, sql: str) -> Iterator[list[np.ndarray]]:
        """Numbers (none of them NULL): the columns of each part."""
        for batch in self.batches(sql):
            yield [column.to_numpy(zero_copy_only=False) for column in batch.columns]

    def stream(self, sql: str) -> Iterator[tuple[Any, ...]]:
        """One row after another."""
        for batch in self.batches(sql):
            yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)

    def append(
        self, table: str, columns: Mapping[str, Sequence[object] | np.ndarray], types: Mapping[str, str]
    ) -> None:
        """Rows to a table, column by column; ``types`` are Arrow's."""
        import pyarrow

        arrays = [pyarrow.array(column, pyarrow.type_for_alias(types[name])) for name, column in columns.items()]
        self.insert(table, arrays)

    def insert(self, table: str, columns: Sequence[pyarrow.Array], select: str = "SELECT * FROM given") -> None:
        """What ``select`` makes of Arrow's columns ``c0``, ``c1`` ... of ``given``."""
        import pyarrow

        with _told():
            self._db.register("given", pyarrow.table([*columns], [f"c{at}" for at in range(len(columns))]))
            self._db.execute(f"INSERT INTO {table} {select}").fetchall()
            self._db.unregister("given")


@contextmanager
def _told() -> Iterator[None]:
    """What DuckDB cannot do is a BuildError of one line."""
    import duckdb

    try:
        yield
    except duckdb.InterruptException:
        raise KeyboardInterrupt from None
    except duckdb.OutOfMemoryException as error:
        raise BuildError(f"not enough memory or temporary disk ({_short(error)}); --memory gives more") from None
    except duckdb.IOException as error:
        raise BuildError(_short(error)) from None


def _short(error: duckdb.Error) -> str:
    return str(error).splitlines()[0]
