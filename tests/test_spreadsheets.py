"""Tables as people export them: a title above, totals below, numbers of orders, names of persons, who takes what."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from test_build_rows import facts_of

import kgask
from kgask.build.recipe import Recipe, build
from kgask.opened import Opened
from kgask.pack.store import Pack

CALLOUTS = """Elmbridge Lifeboat - shouts 2023,,,
,,,
Inc. No.,Date,Time out,Casualties
L23-01,3/1/2023,06:40,2
L23-02,19/2/2023,13:15,0
L23-03,2/4/2023,22:05,5
L23-04,28/4/2023,09:30,1
TOTAL,,,8
Figures from the station book
"""
ORDERS = """Order #,Customer,Qty,Amt
1041,Halden Club,4,"$1,556.00"
1042,Monica Reyes,1,"$2,450.00"
1043,Halden Club,3,$28.50
TOTAL,,8,"$4,034.50"
"""
HUTS = """Huts for the summer tour

Hut;Canton;Alt. (m a.s.l.);Night (CHF)
Arbach;Bern;2'417;38,50
Corvo;Ticino;2'088;35,00
Murmel;Uri;1'998;-
"""
MEMBERS = """First name,Surname,Joined,Plots,Paid 2024,Paid on
Margaret,Oduya,3 Apr 2009,"4, 5",yes,n/a
Brian,Settle,21 Mar 2001,12,no,-
Priya,Raman,12 Mar 2019,17b,yes,2 Feb 2024
Hazel,Oduya,15 Apr 1998,"8, 9, 10",no,?
"""
WINES = "Wine;Producer;Vintage;Price (€)\n" + "".join(
    f"{wine};{producer};{vintage};{price}\n"
    for wine, producer, vintage, price in (
        ("Barolo Cerretta", "Ferrero", 2016, "48,50"), ("Barolo Cerretta", "Ferrero", 2018, "52,00"),
        ("Soave Classico", "Brognoli", 2022, "11,20"), ("Morgon Vieilles Vignes", "Lapalud", 2020, "17,50"),
        ("Riesling Kabinett", "Haag", 2021, "14,90"), ("Vinho Verde Loureiro", "Aveleira", 2023, "7,90"),
        ("Tawny Port", "Ramos", 2003, "47,00"), ("Cava Brut Nature", "Roca", 2019, "12,40"),
        ("Silvaner trocken", "Sauer", 2022, "9,80"), ("Rioja Reserva", "Muga", 2017, "22,00"),
    )
)  # fmt: skip
COURSES = """Course code,Title,Tutor
PHO1,Digital Photography,Gwen Hale
ITA2,Italian Again,Paolo Neri
CER1,Ceramics,Gwen Hale
"""
STUDENTS = "Stud. No,Name,Town\nS101,Beatriz Lima,Coldwell\nS102,Conor Healy,Oxley\nS103,Aiko Mori,Coldwell\n"
TAKES = """Stud. No,Course code,Term,Grade
S101,PHO1,Autumn,16
S101,ITA2,Autumn,14
S102,PHO1,Spring,11
S103,CER1,Autumn,19
S103,PHO1,Spring,15
"""


def _built(folder: Path, files: dict[str, str]) -> tuple[Path, list[str]]:
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    told: list[str] = []
    build(Recipe(tuple(str(folder / name) for name in files), folder / "pack", recognise=True), told.append)
    return folder / "pack", told


def _facts(folder: Path, files: dict[str, str]) -> set[tuple[str, str, str]]:
    with Pack.open(_built(folder, files)[0]) as pack:
        return facts_of(pack)


def test_a_title_totals_and_a_note_are_no_rows(tmp_path: Path) -> None:
    path, told = _built(tmp_path, {"shouts 2023.csv": CALLOUTS})
    with Pack.open(path) as pack:
        facts = facts_of(pack)
    assert {subject for subject, _, _ in facts} == {"L23-01", "L23-02", "L23-03", "L23-04"}
    assert ("L23-01", "date", '"2023-01-03"^^date') in facts, "19/2 says that the day is first"
    assert ("L23-01", "instance of", "shout") in facts
    assert any("rows of totals or notes, left out: 2" in line for line in told)


def test_a_day_of_a_month_is_no_time_of_day(tmp_path: Path) -> None:
    path, _ = _built(tmp_path, {"shouts 2023.csv": CALLOUTS})
    with kgask.open(str(path), reader=None) as opened:
        assert opened.ask("How many shouts were there before 3 April 2023?").text == "3"


def test_orders_have_numbers(tmp_path: Path) -> None:
    path, _ = _built(tmp_path, {"export_2024-05-01.csv": ORDERS})
    with kgask.open(str(path), reader=None) as opened:
        assert opened.ask("How many orders are there?").text == "3"
        assert opened.ask("Which order had the highest amount?").text == "1042", "the question says what it is"
        assert opened.ask("What was sold for the highest amount?").text in (None, "order 1042")


def test_numbers_and_names_of_units_as_in_switzerland(tmp_path: Path) -> None:
    facts = _facts(tmp_path, {"Hüttenliste.csv": HUTS})
    assert ("Arbach", "altitude (m a.s.l.)", '"2417"^^number[m]') in facts
    assert [obj.split("^^")[1] for one, relation, obj in facts if (one, relation) == ("Corvo", "night (chf)")] == [
        "number[CHF]"
    ]
    assert not any(subject == "Murmel" and relation == "night (chf)" for subject, relation, _ in facts)


def test_two_names_of_a_person_lists_of_numbers_and_nothing(tmp_path: Path) -> None:
    facts = _facts(tmp_path, {"members list FINAL.csv": MEMBERS})
    people = {subject for subject, _, kind in facts if kind == "member"}
    assert people == {"Margaret Oduya", "Brian Settle", "Priya Raman", "Hazel Oduya"}
    assert {obj for one, relation, obj in facts if (one, relation) == ("Hazel Oduya", "plots")} == {"8", "9", "10"}
    assert [subject for subject, relation, _ in facts if relation == "paid on"] == ["Priya Raman"]


def test_who_is_denied_a_yes(tmp_path: Path) -> None:
    path, _ = _built(tmp_path, {"members list FINAL.csv": MEMBERS})
    with kgask.open(str(path), reader=None) as opened:
        assert opened.ask("who hasn't paid for 2024 yet?").text == "Brian Settle | Hazel Oduya"


@pytest.fixture(scope="module")
def cellar(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    path, _ = _built(tmp_path_factory.mktemp("cellar"), {"Cellar_Export.csv": WINES})
    with kgask.open(str(path), reader=None) as opened:
        yield opened


def test_names_that_come_again_name_rows(cellar: Opened) -> None:
    assert cellar.ask("Which wine is the cheapest?").text == "Vinho Verde Loureiro"
    assert cellar.ask("How many wines are there?").text == "10"


def test_whoever_makes_a_wine_is_none(cellar: Opened) -> None:
    assert cellar.ask("Who makes the cheapest wine?").text in (None, "Aveleira")


def test_who_takes_what_joins_two_tables_by_their_codes(tmp_path: Path) -> None:
    files = {"courses.csv": COURSES, "students.csv": STUDENTS, "who takes what.csv": TAKES}
    facts = _facts(tmp_path, files)
    assert ("who takes what/1", "student", "S101") in facts
    assert ("who takes what/1", "course", "PHO1") in facts


PROJECTS = """subject\trelation\tobject
Isla McBride\tleads\tSeaweed Kitchen
Isla McBride\tleads\tWrack Map
Ewan Drummond\tleads\tTidal Garden
Morag Sinclair\tmentors\tIsla McBride
Lena Hoffmann\tmarried to\tEwan Drummond
Yusuf Demir\tvolunteers for\tSeaweed Kitchen
Seaweed Kitchen\tbased in\tDunoon
Wrack Map\tbased in\tMillport
Tidal Garden\tbased in\tRothesay
"""


@pytest.fixture(scope="module")
def projects(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    path, _ = _built(tmp_path_factory.mktemp("projects"), {"projects.tsv": PROJECTS})
    with kgask.open(str(path), reader=None) as opened:
        yield opened


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who leads Seaweed Kitchen?", "Isla McBride"),
        ("What does Isla McBride lead?", "Seaweed Kitchen | Wrack Map"),
        ("Who mentors Isla McBride?", "Morag Sinclair"),
        ("Who is Ewan Drummond married to?", "Lena Hoffmann"),
        ("Who is Lena Hoffmann married to?", "Ewan Drummond"),
        ("Who does Isla McBride mentor?", None),
    ],
)
def test_a_verb_says_which_way_round(projects: Opened, question: str, answer: str | None) -> None:
    found = projects.ask(question).text
    assert (" | ".join(sorted(found.split(" | "))) if found else None) == answer


HOURS = """Date,Who,Project,Hours,What
2024-06-03,Samir Haddad,Driver app,6.5,login screen
2024-06-03,Petra Vogt,Audio guide,4,final recordings
2024-06-04,Samir Haddad,Driver app,5,maps
2024-06-05,Lene Brandt,Warehouse,8,stock list
2024-06-06,Petra Vogt,Audio guide,3.5,mixing
2024-06-07,Samir Haddad,Warehouse,2,review
2024-06-10,Lene Brandt,Audio guide,1,invoice
"""


def test_the_most_of_all_entries_is_added_up(tmp_path: Path) -> None:
    path, _ = _built(tmp_path, {"timesheet.csv": HOURS})
    with kgask.open(str(path), reader=None) as opened:
        found = opened.ask("Who put in the most hours?", min_confidence=0.5)
        assert found.text == "Samir Haddad"
        assert found.query_text == "best(having(^<who>), total(^<who> / <hours>), most 1)"
        assert "13.5" in str(found.derivation), "what his hours add up to"
        assert found.sparql is not None and "SUM(" in found.sparql


def test_what_excel_writes_on_windows_is_read(tmp_path: Path) -> None:
    said = "Name,Town,Born\nNoémie,Nîmes,1991\nRenée,Évry,1984\nZoë,Köln,1990\n"
    (tmp_path / "list.csv").write_bytes(said.encode("cp1252"))
    build(Recipe((str(tmp_path / "list.csv"),), tmp_path / "pack", recognise=True), lambda _: None)
    with Pack.open(tmp_path / "pack") as pack:
        assert ("Noémie", "town", "Nîmes") in facts_of(pack)


def test_a_column_a_year(tmp_path: Path) -> None:
    plan = "crop,variety,2021 kg,2022 kg\nLeek,Bulgaarse,2.7,3.3\nBeet,Chioggia,1.9,n/a\nLeek,Musselburgh,4,5\n"
    facts = _facts(tmp_path, {"Copy of plan.csv": plan})
    assert ("Beet", "variety", "Chioggia") in facts or any(obj == "Chioggia" for _, _, obj in facts)
    assert any(relation == "2021 kg" and obj == '"1.9"^^number[kg]' for _, relation, obj in facts)


def test_a_text_file_may_be_a_table(tmp_path: Path) -> None:
    from kgask.build.source import files_of

    (tmp_path / "results.txt").write_text(
        "Trail 2024 - results\n\nPl. | Bib | Name | Club\n1 | 14 | Davide Moretti | Orta\n2 | 3 | Lukas Frei | Brig\n"
    )
    (tmp_path / "readme.txt").write_text("What is in here, and why.\nNothing much.\n")
    assert files_of(str(tmp_path)) == [str(tmp_path / "results.txt")]


def test_a_legend_below_says_what_codes_are(tmp_path: Path) -> None:
    legend = '"SH = Samir Haddad, PV = Petra Vogt, LB = Lene Brandt",,,,\n'
    hours = HOURS.replace("Samir Haddad", "SH").replace("Petra Vogt", "PV").replace("Lene Brandt", "LB")
    path, told = _built(tmp_path, {"Hours.csv": hours + legend})
    assert any("codes that they explain: 3" in line for line in told)
    with kgask.open(str(path), reader=None) as opened:
        assert opened.ask("What are the total hours of Petra Vogt?").text == "7.5"


def test_a_surname_may_stand_first(tmp_path: Path) -> None:
    marks = "Name,Maths,Art\n" + "".join(f"{name},{60 + at},{90 - at}\n" for at, name in enumerate(
        ('"Falk, Rosa"', '"Bello, Samuel"', '"Ito, Sora"', '"Dufour, Emil"')
    ))  # fmt: skip
    path, _ = _built(tmp_path, {"class.csv": marks})
    with kgask.open(str(path), reader=None) as opened:
        assert opened.ask("What is the Maths mark of Sora Ito?", min_confidence=0.5).text == "62"


def test_what_income_comes_from_is_no_kind(tmp_path: Path) -> None:
    rows = ("2024-05-02,Harrow Butchers,150", "2024-05-20,Parish Council,300", "2024-06-09,Tea tent,212.5")
    income = "\n".join(("Date,From,Amount (£)", *rows, ""))
    facts = _facts(tmp_path, {"Income.csv": income})
    assert ("Parish Council", "instance of", "income") in facts or ("income/2", "instance of", "income") in facts
    assert not any(relation == "instance of" and kind == "from" for _, relation, kind in facts)
