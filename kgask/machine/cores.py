"""How many CPU cores this process may use. Every part of kgask that starts threads asks here."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

_HOST = Path("/")
KEPT_SECONDS = 10


def usable_cores(root: Path = _HOST) -> int:
    """Threads worth starting: the cores of the affinity mask, at most the CPU quota of the cgroups, at least 1."""
    quota = cpu_quota(root)
    return affine_cores() if quota is None else min(affine_cores(), quota)


def free_cores(root: Path = _HOST) -> int:
    """Cores of this machine that no other process runs on at this moment, at least 1; all where nothing is said.

    Threads that wait for each other in a loop, as llama.cpp's do, are slower than one thread as soon as one of them has
    to wait for a core: two busy processes beside them on two cores made a read take 20 times as long.
    """
    cores = os.cpu_count() or 1
    try:
        running = int((root / "proc/loadavg").read_text().split()[3].partition("/")[0])
        # The one that asks runs; only where more do is it worth asking how many are threads of ours that still spin.
        others = running - 1 if running <= 1 else running - _own_running(root)
    except (OSError, ValueError, IndexError):
        return cores
    return max(1, cores - max(0, others))


def _own_running(root: Path) -> int:
    """Threads of this process that run or wait for a core, the one that asks among them."""
    running = 0
    for stat in (root / "proc/self/task").glob("*/stat"):
        with contextlib.suppress(OSError):  # it has ended
            running += stat.read_text().rpartition(")")[2].split()[0] == "R"
    return max(1, running)


def affine_cores() -> int:
    """Cores that this process may be scheduled on."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on Linux
        return os.cpu_count() or 1


def cpu_quota(root: Path = _HOST) -> int | None:
    """Cores that the CPU quota pays for, rounded up (1.5 are 2: threads share, a core left idle is lost), at least 1.

    The tightest quota of this process's cgroup and of all cgroups around it counts, of cgroup v2 and v1. None
    where there is none, and on systems without cgroups. ``root`` is where ``proc`` and ``sys`` are looked for. To read
    them takes a millisecond: a change is seen within :data:`KEPT_SECONDS`.
    """
    return _quota_in(root, int(time.monotonic()) // KEPT_SECONDS)


@lru_cache(8)
def _quota_in(root: Path, period: int) -> int | None:
    return min((cores for folder in _cgroups(root) if (cores := _quota_of(folder)) is not None), default=None)


def _cgroups(root: Path) -> Iterator[Path]:
    """The folders of this process's CPU cgroup and of those around it, whether they can be seen here or not.

    Of a container that shares the host's cgroup names only the mounted root may be visible: it is its own.
    """
    mount = root / "sys/fs/cgroup"
    try:
        lines = (root / "proc/self/cgroup").read_text(errors="surrogateescape").splitlines()
    except OSError:
        lines = []
    for line in ["0::/", "0:cpu:/", *lines]:  # the mounted roots always
        _, controllers, path = (line.split(":", 2) + ["", ""])[:3]
        place = Path(path.lstrip("/"))
        if (controllers and "cpu" not in controllers.split(",")) or ".." in place.parts:
            continue  # "..": outside of what is mounted
        mounts = [mount / controllers, mount / "cpu"] if controllers else [mount, mount / "unified"]  # v1, v2
        yield from (folder / part for folder in mounts for part in (place, *place.parents))


def _quota_of(folder: Path) -> int | None:
    """Cores of one cgroup's own quota: of ``cpu.max`` (v2), else of ``cpu.cfs_quota_us`` (v1)."""
    with contextlib.suppress(OSError, ValueError, ZeroDivisionError):
        try:
            quota, period = (folder / "cpu.max").read_text().split()
        except FileNotFoundError:
            quota, period = ((folder / f"cpu.cfs_{name}_us").read_text() for name in ("quota", "period"))
        if int(quota) > 0:  # "max" is no number, -1 is v1's word for no quota
            return -(-int(quota) // int(period))
    return None
