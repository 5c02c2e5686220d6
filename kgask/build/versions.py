"""Earlier versions of a pack: kept beside it when it is changed, listed, and gone back to.

A pack folder is never written to: a change writes a new one and swaps the two in one step. Before that the files of the
old one are linked into ``.NAME.kgask-versions/NUMBER`` (copied where a file system has no links), so that a kill at any
moment leaves the old pack or the new one, whole. Who changes a pack holds the lock in that folder.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kgask.build.folder import PACK, new_folder, own_place, remove_folder, remove_leftovers
from kgask.config import versions_folder
from kgask.errors import BuildError, PackError
from kgask.machine.files import rename_to_nothing
from kgask.pack.header import CHANGE, read_manifest

KEPT = 3  # earlier versions that are kept by default
_LOCK = "lock"


@dataclass(frozen=True, slots=True)
class Version:
    """One version of a pack; the one in use has the highest number."""

    number: int
    path: Path
    is_current: bool
    manifest: dict[str, Any]

    @property
    def change(self) -> dict[str, str]:
        """``command`` and ``time``; empty for a pack that was built."""
        found = self.manifest.get(CHANGE)
        return {key: str(value) for key, value in found.items()} if isinstance(found, dict) else {}


def history(pack: Path) -> list[Version]:
    """All versions, the oldest first. Raises PackError for a broken one in use; broken earlier ones are left out."""
    earlier, current = [], read_manifest(pack)
    for path in _kept(pack):
        with contextlib.suppress(PackError):
            earlier.append(Version(int(path.name), path, False, read_manifest(path)))
    if earlier and earlier[-1].manifest == current:  # a change that failed has kept it already
        earlier.pop()
    number = 1 + max((version.number for version in earlier), default=0)
    return [*earlier, Version(number, pack, True, current)]


@contextmanager
def changing(pack: Path, n_kept: int = KEPT) -> Iterator[None]:
    """Hold the pack's lock; keep what it is now before the block replaces it, and drop what is older than ``n_kept``.

    Raises :class:`BuildError` when somebody else changes it, or it cannot be kept.
    """
    pack = Path(os.path.realpath(pack))
    folder = versions_folder(pack)
    try:
        folder.mkdir(exist_ok=True)
        lock = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError as error:
        raise BuildError(f"{folder}: {error.strerror}; a pack is changed where one may write beside it") from error
    try:
        _take(lock, pack)
        remove_leftovers(pack)
        _sweep(folder)
        _keep(pack, folder)
        yield
        _drop(pack, n_kept)
    except OSError as error:
        raise BuildError(f"{error.filename or folder}: {error.strerror or error}") from error
    finally:
        os.close(lock)


def roll_back(pack: Path, number: int | None, n_kept: int = KEPT) -> Version:
    """Put an earlier version in use, the last one where none is named; the present one becomes an earlier version."""
    pack = Path(os.path.realpath(pack))
    earlier = [version for version in history(pack) if not version.is_current]
    if number is None and earlier:
        number = earlier[-1].number
    chosen = next((version for version in earlier if version.number == number), None)
    if chosen is None:
        there = ", ".join(str(version.number) for version in earlier) or "none"
        raise PackError(f"{pack.name} has no earlier version {number or ''} (there are: {there})".replace("  ", " "))
    with changing(pack, n_kept + 1), new_folder(pack, True) as folder:
        link_files(chosen.path, folder, PACK.names(chosen.path) or ())
    return chosen


def _sweep(folder: Path) -> None:
    """Remove what changes that were killed left among the earlier versions."""
    for number in {name.split(".")[1] for name in os.listdir(folder) if name.startswith(".")}:
        remove_leftovers(folder / number)


def _take(lock: int, pack: Path) -> None:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise BuildError(f"{pack.name}: another kgask changes this pack now; try again when it is done") from None


def _kept(pack: Path) -> list[Path]:
    folder = versions_folder(pack)
    return _in_order(folder) if folder.is_dir() else []


def _in_order(folder: Path) -> list[Path]:
    return sorted((path for path in folder.iterdir() if path.name.isdecimal()), key=lambda path: int(path.name))


def _keep(pack: Path, folder: Path) -> None:
    """The pack as the latest of its earlier versions, unless a killed change has left it there."""
    kept = _kept(pack)
    manifest = read_manifest(pack)
    with contextlib.suppress(PackError):
        if kept and read_manifest(kept[-1]) == manifest:
            return
    number = 1 + max((int(path.name) for path in kept), default=0)
    with own_place(folder / str(number)) as place:
        new = place / "new"
        link_files(pack, new, PACK.names(pack) or ())
        rename_to_nothing(new, folder / str(number))


def link_files(source: Path, target: Path, names: Iterable[str]) -> None:
    """These files of a pack in another folder: the same ones, for they are never written to."""
    for name in sorted(names):
        try:
            os.link(source / name, target / name)
        except OSError:
            shutil.copy2(source / name, target / name)


def _drop(pack: Path, n_kept: int) -> None:
    kept = _kept(pack)
    for path in kept[: max(0, len(kept) - n_kept)]:
        remove_folder(path, PACK)


def remove_all(pack: Path) -> None:
    """The earlier versions of a pack that goes; only what is known to be ours."""
    folder = versions_folder(pack)
    if not folder.is_dir():
        return
    _sweep(folder)
    for path in _kept(pack):
        remove_folder(path, PACK)
    with contextlib.suppress(OSError):
        (folder / _LOCK).unlink(missing_ok=True)
        folder.rmdir()


def are_of(pack: Path, folder: Path) -> bool:
    """Whether the earlier versions in a folder are a pack's own: the last has the name that the pack was built with."""
    kept = _in_order(folder)
    return not kept or read_manifest(kept[-1]).get("name") == read_manifest(pack).get("name")
