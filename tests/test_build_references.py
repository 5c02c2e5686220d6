"""Values that name rows and records of the same sources, by ids and by names, and what is asked over them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import kgask
from kgask.build.outofcore.engine import build as build_out_of_core
from kgask.build.recipe import Recipe, build
from kgask.opened import Opened
from kgask.pack.store import Pack

EMPLOYEES = """employee_id,name,title,manager_id,mentor,projects
E-01,Ann Lee,CEO,,,P1; P2
E-02,Bob Chen,CTO,E-01,Ann Lee,P2
E-03,Cy Young,Developer,E-02,Bob Chen,P1; P3
E-04,Di Marsh,Tester,E-02,Nora Vance,P3
E-05,Ed Stone,Operator,E-01,Ann Lee,P1
"""
PROJECTS = """project_id,name,lead,budget
P1,Apollo,E-02,1000
P2,Hermes,E-01,2000
P3,Zephyr,E-03,3000
"""


def _recipe(folder: Path, **files: str) -> Recipe:
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text)
    return Recipe(tuple(str(folder / name.replace("_", ".")) for name in files), folder / "pack", recognise=True)


def _facts(pack: Pack, relation: str) -> set[tuple[str, str]]:
    subjects, relations, objects = pack.triples(range(pack.n_triples))
    at = pack.relation_labels().index(relation)
    found = zip(pack.labels(subjects), relations.tolist(), pack.labels(objects), strict=True)
    return {(subject, obj) for subject, one, obj in found if one == at}


@pytest.fixture(scope="module")
def company(tmp_path_factory: pytest.TempPathFactory) -> Opened:
    recipe = _recipe(tmp_path_factory.mktemp("company"), employees_csv=EMPLOYEES, projects_csv=PROJECTS)
    told: list[str] = []
    build(recipe, told.append)
    assert "projects: 3 of 3 values name things by mark or name" in told
    return kgask.open(str(recipe.target), reader=None)


def test_ids_and_names_of_rows_lead_to_them_also_in_lists(company: Opened) -> None:
    assert ("Cy Young", "Bob Chen") in _facts(company.pack, "manager")  # by its id, of which no table "manager" is
    assert ("Ed Stone", "Ann Lee") in _facts(company.pack, "mentor")
    assert ("Cy Young", "Zephyr") in _facts(company.pack, "projects")
    assert ("Zephyr", "Cy Young") in _facts(company.pack, "lead")
    assert ("Di Marsh", "Nora Vance") in _facts(company.pack, "mentor")  # who has no row
    names = company.pack.exact(["ann lee", "bob chen", "apollo"])
    assert all(len(hits) == 1 for hits in names.values())


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who does Bob Chen manage?", "Cy Young | Di Marsh"),
        ("Who manages Bob Chen?", "Ann Lee"),
        ("Who leads Zephyr?", "Cy Young"),
        ("Which project does Bob Chen lead?", "Apollo"),
        ("Which title does Cy Young's manager have?", "CTO"),
    ],
)
def test_what_is_asked_goes_on_behind_them(company: Opened, question: str, answer: str) -> None:
    assert company.ask(question).text == answer


def test_both_engines_read_the_same(tmp_path: Path) -> None:
    recipe = _recipe(tmp_path, employees_csv=EMPLOYEES, projects_csv=PROJECTS)
    build(recipe, lambda line: None)
    build_out_of_core(replace(recipe, target=tmp_path / "other"), 10**9, lambda line: None)
    with Pack.open(tmp_path / "pack") as one, Pack.open(tmp_path / "other") as other:
        assert one.content_hash == other.content_hash


def test_what_hardly_any_row_is_called_stays_what_it_is(tmp_path: Path) -> None:
    colours = "id,name,colour\n1,Red,bay\n2,Star,grey\n3,Comet,black\n4,Jet,Red\n5,Moon,dun\n"
    build(_recipe(tmp_path, horses_csv=colours), lambda line: None)
    with Pack.open(tmp_path / "pack") as pack:
        keys = {pack.keys([hit.entity])[0] for hit in pack.exact(["red"])["red"]}
    assert keys == {"Red", "horse/1"}


def test_numbers_are_ids_only_where_a_column_says_so(tmp_path: Path) -> None:
    people = [
        {"id": 1, "name": "Ann", "floor": 2},
        {"id": 2, "name": "Bo", "floor": 1, "manager_id": 1},
        {"id": 3, "name": "Cy", "floor": 3, "manager_id": 2},
    ]
    build(_recipe(tmp_path, people_json=json.dumps(people)), lambda line: None)
    with Pack.open(tmp_path / "pack") as pack:
        assert _facts(pack, "manager") == {("Bo", "Ann"), ("Cy", "Bo")}
        assert _facts(pack, "floor") == {("Ann", "2"), ("Bo", "1"), ("Cy", "3")}


def test_things_within_records_are_called_by_what_they_are(tmp_path: Path) -> None:
    hosts = [
        {
            "name": "web-1",
            "services": [{"service": "shop", "depends_on": ["auth"]}, {"service": "cache", "port": 6379}],
        },
        {"name": "idm-1", "services": [{"service": "auth", "port": 389}]},
    ]
    build(_recipe(tmp_path, hosts_json=json.dumps(hosts)), lambda line: None)
    with kgask.open(str(tmp_path / "pack"), reader=None) as opened:
        assert ("web-1", "shop") in _facts(opened.pack, "services")
        assert opened.ask("What does shop depend on?").text == "auth"


def test_a_name_that_two_things_within_have_names_neither(tmp_path: Path) -> None:
    pets = [
        {"name": "Rex", "treatments": [{"treatment": "rabies shot", "date": "2024-01-02"}]},
        {"name": "Tom", "treatments": [{"treatment": "rabies shot", "date": "2024-03-04"}]},
    ]
    build(_recipe(tmp_path, pets_json=json.dumps(pets)), lambda line: None)
    with Pack.open(tmp_path / "pack") as pack:
        assert _facts(pack, "treatment") == {("Rex, treatment 1", "rabies shot"), ("Tom, treatment 1", "rabies shot")}


def test_records_with_an_id_alone_are_called_by_it(tmp_path: Path) -> None:
    orders = [{"id": "SO-1", "status": "sent"}, {"id": "SO-2", "status": "cancelled"}]
    build(_recipe(tmp_path, orders_json=json.dumps(orders)), lambda line: None)
    with kgask.open(str(tmp_path / "pack"), reader=None) as opened:
        assert opened.ask("Which order was cancelled?").text == "SO-2"


CLUB = """member,joined,team,title,rating
Agnes Holt,2006-09-01,A,FM,2312
Bernard Thole,1989-01-15,B,,1876
Cato Evensen,2014-08-20,A,CM,2204
Dmitri Albrecht,2003-02-11,A,FM,2290
Elin Nygaard,2018-10-30,B,,1755
"""


def test_titles_that_members_have_name_nobody(tmp_path: Path) -> None:
    build(_recipe(tmp_path, members_csv=CLUB), lambda line: None)
    with kgask.open(str(tmp_path / "pack"), reader=None) as opened:
        assert ("Agnes Holt", "FM") in _facts(opened.pack, "title")
        assert opened.ask("Who has the FM title?").text == "Agnes Holt | Dmitri Albrecht"
        assert opened.ask("Which team A players have the FM title?").text != "A"


def test_the_oldest_patient_is_no_doctor(tmp_path: Path) -> None:
    patients = "patient_id,name,born,doctor_id\nP1,Ruth Abel,1931-02-03,D1\nP2,Leo Cox,1990-04-05,D2\n"
    doctors = "doctor_id,name,field,since\nD1,Helen Marsh,hearts,1999-01-01\nD2,Piotr Nowak,skins,2011-05-06\n"
    build(_recipe(tmp_path, patients_csv=patients, doctors_csv=doctors), lambda line: None)
    with kgask.open(str(tmp_path / "pack"), reader=None) as opened:
        assert opened.ask("Who is the oldest patient?").text in ("Ruth Abel", None)
        assert _facts(opened.pack, "doctor") >= {("Ruth Abel", "Helen Marsh"), ("Leo Cox", "Piotr Nowak")}
