"""Excel workbooks: each sheet is a table."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

import pytest
from forked_cli import kgask as kgask_command
from openpyxl import Workbook

import kgask
from kgask.build.source import files_of
from kgask.build.workbook import sheets_of
from kgask.errors import BuildError

ROOMS = [
    ["Room bookings 2025"],
    [],
    ["Room", "Capacity", "Rate", "Opens", "Full", "Built", "Open on Sunday"],
    ["Garden Room", 40, 12.5, time(8, 30), 0.15, date(1988, 4, 1), True],
    ["Main Hall", 120, 20, time(9, 0), 0.4, date(1975, 1, 15), False],
    ["Loft", 12, 8, None, 0.05, datetime(2001, 6, 30, 0, 0), True],
]


def _book(path: Path, **sheets: Sequence[Sequence[Any]]) -> str:
    book = Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(list(row))
        for row in sheet.iter_rows(min_row=4, min_col=3, max_col=5):
            row[0].number_format, row[2].number_format = "#,##0.00 [$EUR]", "0%"
    book.save(path)
    return str(path)


def test_sheets_become_tables(tmp_path: Path) -> None:
    (file,) = sheets_of(_book(tmp_path / "centre.xlsx", rooms=ROOMS))
    lines = Path(file).read_text(encoding="utf-8").splitlines()
    assert Path(file).name == "rooms.csv"
    assert lines[0] == "Room,Capacity,Rate,Opens,Full,Built,Open on Sunday"  # without the title above
    assert lines[1:] == [
        "Garden Room,40,12.5 EUR,08:30,15 %,1988-04-01,yes",
        "Main Hall,120,20 EUR,09:00,40 %,1975-01-15,no",
        "Loft,12,8 EUR,,5 %,2001-06-30,yes",
    ]


def test_a_sheet_without_a_name_is_called_as_its_workbook(tmp_path: Path) -> None:
    (file,) = sheets_of(_book(tmp_path / "boats.xlsx", Sheet1=[["boat", "length"], ["Gull", 4.5]], Notes=[["none"]]))
    assert Path(file).name == "boats.csv"


def test_a_folder_may_hold_workbooks(tmp_path: Path) -> None:
    _book(tmp_path / "a.xlsx", rooms=ROOMS, staff=[["name", "role"], ["Ann Lee", "cook"]])
    (tmp_path / "b.csv").write_text("boat,length\nGull,4\n", encoding="utf-8")
    assert [Path(one).name for one in files_of(str(tmp_path))] == ["rooms.csv", "staff.csv", "b.csv"]


def test_what_is_no_workbook_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "x.xlsx").write_bytes(b"no zip at all")
    with pytest.raises(BuildError, match="not readable as an Excel workbook"):
        sheets_of(str(tmp_path / "x.xlsx"))
    with pytest.raises(BuildError, match="no sheet has column names"):
        sheets_of(_book(tmp_path / "empty.xlsx", Sheet1=[["only a title"]]))


def test_a_workbook_is_built_and_asked(tmp_path: Path) -> None:
    source = _book(tmp_path / "centre.xlsx", rooms=ROOMS)
    done = kgask_command("pack", "build", source, "-o", str(tmp_path / "pack"))
    assert done.returncode == 0, done.stderr
    with kgask.open(str(tmp_path / "pack"), reader=None) as opened:
        assert opened.ask("Which room has the largest capacity?").text == "Main Hall"
        assert opened.ask("What is the rate of the Loft?").text == "8 EUR"
    (tmp_path / "x.xlsx").write_bytes(b"no zip at all")
    done = kgask_command("pack", "build", str(tmp_path / "x.xlsx"), "-o", str(tmp_path / "other"))
    assert done.returncode == 1 and len(done.stderr.strip().splitlines()) == 1
