"""A folder that appears whole or not at all.

Files are written to ``<target>.tmp/``; one rename puts the folder in place. A
build that dies before that leaves the old folder untouched, and a ``.tmp``
folder that the next build removes.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kgask.config import PACK_MANIFEST
from kgask.errors import BuildError

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2


@contextmanager
def new_folder(target: Path, force: bool) -> Iterator[Path]:
    """Yield the folder to write to; rename it to ``target`` when the block ends well.

    With ``force`` an existing *pack* at ``target`` is replaced; anything else
    there is refused. Raises :class:`BuildError`, also when another build is
    writing the same target.
    """
    target = Path(os.path.abspath(target))
    refuse_existing(target, force)
    work = target.with_name(target.name + ".tmp")
    try:
        lock = _claim(work)
        try:
            yield work
            _sync(work)
            _put_in_place(work, target)
        finally:
            shutil.rmtree(work, ignore_errors=True)
            os.close(lock)
    except OSError as error:
        raise BuildError(f"{error.filename or work}: {error.strerror or error}") from error


def refuse_existing(target: Path, force: bool) -> None:
    """:class:`BuildError` when something that may not be replaced is at ``target``."""
    if not os.path.lexists(target):
        return
    if target.is_symlink() or not target.is_dir():
        raise BuildError(f"{target}: exists and is not a folder; choose another -o")
    if not any(target.iterdir()):
        return
    if not (target / PACK_MANIFEST).is_file():
        raise BuildError(f"{target}: exists and is not a pack; choose another -o")
    if not force:
        raise BuildError(f"{target}: exists; --force replaces it")


def _claim(work: Path) -> int:
    """Make ``work`` an empty folder that only this process writes; the lock is its descriptor."""
    work.parent.mkdir(parents=True, exist_ok=True)
    while True:
        work.mkdir(exist_ok=True)
        lock = os.open(work, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            raise BuildError(f"{work}: another build is writing here") from None
        # Between our open and our lock the other build may have renamed the folder into place.
        if os.path.exists(work) and os.path.samestat(os.fstat(lock), os.stat(work)):
            break
        os.close(lock)
    for path in work.iterdir():
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    return lock


def _sync(folder: Path) -> None:
    for path in [*folder.iterdir(), folder]:
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _put_in_place(work: Path, target: Path) -> None:
    if target.is_dir() and any(target.iterdir()):
        _exchange(work, target)  # the old pack is now at ``work``, which is removed
    else:
        os.rename(work, target)
    _sync_only(target.parent)


def _exchange(work: Path, target: Path) -> None:
    """Swap two folders in one step where the system can; else the old one steps aside first."""
    libc = ctypes.CDLL(None, use_errno=True)
    if hasattr(libc, "renameat2"):
        done = libc.renameat2(_AT_FDCWD, os.fsencode(work), _AT_FDCWD, os.fsencode(target), _RENAME_EXCHANGE)
        if done == 0:
            return
        code = ctypes.get_errno()
        if code not in (errno.EINVAL, errno.ENOSYS):
            raise OSError(code, os.strerror(code), str(target))
    aside = target.with_name(target.name + ".old.tmp")
    shutil.rmtree(aside, ignore_errors=True)
    os.rename(target, aside)
    os.rename(work, target)
    shutil.rmtree(aside, ignore_errors=True)


def _sync_only(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
