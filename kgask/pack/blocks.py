"""Blocks of a pack's files: what an answer is made of is looked at when it is first read.

``blocks.crc`` holds a CRC-32 (little-endian uint32) of every 4096 bytes of each file, one file after another in the
order of their names; the last block of a file may be shorter. Its own SHA-256 stands in pack.json, whose hash is
compared whenever a pack is opened. So a flipped bit anywhere is told at the cost of what a question touches, 0.4 ms a
megabyte. A CRC finds accidents. Who can write a block can write one with the same CRC: against an enemy there are
signatures, and the hashes that ``kgask pack check`` compares. A pack without ``blocks.crc`` is hashed whole when it is
first opened. So that he has no more than other answers from it, ids
and row pointers in the same blocks are compared with what they may be: no one leads to what is not there.
"""

from __future__ import annotations

import hashlib
import io
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np

from kgask.errors import PackDamage
from kgask.machine.remembered import are_as_stated, content_hash
from kgask.pack.arrays import distinct

BLOCKS_FILE = "blocks.crc"
BLOCK_BYTES = 4096  # a page of SQLite and of memory
_SHIFT = BLOCK_BYTES.bit_length() - 1
_SUM = np.dtype("<u4")
# Blocks of an array that are looked at together when no more are left, or no more than are known: then nothing is to be
# asked again.
_REST, _MOST_REST = 256, 1 << 13
_NOT = b"\0"  # False in the bytes of an array
_MANY = 64  # places from which on their first and last block are looked at before each one


def block_sums(folder: Path, names: Iterable[str]) -> bytes:
    """The checksums of these files of a folder, as :data:`BLOCKS_FILE` holds them."""
    return b"".join(_sums_of(folder / name).tobytes() for name in sorted(names) if name != BLOCKS_FILE)


def _sums_of(path: Path) -> np.ndarray:
    with open(path, "rb") as file:
        blocks = iter(lambda: file.read(BLOCK_BYTES), b"")
        return np.fromiter(map(zlib.crc32, blocks), _SUM)


def read_blocks(folder: Path, files: Mapping[str, Mapping[str, Any]]) -> dict[str, np.ndarray]:
    """uint32 [ceil(bytes / 4096)] of each file by its name; empty for a pack without checksums.

    ``files`` is the manifest's list. Raises :class:`PackDamage` where the checksums are not those that it states, and
    for a pack without any where a file is not what it states.
    """
    if BLOCKS_FILE not in files:
        _check_whole(folder, files)
        return {}
    path = folder / BLOCKS_FILE
    counts = {name: -(-entry["bytes"] // BLOCK_BYTES) for name, entry in files.items() if name != BLOCKS_FILE}
    with open(path, "rb") as file:
        data = file.read(files[BLOCKS_FILE]["bytes"] + 1)
    is_whole = hashlib.sha256(data).hexdigest() == files[BLOCKS_FILE]["sha256"]
    if not is_whole or len(data) != _SUM.itemsize * sum(counts.values()):
        raise damage(path)
    sums, found, at = np.frombuffer(data, _SUM), {}, 0
    for name in sorted(counts):
        found[name] = sums[at : at + counts[name]]
        at += counts[name]
    return found


def _check_whole(folder: Path, files: Mapping[str, Mapping[str, Any]]) -> None:
    """Hash every file; it is remembered while its size, times and inode stay the same."""
    stated = {folder / name: str(files[name]["sha256"]) for name in sorted(files)}
    if not are_as_stated(stated):
        raise damage(next((path for path, sha256 in stated.items() if content_hash(path) != sha256), folder))


def damage(path: Path, reason: str = "") -> PackDamage:
    """What is raised for a file that is not what was written."""
    return PackDamage(f"{path}: is damaged{reason and f' ({reason})'}; run: kgask pack check {path.parent}")


def read_npy(path: Path) -> tuple[np.ndarray, np.ndarray, int]:
    """A mapped .npy file: its bytes (uint8), its array, and the byte where that begins.

    The file ends where the array does. Raises OSError, and ValueError or whatever else numpy makes of a broken header;
    objects are refused: a pack must never run code.
    """
    with open(path, "rb") as file:
        raw = np.asarray(
            np.memmap(file, np.uint8, "r")
        )  # of the same memory; slices of a memmap take eight times as long
    head = io.BytesIO(raw[:BLOCK_BYTES].tobytes())
    if np.lib.format.read_magic(head) != (1, 0):
        raise ValueError("of an unknown version")
    shape, is_fortran, dtype = np.lib.format.read_array_header_1_0(head)
    start = head.tell()
    if dtype.hasobject or is_fortran or min(shape, default=0) < 0:
        raise ValueError("not an array of plain numbers")
    if start % 16 or start + dtype.itemsize * int(np.prod(shape, dtype=object)) != len(raw):
        raise ValueError("its size is not that of its rows")
    return raw, raw[start:].view(dtype).reshape(shape), start


@dataclass(frozen=True, slots=True)
class Bound:
    """What the values of an array may be: 0 to ``most``, and where they are ``rising``, none below the one before."""

    most: int
    rising: bool = False


def plain_slices(array: np.ndarray) -> Callable[[int, int], list[int]]:
    """What gives the rows of an array from one up to another as plain numbers."""
    return array.few if isinstance(array, CheckedArray) else lambda first, last: array[first:last].tolist()


def checked_array(
    path: Path, raw: np.ndarray, array: np.ndarray, start: int, sums: np.ndarray | None, bound: Bound | None = None
) -> np.ndarray:
    """The array of a mapped file, whose blocks are compared with ``sums`` and ``bound`` when they are first read.

    It reads like the numpy array that its type says, and gives numpy arrays; see :class:`CheckedArray`. ``sums`` is
    None for a file without checksums.
    """
    return cast(np.ndarray, CheckedArray(path, raw, array, start, sums, bound))


class CheckedArray(np.lib.mixins.NDArrayOperatorsMixin):
    """Looks at the blocks behind what is asked for, and then is numpy's: a row, a slice, rows by their numbers.

    Whatever else is asked of it (a mask, an operator, a function of numpy) looks at all blocks first. It is no subclass
    of numpy's array on purpose: functions of numpy would take its memory without asking.
    Raises :class:`PackDamage` for a block that is not what was written.
    """

    def __init__(
        self,
        path: Path,
        raw: np.ndarray,
        array: np.ndarray,
        start: int,
        sums: np.ndarray | None,
        bound: Bound | None,
    ) -> None:
        self.dtype, self.shape = array.dtype, array.shape
        self._path, self._bytes, self._array, self._sums = path, memoryview(raw.data), array, sums
        self._bound = bound
        self._memory = memoryview(array.data)
        self._values = array.view(array.dtype.str.replace("i", "u"))  # so that what is negative is too large
        self._start, self._row_bytes = start, array.dtype.itemsize * (array.shape[1] if array.ndim > 1 else 1)
        self._is_known, self._all_known = np.zeros(-(-len(raw) // BLOCK_BYTES), bool), False
        # For a shortcut: the rows that the header would hold, and the rows of a block, a power of 2.
        # The first block never counts as seen: a negative row, of the last ones, would be taken for one of its.
        self._flags = bytearray(len(self._is_known))
        self._seen, self._has_shortcut = np.frombuffer(self._flags, bool), BLOCK_BYTES % self._row_bytes == 0
        self._before, self._shift = start // self._row_bytes, (BLOCK_BYTES // self._row_bytes).bit_length() - 1

    def __len__(self) -> int:
        return len(self._array)

    def __getitem__(self, key: Any) -> Any:
        if not self._all_known and not self._is_seen(key):
            self._look_at(key)
        return self._array[key]

    def few(self, first: int, last: int) -> list[int]:
        """A slice of few rows (``first`` is not negative) as plain numbers, in a quarter of the time."""
        if not self._all_known:
            block, last_block = (first + self._before) >> self._shift, (last - 1 + self._before) >> self._shift
            if not (last_block - block < 2 and self._flags[block] and self._flags[last_block]):
                self._look_at(slice(first, last))
        return self._memory[first:last].tolist()

    def __iter__(self) -> Iterator[Any]:
        return iter(self.whole())

    def __getattr__(self, name: str) -> Any:
        return getattr(self.whole(), name)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.whole(), dtype) if copy else np.asarray(self.whole(), dtype)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **named: Any) -> Any:
        plain = [one.whole() if isinstance(one, CheckedArray) else one for one in inputs]
        return getattr(ufunc, method)(*plain, **named)

    def searchsorted(self, values: Any, side: Any = "left") -> Any:
        """As numpy's. Of a sorted array the rows around a place prove that it is the right one."""
        found = self._array.searchsorted(values, side)
        if not self._all_known and len(self._array):
            around = np.concatenate([np.atleast_1d(found) - 1, np.atleast_1d(found)])
            self._look_at(around.clip(0, len(self._array) - 1))
        return found

    def whole(self) -> np.ndarray:
        """The array itself, all blocks looked at."""
        if not self._all_known:
            self._look_at(slice(None))
        return self._array

    def _is_seen(self, key: Any) -> bool:
        """Whether all blocks behind rows were looked at before: a shortcut for small questions, which may say no."""
        if isinstance(key, np.ndarray):
            if key.dtype != np.int64:
                return False
            try:
                blocks = (key.view(np.uint64) + self._before) >> self._shift
                return _NOT not in self._seen[blocks.view(np.int64)].tobytes()
            except IndexError:  # a negative row is, unsigned, one that is not there
                return False
        first, last = (key.start, key.stop) if isinstance(key, slice) and key.step is None else (key, key)
        if type(first) is not int or type(last) is not int or not 0 <= first <= last <= len(self._array):
            return False
        first, last = ((row + self._before) >> self._shift for row in (first, last))
        return _NOT not in self._seen[first : last + 1].tobytes()

    def _look_at(self, key: Any) -> None:
        n = len(self._array)
        if isinstance(key, list):
            key = np.asarray(key, np.int64)
        if isinstance(key, int | np.integer):
            key = slice(key % n, key % n + 1) if -n <= key < n else slice(0, 0)
        if isinstance(key, np.ndarray) and key.dtype.kind == "i":
            self._look_at_rows(key, n)
            return
        first, last, step = key.indices(n) if isinstance(key, slice) else (0, n, 1)
        if step < 0:
            first, last = last + 1, first + 1
        if first < last:
            self._compare(np.arange(self._block(first), self._block(last - 1) + 1))

    def _look_at_rows(self, rows: np.ndarray, n: int) -> None:
        if not rows.size:
            return
        low, high = int(rows.min()), int(rows.max())
        if low < -n or high >= n:
            return  # which numpy refuses
        if len(rows) > _MANY and low >= 0 and self._is_known[self._block(low) : self._block(high) + 1].all():
            return
        places = rows.ravel().astype(np.int64, copy=False)
        self._compare(self._block(places % n if low < 0 else places))

    def _block(self, row: Any) -> Any:
        return (row * self._row_bytes + self._start) >> _SHIFT

    def _compare(self, blocks: np.ndarray) -> None:
        new = blocks[~self._is_known[blocks]]
        if not len(new):
            return
        unknown, data = np.flatnonzero(~self._is_known), self._bytes
        n_known = len(self._is_known) - len(unknown)
        new = unknown if len(unknown) <= max(_REST, min(n_known, _MOST_REST)) else distinct(new)
        if self._sums is not None:
            for at, expected in zip((new * BLOCK_BYTES).tolist(), self._sums[new].tolist(), strict=True):
                if zlib.crc32(data[at : at + BLOCK_BYTES]) != expected:
                    raise damage(self._path)
        if self._bound is not None:
            gaps = np.flatnonzero(np.diff(new) != 1) + 1
            for some in np.split(new, gaps):
                self._look_at_values(self._bound, int(some[0]) * BLOCK_BYTES, (int(some[-1]) + 1) * BLOCK_BYTES)
        self._is_known[new] = True
        self._seen[new[new > 0]] = self._has_shortcut
        self._all_known = bool(self._is_known.all())

    def _look_at_values(self, bound: Bound, start: int, end: int) -> None:
        """Of the values in these bytes of the file; with the one before and the one behind, where they are to rise."""
        first, last = ((at - self._start) // self._row_bytes for at in (start, end))
        values = self._values[max(first - bound.rising, 0) : last + bound.rising]
        if not values.size:
            return
        if int(values.max()) > bound.most or (bound.rising and bool((values[1:] < values[:-1]).any())):
            raise damage(self._path, "a value that leads to nothing")
