"""A DuckDB database on disk that keeps within its memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kgask.build.outofcore.store import OWN_BYTES, ROWS, Store, in_parts
from kgask.errors import BuildError, UsageError

if TYPE_CHECKING:
    import duckdb
    import pyarrow

ADVICE = "the engine duckdb needs more packages: pip install 'kgask[scale]'"
LEAST_BYTES = 600_000_000
_SQL = {"string": "VARCHAR", "double": "DOUBLE", "int64": "BIGINT", "int8": "TINYINT", "bool": "BOOLEAN"}
_WORDS = (
    "regexp_like(x, pattern) AS regexp_matches(x, pattern)",
    "replace_all(x, pattern, other) AS regexp_replace(x, pattern, other, 'g')",
)


def check_installed() -> None:
    """UsageError with what to type where DuckDB is missing."""
    try:
        import duckdb  # noqa: F401
        import pyarrow  # noqa: F401
    except ImportError:
        raise UsageError(ADVICE) from None


class DuckStore(Store):
    """``memory`` is of the whole process, in bytes."""

    def __init__(self, folder: Path, memory: int, rows: int = ROWS) -> None:
        import duckdb

        self.rows = rows
        self._beside, self._inserting = ThreadPoolExecutor(1), Future[None]()
        self._inserting.set_result(None)
        with _told():
            self._db = duckdb.connect(
                str(folder / "stage.duckdb"),
                config={
                    "memory_limit": f"{max(memory - OWN_BYTES, 200 << 20) >> 20}MiB",
                    "temp_directory": str(folder / "spill"),
                    "preserve_insertion_order": "false",
                    # Never a look elsewhere for an extension.
                    "autoinstall_known_extensions": "false",
                    "autoload_known_extensions": "false",
                },
            )
        # Choosing how to pack what is read once or twice takes a quarter of the time of a build.
        self._run("PRAGMA force_compression='uncompressed'")
        for words in _WORDS:
            self._run(f"CREATE OR REPLACE MACRO {words}")

    def close(self, is_well: bool = True) -> None:
        self._beside.shutdown()
        self._db.close()

    def _run(self, sql: str) -> None:
        self.fetch(sql)  # a result that is not fetched blocks what follows

    def settle(self) -> None:
        self._inserting.result()

    def fetch(self, query: str) -> list[tuple[Any, ...]]:
        self.settle()
        with _told():
            return self._db.execute(query).fetchall()

    def create(self, table: str, columns: Mapping[str, str]) -> None:
        self._run(f"CREATE OR REPLACE TABLE {table} ({', '.join(f'{k} {_SQL[t]}' for k, t in columns.items())})")

    def make(self, table: str, query: str) -> None:
        self._run(f"CREATE OR REPLACE TABLE {table} AS {query}")

    def view(self, name: str, query: str) -> None:
        self.drop(name)
        self._run(f"CREATE VIEW {name} AS {query}")

    def add(self, table: str, query: str) -> None:
        self._run(f"INSERT INTO {table} {query}")

    def number(self, table: str, query: str, order: str, first: int = 0) -> None:
        ordered = f"SELECT * FROM ({query}) ORDER BY {order}"
        self.make(table, f"SELECT {first} + (row_number() OVER ()) - 1 AS id, * FROM ({ordered})")

    def drop(self, *names: str) -> None:
        views = {name for (name,) in self.fetch("SELECT view_name FROM duckdb_views()")}
        for name in names:
            self._run(f"DROP {'VIEW' if name in views else 'TABLE'} IF EXISTS {name}")

    def insert(self, table: str, rows: pyarrow.Table) -> None:
        """While the caller makes the next rows; what fails is raised by what is called next."""
        self.settle()
        self._inserting = self._beside.submit(self._insert, table, rows)

    def _insert(self, table: str, rows: pyarrow.Table) -> None:
        with _told():
            self._db.register("given", rows)
            self._db.execute(f"INSERT INTO {table} ({', '.join(rows.column_names)}) SELECT * FROM given").fetchall()
            self._db.unregister("given")

    def batches(self, query: str) -> Iterator[pyarrow.RecordBatch]:
        self.settle()
        with _told():
            cursor = self._db.cursor()
            try:
                for batch in cursor.sql(query).to_arrow_reader(self.rows):
                    yield from in_parts(batch, self.rows)
            finally:
                cursor.close()


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
    except (duckdb.IOException, duckdb.TransactionException, duckdb.FatalException) as error:  # the disk, as it says it
        raise BuildError(_short(error)) from None


def _short(error: duckdb.Error) -> str:
    return str(error).splitlines()[0]
