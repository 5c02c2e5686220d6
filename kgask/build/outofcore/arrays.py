"""The arrays of a pack, written from sorted streams: nothing that grows with the pack is held."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from kgask.build.outofcore.store import Store
from kgask.pack.arrays import id_type, relation_type
from kgask.pack.csr import Csr, triple_ids_of
from kgask.pack.header import ARRAYS
from kgask.pack.qualifiers import QUALIFIER_ARRAYS, build_qualifiers

_CHUNK = 1 << 20


class ArrayWriter:
    """A .npy file of one dimension, or of ``width`` columns, whose length is known when it is closed."""

    def __init__(self, path: Path, dtype: np.dtype, width: int = 0) -> None:
        self._file, self._dtype, self._width, self._n = path.open("wb"), dtype, width, 0
        self._head()

    def _head(self) -> None:
        shape = (self._n, self._width) if self._width else (self._n,)
        head = {"descr": np.lib.format.dtype_to_descr(self._dtype), "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(self._file, head)  # numpy leaves room for a longer length

    def write(self, rows: np.ndarray) -> None:
        self._file.write(np.ascontiguousarray(rows, dtype=self._dtype).data)
        self._n += len(rows)

    def close(self) -> None:
        self._file.seek(0)
        self._head()
        self._file.close()


@dataclass(frozen=True, slots=True)
class Direction:
    """Triples one way round, as they were counted while they were written; [R] each."""

    n_triples: int
    n_plain: int  # of these, that are said without a statement too
    triples: np.ndarray
    owners: np.ndarray  # how many have each relation on this side
    with_one: np.ndarray  # of these, that have one end


def write_direction(store: Store, folder: Path, names: tuple[str, str, str], order: str, stated: bool) -> Direction:
    """Row pointers, relations and other ends, in the ``order`` ``s, r, o`` or ``o, r, s``.

    With ``stated`` some triples have statements, and what is said without one is counted.
    """
    n_entities, n_relations = sizes(store)
    pointers = _Pointers(folder / f"{names[0]}.npy", n_entities)
    relations = ArrayWriter(folder / f"{names[1]}.npy", relation_type(n_relations))
    ends = ArrayWriter(folder / f"{names[2]}.npy", id_type(n_entities))
    counted, n_plain = _Owners(n_relations), 0
    flag = ", row IS NOT NULL AS stated" if stated else ""
    rows = store.columns(f"SELECT {order}{flag} FROM triples ORDER BY {order}{', stated' if stated else ''}")
    for owner, relation, end, is_stated in _distinct(rows):
        pointers.write(owner)
        relations.write(relation)
        ends.write(end)
        counted.see(owner, relation)
        n_plain += len(owner) - int(np.count_nonzero(is_stated))
    for writer in (pointers, relations, ends, counted):
        writer.close()
    return Direction(pointers.n_rows, n_plain, counted.triples, counted.owners, counted.with_one)


def sizes(store: Store) -> tuple[int, int]:
    """Entities with literals, and relations."""
    things, literals, relations = (
        store.row(f"SELECT count(*) FROM {table}")[0] for table in ("entities", "literals", "relations")
    )
    return things + literals, relations


def _distinct(parts: Iterator[list[np.ndarray]]) -> Iterator[tuple[np.ndarray, ...]]:
    """Sorted rows, each once; where rows differ in the last column only, the first."""
    last: list[int] | None = None
    for columns in parts:
        if len(columns) == 3:
            columns = [*columns, np.zeros(len(columns[0]), bool)]
        new = np.ones(len(columns[0]), bool)
        new[1:] = np.logical_or.reduce([column[1:] != column[:-1] for column in columns[:3]])
        first = [int(column[0]) for column in columns[:3]]
        new[0] = first != last
        last = [int(column[-1]) for column in columns[:3]]
        if new.any():
            yield tuple(column[new] for column in columns)


class _Pointers:
    """Where the rows of each owner begin, from owners in ascending order; int64 until the end tells what is enough."""

    def __init__(self, path: Path, n_entities: int) -> None:
        self._path, self._n_entities, self._next, self.n_rows = path, n_entities, 0, 0
        self._wide = path.with_suffix(".wide")
        self._file = self._wide.open("wb")

    def write(self, owners: np.ndarray) -> None:
        last = int(owners[-1])
        for start in range(self._next, last + 1, _CHUNK):
            some = np.arange(start, min(start + _CHUNK, last + 1), dtype=owners.dtype)
            self._file.write((self.n_rows + np.searchsorted(owners, some)).astype(np.int64).data)
        self._next = max(self._next, last + 1)
        self.n_rows += len(owners)

    def close(self) -> None:
        for start in range(self._next, self._n_entities + 1, _CHUNK):
            n = min(_CHUNK, self._n_entities + 1 - start)
            self._file.write(np.full(n, self.n_rows, dtype=np.int64).data)
        self._file.close()
        narrow(self._wide, self._path, id_type(self.n_rows))


def narrow(wide: Path, path: Path, dtype: np.dtype) -> None:
    """int64 of a raw file as a .npy of another type; the raw file goes."""
    writer = ArrayWriter(path, dtype)
    with wide.open("rb") as file:
        while data := file.read(8 * _CHUNK):
            writer.write(np.frombuffer(data, np.int64))
    writer.close()
    wide.unlink()


class _Owners:
    """How many have each relation, and how many of these have one end, from rows sorted by owner and relation."""

    def __init__(self, n_relations: int) -> None:
        self.triples, self.owners, self.with_one = (np.zeros(n_relations, np.int64) for _ in range(3))
        self._last: tuple[int, int] | None = None  # owner and relation of the row before
        self._is_one = False  # whether that row began them

    def see(self, owner: np.ndarray, relation: np.ndarray) -> None:
        n = len(self.triples)
        new = np.ones(len(owner), bool)
        new[1:] = (owner[1:] != owner[:-1]) | (relation[1:] != relation[:-1])
        new[0] = (int(owner[0]), int(relation[0])) != self._last
        if new[0]:
            self._settle()
        self.triples += np.bincount(relation, minlength=n)
        self.owners += np.bincount(relation[new], minlength=n)
        self.with_one += np.bincount(relation[:-1][new[:-1] & new[1:]], minlength=n)
        self._last, self._is_one = (int(owner[-1]), int(relation[-1])), bool(new[-1])

    def _settle(self) -> None:
        if self._last is not None and self._is_one:
            self.with_one[self._last[1]] += 1

    def close(self) -> None:
        self._settle()


def opened(folder: Path, stated: bool) -> Csr:
    """The arrays that were written, mapped."""
    names = ARRAYS + (QUALIFIER_ARRAYS if stated else ())
    return Csr(**{name: np.asarray(np.load(folder / f"{name}.npy", mmap_mode="r")) for name in names})


def write_statements(store: Store, folder: Path) -> tuple[int, int]:
    """The arrays of statements; how many there are, and their qualifiers. The triples' arrays must be there."""
    (n_entities, n_relations), csr = sizes(store), opened(folder, stated=False)
    n_triples, n_qualifiers, n_statements = len(csr.out_relation), 0, 0
    of = ArrayWriter(folder / "statement_triple.npy", id_type(n_triples))
    relations = ArrayWriter(folder / "qualifier_relation.npy", relation_type(n_relations))
    values = ArrayWriter(folder / "qualifier_value.npy", id_type(n_entities))
    wide = folder / "qualifier_indptr.wide"
    with wide.open("wb") as pointers:
        pointers.write(np.zeros(1, np.int64).data)
        for part in _whole_triples(store):
            triples, lengths, relation, value = _as_statements(csr, part)
            built = build_qualifiers(triples, lengths, relation, value, n_triples, n_entities, n_relations)
            of.write(built.statement_triple)
            relations.write(built.qualifier_relation)
            values.write(built.qualifier_value)
            pointers.write((built.qualifier_indptr[1:].astype(np.int64) + n_qualifiers).data)
            n_qualifiers += len(built.qualifier_value)
            n_statements += built.n_statements
    for writer in (of, relations, values):
        writer.close()
    narrow(wide, folder / "qualifier_indptr.npy", id_type(n_qualifiers))
    return n_statements, n_qualifiers


def _whole_triples(store: Store) -> Iterator[np.ndarray]:
    """int64 [6, n]: subject, relation, object, statement, its relation and value; all of a triple in one part."""
    parts = store.columns(
        "SELECT t.s::BIGINT AS s, t.r::BIGINT AS r, t.o::BIGINT AS o, q.statement, q.r AS by, q.v FROM triples t "
        "JOIN qualifier_ids q ON q.row = t.row ORDER BY 1, 2, 3, 4, 5, 6"
    )
    left = np.zeros((6, 0), np.int64)
    for columns in parts:
        rows = np.hstack([left, np.stack(columns)])
        is_last = (rows[:3] == rows[:3, -1:]).all(axis=0)
        whole = int(np.argmax(is_last))
        if whole:
            yield rows[:, :whole]
        left = rows[:, whole:]
    if left.shape[1]:
        yield left


def _as_statements(csr: Csr, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Triple id and number of qualifiers of each statement; all relations and values."""
    new = np.ones(rows.shape[1], bool)
    new[1:] = (rows[:4, 1:] != rows[:4, :-1]).any(axis=0)
    starts = np.flatnonzero(new)
    return triple_ids_of(csr, *rows[:3, starts]), np.diff([*starts, rows.shape[1]]), rows[4], rows[5]
