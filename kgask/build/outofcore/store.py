"""The database that a build works in: tables of rows in by batches, rows out as streams.

Two engines run the same SQL. What they say differently is here and in the two modules that build on this one,
:mod:`~kgask.build.outofcore.duck` and :mod:`~kgask.build.outofcore.spark`: how a table is made and numbered, and
``regexp_like`` and ``replace_all``, which each has under these names.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pyarrow

ROWS = 1 << 17  # of a batch
OWN_BYTES = 350 << 20  # Python, numpy, Arrow's batches and SQLite's cache


class Store(ABC):
    """``rows`` is how many a batch has at most, out and in."""

    rows: int

    @abstractmethod
    def close(self, is_well: bool = True) -> None:
        """``is_well`` unless an error or Ctrl-C ends the work."""

    @abstractmethod
    def create(self, table: str, columns: Mapping[str, str]) -> None:
        """An empty table in place of what was there; ``columns`` are Arrow's names of types."""

    @abstractmethod
    def make(self, table: str, query: str) -> None:
        """A table of what a query gives, in place of what was there; the query may read that."""

    @abstractmethod
    def view(self, name: str, query: str) -> None:
        """A query by name, in place of the table or view that was there."""

    @abstractmethod
    def add(self, table: str, query: str) -> None:
        """What a query gives, to a table with the same columns and types."""

    @abstractmethod
    def number(self, table: str, query: str, order: str, first: int = 0) -> None:
        """A table of the rows of a query (no two alike), with their places in an order from ``first`` on as ``id``."""

    @abstractmethod
    def drop(self, *names: str) -> None:
        """Tables and views that may be there."""

    @abstractmethod
    def insert(self, table: str, rows: pyarrow.Table) -> None:
        """Rows to a table; columns that they do not have are NULL. It may go on until :meth:`settle`."""

    def settle(self) -> None:  # noqa: B027 - most stores have nothing to wait for
        """Return when all that was inserted is there; raises what that failed with."""

    @abstractmethod
    def fetch(self, query: str) -> list[tuple[Any, ...]]:
        """A few rows."""

    @abstractmethod
    def batches(self, query: str) -> Iterator[pyarrow.RecordBatch]:
        """The result, part by part, while other statements run."""

    def row(self, query: str) -> tuple[Any, ...]:
        """The only row."""
        (found,) = self.fetch(query)
        return found

    def columns(self, query: str) -> Iterator[list[np.ndarray]]:
        """Numbers (none of them NULL): the columns of each part."""
        for batch in self.batches(query):
            yield [column.to_numpy(zero_copy_only=False) for column in batch.columns]

    def stream(self, query: str) -> Iterator[tuple[Any, ...]]:
        """One row after another."""
        for batch in self.batches(query):
            yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)

    def append(
        self, table: str, columns: Mapping[str, Sequence[object] | np.ndarray], types: Mapping[str, str]
    ) -> None:
        """Rows to a table, column by column; ``types`` are Arrow's."""
        import pyarrow

        arrays = {name: pyarrow.array(column, pyarrow.type_for_alias(types[name])) for name, column in columns.items()}
        self.insert(table, pyarrow.table(arrays))


def in_parts(batch: pyarrow.RecordBatch, rows: int) -> Iterator[pyarrow.RecordBatch]:
    """A batch as batches of at most so many rows."""
    for start in range(0, batch.num_rows, rows):
        yield batch.slice(start, rows)
