"""Rows of a published question file, gzipped or plain; what does not fit is one line with file and record."""

from __future__ import annotations

import csv
import gzip
import json
import re
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kgask.errors import UsageError
from kgask.machine.files import open_regular

_GZIP = b"\x1f\x8b"
_LONGEST_LINE = 1 << 26  # characters; a set that is one line of JSON fits, a packed file of one letter does not
_LONG_NUMBER = "a number of more digits than Python reads"
_WORD = re.compile(r"[A-Za-z0-9]+")


def raw_start(path: Path, n_bytes: int) -> bytes:
    """The first bytes of a file, as they are; :class:`UsageError` when it cannot be read."""
    try:
        with open_regular(path) as file:
            return file.read(n_bytes)
    except IsADirectoryError:
        raise UsageError(f"{path}: is a folder; a file is expected") from None
    except OSError as error:
        raise UsageError(f"{path}: {(error.strerror or str(error)).lower()}") from error


def in_data(data: Path, place: str | Path) -> Path:
    """A file of the folder with the public sets; :class:`UsageError` when it is not there."""
    path = data / place
    if not path.is_file():
        raise UsageError(f"{path}: no such file; --data names the folder with the public sets")
    return path


def lines_of(path: Path) -> Iterator[tuple[int, str]]:
    """(number from 1, line without its end) of a UTF-8 file; :class:`UsageError` when it is not text."""
    opener = gzip.open if raw_start(path, 2) == _GZIP else open
    try:
        # newline="\n": a carriage return inside a line is part of it, or numbers would not be the file's.
        with opener(path, "rt", encoding="utf-8-sig", newline="\n") as lines:
            for number, line in enumerate(iter(lambda: lines.readline(_LONGEST_LINE + 1), ""), 1):
                if len(line) > _LONGEST_LINE:
                    raise UsageError(f"{path}:{number}: longer than {_LONGEST_LINE:,} characters")
                yield number, line.rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: not UTF-8 text ({error.reason} at byte {error.start} of a block)") from error
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise UsageError(f"{path}: damaged gzip file ({error})") from error


def json_of(path: Path) -> Any:
    """The content of a JSON file; :class:`UsageError` when it is none."""
    try:
        return json.loads("\n".join(line for _, line in lines_of(path)))
    except json.JSONDecodeError as error:
        raise UsageError(f"{path}:{error.lineno}: not JSON ({error.msg})") from error
    except ValueError:
        raise UsageError(f"{path}: {_LONG_NUMBER}") from None
    except RecursionError:
        raise UsageError(f"{path}: JSON nested too deep to read") from None


def json_lines(path: Path) -> Iterator[tuple[str, int, dict[str, Any]]]:
    """(where, line number, object) of every line that is not blank."""
    for number, line in lines_of(path):
        if not line.strip():
            continue
        where = f"{path}:{number}"
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            raise UsageError(f"{where}: not JSON ({error.msg})") from error
        except ValueError:
            raise UsageError(f"{where}: {_LONG_NUMBER}") from None
        except RecursionError:
            raise UsageError(f"{where}: JSON nested too deep to read") from None
        if not isinstance(row, dict):
            raise UsageError(f"{where}: a JSON object is expected on every line")
        yield where, number, row


def records(path: Path, content: Any, under: str = "") -> Iterator[tuple[str, int, dict[str, Any]]]:
    """(where, number from 1, record) of a JSON list of objects, ``content[under]`` where a name is given."""
    if under:
        content = content.get(under) if isinstance(content, dict) else None
    if not isinstance(content, list):
        place = f"a list under {under!r}" if under else "a list of questions"
        raise UsageError(f"{path}: {place} is expected")
    for number, row in enumerate(content, 1):
        where = f"{path}: record {number}"
        if not isinstance(row, dict):
            raise UsageError(f"{where}: an object is expected")
        yield where, number, row


def json_records(path: Path, split: str | None, under: str = "") -> Iterator[tuple[Path, str, int, dict[str, Any]]]:
    """(file, where, number, record) of a JSON file, or of the one of ``split`` in a folder."""
    file = one_of_folder(path, (".json",), split)
    for where, number, row in records(file, json_of(file), under):
        yield file, where, number, row


def tsv_rows(path: Path, needed: Sequence[str]) -> Iterator[tuple[str, int, dict[str, str]]]:
    """(where, line number, row by column name) of a TSV with a header, quoted as CSV is where it holds quotes."""
    numbered = lines_of(path)
    reader = csv.reader((f"{line}\n" for _, line in numbered), delimiter="\t", strict=True)
    try:
        header = next(reader, [])
        missing = [name for name in needed if name not in header]
        if missing:
            raise UsageError(f"{path}:1: no column {missing[0]!r} in the header")
        for fields in reader:
            where = f"{path}:{reader.line_num}"
            if len(fields) != len(header):
                raise UsageError(f"{where}: {len(fields)} fields, {len(header)} expected")
            yield where, reader.line_num, dict(zip(header, fields, strict=True))
    except csv.Error as error:
        raise UsageError(f"{path}:{reader.line_num}: not a table ({error})") from error


@contextmanager
def fits(where: str) -> Iterator[None]:
    """:class:`UsageError` when what is done with a record shows that it is of another form."""
    try:
        yield
    except KeyError as error:
        raise UsageError(f"{where}: no field {error.args[0]!r}") from error
    except (IndexError, TypeError, ValueError, AttributeError) as error:
        raise UsageError(f"{where}: not as this set is published ({shortened(str(error))})") from error


def shortened(text: str, limit: int = 160) -> str:
    """A text for a message: a file may hold a line of any length."""
    return text if len(text) <= limit else f"{text[:limit]}..."


def text_at(row: dict[str, Any], *names: str) -> str:
    """The first of these fields that holds text; ValueError (for :func:`fits`) when none does."""
    for name in names:
        value = row.get(name)
        if isinstance(value, str) and value.strip():
            return value.strip()
    raise ValueError(f"no text in {' or '.join(map(repr, names))}")


def optional_text(value: object) -> str:
    """Text as it is, "" for what is no text."""
    return value.strip() if isinstance(value, str) else ""


def one_of_folder(path: Path, endings: Sequence[str], split: str | None) -> Path:
    """``path`` if it is a file, else the one file in it of the split.

    ``split`` is a word of the file's name: "dev" for ``ComplexWebQuestions_dev.json.gz``.
    Raises :class:`UsageError` that lists what there is when it does not say which.
    """
    if not path.is_dir():
        if split and split.lower() not in _words(path.name):
            raise UsageError(f"{path}: is not of the split {split!r} by its name; give the folder, or no split")
        return path
    files = sorted(file for file in path.iterdir() if _bare(file).endswith(tuple(endings)) and file.is_file())
    found = [file for file in files if split is None or split.lower() in _words(file.name)]
    if len(found) == 1:
        return found[0]
    there = ", ".join(file.name for file in found or files) or f"nothing that ends with {' or '.join(endings)}"
    if split is None:
        raise UsageError(f"{path}: which split? There is: {there}")
    how_many = "more than one file" if found else "no file"
    raise UsageError(f"{path}: {how_many} of the split {split!r}; there is: {there}")


def stem(path: Path) -> str:
    """A file's name up to the first dot that begins an ending: what ids of its questions begin with."""
    name = _bare(path)
    return name.rsplit(".", 1)[0] if "." in name else name


def _bare(path: Path) -> str:
    return path.name.removesuffix(".gz")


def _words(name: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(name)}
