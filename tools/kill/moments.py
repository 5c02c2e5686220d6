"""A command in a forked child that is killed at a moment, as ``kill -9`` does it: the one process, not its children; or
one of its writes fails (tests/failing_writes.c)."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import mmap
import os
import signal
import struct
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from children import Ended, become

_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT
_CHANGES = frozenset({"os.rename", "os.mkdir", "os.rmdir", "os.remove", "os.link", "os.symlink", "os.truncate"})
_CHANGES |= {"os.setxattr", "os.removexattr", "os.chmod", "fcntl.flock", "ctypes.dlsym"}  # the last before renameat2
_PR_SET_CHILD_SUBREAPER = 36
_LONGEST_S = 300
_counted: list[mmap.mmap] = []


@dataclass(frozen=True, slots=True)
class Moment:
    """After so many seconds, or right before the n-th change (from 1); or the n-th write fails with ``error``, and with
    ENOSPC every later one too; none: never."""

    seconds: float | None = None
    change: int | None = None
    write: int | None = None
    error: int = 0


@dataclass(frozen=True, slots=True)
class Watched:
    """How it ended; how many changes and, where they are counted, writes there were; whether what it began lived on."""

    ended: Ended
    n_changes: int
    n_writes: int
    has_orphans: bool


def watched(words: Sequence[str], folder: Path, stdin: bytes, moment: Moment) -> Watched:
    """Run a command (without the word kgask) in ``folder`` and kill it at ``moment``."""
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)  # orphans become ours, so that we see them end
    counted, writes = mmap.mmap(-1, 8), mmap.mmap(-1, 8)
    _count_in(writes)
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write(stdin)
        given.seek(0)
        began = time.monotonic()
        child = os.fork()
        if child == 0:
            sys.addaudithook(_hook(counted, moment.change))
            os.environ |= {
                "FAIL_BELOW": str(folder),
                "FAIL_AT": str(moment.write or -1),
                "FAIL_ERRNO": str(moment.error),
            }
            if moment.error == errno.ENOSPC:
                os.environ["FAIL_STAYS"] = "1"
            become(words, folder, [given.fileno(), out.fileno(), err.fileno()])
        code = _ended(child, began + (_LONGEST_S if moment.seconds is None else moment.seconds))
        spent = time.monotonic() - began
        orphans = _orphans(child)
        texts = [(stream.seek(0), stream.read().decode(errors="replace"))[1] for stream in (out, err)]
    (n_changes,), (n_writes,) = struct.unpack("q", counted[:]), struct.unpack("q", writes[:])
    return Watched(Ended(tuple(words), code, *texts, spent), n_changes, n_writes, orphans)


def _count_in(memory: mmap.mmap) -> None:
    """Where the library that lets writes fail counts them, when it is preloaded."""
    with contextlib.suppress(ValueError):
        place = ctypes.c_void_p.in_dll(ctypes.CDLL(None), "writes_counted")
        _counted.append(memory)  # as long as the library has its place
        place.value = ctypes.addressof(ctypes.c_char.from_buffer(memory))


def _hook(counted: mmap.mmap, at: int | None) -> Callable[[str, tuple[object, ...]], None]:
    """Count what changes files, before it does, and end this process before the one of this number."""
    n_changes = 0

    def hook(event: str, args: tuple[object, ...]) -> None:
        nonlocal n_changes
        if event in _CHANGES or (event == "open" and isinstance(args[2], int) and args[2] & _WRITES):
            n_changes += 1
            counted[:] = struct.pack("q", n_changes)
            if n_changes == at:
                os.kill(os.getpid(), signal.SIGKILL)

    return hook


def _ended(child: int, until: float) -> int:
    """The exit code; killed when ``until`` has come."""
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        left = until - time.monotonic()
        if left <= 0:
            os.kill(child, signal.SIGKILL)
            return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        time.sleep(min(left, 0.001))


def _orphans(group: int) -> bool:
    """Whether what the command started is still there when it should have ended; it is stopped then."""
    until = time.monotonic() + _LONGEST_S / 2
    while time.monotonic() < until:
        try:
            os.waitpid(-group, os.WNOHANG)
        except ChildProcessError:
            return False
        time.sleep(0.002)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)
    return True
