"""Files that appear whole or not at all, beside what is there: temporary names are our own, made exclusively."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import re
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO

from kgask.errors import UsageError

_AT_FDCWD = -100
_RENAME_NOREPLACE, _RENAME_EXCHANGE = 1, 2
_NO_FLAGS = (errno.EINVAL, errno.ENOSYS)  # what renameat2 answers where a file system cannot do it
NO_FILE = "a pipe or a device, not a file"
TMP_SUFFIX = ".kgask-tmp"  # of a file or folder that a killed run may leave; nothing is ever deleted for its name alone
_MARK = "user.kgask-tmp"  # an attribute of a file while it has a temporary name


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


def open_regular(path: str | os.PathLike[str]) -> BufferedReader:
    """Open a file to read its bytes. OSError for a folder, and for a pipe or device, which may never end."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)  # a pipe without a writer would wait
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode):
        return open(descriptor, "rb")
    os.close(descriptor)
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    raise OSError(errno.EINVAL, NO_FILE, str(path))


def read_regular(path: str | os.PathLike[str], most: int) -> bytes:
    """The bytes of a file of at most ``most``. OSError as :func:`open_regular`, and for a longer one."""
    with open_regular(path) as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise OSError(errno.EFBIG, f"longer than {most:,} bytes", str(path))
    return data


def check_output(path: Path, force: bool, sources: Iterable[Path] = ()) -> None:
    """Raises UsageError when a command may not write ``path``: it is there and ``force`` is off, or it is read too.

    What is neither a file nor a folder (a terminal, a pipe) is written to as it is.
    """
    if not os.path.lexists(path):
        return
    real = Path(os.path.realpath(path))
    if any(real == read or read in real.parents for read in (Path(os.path.realpath(source)) for source in sources)):
        raise UsageError(f"{path}: is among what is read here and stays; write to another file")
    if path.is_dir():
        raise UsageError(f"{path}: is a folder; write to another file")
    if not force and (path.is_file() or not path.exists()):
        raise UsageError(f"{path}: exists; --force replaces it")


@contextmanager
def whole_file(path: Path, sync: bool = True, replace: bool = True) -> Iterator[BinaryIO]:
    """Yield a file whose bytes become ``path`` in one rename when the block ends well; else nothing has changed.

    A link stays a link, and the mode of an older file is kept. What is no regular file (a terminal, a pipe) is written
    to as it is. With ``sync`` the bytes are on the disk before the rename. Raises OSError; without ``replace``
    FileExistsError when there is a file, or one has come when the block ends.
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
    if mode is not None and not replace:
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
    beside = temporary_name(path)
    descriptor, has_name = _new_file(beside)
    try:
        with open(descriptor, "wb") as file:
            if mode is not None:
                os.fchmod(descriptor, stat.S_IMODE(mode))
            yield file
            file.flush()
            if sync:
                os.fsync(descriptor)
            if has_name or not _named_at_once(descriptor, path, replace):
                if not has_name:
                    _remove_marked(path)
                    _name_marked(descriptor, beside)
                if replace:
                    os.replace(beside, path)
                else:
                    rename_to_nothing(beside, path)
                _unmark(descriptor)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(beside)
        raise


def _new_file(name: Path) -> tuple[int, bool]:
    """A new file to write to, without a name where the system has such files: of these a killed process leaves none.

    The second is whether it has its name already.
    """
    flags = os.O_WRONLY | os.O_CLOEXEC
    try:
        return os.open(name.parent, flags | os.O_TMPFILE, 0o666), False
    except (OSError, AttributeError):  # not on this file system, or not on this system
        return os.open(name, flags | os.O_CREAT | os.O_EXCL, 0o666), True


def _named_at_once(descriptor: int, path: Path, replace: bool) -> bool:
    """Give a file without a name its own, where nobody has that; False where one is to be replaced."""
    try:
        _link(descriptor, path)
    except FileExistsError:
        if not replace:
            raise
        return False
    return True


def _link(descriptor: int, path: Path) -> None:
    os.link(f"/proc/self/fd/{descriptor}", path, src_dir_fd=descriptor)  # else not followed


def _name_marked(descriptor: int, name: Path) -> None:
    """Give a file a temporary name, marked as ours and locked while this process lives, so that one that is left can be
    told from a user's. Where a file system has no marks it has none."""
    import fcntl

    with contextlib.suppress(OSError):
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.setxattr(descriptor, _MARK, b"")
    _link(descriptor, name)


def _unmark(descriptor: int) -> None:
    with contextlib.suppress(OSError, AttributeError):  # it has none, or this system
        os.removexattr(descriptor, _MARK)


def _remove_marked(target: Path) -> None:
    """Remove what killed processes left beside ``target``: files with our mark that nobody has locked."""
    import fcntl

    for left in temporary_names(target):
        with contextlib.suppress(OSError):
            descriptor = os.open(left, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                os.getxattr(descriptor, _MARK)
                os.unlink(left)
            finally:
                os.close(descriptor)


def write_whole(path: Path, data: bytes | str, sync: bool = True, replace: bool = True) -> None:
    """Write a file in one rename, text as UTF-8; see :func:`whole_file`."""
    with whole_file(path, sync, replace) as file:
        file.write(data.encode("utf-8") if isinstance(data, str) else data)


def rename_to_nothing(source: Path, target: Path) -> None:
    """Rename a file or folder to a name that nobody has; OSError (EEXIST or ENOTEMPTY) otherwise."""
    if _renamed(source, target, _RENAME_NOREPLACE):
        return
    if not source.is_dir() and os.path.lexists(target):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target))
    os.rename(source, target)  # a folder replaces nothing but an empty folder


def exchange(source: Path, target: Path) -> bool:
    """Swap two names in one step; False where the system or the file system cannot."""
    return _renamed(source, target, _RENAME_EXCHANGE)


def _renamed(source: Path, target: Path, how: int) -> bool:
    libc = ctypes.CDLL(None, use_errno=True)
    if not hasattr(libc, "renameat2"):
        return False
    if libc.renameat2(_AT_FDCWD, os.fsencode(source), _AT_FDCWD, os.fsencode(target), how) == 0:
        return True
    code = ctypes.get_errno()
    if code in _NO_FLAGS:
        return False
    raise OSError(code, os.strerror(code), str(target))
