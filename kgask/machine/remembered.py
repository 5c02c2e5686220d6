"""What was found out about a file once, kept in the cache home: bounded, and safe to delete."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from kgask.machine.files import TMP_SUFFIX, write_whole
from kgask.machine.homes import cache_home

MOST_ENTRIES = 256
MOST_BYTES = 1 << 20  # of one entry; a larger one is not ours
SETTLED_NS = 2_000_000_000  # a file that changed later than so long ago may change again without a new time
_ENTRY = re.compile(r"[0-9a-f]{40}\.json|\.[0-9a-f]{40}\.json\.[0-9a-f]+" + re.escape(TMP_SUFFIX))


def recall(key: str) -> Any:
    """What was remembered under ``key``; None when nothing was, or nothing that can be read."""
    path = _path(key)
    try:
        if path.stat().st_size > MOST_BYTES:
            return None
        entry = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return entry.get("value") if isinstance(entry, dict) and entry.get("key") == key else None


def remember(key: str, value: Any) -> bool:
    """Keep a JSON value. Best effort: False where nothing can be written, so that it is found out anew each time."""
    path = _path(key)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, json.dumps({"key": key, "value": value}), sync=False)
        _drop_oldest(path.parent)
    except OSError:
        return False
    return True


def content_hash(*paths: Path) -> str:
    """SHA-256 (hex) of a whole file; of several files, of their digests in order.

    Taken anew only when a path, size, time of change or inode is another one. Files that changed in the last seconds
    are hashed each time. Raises OSError.
    """
    real = [os.path.realpath(path) for path in paths]
    before = [os.stat(path) for path in real]
    key = "\0".join(["content", *(f"{path}\0{_stamp(found)}" for path, found in zip(real, before, strict=True))])
    known = recall(key)
    if isinstance(known, str):
        return known
    began = time.time_ns()
    digests = [_digest(path) for path in real]
    digest = digests[0] if len(digests) == 1 else _joint_hash(digests)
    unchanged = [_stamp(os.stat(path)) for path in real] == [_stamp(found) for found in before]
    if unchanged and all(max(found.st_mtime_ns, found.st_ctime_ns) < began - SETTLED_NS for found in before):
        remember(key, digest)
    return digest


def are_as_stated(stated: Mapping[Path, str]) -> bool:
    """Whether every file has the SHA-256 (hex) stated of it; see :func:`content_hash`. Raises OSError."""
    digests = list(stated.values())
    return content_hash(*stated) == (digests[0] if len(digests) == 1 else _joint_hash(digests))


def _joint_hash(digests: Iterable[str]) -> str:
    """SHA-256 of several files, from their own."""
    return hashlib.sha256(" ".join(digests).encode()).hexdigest()


def _digest(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _stamp(found: os.stat_result) -> str:
    return f"{found.st_dev} {found.st_ino} {found.st_size} {found.st_mtime_ns} {found.st_ctime_ns}"


def _drop_oldest(folder: Path) -> None:
    entries = [path for path in folder.iterdir() if _ENTRY.fullmatch(path.name)]
    if len(entries) <= MOST_ENTRIES:
        return

    def age(path: Path) -> float:
        with contextlib.suppress(OSError):  # another process may have removed it
            return path.stat().st_mtime
        return 0.0

    for path in sorted(entries, key=age)[: len(entries) - MOST_ENTRIES]:
        with contextlib.suppress(OSError):
            path.unlink()


def _path(key: str) -> Path:
    return cache_home() / "remembered" / f"{hashlib.sha256(key.encode('utf-8', 'surrogatepass')).hexdigest()[:40]}.json"
