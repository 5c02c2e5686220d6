"""Questions about the rows of a table: what is added up of which rows, whose most are, and what is no such question."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import kgask
from kgask.build.recipe import Recipe, build
from kgask.opened import Opened
from kgask.query import nodes
from kgask.query.text import parse, to_text
from kgask.retrieve.frontier import Budget
from kgask.retrieve.run import run

LOG = """\
Inv.,Date,Sold by,Customer,Cheese,Qty (kg),€/kg,Amount (€),Via
A-101,2024-03-04,Lena Kruse,Cafe Amara,Ricotta,10,9.00,90.00,courier
A-102,2024-03-06,Jonas Pfister,Hotel Seeblick,Goat log,5,20.00,100.00,van
A-103,2024-03-20,Lena Kruse,Hotel Seeblick,Ricotta,2,9.00,18.00,van
A-104,2024-04-02,Jonas Pfister,Cafe Amara,Alpine,4,30.00,120.00,courier
A-105,2024-04-09,Marit Hovland,Gasthof Lindner,Goat log,1,20.00,20.00,van
A-106,2024-04-15,Lena Kruse,Gasthof Lindner,Alpine,3,30.00,90.00,courier
A-107,2024-04-22,Jonas Pfister,Hotel Seeblick,Alpine,2,30.00,60.00,van
"""
SHIFTS = """\
Day,Worker,Bar,Hours,of which O/T
2025-02-03,Ann,Dock,8,1
2025-02-04,Bob,Dock,9,2
2025-02-10,Ann,Mill,7,0
2025-03-03,Ann,Mill,10,3
2025-03-05,Bob,Mill,4,0
2025-03-09,Cleo,Dock,6,0
"""
FUEL = """\
Date,Vehicle,Driver,Fuel,Litres,Paid (EUR)
2024-01-08,Van 4,Timo Vask,Diesel,60,96
2024-01-09,Van 1,Ute Marwitz,Diesel,30,48
2024-02-02,Van 4,Ute Marwitz,Diesel,50,80
2024-02-03,Van 9,Timo Vask,Petrol,20,36
2024-02-09,Van 1,Timo Vask,Diesel,40,64
2024-02-11,Van 9,Ute Marwitz,Petrol,25,45
2024-03-01,Van 4,Timo Vask,Diesel,55,90
2024-03-04,Van 1,Timo Vask,Diesel,35,56
2024-03-08,Van 4,Ute Marwitz,Diesel,52,85
2024-03-15,Van 9,Timo Vask,Petrol,22,40
2024-03-20,Van 1,Timo Vask,Diesel,38,61
"""


def _opened(folder: Path, name: str, text: str) -> Opened:
    (folder / name).write_text(text, encoding="utf-8")
    build(Recipe((str(folder / name),), folder / "pack", recognise=True), tell=lambda line: None)
    return kgask.open(str(folder / "pack"), reader=None)


@pytest.fixture(scope="module")
def sales(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    with _opened(tmp_path_factory.mktemp("sales"), "sales_mar-apr_2024.csv", LOG) as opened:
        yield opened


@pytest.fixture(scope="module")
def shifts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    with _opened(tmp_path_factory.mktemp("shifts"), "shifts_feb_mar.csv", SHIFTS) as opened:
        yield opened


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("how much did hotel seeblick spend in total", "178"),
        ("What did we earn with the goat log?", "120"),
        ("how many kilos of ricotta did we sell in march?", "12"),
        ("which customer spent the most in april?", "Cafe Amara"),
        ("did lena or jonas turn over more in march", "Lena Kruse"),
        ("which customers never took any ricotta", "Gasthof Lindner"),
        ("Which customers have had both goat log and alpine?", "Gasthof Lindner | Hotel Seeblick"),
        ("Has Cafe Amara ever bought any goat log?", "no"),
        ("When did Hotel Seeblick last buy something?", "2024-04-22"),
    ],
)
def test_sales(sales: Opened, question: str, expected: str) -> None:
    assert _said(sales, question) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("how many hours did ann work in february?", "15"),
        ("who worked the most hours in march?", "Ann"),
        ("Who did the most overtime?", "Ann"),
        ("who put in more hours in march, bob or cleo?", "Cleo"),
        ("Did Cleo ever work at the Mill?", "no"),
        ("who worked on the 3rd or the 5th of march?", "Ann | Bob"),
    ],
)
def test_shifts(shifts: Opened, question: str, expected: str) -> None:
    assert _said(shifts, question) == expected


@pytest.mark.parametrize(
    "question",
    [
        "what does lena kruse earn",  # a wage is none of what she sold
        "How much of the money for alpine has been spent?",
        "how many kilos of brie did we sell?",
        "how much did hotel seeblick not spend?",
    ],
)
def test_what_rows_do_not_say(sales: Opened, question: str) -> None:
    assert _said(sales, question) is None


def test_rows_in_a_chat(sales: Opened) -> None:
    chat = sales.chat()
    for line, expected in (("What did Cafe Amara spend with us altogether?", "210"), ("And in April?", "120"),
                           ("which cheeses was that?", "Alpine")):  # fmt: skip
        answer = chat.ask(line).answer
        assert answer is not None and answer.text == expected, line


def test_the_month_that_was_spoken_of(shifts: Opened) -> None:
    chat = shifts.chat()
    for line, expected in (("How many hours did Ann do in February?", "15"), ("And in March?", "10"),
                           ("and Bob in February?", "9"), ("how much overtime did ann do then?", "1")):  # fmt: skip
        answer = chat.ask(line).answer
        assert answer is not None and answer.text == expected, line


def test_a_price_per_kilo_is_no_weight(sales: Opened) -> None:
    labels = [text.label for text in sales.pack.relations()]
    assert "price per kg (€)" in labels and "weight in kg" not in labels


def test_a_column_of_two_values_names_no_rows(tmp_path: Path) -> None:
    with _opened(tmp_path, "fuel_log_2024.csv", FUEL) as opened:
        litres = opened.pack.relation_labels().index("litres")
        assert (np.asarray(opened.pack.out_relation) == litres).sum() == 11
        assert _said(opened, "total litres of Van 9") == "67"


def test_counted_and_added_up_among_some(shifts: Opened) -> None:
    pack = shifts.pack
    february = "where(having(<day>), value(<day>) < date(2025-03))"
    for text, expected in (
        (f"best(having(^<worker>), total(^<worker> / <hours>, {february}), least 1)", ["Bob"]),
        ("where(having(^<worker>), size(^<worker>, follow(<Mill>, ^<bar>)) >= 2)", ["Ann"]),
        ("where(having(^<worker>), size(^<worker>, follow(<Mill>, ^<bar>)) = 0)", ["Cleo"]),
    ):  # fmt: skip
        query = parse(text, pack)
        assert parse(to_text(query, pack), pack) == query
        assert sorted(pack.labels(run(query, pack, Budget(1.0)).certain.tolist())) == expected
    with pytest.raises(kgask.KgaskError):
        nodes.SizeOf((0,), nodes.Number(1.0))  # type: ignore[arg-type]


def _said(opened: Opened, question: str) -> str | None:
    answer = opened.ask(question)
    return None if answer.text is None else " | ".join(sorted(answer.text.split(" | ")))
