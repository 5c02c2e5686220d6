"""Files of a folder that is being made: each byte is written or an error is raised, and its hash is of what was meant.

numpy's own ``save`` leaves the end of an array to C's buffer and never hears that a disk was full. The hashes go into
the manifest, and :mod:`kgask.build.folder` compares them with what is on the disk before anything is put in place.
"""

from __future__ import annotations

import errno
import hashlib
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np


class _Written:
    """A new file, unbuffered; counts and hashes what it is given."""

    def __init__(self, file: BinaryIO) -> None:
        self._file, self._digest, self._n_bytes = file, hashlib.sha256(), 0

    def write(self, data: Any) -> int:
        left = memoryview(data).cast("B")
        self._digest.update(left)
        self._n_bytes += len(left)
        n_bytes = len(left)
        while left:
            left = left[self._file.write(left) :]  # less than all of it where a disk becomes full
        return n_bytes

    @property
    def entry(self) -> dict[str, Any]:
        return {"bytes": self._n_bytes, "sha256": self._digest.hexdigest()}


def write_bytes(path: Path, data: bytes) -> dict[str, Any]:
    """Write a new file and read it back; returns its size and SHA-256, as a manifest lists them. Raises OSError."""
    with open(path, "xb", buffering=0) as file:
        written = _Written(file)
        written.write(data)
    if path.read_bytes() != data:
        raise OSError(errno.EIO, "what is on the disk is not what was written", str(path))
    return written.entry


def write_array(path: Path, array: np.ndarray) -> dict[str, Any]:
    """Write an array as .npy, without objects; as :func:`write_bytes`, with shape and dtype."""
    with open(path, "xb", buffering=0) as file:
        written = _Written(file)
        np.lib.format.write_array(written, array, version=(1, 0), allow_pickle=False)
    return {**written.entry, "shape": list(array.shape), "dtype": array.dtype.str}


def entry_of(path: Path) -> dict[str, Any]:
    """Size and SHA-256 of a file that SQLite has written: it tells of every write that fails."""
    with open(path, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        return {"bytes": file.tell(), "sha256": digest}
