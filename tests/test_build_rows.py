"""Tables, JSON and Parquet with a row a thing, and the tables of triples that must not be taken for such."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from kgask.build import rows
from kgask.build.numbered import type_numbered
from kgask.build.outofcore.engine import build as build_out_of_core
from kgask.build.recipe import Recipe, build
from kgask.build.writer import PackBuilder
from kgask.errors import BuildError
from kgask.pack.normalise import normalise
from kgask.pack.store import Pack

COMPANIES = """name,city,founded
Acme Corp,Berlin,1901
Blue Labs,Paris,1987
Cedar Works,Berlin,2003
Delta Foods,Madrid,1955
"""
EMPLOYEES = """employee_id,first_name,last_name,department_id,salary,hired
1,Ann,Ames,10,52000,2011-03-01
2,Bob,Bell,20,61000,2015-06-15
"""
DEPARTMENTS = "id,name,city\n10,Sales,Berlin\n20,Research,NULL\n"


def facts_of(pack: Pack) -> set[tuple[str, str, str]]:
    """Its triples: keys, with the words of relations."""
    subjects, relations, objects = pack.triples(range(pack.n_triples))
    words = pack.relation_labels()
    found = zip(pack.keys(subjects), relations.tolist(), pack.keys(objects), strict=True)
    return {(subject, words[relation], obj) for subject, relation, obj in found}


def _built(folder: Path, files: dict[str, str], **options: object) -> tuple[Pack, list[str]]:
    for name, text in files.items():
        (folder / name).write_text(text)
    told: list[str] = []
    recipe = Recipe(tuple(str(folder / name) for name in files), folder / "pack", recognise=True, **options)  # type: ignore[arg-type]
    build(recipe, told.append)
    return Pack.open(folder / "pack"), told


def test_a_row_is_a_thing_and_a_column_a_relation(tmp_path: Path) -> None:
    pack, told = _built(tmp_path, {"companies.csv": COMPANIES})
    with pack:
        facts = facts_of(pack)
    assert ("Acme Corp", "city", "Berlin") in facts
    assert ("Acme Corp", "founded", '"1901"^^date') in facts
    assert ("Acme Corp", "instance of", "company") in facts
    assert len(facts) == 12
    assert "a row a thing, called by 'name', of type 'company'; relations: city, founded" in told[0]


def test_a_column_that_is_called_as_the_file_names_no_rows_where_the_first_one_does(tmp_path: Path) -> None:
    engines = "loco,railway,price\nDeltic,BR,150\nPannier,GWR,60\nCastle,GWR,180\n"
    pack, _ = _built(tmp_path, {"railway.csv": engines})
    with pack:
        facts = facts_of(pack)
    assert {("Castle", "railway", "GWR"), ("Pannier", "railway", "GWR"), ("Deltic", "instance of", "loco")} <= facts


def test_what_rows_are_a_mark_does_not_say(tmp_path: Path) -> None:
    pack, _ = _built(tmp_path, {"buses.csv": "registration,seats\nWX19,78\nYK22,80\n"})
    with pack:
        assert ("WX19", "instance of", "bus") in facts_of(pack)


def test_objects_of_a_list_are_what_the_file_is_called_by(tmp_path: Path) -> None:
    pistes = '[{"name": "Panorama", "length_m": 3900}, {"name": "Eisrinne", "length_m": 1200, "lift": {"name": "Alm"}}]'
    pack, _ = _built(tmp_path, {"pistes.json": pistes})
    with pack:
        facts = facts_of(pack)
    assert {("Panorama", "instance of", "piste"), ("Panorama", "length m", '"3900"^^number[m]')} <= facts
    assert ("Alm", "instance of", "lift") in facts
    plain = Recipe((str(tmp_path / "pistes.json"),), tmp_path / "plain")
    build(plain, lambda _: None)
    with Pack.open(tmp_path / "plain") as text:
        assert "instance of" not in text.relation_labels()


def test_ids_of_other_tables_lead_to_their_rows(tmp_path: Path) -> None:
    pack, _ = _built(tmp_path, {"employees.csv": EMPLOYEES, "departments.csv": DEPARTMENTS})
    with pack:
        facts = facts_of(pack)
        assert pack.labels([pack.find_key("employee/1"), pack.find_key("department/10")]) == ["Ann Ames", "Sales"]  # type: ignore[list-item]
    assert ("employee/1", "department", "department/10") in facts
    assert ("employee/2", "salary", '"61000"^^number') in facts
    assert not any(subject == "department/20" and relation == "city" for subject, relation, _ in facts)  # NULL


def test_both_engines_read_the_same(tmp_path: Path) -> None:
    pack, _ = _built(tmp_path, {"employees.csv": EMPLOYEES, "companies.csv": COMPANIES, "flats.csv": FLATS})
    sources = tuple(str(tmp_path / name) for name in ("employees.csv", "companies.csv", "flats.csv"))
    build_out_of_core(Recipe(sources, tmp_path / "other", recognise=True), 10**9, lambda _: None)
    with pack, Pack.open(tmp_path / "other") as other:
        assert pack.content_hash == other.content_hash


FLATS = "subject,predicate,object\n" + "".join(f"Flat {n},rent,{600 + 10 * n}\n" for n in range(1, 5))


def test_what_is_called_by_a_noun_and_a_number_is_of_that_kind(tmp_path: Path) -> None:
    more = "Shed 1,owner,Ann\nShed 2,owner,Bob\nUnit 1,type,shop\nUnit 2,rent,5\nUnit 3,rent,6\nAnn,room,Room 1\n"
    pack, told = _built(tmp_path, {"house.csv": FLATS + more})
    with pack:
        facts = facts_of(pack)
    typed = {subject for subject, relation, kind in facts if (relation, kind) == ("instance of", "flat")}
    assert typed == {"Flat 1", "Flat 2", "Flat 3", "Flat 4"}
    assert "4 things called 'flat' and a number are taken for such" in "".join(told)
    assert not any(relation == "instance of" and subject not in typed for subject, relation, _ in facts)
    recipe = Recipe((str(tmp_path / "house.csv"),), tmp_path / "plain", columns=("subject", "relation", "object"))
    build(recipe, lambda _: None)
    with Pack.open(tmp_path / "plain") as plain:
        assert "instance of" not in plain.relation_labels()


def test_what_is_added_is_of_the_kind_of_what_was_there(tmp_path: Path) -> None:
    builder = PackBuilder()
    for n in range(1, 5):
        builder.add(f"Flat {n}", "rent", f"{n}00")
        if n < 4:
            builder.add(f"Flat {n}", "instance of", "flat")
    type_numbered(builder, lambda _: None)
    assert sum(relation == "instance of" for _, relation, _ in builder.triples()) == 4


def test_rows_without_a_name_are_numbered_and_repeated_names_are_told(tmp_path: Path) -> None:
    sales = "date,product,amount\n2020-01-01,Milk,3\n2020-01-02,Bread,5\n2020-01-02,Milk,7\n"
    pack, _ = _built(tmp_path, {"sales.csv": sales})
    with pack:
        assert {("sale/1", "product", "Milk"), ("sale/3", "amount", '"7"^^number')} <= facts_of(pack)
    films = "title,actor,place,year\nAlien,Sigourney Weaver,Space,1979\nAlien,Ian Holm,Space,1979\n"
    pack, told = _built(tmp_path, {"films.tsv": films.replace(",", "\t")}, force=True)
    with pack:
        assert {("Alien", "actor", "Sigourney Weaver"), ("Alien", "actor", "Ian Holm")} <= facts_of(pack)
    assert any("rows about the thing of an earlier row: 1" in line for line in told)


@pytest.mark.parametrize(
    ("text", "like"),
    [
        (COMPANIES, rows.SURE),
        (COMPANIES.replace(",", ";"), rows.SURE),
        (",name,city\n0,Ann,Bonn\n1,Bob,Rome\n", rows.SURE),
        ("country,capital\nFrance,Paris\nItaly,Rome\n", rows.SURE),
        ("Country,Capital\nFrance,Paris\nItaly,Rome\n", rows.PERHAPS),  # nothing tells its first line from the others
        ("title,genre,director\nAlien,horror,Ridley Scott\nHeat,crime,Michael Mann\n", rows.SURE),
        ("subject,relation,object\nAnn,age,35\nBob,age,41\n", rows.UNLIKE),
        ("subject,relation,object,from,until\nAnn,works in,Sales,2001,2003\nBob,knows,Ann,,\n", rows.UNLIKE),
        ("company,rel,value,closed\nLarkbox,est,2016,\nLarkbox,raised,300,2019\n", rows.UNLIKE),
        ("Ann,knows,Bob\nAnn,age,35\nBob,age,41\n", rows.UNLIKE),
        ("Zed,knows,Bob\nAnn,age,35\nBob,height,180\n", rows.PERHAPS),
        ("entity1,rel_type,entity2\nAnn,knows,Bob\nCid,likes,Dan\n", rows.UNLIKE),
        ("entity1,rel_type,entity2\nAnn,knows,Bob\nAnn,likes,Dan\n", rows.UNLIKE),
        ("Q1,universe,P31,Q2\nQ1,universe,P2,Q3\nQ4,sun,P31,Q5\n", rows.UNLIKE),
        ("concert_id,piece_id,singer_id\n1,4,2\n1,5,2\n2,4,3\n", rows.SURE),
        ("name\nAnn\n", rows.UNLIKE),
        ("", rows.UNLIKE),
    ],
)
def test_what_is_a_table_of_things(tmp_path: Path, text: str, like: int) -> None:
    (tmp_path / "t.csv").write_text(text)
    assert rows.likeness(str(tmp_path / "t.csv")) == like


def test_text_and_columns_prevent_it_and_format_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "t.csv").write_text(COMPANIES)
    for number, options in enumerate(({"recognise": False}, {"columns": ("subject", "relation", "object")})):
        build(Recipe((str(tmp_path / "t.csv"),), tmp_path / str(number), **options), print)  # type: ignore[arg-type]
        with Pack.open(tmp_path / str(number)) as pack:
            assert ("Acme Corp", "Berlin", "1901") in facts_of(pack)
    (tmp_path / "two.csv").write_text("Country,Capital\nFrance,Paris\n")
    told: list[str] = []
    with pytest.raises(BuildError, match="2 fields, 3 expected"):
        build(Recipe((str(tmp_path / "two.csv"),), tmp_path / "two", recognise=True), told.append)
    assert "if the first one names columns, type --format rows" in told[0]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"Country,Capital\nFrance,Paris\n")))
    build(Recipe(("-",), tmp_path / "two", recognise=True, format="rows"), print)
    with Pack.open(tmp_path / "two") as pack:
        assert facts_of(pack) == {("France", "capital", "Paris"), ("France", "instance of", "country")}


def test_broken_rows_are_told_with_their_line(tmp_path: Path) -> None:
    with pytest.raises(BuildError, match=r"t\.csv:3: 2 fields, 3 expected"):
        _built(tmp_path, {"t.csv": "name,born,died\nAnn,1901,1960\nBob,1902\n"}, format="rows")
    with pytest.raises(BuildError, match=r"t\.csv:3: an empty 'name'"):
        _built(tmp_path, {"t.csv": "name,born,died\nAnn,1901,1960\n,1902,1961\n"}, format="rows")
    with pytest.raises(BuildError, match="names of two columns"):
        _built(tmp_path, {"t.csv": "name\nAnn\n"}, format="rows")


def test_further_columns_beside_a_triple_are_qualifiers(tmp_path: Path) -> None:
    pack, told = _built(tmp_path, {"t.csv": "Subject,Relation,Object,since,_\nAnn,works in,Sales,2001-02-03,x\n"})
    with pack:
        ((statement,),) = pack.statements([0]).values()
        assert [pack.relations()[relation].key for relation, _ in statement] == ["since"]
        assert pack.keys([value for _, value in statement]) == ['"2001-02-03"^^date']
    assert "(since: qualifiers)" in told[0]


@pytest.mark.parametrize("is_list", [True, False])
def test_json_with_an_object_a_thing(tmp_path: Path, is_list: bool) -> None:
    things = [
        '{"id": 3, "name": "Ann", "type": "nurse", "tags": ["a", "b"], "boss": {"id": 4, "name": "Bo"}}',
        '{"name": "Cid", "value": 3.5}',
    ]
    files = {"staff.json": f"[{', '.join(things)}]"} if is_list else {"staff.jsonl": "\n".join(things)}
    pack, _ = _built(tmp_path, files)
    with pack:
        facts = facts_of(pack)
        assert pack.labels([pack.find_key("staff/3"), pack.find_key("boss/4")]) == ["Ann", "Bo"]  # type: ignore[list-item]
    assert {("staff/3", "type", "nurse"), ("staff/3", "tags", "b"), ("staff/3", "boss", "boss/4")} <= facts
    assert ("Cid", "value", '"3.5"^^number') in facts


def test_a_thing_may_be_called_by_the_word_for_such_things(tmp_path: Path) -> None:
    forays = '[{"foray": "F01", "leader": "Ann"}, {"foray": "F02", "leader": "Bo"}, {"foray": "F01", "leader": "Cy"}]'
    pack, _ = _built(tmp_path, {"autumn forays.json": forays})
    with pack:
        facts = facts_of(pack)
    assert {("F01", "leader", "Ann"), ("F02", "leader", "Bo")} <= facts
    assert ("F01", "leader", "Cy") not in facts  # another of that name stays apart


def test_what_has_no_name_within_a_thing_is_said_of_the_thing(tmp_path: Path) -> None:
    fires = (
        '[{"name": "Harlow Fire", "impact": {"homes_destroyed": 6, "people": {"hurt": 2}}, "cause": {"kind": "arson"}, '
        '"place": {"county": {"name": "Sable", "seat": "Ely"}, "plants": ["oak", "fir"]}, "weather": {}}]'
    )
    pack, _ = _built(tmp_path, {"fires.json": fires})
    with pack:
        facts = facts_of(pack)
    assert {
        ("Harlow Fire", "impact homes destroyed", '"6"^^number'), ("Harlow Fire", "impact people hurt", '"2"^^number'),
        ("Harlow Fire", "cause kind", "arson"), ("Harlow Fire", "place county", "Sable"), ("Sable", "seat", "Ely"),
        ("Harlow Fire", "place plants", "oak"), ("Harlow Fire", "place plants", "fir"),
    } <= facts  # fmt: skip


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[{"name": "Ann"}, 2]', "object 2: not a JSON object"),
        ('[{"name": "Ann"}', "not JSON"),
        ('[{"name": "Ann", "at": ' + '{"x": ' * 22 + "1" + "}" * 22 + "}]", "nested more than 20 deep"),
        ('[{"subject": "Ann", "relation": "knows"}]', "no object"),
    ],
)
def test_broken_json_is_told(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(BuildError, match=said):
        _built(tmp_path, {"t.json": text})


def test_parquet_with_a_row_a_thing(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = pyarrow.table({"name": ["Ann", "Bob"], "city": ["Bonn", None], "born": [1990, 1991], "age": [3, 4]})
    parquet.write_table(table, tmp_path / "people.parquet")
    triples = pyarrow.table({"a": ["Ann", "Bob"], "b": ["knows", "likes"], "c": ["Cid", "Dan"]})
    parquet.write_table(triples, tmp_path / "triples.parquet")
    for name, said in (("people", ("Ann", "born", '"1990"^^date')), ("triples", ("Ann", "knows", "Cid"))):
        build(Recipe((str(tmp_path / f"{name}.parquet"),), tmp_path / name, recognise=True), print)
        with Pack.open(tmp_path / name) as pack:
            assert said in facts_of(pack)


LOANS = """Loan No,Object,Maker,Out on,Materials
L-101,The Amber Astrolabe,Yusuf al-Harani,01/03/2023,brass; amber
L-102,Harbour at Dusk,Greta Solheim,24/03/2023,oil; canvas
L-103,Tea Bowl Winter Moon,Ren Ishikawa,05/04/2023,clay
L-104,Woman with a Heron,Greta Solheim,06/05/2023,canvas; oil
L-105,Self-portrait in Fur Hat,Greta Solheim,07/05/2023,oil
"""


def test_titles_behind_marks_name_rows_and_the_marks_still_do(tmp_path: Path) -> None:
    pack, told = _built(tmp_path, {"museum_loans.csv": LOANS})
    with pack:
        facts, harbour = facts_of(pack), "L-102"
        assert {(harbour, "instance of", kind) for kind in ("object", "museum loan")} <= facts
        assert {(harbour, "materials", one) for one in ("oil", "canvas")} <= facts
        assert (harbour, "out on", '"2023-03-24"^^date') in facts
        assert ("L-103", "out on", '"2023-04-05"^^date') in facts
        hits = pack.exact([normalise("L-104")])[normalise("L-104")]
        assert sorted(pack.labels([hit.entity for hit in hits])) == ["L-104", "Woman with a Heron"]
        assert ("L-104", "loan number", '"L-104"^^string') in facts
    assert any("out on (dates, day first)" in line for line in told)
    assert any("materials: several things in a cell, divided by ';'" in line for line in told)


def test_a_mark_in_another_table_is_the_row_that_has_it(tmp_path: Path) -> None:
    titles = ("Heron House", "Curlew Cottage", "The Old Mill", "Otter Barn", "Teal Lodge")
    homes = [f"H-{at},{title},{at}" for at, title in enumerate(titles, 1)]
    guests = [f"G-{at},{name},H-{at},2" for at, name in enumerate(("Ann Lee", "Bo Ek", "Cy Dahl"), 1)]
    files = {
        "homes.csv": "\n".join(["Home no.,Name,Rooms", *homes, ""]),
        "guests.csv": "\n".join(["Guest no.,Name,Home no.,Nights", *guests, ""]),
    }
    pack, _ = _built(tmp_path, files)
    with pack:
        assert ("G-2", "home", "H-2") in facts_of(pack)
        assert [pack.labels([pack.find_key(key)]) for key in ("G-2", "H-2")] == [["Bo Ek"], ["Curlew Cottage"]]


def test_who_books_a_room_does_not_name_the_booking(tmp_path: Path) -> None:
    guests = ("Ann Lee", "Bo Ek", "Cy Dahl", "Dee Frost", "Eva van Gent")
    lines = [f"B-{at},{guest},{at},2" for at, guest in enumerate(guests, 1)]
    pack, _ = _built(tmp_path, {"bookings.csv": "\n".join(["Booking,Guest,Room,Nights", *lines, ""])})
    with pack:
        assert ("B-1", "guest", "Ann Lee") in facts_of(pack)


def test_what_several_rows_are_of_does_not_name_them(tmp_path: Path) -> None:
    parts = ("Captain Rook of Hull", "The Boy Eel", "Widow on the Quay", "A Bear in Love", "First Old Sailor")
    lines = [f"The Salt Ferry,{part},Leo Marchetti,Ffion Bevan" for part in parts]
    pack, _ = _built(tmp_path, {"casting.csv": "\n".join(["Play,Character,Played by,Understudy", *lines, ""])})
    with pack:
        assert ("The Boy Eel", "played by", "Leo Marchetti") in facts_of(pack)
        assert ("The Boy Eel", "play", "The Salt Ferry") in facts_of(pack)


def test_matches_are_called_by_who_plays_whom(tmp_path: Path) -> None:
    games = "date,home,away,score\n2024-09-07,Harn,Ash,2-1\n2024-09-14,Ash,Colne,0-0\n2024-09-21,Colne,Harn,1-3\n"
    pack, _ = _built(tmp_path, {"games.csv": games})
    with pack:
        assert pack.labels([pack.find_key("game/1")]) == ["Harn v Ash"]
