"""A folder that appears whole or not at all, in place of nothing but a folder of its kind.

Files are written to ``.<target>.<random>.kgask-tmp/new/``, which only this process has; one rename puts them in place.
Beside ``new`` lies a marker that is locked while its process lives. Before the old folder is swapped into the place of
``new`` the marker tells what is in it. What a killed run leaves is removed by the next one for the same target, when
the marker is whole, nobody holds its lock, and ``new`` is what was written there or what the marker tells of.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kgask.config import MODEL_CARD, PACK_MANIFEST
from kgask.errors import BuildError
from kgask.machine.files import exchange, open_regular, rename_to_nothing, temporary_name, temporary_names
from kgask.pack.header import MAGIC, MAX_MANIFEST_BYTES

_MARKER, _NEW = "kgask-tmp", "new"
MODEL_MAGICS = ("kgask-rigel", "kgask-model")


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of folder that kgask writes.

    ``names`` gives all files that such a folder has, None for another folder; ``hashes`` the SHA-256 of those that its
    manifest lists, "" where that does not say, None for another folder.
    """

    what: str
    names: Callable[[Path], set[str] | None]
    hashes: Callable[[Path], dict[str, str] | None] = lambda folder: {}


@dataclass(frozen=True, slots=True)
class _Seen:
    """What was at the target when it was looked at; it alone may be replaced."""

    device: int
    inode: int
    files: frozenset[tuple[str, int, int, int]]  # name, inode, bytes, time of change; empty for an empty folder


def _listed(manifest: str, magics: tuple[str, ...]) -> tuple[Callable[[Path], Any], Callable[[Path], Any]]:
    """``names`` and ``hashes`` of folders whose manifest has a magic and lists its files."""

    def hashes(folder: Path) -> dict[str, str] | None:
        try:
            with open_regular(folder / manifest) as file:
                data = file.read(MAX_MANIFEST_BYTES + 1)
            content: Any = json.loads(data) if len(data) <= MAX_MANIFEST_BYTES else None
            found = {name: dict(entry).get("sha256", "") for name, entry in dict(content["files"]).items()}
            return found if content["magic"] in magics else None
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None

    def names(folder: Path) -> set[str] | None:
        found = hashes(folder)
        return None if found is None else {manifest, *found}

    return names, hashes


PACK = Kind("pack", *_listed(PACK_MANIFEST, (MAGIC,)))
MODEL = Kind("model", *_listed(MODEL_CARD, MODEL_MAGICS))


@contextmanager
def new_folder(target: Path, force: bool, kind: Kind = PACK, sources: Iterable[str | Path] = ()) -> Iterator[Path]:
    """Yield the folder to write to; rename it to ``target`` when the block ends well.

    With ``force`` an existing folder of this kind at ``target`` is replaced; anything else there is refused, at the
    start and at the moment of the rename. Raises :class:`BuildError`.
    """
    target = Path(os.path.abspath(target))
    seen = check_target(target, force, kind, sources)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with own_place(target) as place:
            yield place / _NEW
            _seal(place / _NEW, kind)
            _put_in_place(place, target, kind, seen)
    except OSError as error:
        raise BuildError(f"{error.filename or target}: {error.strerror or error}") from error


def check_target(target: Path, force: bool, kind: Kind = PACK, sources: Iterable[str | Path] = ()) -> _Seen | None:
    """What is at ``target`` and may be replaced; None for nothing. What killed runs left beside it is removed.

    :class:`BuildError` for what may not be: another thing than a folder of this kind, one with other files in it too,
    one of the ``sources``, or anything when ``force`` is off.
    """
    _refuse_sources(target, sources)
    remove_leftovers(target)
    if not os.path.lexists(target):
        return None
    try:
        if target.is_symlink() or not target.is_dir():
            raise BuildError(f"{target}: exists and is not a folder; choose another -o")
        found = _look(target)
        if found.files:
            _refuse_strangers(target, kind, found)
    except OSError as error:
        raise BuildError(f"{error.filename or target}: {error.strerror or error}") from error
    if found.files and not force:
        raise BuildError(f"{target}: exists; --force replaces it")
    return found


def remove_folder(folder: Path, kind: Kind) -> None:
    """Remove a folder of this kind; :class:`BuildError`, and it stays, when it is none or other files are in it."""
    try:
        found = check_removable(folder, kind)
        remove_leftovers(folder)
        try:
            with own_place(folder) as place:
                _tell(place, found)
                os.rename(folder, place / _NEW)  # which is empty
                _remove_old(place, place / _NEW, found)
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EDQUOT) or not os.path.lexists(folder):
                raise
            _remove_seen(folder, found)  # no room to write what is removed, which is to make room
    except OSError as error:
        raise BuildError(f"{error.filename or folder}: {error.strerror or error}") from error


def check_removable(folder: Path, kind: Kind) -> _Seen:
    """What is in a folder of this kind that may be removed; :class:`BuildError` when it is none or other files are."""
    found = _look(folder)
    _refuse_strangers(folder, kind, found, "remove it by hand")
    return found


def _refuse_strangers(target: Path, kind: Kind, found: _Seen, instead: str = "choose another -o") -> None:
    names = kind.names(target)
    if names is None:
        raise BuildError(f"{target}: exists and is not a {kind.what}; {instead}")
    for name in sorted(name for name, *_ in found.files):
        if name not in names or (target / name).is_dir():
            raise BuildError(
                f"{target}: holds {name!r}, which is not part of the {kind.what}; move it away or {instead}"
            )


def _refuse_sources(target: Path, sources: Iterable[str | Path]) -> None:
    real = Path(os.path.realpath(target))
    for source in sources:
        read = Path(os.path.realpath(source))
        if read == real or real in read.parents or read in real.parents:
            raise BuildError(f"{target}: it is made from {source}, which must stay as it is; choose another -o")


def _look(folder: Path) -> _Seen:
    status = os.lstat(folder)
    files = set()
    for entry in os.scandir(folder):
        found = entry.stat(follow_symlinks=False)
        files.add((entry.name, found.st_ino, found.st_size, found.st_mtime_ns))
    return _Seen(status.st_dev, status.st_ino, frozenset(files))


# --- the place to write in ------------------------------------------------------------------


@contextmanager
def own_place(target: Path) -> Iterator[Path]:
    """A new folder beside ``target`` with an empty ``new`` and a locked marker in it; gone when the block ends."""
    place, lock = _begun(target)
    try:
        yield place
    finally:
        # Without its marker what is in there was swapped out and is not known to be ours.
        if os.path.lexists(place / _MARKER):
            _remove_place(place)
        os.close(lock)


def _begun(target: Path) -> tuple[Path, int]:
    """A place with its marker, locked; another one where somebody took the first for what a killed process left."""
    while True:
        place = temporary_name(target)
        os.mkdir(place)
        with contextlib.suppress(FileNotFoundError):
            return place, _marked(place, target)


def _marked(place: Path, target: Path) -> int:
    lock = os.open(place / _MARKER, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC)
    try:
        with contextlib.suppress(OSError):  # a file system without locks: then nobody can clean up there either
            fcntl.flock(lock, fcntl.LOCK_EX)
        os.write(lock, _marker_text(target))
        os.mkdir(place / _NEW)
    except BaseException:
        _remove_place(place)
        os.close(lock)
        raise
    return lock


def _marker_text(target: Path) -> bytes:
    return f"kgask writes {target.name} here; safe to delete when no kgask runs\n".encode("utf-8", "surrogateescape")


def _remove_place(place: Path) -> None:
    """``new`` and the marker; what else is there stays, and so does the folder."""
    shutil.rmtree(place / _NEW, ignore_errors=True)
    with contextlib.suppress(OSError):
        os.unlink(place / _MARKER)
        os.rmdir(place)


def _tell(place: Path, seen: _Seen | None) -> None:
    """Write into the marker what will be swapped into ``new``; None: nothing."""
    with open(place / _MARKER, "r+b", buffering=0) as file:
        file.truncate(len(file.readline()))
        if seen is not None:
            file.write(json.dumps(sorted(seen.files)).encode())


def remove_leftovers(target: Path) -> None:
    """Remove what killed runs for this target left: with a marker that nobody locks, and nothing else in it.

    The marker is whole, or there is nothing beside it, or nothing at all.
    """
    try:
        places = temporary_names(target)
    except OSError:  # no such folder, or none that may be read
        return
    for place in places:
        with contextlib.suppress(OSError):
            os.rmdir(place)  # killed before its marker came, or after it went
        with contextlib.suppress(OSError, ValueError, TypeError):
            if place.is_symlink():
                continue
            lock = os.open(place / _MARKER, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                with open(lock, "rb", closefd=False) as file:
                    is_ours, told = file.readline() == _marker_text(target), file.read()
                if not os.fstat(lock).st_size:
                    is_ours, told = os.listdir(place) == [_MARKER], b""
                if is_ours and set(os.listdir(place)) <= {_MARKER, _NEW} and _is_told(place, target, told):
                    _remove_place(place)
            finally:
                os.close(lock)


def _is_told(place: Path, target: Path, told: bytes) -> bool:
    """Whether ``new`` is what was written there (nothing was swapped yet), or some of what the marker tells of."""
    if not told or not os.path.lexists(place / _NEW):
        return True
    files = {tuple(entry) for entry in json.loads(told)}
    if _look(place / _NEW).files <= files:
        return True
    return os.path.lexists(target) and _look(target).files == files


# --- putting it in place --------------------------------------------------------------------


def _seal(folder: Path, kind: Kind) -> None:
    """What must hold before a folder is put in place, whatever it is: all of it is on the disk, as it was meant.

    Raises :class:`BuildError` where a file is not what its manifest says. A link is somebody else's file.
    """
    for path in [*folder.iterdir(), folder]:
        _sync(path)
    hashes = kind.hashes(folder)
    if hashes is None:
        raise BuildError(f"{folder}: the {kind.what} was not written whole, so nothing has changed")
    for name, sha256 in hashes.items():
        path = folder / name
        if sha256 and not path.is_symlink() and _hash_of(path) != sha256:
            raise BuildError(f"{path}: what is on the disk is not what was written, so nothing has changed")


def _hash_of(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _put_in_place(place: Path, target: Path, kind: Kind, seen: _Seen | None) -> None:
    """Rename ``new`` to ``target`` if there still is what was seen there; :class:`BuildError` otherwise."""
    changed = BuildError(f"{target}: has changed while this was written, so it stays; run again or choose another -o")
    try:
        if seen is None:
            rename_to_nothing(place / _NEW, target)
        elif not seen.files:
            os.rename(place / _NEW, target)  # fails when it is not empty any more
        else:
            if _look(target) != seen:
                raise changed
            _replace(place, target, kind, seen, changed)
    except OSError as error:
        if error.errno in (errno.EEXIST, errno.ENOTEMPTY, errno.ENOTDIR, errno.ENOENT):
            raise changed from error
        raise
    with contextlib.suppress(OSError):  # the new one is in place and whole, so this is no failure
        _sync(target.parent)


def _replace(place: Path, target: Path, kind: Kind, seen: _Seen, changed: BuildError) -> None:
    """Swap ``new`` and ``target``, and remove what came out when it is what was seen; else swap back."""
    old = place / _NEW
    _tell(place, seen)
    if exchange(old, target):
        if _look(old) != seen:
            exchange(old, target)
            _tell(place, None)
            raise changed
    else:
        old = place / "old"
        os.rename(target, old)
        if _look(old) != seen:
            rename_to_nothing(old, target)
            _tell(place, None)
            raise changed
        try:
            rename_to_nothing(place / _NEW, target)
        except OSError as error:
            raise BuildError(f"{target}: {error.strerror}; what was there is now {old}") from error
    _remove_old(place, old, seen)


def _remove_old(place: Path, old: Path, seen: _Seen) -> None:
    """What was seen goes, and the place; without its marker what else is there stays."""
    try:
        _remove_seen(old, seen)
    finally:
        os.unlink(place / _MARKER)
    os.rmdir(place)


def _remove_seen(old: Path, seen: _Seen) -> None:
    """The folder with the files that were seen; with others too, that somebody has put there meanwhile, it stays.

    The manifest goes last: it tells of a folder that was left half removed what it is.
    """
    for name in sorted((name for name, *_ in seen.files), key=lambda name: name in (PACK_MANIFEST, MODEL_CARD)):
        os.unlink(old / name)
    try:
        os.rmdir(old)
    except OSError as error:
        raise BuildError(f"{old}: holds files that came in the last moment; they stay there") from error
