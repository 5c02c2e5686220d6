"""How rows of ids are sorted, pointed to and stored."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike


def smallest_int(largest: int) -> np.dtype:
    """The smallest of int16, int32 and int64 that holds ``largest`` (little-endian)."""
    for name in ("<i2", "<i4"):
        if largest <= np.iinfo(name).max:
            return np.dtype(name)
    return np.dtype("<i8")


def id_type(largest: int) -> np.dtype:
    """Of entities, triples and row pointers: int32, or int64 where that is too small."""
    return max(smallest_int(largest), np.dtype("<i4"))


def relation_type(n_relations: int) -> np.dtype:
    """Holds ``2R`` too, so that ``relation + n_relations`` (the inverse direction) cannot wrap around."""
    return smallest_int(2 * n_relations)


def distinct(values: ArrayLike) -> np.ndarray:
    """The different ones of numbers of any shape, ascending, [n].

    Sorted: numpy's ``unique`` hashes them, which takes 7 times as long for a thousand and 20 times for twenty thousand.
    """
    every = np.sort(values, axis=None)
    return every[np.append(True, every[1:] != every[:-1])] if len(every) > 1 else every


def distinct_rows(first: np.ndarray, second: np.ndarray, third: np.ndarray) -> tuple[np.ndarray, ...]:
    """Three columns, int [n], sorted by row, each row once."""
    order = np.lexsort((third, second, first))
    columns = tuple(column[order] for column in (first, second, third))
    new = np.ones(len(order), dtype=bool)
    if len(order):
        new[1:] = np.logical_or.reduce([column[1:] != column[:-1] for column in columns])
    return tuple(column[new] for column in columns)


def row_pointers(lengths: np.ndarray) -> np.ndarray:
    """int64 [n+1]: where each row begins, and where the last one ends."""
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths, dtype=np.int64)])


def spans(starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """The numbers from each start on, as many as its length, one after another."""
    pointers = row_pointers(lengths)
    return np.repeat(starts - pointers[:-1], lengths) + np.arange(pointers[-1])
