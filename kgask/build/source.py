"""Where triples come from: files and stdin, plain or gzipped, and what to do with their broken lines."""

from __future__ import annotations

import gzip
import io
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from kgask.errors import BuildError, UsageError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

STDIN = "-"
MAX_LINE_BYTES = 1 << 20
_MOST_BROKEN = 100  # a source this broken is of another format: there is no need to read it all
_SUFFIX_FORMAT = {
    ".tsv": "tsv", ".tab": "tsv", ".csv": "csv", ".psv": "pipe",
    ".nt": "nt", ".ntriples": "nt", ".nq": "nq", ".nquads": "nq", ".ttl": "ttl", ".turtle": "ttl",
    ".rdf": "rdf", ".owl": "rdf", ".xml": "rdf",
}  # fmt: skip
FORMATS = ("tsv", "csv", "pipe", "nt", "nq", "ttl", "rdf")
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

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer)
        data = self._raw.read(len(view))
        view[: len(data)] = data
        self._on_bytes(len(data))
        return len(data)


@contextmanager
def open_source(name: str, on_bytes: Callable[[int], None] = lambda _: None) -> Iterator[BinaryIO]:
    """Open a file or stdin (``-``) as bytes, unzipped if it begins as gzip does.

    Inside the block, failures to read become :class:`BuildError`, a gzip
    stream that ends early or is damaged among them.
    """
    try:
        raw = sys.stdin.buffer if name == STDIN else open(name, "rb")  # noqa: SIM115
    except OSError as error:
        raise BuildError(f"{name}: {error.strerror}") from error
    try:
        stream = io.BufferedReader(_Counted(raw, on_bytes), 1 << 18)
        unzip = stream.peek(2)[:2] == b"\x1f\x8b"
        yield io.BufferedReader(gzip.GzipFile(fileobj=stream), 1 << 18) if unzip else stream
    except EOFError:
        raise BuildError(f"{display(name)}: the gzip stream ends early; the file is cut short") from None
    except (gzip.BadGzipFile, zlib.error) as error:
        raise BuildError(f"{display(name)}: damaged gzip stream ({error})") from None
    except IsADirectoryError:
        raise BuildError(f"{name}: is a folder; name the files in it") from None
    except OSError as error:
        if error.filename is not None:
            raise
        raise BuildError(f"{display(name)}: {error.strerror or error}") from error
    finally:
        if name != STDIN:
            raw.close()


def display(name: str) -> str:
    """A source's name in messages."""
    return "stdin" if name == STDIN else name


def numbered_lines(stream: BinaryIO) -> Iterator[tuple[int, bytes | None]]:
    """(number from 1, line without its end); None for a line over :data:`MAX_LINE_BYTES`."""
    number = 0
    while line := stream.readline(MAX_LINE_BYTES + 2):
        number += 1
        whole = line.rstrip(b"\r\n")
        if len(whole) <= MAX_LINE_BYTES and (line.endswith(b"\n") or len(line) <= MAX_LINE_BYTES + 1):
            yield number, whole
            continue
        while line and not line.endswith(b"\n"):
            line = stream.readline(1 << 16)
        yield number, None


def guess_format(name: str, format: str | None) -> str:
    """The format of a source: as told, else from the ending, else from the first line of a ``.txt``."""
    if format is not None:
        return format
    if name == STDIN:
        raise UsageError(f"stdin needs --format ({', '.join(FORMATS)})")
    path = Path(name)
    if path.suffix.lower() == ".gz":
        path = path.with_suffix("")
    suffix = path.suffix.lower()
    if suffix == ".txt":
        with open_source(name) as stream:
            first = stream.readline(MAX_LINE_BYTES)
        return "pipe" if first.count(b"|") == 2 and b"\t" not in first else "tsv"
    if suffix not in _SUFFIX_FORMAT:
        raise UsageError(f"{name}: cannot tell the format from the name; add --format ({', '.join(FORMATS)})")
    return _SUFFIX_FORMAT[suffix]
