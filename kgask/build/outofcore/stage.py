"""The folder beside the pack in which a build out of core works, and from which a rerun goes on.

``.NAME.<hash>.kgask-stage``: the hash is of the sources (path, size, time of change) and the options, so that a rerun
of the same command finds it. It is locked while its process lives. What earlier commands left for the same pack is
removed.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from kgask.build.recipe import Recipe, inputs_of
from kgask.build.source import STDIN
from kgask.errors import BuildError
from kgask.machine.files import write_whole
from kgask.version import __version__

_SUFFIX, _LOCK, _STATE = ".kgask-stage", "kgask-stage", "state.json"


@dataclass(slots=True)
class Stage:
    """``facts`` is what finished steps found out; JSON."""

    folder: Path
    finished: list[str]
    facts: dict[str, Any]

    @property
    def pack(self) -> Path:
        """Where the pack's files are written."""
        return self.folder / "pack"

    def finish(self, step: str) -> None:
        """What this step made is on the disk."""
        self.finished.append(step)
        write_whole(self.folder / _STATE, json.dumps([self.finished, self.facts]))


@contextmanager
def stage_for(recipe: Recipe, engine: str) -> Iterator[Stage]:
    """The stage of a recipe and an engine, new or as it was left; it goes when the block ends, unless a step is kept.

    Raises :class:`BuildError` when another process works there.
    """
    target = Path(os.path.abspath(recipe.target))
    target.parent.mkdir(parents=True, exist_ok=True)
    folder = target.with_name(f".{target.name[:60]}.{_hash(recipe, engine)}{_SUFFIX}")
    _remove_others(target, folder)
    folder.mkdir(exist_ok=True)
    lock = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC)
    is_kept = True
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise BuildError(f"{target}: another kgask builds this pack; wait for it") from None
        is_kept = False
        stage = _opened(folder)
        stage.pack.mkdir(exist_ok=True)
        try:
            yield stage
        except KeyboardInterrupt:
            is_kept = bool(stage.finished) and STDIN not in recipe.sources
            raise
    finally:
        if not is_kept:
            shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def _hash(recipe: Recipe, engine: str) -> str:
    """Of what is read, and how: 12 hexadecimal digits. Stdin is never the same again."""
    inputs = [*inputs_of(recipe), *([str(recipe.mapping)] if recipe.mapping else [])]
    seen = []
    for name in inputs:
        status = os.stat(name)
        seen.append((os.path.realpath(name), status.st_size, status.st_mtime_ns))
    options = repr(replace(recipe, sources=(), texts=tuple((kind, "") for kind, _ in recipe.texts)))
    once = os.urandom(8).hex() if STDIN in recipe.sources else ""
    return hashlib.sha256(f"{__version__} {engine} {seen} {options} {once}".encode()).hexdigest()[:12]


def _opened(folder: Path) -> Stage:
    try:
        finished, facts = json.loads((folder / _STATE).read_bytes())
        return Stage(folder, finished, facts)
    except (OSError, ValueError):
        for left in folder.iterdir():
            if left.name != _LOCK:
                shutil.rmtree(left, ignore_errors=True) if left.is_dir() else left.unlink()
        return Stage(folder, [], {})


def _remove_others(target: Path, own: Path) -> None:
    """Stages of this pack by other options or of sources that have changed, when nobody works there."""
    pattern = re.compile(rf"\.{re.escape(target.name[:60])}\.[0-9a-f]{{12}}{re.escape(_SUFFIX)}")
    for name in os.listdir(target.parent):
        folder = target.with_name(name)
        if not pattern.fullmatch(name) or folder == own or folder.is_symlink():
            continue
        with contextlib.suppress(OSError):
            lock = os.open(folder / _LOCK, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(lock)
