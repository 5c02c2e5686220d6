"""Files that appear whole or not at all, beside what is there: temporary names are our own, made exclusively."""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

TMP_SUFFIX = ".kgask-tmp"  # of a file or folder that a killed run may leave; nothing is ever deleted for its name alone


def temporary_name(target: Path) -> Path:
    """A name beside ``target`` that nobody has: ``.NAME.<random>.kgask-tmp``; make it exclusively."""
    return target.with_name(f".{_short(target.name)}.{os.urandom(6).hex()}{TMP_SUFFIX}")


def temporary_names(target: Path) -> list[Path]:
    """What is beside ``target`` under a name as :func:`temporary_name` gives; whose it is the name does not tell."""
    pattern = re.compile(rf"\.{re.escape(_short(target.name))}\.[0-9a-f]{{12}}{re.escape(TMP_SUFFIX)}")
    return [target.with_name(name) for name in os.listdir(target.parent) if pattern.fullmatch(name)]


def _short(name: str) -> str:
    """So much of a name that one made from it is not too long for a file system."""
    return os.fsencode(name)[:200].decode("utf-8", "ignore")


@contextmanager
def whole_file(path: Path, sync: bool = True) -> Iterator[BinaryIO]:
    """Yield a file whose bytes become ``path`` in one rename when the block ends well; else nothing has changed.

    A link stays a link, and the mode of an older file is kept. What is no regular file (a terminal, a pipe) is written
    to as it is. With ``sync`` the bytes are on the disk before the rename. Raises OSError.
    """
    path = Path(os.path.realpath(path))
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        mode = None
    if mode is not None and not stat.S_ISREG(mode):
        with open(path, "wb") as file:
            yield file
        return
    beside = temporary_name(path)
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    try:
        with open(descriptor, "wb") as file:
            if mode is not None:
                os.fchmod(descriptor, stat.S_IMODE(mode))
            yield file
            file.flush()
            if sync:
                os.fsync(descriptor)
        os.replace(beside, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(beside)
        raise


def write_whole(path: Path, data: bytes | str, sync: bool = True) -> None:
    """Write a file in one rename, text as UTF-8; see :func:`whole_file`."""
    with whole_file(path, sync) as file:
        file.write(data.encode("utf-8") if isinstance(data, str) else data)
