"""What was found out about a file once, kept in the cache home: bounded, and safe to delete."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import time
from pathlib import Path
from typing import Any

from kgask.config import cache_home
from kgask.files import TMP_SUFFIX, write_whole

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


def remember(key: str, value: Any) -> None:
    """Keep a JSON value. Best effort: where nothing can be written it is found out anew each time."""
    path = _path(key)
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, json.dumps({"key": key, "value": value}), sync=False)
        _drop_oldest(path.parent)


def content_hash(path: Path) -> str:
    """SHA-256 (hex) of a whole file, taken anew only when its path, size, times of change or inode are other ones.

    A file that changed in the last seconds is hashed each time. Raises OSError.
    """
    real = os.path.realpath(path)
    with open(real, "rb") as file:
        found = os.fstat(file.fileno())
        key = f"content\0{real}\0{_stamp(found)}"
        known = recall(key)
        if isinstance(known, str):
            return known
        began = time.time_ns()
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        unchanged = _stamp(os.fstat(file.fileno())) == _stamp(found)
    if unchanged and max(found.st_mtime_ns, found.st_ctime_ns) < began - SETTLED_NS:
        remember(key, digest)
    return digest


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
