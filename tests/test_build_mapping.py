"""A mapping for files with a row a thing: what it says without being edited, and that it is heeded."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest
from forked_cli import kgask
from test_build_rows import facts_of

from kgask.build.outofcore.engine import build as build_out_of_core
from kgask.build.recipe import Recipe, build
from kgask.errors import BuildError
from kgask.pack.store import Pack

EMPLOYEES = """id;name;dept;salary;weight;zip;hired;note;boss
1;Ann Ames;10;52.000,00;61,5 kg;04103;01.03.2011;x;
2;Bob Bell;20;61.000,50;80,2 kg;10115;15.06.2015;y;1
"""
DEPARTMENTS = "id,name,city\n10,Sales,Berlin\n20,Research,Paris\n"
LINES = "order,line,article,amount\n7,1,Bolt,100\n7,2,Nut,200\n8,1,Bolt,50\n"
EDITED = """[tables.employees]
type = "person"
key = ["id"]
label = ["name"]
[tables.employees.columns]
dept = "works in -> departments"
salary = "pay = number[€]"
weight = "weight = number"
zip = "post code = name"
hired = "hired = date"
note = ""
boss = "boss -> employees"
[tables.departments]
key = ["id"]
label = ["name"]
"""


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, ...]:
    (tmp_path / "employees.csv").write_text(EMPLOYEES)
    (tmp_path / "departments.csv").write_text(DEPARTMENTS)
    return str(tmp_path / "employees.csv"), str(tmp_path / "departments.csv")


def test_a_mapping_says_what_is_done_without_it(files: tuple[str, ...], tmp_path: Path) -> None:
    mapping = tmp_path / "m.toml"
    done = kgask("pack", "map", *files, "-o", str(mapping))
    assert done.returncode == 0, done.stderr
    assert tomllib.loads(mapping.read_text())["tables"]["employees"]["key"] == ["id"]
    hashes = set()
    for name, given in (("plain", None), ("mapped", mapping)):
        build(Recipe(files, tmp_path / name, recognise=True, mapping=given), lambda _: None)
        with Pack.open(tmp_path / name) as pack:
            hashes.add(pack.content_hash)
    assert len(hashes) == 1
    again = kgask("pack", "map", *files, "-o", str(mapping))
    assert again.returncode != 0 and "--force" in again.stderr


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_a_mapping_is_heeded(files: tuple[str, ...], tmp_path: Path, engine: str) -> None:
    (tmp_path / "m.toml").write_text(EDITED)
    recipe = Recipe(files, tmp_path / "pack", recognise=True, mapping=tmp_path / "m.toml")
    _ = build(recipe, print) if engine == "memory" else build_out_of_core(recipe, 1 << 30, print)
    with Pack.open(tmp_path / "pack") as pack:
        facts = facts_of(pack)
        assert pack.labels([pack.find_key("department/20") or 0]) == ["Research"]
    assert {one[1:] for one in facts if one[0] == "employee/2"} == {
        ("instance of", "person"), ("works in", "department/20"), ("pay", '"61000.50"^^number[€]'),
        ("weight", '"80.2"^^number[kg]'), ("post code", "10115"), ("hired", '"2015-06-15"^^date'),
        ("boss", "employee/1"),
    }  # fmt: skip
    assert not any(relation == "city" for _, relation, _ in facts)


def test_several_columns_tell_rows_apart_and_a_file_may_be_left_out(tmp_path: Path, files: tuple[str, ...]) -> None:
    (tmp_path / "lines.csv").write_text(LINES)
    (tmp_path / "m.toml").write_text(
        '[tables.lines]\nkey = ["order", "line"]\n[tables.lines.columns]\narticle = "article"\n'
    )
    told: list[str] = []
    sources = (str(tmp_path / "lines.csv"), files[1])
    build(Recipe(sources, tmp_path / "pack", recognise=True, mapping=tmp_path / "m.toml"), told.append)
    with Pack.open(tmp_path / "pack") as pack:
        assert facts_of(pack) == {(f"line/{key}", "article", what) for key, what in
                                  (("7,1", "Bolt"), ("7,2", "Nut"), ("8,1", "Bolt"))}  # fmt: skip
    assert any(line.startswith(f"{files[1]}: left out") for line in told)


def test_parquet_has_a_mapping_too(tmp_path: Path) -> None:
    table = pyarrow.table({"name": ["Rex", "Max"], "weight": [3.5, 7.0], "tag": ["a1", "b2"]})
    pyarrow.parquet.write_table(table, tmp_path / "dogs.parquet")
    done = kgask("pack", "map", str(tmp_path / "dogs.parquet"))
    assert '[tables.dogs]\ntype = "dog"\nlabel = ["name"]' in done.stdout, done.stderr
    (tmp_path / "m.toml").write_text(done.stdout.replace('weight = "weight"', 'weight = "mass = number[kg]"'))
    source = (str(tmp_path / "dogs.parquet"),)
    build(Recipe(source, tmp_path / "pack", recognise=True, mapping=tmp_path / "m.toml"), print)
    with Pack.open(tmp_path / "pack") as pack:
        assert ("Rex", "mass", '"3.5"^^number[kg]') in facts_of(pack)


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ('[tables.employee]\ntype = "x"', "no table 'employee' (did you mean 'employees'?)"),
        ('[tables.employees]\nkey = ["ids"]', "no column 'ids' (did you mean 'id'?)"),
        ('[tables.employees.columns]\nzip = "zip = number[kg"', 'write "relation"'),
        ('[tables.employees]\nkey = "id"', "so is key"),
        ('[tables.employees.columns]\nnote = "n = number"', "number"),
    ],
)
def test_what_a_mapping_cannot_say(files: tuple[str, ...], tmp_path: Path, wrong: str, reason: str) -> None:
    (tmp_path / "m.toml").write_text(wrong)
    with pytest.raises(BuildError) as caught:
        build(Recipe(files, tmp_path / "pack", recognise=True, mapping=tmp_path / "m.toml"), print)
    assert reason in str(caught.value)
    assert not (tmp_path / "pack").exists()


def test_triples_have_no_mapping(tmp_path: Path) -> None:
    (tmp_path / "t.tsv").write_text("Ann\tknows\tBob\nBob\tknows\tAnn\n")
    done = kgask("pack", "map", str(tmp_path / "t.tsv"))
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and "row a thing" in done.stderr


def test_a_name_in_a_databases_mapping_stays_one(tmp_path: Path) -> None:
    """Digits that a user calls names are recognised as nothing else."""
    import sqlite3

    with sqlite3.connect(tmp_path / "a.db") as db:
        db.execute("CREATE TABLE town (id INTEGER PRIMARY KEY, name TEXT, area TEXT)")
        db.executemany("INSERT INTO town VALUES (?, ?, ?)", [(1, "Aby", "10115"), (2, "Bel", "20095")])
    db.close()
    (tmp_path / "m.toml").write_text('[tables.town]\nlabel = ["name"]\n[tables.town.columns]\narea = "area = name"\n')
    build(Recipe((str(tmp_path / "a.db"),), tmp_path / "p", recognise=True, mapping=tmp_path / "m.toml"), print)
    with Pack.open(tmp_path / "p") as pack:
        assert ("town/1", "area", "10115") in facts_of(pack)


def test_so_it_does_where_marks_and_titles_name_rows(tmp_path: Path) -> None:
    titles = ("Heron House", "Curlew Cottage", "The Old Mill", "Otter Barn", "Teal Lodge")
    homes = [f"H-{at},{title},{at},north; {title[0]}" for at, title in enumerate(titles, 1)]
    guests = [f"G-{at},{name},H-{at},2" for at, name in enumerate(("Ann Lee", "Bo Ek", "Cy Dahl"), 1)]
    (tmp_path / "holiday_lets.csv").write_text("\n".join(["Home no.,Home,Rooms,Sides", *homes, ""]))
    (tmp_path / "guests.csv").write_text("\n".join(["Guest no.,Name,Home no.,Nights", *guests, ""]))
    files, mapping = tuple(str(tmp_path / name) for name in ("holiday_lets.csv", "guests.csv")), tmp_path / "m.toml"
    assert kgask("pack", "map", *files, "-o", str(mapping)).returncode == 0
    triples = []
    for name, given in (("plain", None), ("mapped", mapping)):
        build(Recipe(files, tmp_path / name, recognise=True, mapping=given), lambda _: None)
        with Pack.open(tmp_path / name) as pack:
            triples.append(pack.content_hash)
            assert pack.find_key("H-2") is not None
    assert triples[0] == triples[1]
    mapping.write_text(
        mapping.read_text().replace('"home"', '"home -> holiday_lets"').replace('type = "home"', 'type = "let"')
    )
    build(Recipe(files, tmp_path / "edited", recognise=True, mapping=mapping), lambda _: None)
    with Pack.open(tmp_path / "edited") as pack:
        home = pack.find_key("holiday let/H-2")
        assert home is not None and pack.labels([home]) == ["Curlew Cottage"]
        assert pack.find_key("home") is None  # the type that was edited away
