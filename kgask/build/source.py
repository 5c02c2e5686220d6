"""Where triples come from: files and stdin, plain or packed, and what to do with their broken lines."""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import lzma
import re
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from kgask.build.workbook import SUFFIXES, sheets_of
from kgask.config import PACK_MANIFEST
from kgask.errors import BuildError, UsageError
from kgask.machine.files import NO_FILE, open_regular

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

STDIN = "-"
MAX_LINE_BYTES = 1 << 20
_MOST_EXPANSION, _FREE_BYTES = 500, 1 << 26  # unpacked bytes of a packed one; so many may always be unpacked
_MOST_BROKEN = 100  # a source this broken is of another format: there is no need to read it all
_PACKED = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\0": "xz", b"\x28\xb5\x2f\xfd": "zstd"}  # first bytes
_PACKED_SUFFIXES = (".gz", ".bz2", ".xz", ".zst")
_JSON_START = 1 << 12  # bytes that tell what a JSON file is
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_SUFFIX_FORMAT = {
    ".tsv": "tsv", ".tab": "tsv", ".csv": "csv", ".psv": "pipe",
    ".nt": "nt", ".ntriples": "nt", ".nq": "nq", ".nquads": "nq", ".ttl": "ttl", ".turtle": "ttl",
    ".rdf": "rdf", ".owl": "rdf", ".xml": "rdf",
    ".jsonl": "jsonl", ".ndjson": "jsonl", ".jsonld": "jsonld", ".graphml": "graphml",
    ".parquet": "parquet", ".sqlite": "sqlite", ".sqlite3": "sqlite", ".db": "sqlite", ".db3": "sqlite",
}  # fmt: skip
FORMATS = (
    "tsv", "csv", "pipe", "rows", "parquet", "neo4j", "jsonl", "graphml", "wikidata", "sqlite", "nt", "nq", "ttl",
    "rdf", "jsonld",
)  # fmt: skip
_OTHERS = {  # endings of what is not read: what to do with it
    ".hdt": "unpack it with hdt2rdf (rdfhdt.org) to .nt", ".trig": "as N-Quads (.nq) it is read",
    ".n3": "add --format ttl",
    ".ods": "save it as .xlsx", ".gml": "as .graphml it is read",
    ".gexf": "as .graphml it is read", ".kgpack": "'kgask pack import' unpacks it, and its name is a source then",
    ".tgz": "unpack it and name the files", ".7z": "unpack it and name the files",
    ".duckdb": "export its tables: duckdb FILE -c \"COPY NAME TO 'NAME.parquet'\"",
    ".yaml": "as .json or .jsonl it is read", ".yml": "as .json or .jsonl it is read",
    ".geojson": "list its features' properties: jq '[.features[].properties]' FILE > NAME.json",
    ".mdb": "export its tables as CSV (mdb-export)", ".accdb": "export its tables as CSV (mdb-export)",
    ".arrow": "as .parquet it is read", ".feather": "as .parquet it is read", ".trix": "as N-Quads (.nq) it is read",
    ".avro": "as .parquet it is read", ".orc": "as .parquet it is read", ".xls": "save it as .xlsx",
    ".zip": "unpack it and name the files", ".tar": "unpack it and name the files",
    ".sql": "load it into a database: sqlite3 NAME.sqlite < FILE",
}  # fmt: skip
PACK = "pack"  # the format of a source that is a pack
TABLE_FORMATS = ("tsv", "csv", "pipe")


class Problems:
    """Counts broken lines; stops the build for them unless they are to be skipped."""

    def __init__(self, skip: bool, tell: Callable[[str], None]) -> None:
        self.skip = skip
        self.count = 0
        self._tell = tell
        self._first = ""

    def broken(self, source: str, line: int | None, reason: str) -> None:
        """Note one broken line. Without ``skip``, :meth:`settle` will raise, or this does after many."""
        self.count += 1
        where = source if line is None else f"{source}:{line}"
        self._first = self._first or f"{where}: {reason}"
        if self.skip and self.count <= 10:
            self._tell(f"{where}: {reason}; skipped" + ("; no more of these are shown" if self.count == 10 else ""))
        if not self.skip and self.count >= _MOST_BROKEN:
            self.settle(at_least=True)

    def cut(self, source: str, line: int) -> None:
        """Say that a source ends within a line, of which nobody can tell whether it is whole."""
        self._tell(f"{source}:{line}: the file ends within this line; if it is cut short, so is the last field")

    def settle(self, at_least: bool = False) -> None:
        """Raise :class:`BuildError` for the first broken line, with the number of all."""
        if self.skip or not self.count:
            return
        number = f"at least {self.count}" if at_least else str(self.count)
        lines = "line" if self.count == 1 else "lines"
        raise BuildError(f"{self._first} ({number} broken {lines}; --skip-errors goes on without them)")


class _Counted(io.RawIOBase):
    """A raw stream that tells how many bytes were read from it."""

    def __init__(self, raw: BinaryIO, on_bytes: Callable[[int], None]) -> None:
        self._raw = raw
        self._on_bytes = on_bytes
        self.n_bytes = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer)
        data = self._raw.read(len(view))
        view[: len(data)] = data
        self.n_bytes += len(data)
        self._on_bytes(len(data))
        return len(data)


class _Bounded(io.RawIOBase):
    """What a packed stream unpacks to. Raises :class:`BuildError` where few bytes become very many."""

    def __init__(self, unpacked: io.RawIOBase, packed: _Counted, source: str) -> None:
        self._unpacked, self._packed, self._source, self._n_bytes = unpacked, packed, source, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        n_read = self._unpacked.readinto(buffer) or 0
        self._n_bytes += n_read
        if self._n_bytes > _FREE_BYTES + _MOST_EXPANSION * self._packed.n_bytes:
            raise BuildError(
                f"{self._source}: unpacks to more than {_MOST_EXPANSION} times its size (behind "
                f"{self._packed.n_bytes:,} packed bytes); unpack it yourself if that is meant"
            )
        return n_read


class _Recoded(io.RawIOBase):
    """UTF-16 as UTF-8."""

    def __init__(self, raw: BinaryIO) -> None:
        self._raw, self._decoder, self._left = raw, codecs.getincrementaldecoder("utf-16")(), b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        view, is_end = memoryview(buffer), False
        while not self._left and not is_end:
            data = self._raw.read(len(view))
            is_end = not data
            self._left = self._decoder.decode(data, final=is_end).encode()
        n_read = min(len(view), len(self._left))
        view[:n_read], self._left = self._left[:n_read], self._left[n_read:]
        return n_read


@contextmanager
def open_source(name: str, on_bytes: Callable[[int], None] = lambda _: None) -> Iterator[BinaryIO]:
    """Open a file or stdin (``-``) as bytes: unpacked if it begins as gzip, bzip2, xz or zstd do, UTF-16 as UTF-8.

    Inside the block, failures to read become :class:`BuildError`, a packed
    stream that ends early or is damaged among them.
    """
    packing = None
    try:
        raw = sys.stdin.buffer if name == STDIN else open_regular(name)
    except IsADirectoryError:
        raise BuildError(f"{name}: is a folder; name the files in it") from None
    except OSError as error:
        advice = "; what a pipe gives is read as -, with --format" if error.strerror == NO_FILE else ""
        raise BuildError(f"{name}: {error.strerror}{advice}") from error
    try:
        counted = _Counted(raw, on_bytes)
        stream: io.BufferedReader[Any] = io.BufferedReader(counted, 1 << 18)
        start = stream.peek(6)
        packing = next((how for magic, how in _PACKED.items() if start.startswith(magic)), None)
        if packing:
            unpacked = _unpacked(stream, packing)
            stream = io.BufferedReader(_Bounded(unpacked, counted, display(name)), 1 << 18)
        yield io.BufferedReader(_Recoded(stream), 1 << 18) if stream.peek(2).startswith(_UTF_16) else stream
    except EOFError:
        raise BuildError(f"{display(name)}: the {packing} stream ends early; the file is cut short") from None
    except _damage() as error:
        raise BuildError(f"{display(name)}: damaged {packing} stream ({error})") from None
    except UnicodeDecodeError as error:
        raise BuildError(f"{display(name)}: not UTF-16 after its byte order mark ({error.reason})") from None
    except OSError as error:
        if error.filename is not None:
            raise
        if packing and error.errno is None:  # what bz2 raises
            raise BuildError(f"{display(name)}: damaged {packing} stream ({error})") from None
        raise BuildError(f"{display(name)}: {error.strerror or error}") from error
    finally:
        if name != STDIN:
            raw.close()


def _unpacked(stream: io.BufferedReader[Any], packing: str) -> io.RawIOBase:
    """The bytes behind a packed stream, which may be several one after another."""
    if packing == "gzip":
        return cast(io.RawIOBase, gzip.GzipFile(fileobj=stream))
    if packing == "bzip2":
        return cast(io.RawIOBase, bz2.BZ2File(stream))
    if packing == "xz":
        return cast(io.RawIOBase, lzma.LZMAFile(stream))
    from backports.zstd import ZstdFile  # what few sources need

    return cast(io.RawIOBase, ZstdFile(stream))


def _damage() -> tuple[type[Exception], ...]:
    """What a damaged stream raises."""
    from backports.zstd import ZstdError

    return gzip.BadGzipFile, zlib.error, lzma.LZMAError, ZstdError


def display(name: str) -> str:
    """A source's name in messages."""
    return "stdin" if name == STDIN else name


def numbered_lines(
    stream: BinaryIO, most: int = MAX_LINE_BYTES, unended: Callable[[int], None] = lambda _: None
) -> Iterator[tuple[int, bytes | None]]:
    """(number from 1, line without its end); None for a line over ``most`` bytes.

    ``unended`` gets the number of a last line that has no end.
    """
    number = 0
    while line := stream.readline(most + 2):
        number += 1
        whole = line.rstrip(b"\r\n")
        if len(line) < most + 2 and not line.endswith(b"\n"):
            unended(number)
        if len(whole) <= most and (line.endswith(b"\n") or len(line) <= most + 1):
            yield number, whole
            continue
        while line and not line.endswith(b"\n"):
            line = stream.readline(1 << 16)
        yield number, None


def guess_format(name: str, format: str | None) -> str:
    """The format of a source: a pack's, as told, from the ending, or from the first line of a ``.txt``."""
    if (Path(name) / PACK_MANIFEST).exists():
        return PACK
    if format is not None:
        return format
    if name == STDIN:
        raise UsageError(f"stdin needs --format ({', '.join(FORMATS)})")
    path = Path(name)
    if path.suffix.lower() in _PACKED_SUFFIXES:
        path = path.with_suffix("")
    suffix = path.suffix.lower()
    if suffix == ".txt":
        with open_source(name) as stream:
            first = stream.readline(MAX_LINE_BYTES)
        return "pipe" if first.count(b"|") == 2 and b"\t" not in first else "tsv"
    if suffix == ".json":
        return _format_of_json(name)
    if suffix in _OTHERS:
        raise UsageError(f"{name}: {suffix} is not read; {_OTHERS[suffix]}")
    if suffix not in _SUFFIX_FORMAT:
        raise UsageError(f"{name}: cannot tell the format from the name; add --format ({', '.join(FORMATS)})")
    return _SUFFIX_FORMAT[suffix]


def files_of(name: str) -> list[str]:
    """A source, or of a folder that is no pack the files whose names tell their format, in order of their names; of an
    Excel workbook its sheets as CSV files.

    Raises :class:`UsageError` for a folder without any, :class:`BuildError` for a workbook that cannot be read.
    """
    folder = Path(name)
    if folder.suffix.lower() in SUFFIXES and folder.is_file():
        return sheets_of(name)
    if name == STDIN or not folder.is_dir() or (folder / PACK_MANIFEST).exists():
        return [name]
    found = sorted(str(one) for one in folder.iterdir() if one.is_file() and _tells_format(one))
    if not found:
        raise UsageError(f"{name}: no file in this folder has a name that tells its format ({', '.join(FORMATS)})")
    return [file for one in found for file in files_of(one)]


def _tells_format(path: Path) -> bool:
    plain = path.with_suffix("") if path.suffix.lower() in _PACKED_SUFFIXES else path
    is_told = plain.suffix.lower() in (*_SUFFIX_FORMAT, *SUFFIXES, ".json")
    return not path.name.startswith(".") and (is_told or (plain.suffix.lower() == ".txt" and _is_table(path)))


def _is_table(path: Path) -> bool:
    """Whether a text looks like a table with a row a thing, which notes do not."""
    from kgask.build.rows import SURE, likeness

    return likeness(str(path)) == SURE


def _format_of_json(name: str) -> str:
    from kgask.build.wikidata import is_wikidata

    with open_source(name) as stream:
        start = stream.read(_JSON_START)
    if is_wikidata(start):
        return "wikidata"
    if b'"@context"' in start:
        return "jsonld"
    if re.match(rb"(?:\xef\xbb\xbf)?\s*(?:\[\s*)?\{", start):
        return "jsonl"  # a list of objects, or one that holds them
    advice = "objects one a line, or in a list, are --format jsonl, Wikidata's --format wikidata"
    raise UsageError(f"{name}: cannot tell what this JSON is; {advice}")
