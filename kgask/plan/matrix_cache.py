"""Matrices of relation vectors, kept from one process to the next; always safe to delete."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np

from kgask.config import cache_home


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
    beside = path.with_suffix(f".{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(beside, "wb") as file:
            np.save(file, matrix)
        beside.replace(path)
    except OSError:
        with contextlib.suppress(OSError):  # where nothing could be written there may be nothing to remove
            beside.unlink()
