"""Files of the public sets, gzipped or not."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kgask.errors import BuildError


def open_text(path: Path) -> Iterator[str]:
    """Lines of a UTF-8 file, gzipped or not; :class:`BuildError` when it is not there or not text."""
    if not path.is_file():
        raise BuildError(f"{path}: no such file; --data names the folder with the public sets")
    opener = gzip.open if path.suffix == ".gz" else open
    try:
        with opener(path, "rt", encoding="utf-8") as lines:
            yield from lines
    except (UnicodeDecodeError, EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise BuildError(f"{path}: not text ({error})") from error


def read_json(path: Path) -> object:
    """The content of a JSON file; :class:`BuildError` when it is none."""
    try:
        return json.loads("".join(open_text(path)))
    except (json.JSONDecodeError, RecursionError) as error:
        raise BuildError(f"{path}: not JSON ({error})") from error


@contextmanager
def of_its_form(path: Path) -> Iterator[None]:
    """:class:`BuildError` when what is done with a file's content shows that it is no such file."""
    try:
        yield
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        raise BuildError(f"{path}: not of the form that this set is published in ({error!r})") from error
