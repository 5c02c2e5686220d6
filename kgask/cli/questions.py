"""Questions one a line, from a file or a pipe, answered in chunks: what is there already is planned together."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from pathlib import Path

from kgask.cli.render import note
from kgask.errors import UsageError
from kgask.machine.files import open_regular

MOST_LINE_BYTES = 1 << 14  # twice what a question or claim may take; the rest of a line is passed over
FIRST_CHUNK, CHUNK = 8, 64  # lines; the first few are answered at once, so that something is seen soon
READ_BYTES = 1 << 16


def one_question(words: Sequence[str]) -> str:
    """The words of the command line as one question, quoted or not.

    Raises :class:`UsageError` for several questions: words that end in "?", or that are all texts of several words.
    """
    several = sum(word.strip().endswith("?") for word in words)
    if all(len(word.split()) > 1 for word in words):
        several = len(words)
    if several > 1:
        raise UsageError(f"{several} questions; write them one a line in a file and type: kgask --questions FILE")
    return " ".join(words)


def count_lines(stream: io.BufferedReader) -> int | None:
    """Lines from here to the end of a regular file; None for what can be read only once."""
    if not stream.seekable():
        return None
    start = stream.tell()
    ended, lines = True, 0
    while part := stream.read(READ_BYTES):
        lines += part.count(b"\n")
        ended = part.endswith(b"\n")
    stream.seek(start)
    return lines + (not ended)


def read_chunks(stream: io.BufferedReader) -> Iterator[list[str]]:
    """Lines without their ends, as many together as are there, at most ``CHUNK``.

    Of a pipe that trickles every line is a chunk of its own: nothing waits for
    what is not written yet. Bytes that are not UTF-8 become U+FFFD. Of a line
    longer than ``MOST_LINE_BYTES`` the rest is passed over, which is said.
    """
    rest, limit, n_before = b"", FIRST_CHUNK, 0
    while part := stream.read1(READ_BYTES):
        *lines, rest = (rest + part).split(b"\n")
        rest = rest[: MOST_LINE_BYTES + 1]
        while lines:
            yield _texts(lines[:limit], n_before)
            n_before += len(lines[:limit])
            lines, limit = lines[limit:], CHUNK
    if rest:
        yield _texts([rest], n_before)


def _texts(lines: Sequence[bytes], n_before: int) -> list[str]:
    for number, line in enumerate(lines, n_before + 1):
        if len(line) > MOST_LINE_BYTES:
            note(f"line {number}: longer than {MOST_LINE_BYTES:,} bytes; the rest is passed over")
    return [line[:MOST_LINE_BYTES].decode("utf-8", "replace") for line in lines]


def open_lines(path: Path, command: str) -> io.BufferedReader:
    """A file of lines. Raises :class:`UsageError` for a pipe or a device, which the command reads from stdin."""
    try:
        return open_regular(path)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}; for a pipe type: kgask {command} < {path}") from None
