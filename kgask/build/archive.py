"""A pack as one file: a tar archive under zstd with pack.json first, then the files that it lists, by name.

Everything in it is checked while it is read: pack.json by its own hash, each other file by its size and SHA-256 there.
The same pack gives the same bytes (by one version of zstd).
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import stat
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from kgask.build.folder import new_folder
from kgask.config import PACK_MANIFEST
from kgask.errors import PackDamage, PackError
from kgask.machine.minisign import new_hash
from kgask.pack.header import MAX_MANIFEST_BYTES, check_sizes, is_as_written, parse_manifest, read_manifest
from kgask.pack.store import Pack

SUFFIX = ".kgpack"
MAX_BYTES = 1 << 40  # of a pack's files together
_LEVEL = 12
_WINDOW_LOG = 27  # 128 MiB of memory: what zstd takes without being asked for more
_RATIO = 250  # no pack is packed tighter; what claims to be is there to fill disks
_SMALL = 1 << 24  # whatever its ratio
_CHUNK = 1 << 20
_NAME = re.compile(r"[a-z0-9_]{1,64}\.[a-z0-9]{1,16}")
_KINDS = {
    tarfile.SYMTYPE: "a link",
    tarfile.LNKTYPE: "a link",
    tarfile.CHRTYPE: "a device",
    tarfile.BLKTYPE: "a device",
    tarfile.FIFOTYPE: "a pipe",
    tarfile.DIRTYPE: "a folder",
}
OnBytes = Callable[[int], None]


class HashedFile:
    """Writes to a file, and hashes what it writes."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.digest = new_hash()

    def write(self, data: Any, /) -> int:
        self.digest.update(data)
        return self._file.write(data)

    def flush(self) -> None:
        self._file.flush()


def write_archive(pack: Path, file: HashedFile, on_bytes: OnBytes = lambda _: None) -> None:
    """Write the pack at ``pack``; :class:`PackError` when a hash of its manifest does not hold."""
    from backports import zstd

    manifest = read_manifest(pack)
    check_sizes(pack, manifest)
    if not is_as_written(manifest, (pack / PACK_MANIFEST).read_bytes()):
        raise PackError(f"{pack}: {PACK_MANIFEST} has been changed; run: kgask pack check {pack}")
    options = {zstd.CompressionParameter.compression_level: _LEVEL, zstd.CompressionParameter.checksum_flag: 1}
    with (
        zstd.ZstdFile(file, "wb", options=options) as packed,  # type: ignore[call-overload]  # it never closes it
        tarfile.open(fileobj=packed, mode="w|", format=tarfile.GNU_FORMAT) as archive,
    ):
        for name in (PACK_MANIFEST, *sorted(manifest["files"])):
            with (pack / name).open("rb") as source:
                info = tarfile.TarInfo(name)  # no time, no owner
                info.size = os.fstat(source.fileno()).st_size
                hashed = _Hashed(source, on_bytes)
                archive.addfile(info, hashed)
            if name != PACK_MANIFEST and hashed.sha256.hexdigest() != manifest["files"][name]["sha256"]:
                raise PackError(f"{pack / name}: damaged; run: kgask pack check {pack}")


class _Hashed:
    def __init__(self, file: BinaryIO, on_bytes: OnBytes) -> None:
        self._file, self._on_bytes = file, on_bytes
        self.sha256 = hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        data = self._file.read(size)
        self.sha256.update(data)
        self._on_bytes(len(data))
        return data


def unpack(
    name: str,
    file: BinaryIO,
    target: Path,
    force: bool = False,
    expected: bytes | None = None,
    on_bytes: OnBytes = lambda _: None,
) -> dict[str, Any]:
    """Make a pack folder of an open archive, whole or not at all, and give its manifest.

    ``name`` is the file's in messages, ``expected`` the digest (:func:`kgask.machine.minisign.new_hash`) that its bytes
    must have. Raises :class:`PackError` for what is no archive of a whole pack, BuildError as
    :func:`kgask.build.folder.new_folder` does.
    """
    status = os.fstat(file.fileno())
    if not stat.S_ISREG(status.st_mode):
        raise PackError(f"{name}: not a file")
    with new_folder(target, force, sources=[name]) as folder:
        frame = _Frame(name, file)
        manifest = _unpack_manifest(frame, folder)
        _refuse_bombs(name, manifest, status.st_size, folder)
        missing = dict(manifest["files"])
        while (found := _next_member(frame)) is not None:
            entry = missing.pop(found[0], None)
            if entry is None:
                again = found[0] in manifest["files"] or found[0] == PACK_MANIFEST
                raise frame.broken(f"holds {found[0]!r} {'twice' if again else 'which its pack.json does not list'}")
            _unpack_file(frame, folder, found, entry, on_bytes)
        if missing:
            raise frame.broken(f"{min(missing)!r} is missing")
        frame.end()
        if expected not in (None, frame.digest.digest()):
            raise PackError(f"{name}: has changed since its signature was checked; nothing was written")
        _open(folder, frame)
    return manifest


class _Frame:
    """The bytes of the one zstd frame that a file is, and the digest of the file."""

    def __init__(self, name: str, file: BinaryIO) -> None:
        from backports import zstd

        self.name, self._file, self._error = name, file, zstd.ZstdError
        self._unpacker = zstd.ZstdDecompressor(options={zstd.DecompressionParameter.window_log_max: _WINDOW_LOG})
        self.digest = new_hash()
        file.seek(0)

    def broken(self, why: str) -> PackError:
        return PackError(f"{self.name}: not a whole pack ({why}); nothing was written")

    def _some(self, most: int) -> bytes:
        """Up to ``most`` bytes; none at the end of the frame."""
        unpacker, some = self._unpacker, b""
        while not some and not unpacker.eof:
            data = self._file.read(_CHUNK) if unpacker.needs_input else b""
            if unpacker.needs_input and not data:
                raise self.broken("it is cut short")
            self.digest.update(data)
            try:
                some = unpacker.decompress(data, most)
            except self._error as error:
                raise self.broken(f"damaged, or no zstd: {error}") from None
        return some

    def pieces(self, size: int) -> Iterator[bytes]:
        """The next ``size`` bytes, in pieces."""
        while size:
            piece = self._some(min(size, _CHUNK))
            if not piece:
                raise self.broken("it is cut short")
            size -= len(piece)
            yield piece

    def end(self) -> None:
        """Nothing but zeros may follow in the frame, and nothing at all behind it."""
        n_left = _CHUNK  # far more than the padding of any tar archive
        while piece := self._some(_CHUNK):
            n_left -= len(piece)
            if piece.strip(b"\0") or n_left < 0:
                raise self.broken("something follows its last file")
        if self._unpacker.unused_data or self._file.read(1):
            raise self.broken("something follows its end")


def _next_member(frame: _Frame) -> tuple[str, int] | None:
    """Name and bytes of the next file; None at the end. What is no file with the name of one is refused."""
    block = b"".join(frame.pieces(tarfile.BLOCKSIZE))
    if not block.strip(b"\0"):
        return None
    try:
        info = tarfile.TarInfo.frombuf(block, "ascii", "backslashreplace")
    except tarfile.TarError as error:
        raise frame.broken(f"no tar archive: {error}") from None
    if info.type not in (tarfile.REGTYPE, tarfile.AREGTYPE):
        what = _KINDS.get(info.type, f"an entry of type {info.type!r}")
        raise frame.broken(f"holds {what}, {info.name!r}")
    if not _NAME.fullmatch(info.name) or info.size < 0:
        raise frame.broken(f"holds {info.name!r}, which no file of a pack is called")
    return info.name, info.size


def _unpack_manifest(frame: _Frame, folder: Path) -> dict[str, Any]:
    found = _next_member(frame)
    if found is None or found[0] != PACK_MANIFEST or found[1] > MAX_MANIFEST_BYTES:
        raise frame.broken(f"it does not begin with a {PACK_MANIFEST}")
    data = b"".join(frame.pieces(found[1]))
    _pass_padding(frame, found[1])
    hash_problem = frame.broken(f"the hash of {PACK_MANIFEST} does not hold")
    try:
        manifest = parse_manifest(Path(frame.name) / PACK_MANIFEST, data)
    except PackDamage:
        raise hash_problem from None
    if not is_as_written(manifest, data):
        raise hash_problem
    if PACK_MANIFEST in manifest["files"] or not all(map(_NAME.fullmatch, manifest["files"])):
        raise frame.broken(f"{PACK_MANIFEST} lists what no file of a pack is called")
    (folder / PACK_MANIFEST).write_bytes(data)
    return manifest


def _refuse_bombs(name: str, manifest: dict[str, Any], packed_bytes: int, folder: Path) -> None:
    total = sum(entry["bytes"] for entry in manifest["files"].values())
    if total > MAX_BYTES or total > max(_SMALL, _RATIO * packed_bytes):
        raise PackError(f"{name}: says that it unpacks to {total:,} bytes, which no pack of this size does")
    free = shutil.disk_usage(folder).free
    if total > free:
        raise PackError(f"{name}: needs {total:,} bytes where {free:,} are free; -o DIR unpacks it elsewhere")


def _unpack_file(frame: _Frame, folder: Path, found: tuple[str, int], entry: dict[str, Any], on_bytes: OnBytes) -> None:
    name, size = found
    if size != entry["bytes"]:
        raise frame.broken(f"{name!r} has {size} bytes, {entry['bytes']} are listed")
    sha256 = hashlib.sha256()
    with (folder / name).open("xb") as file:
        for piece in frame.pieces(size):
            sha256.update(piece)
            file.write(piece)
            on_bytes(len(piece))
    if sha256.hexdigest() != entry["sha256"]:
        raise frame.broken(f"the SHA-256 of {name!r} does not hold")
    _pass_padding(frame, size)


def _pass_padding(frame: _Frame, size: int) -> None:
    for _ in frame.pieces(-size % tarfile.BLOCKSIZE):
        pass


def _open(folder: Path, frame: _Frame) -> None:
    """What is in the files is a pack, as far as opening one tells."""
    try:
        with Pack.open(folder) as pack:
            _ = pack.names
    except PackError as error:
        raise frame.broken(str(error).replace(f"{folder}/", "").partition("; run:")[0]) from None
