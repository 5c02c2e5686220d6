"""Matrices of relation vectors, kept from one process to the next; always safe to delete."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from kgask.errors import ModelError
from kgask.machine.files import write_whole
from kgask.machine.homes import cache_home
from kgask.machine.remembered import content_hash


def key_of(*used: object) -> str:
    """A name for what is made of these JSON values: of content that was looked at, never of what a manifest claims."""
    return hashlib.sha256(json.dumps(used, ensure_ascii=True).encode()).hexdigest()[:32]


def content_of(folder: Path, names: Sequence[str]) -> tuple[str, ...]:
    """A model's files as they are: their names and one SHA-256; unchanged ones are hashed once. Raises ModelError."""
    ordered = sorted(names)
    try:
        return (*ordered, content_hash(*(folder / name for name in ordered)))
    except OSError as error:
        raise ModelError(f"{error.filename or folder}: cannot be read ({error.strerror})") from error


def cached_matrix(key: str, shape: tuple[int, int], make: Callable[[], np.ndarray]) -> np.ndarray:
    """The float32 matrix that is kept under ``key``, or a fresh one, which is then kept."""
    path = cache_home() / "relations" / f"{key}.npy"
    matrix = read_matrix(path, shape)
    if matrix is None:
        matrix = make()
        _write(path, matrix)
    return matrix


def read_matrix(path: Path, shape: tuple[int, int]) -> np.ndarray | None:
    """A float32 matrix of ``shape`` without NaN, or None for whatever is not one."""
    try:
        with open(path, "rb") as file:
            matrix = np.lib.format.read_array(file, allow_pickle=False)
    except (OSError, ValueError, EOFError, MemoryError, OverflowError):  # a header may ask for any size
        return None
    fits = matrix.shape == shape and matrix.dtype == np.float32
    return matrix if fits and bool(np.isfinite(matrix).all()) else None


def _write(path: Path, matrix: np.ndarray) -> None:
    """Best effort: a read-only home only costs the encoding next time."""
    array = io.BytesIO()
    np.save(array, matrix)
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, array.getvalue(), sync=False)
