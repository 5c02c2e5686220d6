"""The static part of a prompt is evaluated once per model, and kept.

In memory the context simply goes on holding it: a prompt shares its beginning with the one before
(:class:`kgask.read.gguf.engine.Engine`). Across processes the state of those tokens (their keys and values in
every layer) is a file in the cache home::

    magic, SHA-256 of the rest, the state as llama.cpp gives it

Its name is a hash of all that the state depends on: the model's file (hash, size, inode, times of change), the
tokens, the versions of kgask and llama.cpp, the machine's instruction set, and the context's parameters. A file
that is broken is removed and made again: llama.cpp would abort on it, hence the checksum. The folder is
bounded; what was used longest ago goes first. All of it is safe to delete at any time.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from kgask.machine.files import TMP_SUFFIX, whole_file
from kgask.machine.homes import cache_home

if TYPE_CHECKING:
    from kgask.read.gguf.engine import Engine

FOLDER = "prefixes"
MAGIC = b"kgask prefix 1\n"
LEAST_TOKENS = 32  # a shorter beginning is evaluated sooner than it is read
MOST_BYTES = 512 << 20  # of all files together
MOST_BYTES_OF_ONE = MOST_BYTES // 2
_DIGEST_BYTES = hashlib.sha256().digest_size


def model_key(path: Path, file_hash: str) -> str:
    """What the states of a model's file depend on besides the context: the file, kgask, llama.cpp.

    The hash of a large file is that of its head, so its inode and times of change count too.
    """
    from importlib.metadata import PackageNotFoundError, version

    versions = []
    for name in ("kgask", "llama-cpp-python"):
        with contextlib.suppress(PackageNotFoundError):
            versions.append(f"{name} {version(name)}")
    status = path.stat()
    stamp = f"{status.st_size} {status.st_mtime_ns} {status.st_ctime_ns} {status.st_ino}"
    return f"{file_hash} {stamp} {' '.join(versions)}"


class PrefixCache:
    """The states of one model's static parts."""

    def __init__(self, engine: Engine, model_key: str, folder: Path | None = None, most_bytes: int = MOST_BYTES):
        self._engine, self._model_key = engine, model_key
        self._folder = cache_home() / FOLDER if folder is None else folder
        self._most_bytes = most_bytes

    def warm(self, tokens: Sequence[int], room: int) -> bool:
        """Have the engine hold ``tokens`` in a context for ``room`` tokens; True when nothing was evaluated.

        Does nothing for a beginning that is too short to pay, or a model whose state cannot be cut.
        """
        engine = self._engine
        if not engine.keeps_states or len(tokens) < LEAST_TOKENS:
            return False
        engine.reserve(room)  # first: growing later would lose it, and what a state looks like depends on it
        if engine.holds(tokens):
            return True
        path = self.path(tokens)
        known = _read(path)
        if known is not None:
            if engine.restore(tokens, known):
                return True
            _remove(path)
        engine.hold(tokens)
        self._write(path, engine.state())
        return False

    def path(self, tokens: Sequence[int]) -> Path:
        """The file of these tokens, whether it is there or not."""
        parts = [self._model_key, self._engine.state_key(), ",".join(map(str, tokens))]
        return self._folder / f"{hashlib.sha256(chr(0).join(parts).encode()).hexdigest()[:40]}.state"

    def _write(self, path: Path, state: bytes) -> None:
        """Best effort: a cache that cannot be written costs time and nothing else."""
        if not state or len(state) > min(MOST_BYTES_OF_ONE, self._most_bytes):
            return
        with contextlib.suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
            with whole_file(path, sync=False) as file:
                file.write(MAGIC + hashlib.sha256(state).digest())
                file.write(state)
            self._drop_oldest(keep=path)

    def _drop_oldest(self, keep: Path) -> None:
        entries = []
        for path in (*self._folder.glob("*.state"), *self._folder.glob(f".*.state.*{TMP_SUFFIX}")):
            with contextlib.suppress(OSError):  # another process may have removed it
                status = path.stat()
                entries.append((path != keep, -status.st_mtime_ns, status.st_size, path))
        total = 0
        for _, _, size, path in sorted(entries):  # the new one first, then by last use
            total += size
            if total > self._most_bytes:
                _remove(path)


def _read(path: Path) -> bytes | None:
    """The state in a file; None, and the file is gone, when it is not whole."""
    try:
        with open(path, "rb") as file:
            head = file.read(len(MAGIC) + _DIGEST_BYTES)
            state = file.read(MOST_BYTES_OF_ONE + 1)
        if head[: len(MAGIC)] == MAGIC and hashlib.sha256(state).digest() == head[len(MAGIC) :]:
            os.utime(path)  # last used now
            return state
    except FileNotFoundError:
        return None
    except OSError:
        pass
    _remove(path)
    return None


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()
