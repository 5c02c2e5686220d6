"""What people ask of their own tables: numbers of parts, who came first, beds; what few lines contradict."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import kgask
from kgask.build.recipe import Recipe, build
from kgask.opened import Opened

WARD = """subject,relation,object
Ann Roe,admitted,2023-02-09
Ann Roe,age,33
Ann Roe,allergic to,Latex
Bo Ek,admitted,2023-02-16
Bo Ek,age,66
Cy Dahl,admitted,2023-02-11
Cy Dahl,age,58
R1,beds,1
R2,beds,2
R3,beds,4
Ward 5,captain,Dr Lind
Ward 6,captain,Dr Voss
Ward 7,captain,Dr Ames
Ward 5,crew,Ann Roe
Ward 6,crew,Bo Ek
Ward 7,crew,Cy Dahl
Dr Lind,office,M 3.07
Dr Lind,office hour,Tuesday
Dr Voss,office hour,Monday
Dr Ames,office,C 1.15
"""
PARTS = """Part No.,Description,Next higher assy,Mass [kg],Vendor,Matl
PX-100,Pump head assembly,,11.2,in-house,
PX-101,Volute casing,PX-100,6.8,Gusswerk Hall,grey iron
PX-102,Impeller,PX-100,1.6,Gusswerk Hall,bronze
PX-103,Wear ring,PX-100,0.4,Orsini,bronze
PX-104,Pump shaft,PX-100,2.1,Orsini,steel
PX-105,Drive-end bearing,PX-100,0.3,Nordlager,steel
PX-106,Non-drive-end bearing,PX-100,0.2,Nordlager,steel
"""
LETTERS = "\n".join(
    f'{{"letter_id": "MB-{at:03}", "sender": "{sender}", "recipient": "{to}", "date": "1823-0{at}-14"}}'
    for at, (sender, to) in enumerate([("Ann", "Bo"), ("Bo", "Ann"), ("Ann", "Cy"), ("Cy", "Ann")], 1)
)


def _opened(folder: Path, name: str, text: str) -> Opened:
    (folder / name).write_text(text, encoding="utf-8")
    build(Recipe((str(folder / name),), folder / "pack", recognise=True), tell=lambda line: None)
    return kgask.open(str(folder / "pack"), reader=None)


@pytest.fixture(scope="module")
def ward(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    with _opened(tmp_path_factory.mktemp("ward"), "ward.csv", WARD) as opened:
        yield opened


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    with _opened(tmp_path_factory.mktemp("parts"), "BOM_revF.csv", PARTS) as opened:
        yield opened


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("How many beds have we got in total?", ("7",)),
        ("Who has been with us longer, Ann Roe or Bo Ek?", ("Ann Roe",)),
        ("Where can I find Dr Voss's office?", (None,)),  # not on Mondays
        ("What is Dr Lind's office?", ("M 3.07",)),
    ],
)
def test_ward(ward: Opened, question: str, said: tuple[str | None]) -> None:
    assert ward.ask(question).text in said


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("Dr Voss is the captain of Ward 5.", "refuted"),  # each of three has one
        ("Bo Ek is in the crew of Ward 5.", "not enough information"),  # there may be more
        ("Dr Lind is the captain of Ward 5.", "supported"),
    ],
)
def test_few_lines_contradict_where_a_relation_is_called_as_one_of_one(ward: Opened, claim: str, verdict: str) -> None:
    assert ward.verify(claim).verdict == verdict


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("part number of the Impeller", "PX-102"),
        ("which part number has the wear ring", "PX-103"),
        ("who supplies PX-104", "Orsini"),
        ("what is the Impeller made out of", None),  # or bronze, never who made it
        ("mean mass of the two bearings", None),
    ],
)
def test_parts(parts: Opened, question: str, said: str | None) -> None:
    assert parts.ask(question).text in (said, "bronze" if "made out" in question else said)


STOCK = """sku,description,bin,qty_on_hand,unit_price_eur
HX-1001,hex bolts M8,A-01,4200,0.12
CB-2040,cable drum 50 m,C-11,18,64.50
GL-3300,work gloves,B-07,340,3.90
HH-3310,hard hats,B-08,40,14.50
PT-4100,packing tape,A-14,600,2.10
"""
KIN = """subject,relation,object
Sofia Oakes,child of,Raymond Oakes
Sofia Oakes,child of,Ines Carvalho
Beatriz Oakes,child of,Sofia Oakes
Sofia Oakes,lives in,Lisbon
Beatriz Oakes,lives in,Lisbon
Raymond Oakes,lives in,Porto
"""


def test_marks_in_the_first_column_tell_rows_apart_and_titles_behind_them_name_these(tmp_path: Path) -> None:
    with _opened(tmp_path, "stock.csv", STOCK) as opened:
        assert opened.ask("Which product is second in price, counting from the most expensive?").text == "hard hats"
        assert opened.ask("Any items in bin B-08?").text in ("hard hats", None)
        assert opened.pack.labels([opened.pack.find_key("GL-3300") or -1]) == ["work gloves"]


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("How many children does Sofia Oakes have?", {"1", ""}),  # no parents
        ("do we have anyone in Lisbon? names please", {"Sofia Oakes", "Beatriz Oakes"}),
        ("Does Sofia Oakes have any children?", {"yes"}),
    ],
)
def test_kin(tmp_path: Path, question: str, said: set[str]) -> None:
    with _opened(tmp_path, "kin.csv", KIN) as opened:
        found = {*(opened.ask(question).text or "").split(" | ")}
        assert found == said or (found <= said and "" in said)


def test_an_id_of_what_a_file_is_about_names_its_lines(tmp_path: Path) -> None:
    with _opened(tmp_path, "letters_export.jsonl", LETTERS) as opened:
        assert opened.ask("Who is the recipient of MB-002?").text == "Ann"
        assert opened.pack.labels([opened.pack.find_key("letters export/MB-003") or -1]) == ["MB-003"]
