"""Ways that are timed in turn, so that whatever else the machine does meets them all."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TypeVar

T = TypeVar("T")


def in_turn(ways: Mapping[str, Callable[[], T]], n_runs: int) -> dict[str, list[T]]:
    """What each way returns, ``n_runs`` times in turn; a first run of each does not count."""
    found: dict[str, list[T]] = {name: [] for name in ways}
    for run in range(n_runs + 1):
        for name, way in ways.items():
            result = way()
            if run:
                found[name].append(result)
    return found


def timed(work: Callable[[], T]) -> tuple[float, T]:
    """(milliseconds that some work takes, what it returns)"""
    began = time.perf_counter()
    found = work()
    return 1000 * (time.perf_counter() - began), found


def ms_of(work: Callable[[], object]) -> float:
    """Milliseconds that some work takes."""
    return timed(work)[0]
