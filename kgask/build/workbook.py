"""The sheets of an Excel workbook as tables: each becomes a CSV file, which is read as any other.

A sheet may have a title above its column names, empty rows and columns around them, and cells that are shown as per
cent or money; dates and times of day are written as such. Of a formula the value counts that was last calculated.
"""

from __future__ import annotations

import atexit
import csv
import re
import shutil
import tempfile
from collections.abc import Iterator
from datetime import date, datetime, time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from zipfile import BadZipFile, ZipFile

from kgask.build.column_names import filled_down, head_of
from kgask.errors import BuildError

if TYPE_CHECKING:
    from openpyxl.cell import Cell

SUFFIXES: Final = (".xlsx", ".xlsm")
_MOST_BYTES = 1 << 30  # of what a workbook unpacks to
_NO_NAME = re.compile(r"(?:sheet|table|tabelle|feuil|hoja|blatt)\s*\d*", re.IGNORECASE)
_OF_FILE = re.compile(r"[/\\:*?\"<>|\x00-\x1f]")
_CURRENCY = re.compile(r"\[\$(?P<code>[^\s\]\-\d]{1,3})|\"(?P<quoted>[$€£¥]|[A-Z]{3})\"|\\?(?P<plain>[€£])")


def sheets_of(path: str) -> list[str]:
    """The sheets of a workbook as CSV files, which are there until this process ends; empty ones are left out.

    A file is called as its sheet is, or as the workbook where that is called "Sheet1". Raises :class:`BuildError` for
    what is no workbook, holds no table, or unpacks to more than a GiB.
    """
    folder = Path(tempfile.mkdtemp(prefix="kgask-")) / Path(path).name
    atexit.register(shutil.rmtree, folder.parent, ignore_errors=True)
    folder.mkdir()
    written = [
        str(_written(folder, name, rows)) for name, rows in _tables_in(path) if len(rows) > 1 and len(rows[0]) > 1
    ]
    if not written:
        raise BuildError(f"{path}: no sheet has column names and rows below them")
    return written


def _written(folder: Path, name: str, rows: list[list[str]]) -> Path:
    file = folder / f"{_OF_FILE.sub(' ', name).strip() or 'sheet'}.csv"
    with file.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows(rows)
    return file


def _tables_in(path: str) -> Iterator[tuple[str, list[list[str]]]]:
    """The name of each sheet with its rows, the first of which names the columns."""
    from openpyxl import load_workbook

    try:
        with ZipFile(path) as packed:
            if sum(one.file_size for one in packed.infolist()) > _MOST_BYTES:
                raise BuildError(f"{path}: unpacks to more than {_MOST_BYTES >> 20} MiB; save its sheets as CSV")
        book = load_workbook(path, read_only=True, data_only=True)
        for sheet in book.worksheets:
            own = Path(path).stem if _NO_NAME.fullmatch(sheet.title.strip()) else sheet.title
            yield own, _trimmed([[_text(cell) for cell in row] for row in sheet.iter_rows()])
        book.close()
    except (BadZipFile, KeyError, ValueError, TypeError, OSError, SyntaxError) as error:
        raise BuildError(f"{path}: not readable as an Excel workbook ({str(error).splitlines()[0][:100]})") from None


def _trimmed(rows: list[list[str]]) -> list[list[str]]:
    """Rows from the names of the columns on, without empty rows and without columns that have no name and no values."""
    rows = [row for row in rows if any(row)]
    rows = filled_down(rows[head_of(rows) :])
    longest = max(map(len, rows), default=0)
    rows = [row + [""] * (longest - len(row)) for row in rows]
    used = [at for at in range(longest) if any(row[at] for row in rows)]
    return [[row[at] for at in used] for row in rows]


def _text(cell: Cell) -> str:
    """What a cell shows, on one line."""
    value: Any = cell.value
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        is_day = value.time() == time()
        return value.date().isoformat() if is_day else value.isoformat(timespec="seconds")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, time):
        return value.strftime("%H:%M" if not value.second else "%H:%M:%S")
    if isinstance(value, int | float):
        return _number(value, str(cell.number_format or ""))
    return " ".join(str(value).split())


def _number(value: float, shown_as: str) -> str:
    """A number with the unit that its cell shows: "15 %" of 0.15 as per cent, "12.5 EUR"."""
    if "%" in shown_as:
        return f"{round(value * 100, 10):g} %"
    text = str(int(value)) if float(value).is_integer() else repr(round(value, 12))
    found = _CURRENCY.search(shown_as)
    return f"{text} {found['code'] or found['quoted'] or found['plain']}" if found else text
