"""What was found out about a model file once, kept in the cache home: bounded, and safe to delete."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from pathlib import Path
from typing import Any

from kgask.config import cache_home

MOST_ENTRIES = 256
MOST_BYTES = 1 << 20  # of one entry; a larger one is not ours


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
    beside = path.with_suffix(f".{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        beside.write_text(json.dumps({"key": key, "value": value}), encoding="utf-8")
        beside.replace(path)
        _drop_oldest(path.parent)
    except OSError:
        with contextlib.suppress(OSError):
            beside.unlink()


def _drop_oldest(folder: Path) -> None:
    entries = list(folder.iterdir())
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
    return cache_home() / "readers" / f"{hashlib.sha256(key.encode('utf-8', 'surrogatepass')).hexdigest()[:40]}.json"
