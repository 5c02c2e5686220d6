"""Files that call the keys of triples by names, or say more of them, and JSON documents of several things."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import kgask
from kgask.build.json_document import own_of, parts_of
from kgask.build.outofcore.engine import build as build_out_of_core
from kgask.build.recipe import Recipe, build
from kgask.opened import Opened
from kgask.pack.store import Pack

TRIPLES = """subject\tpredicate\tobject
Q1\tP1\tQ2
Q1\tP2\t1921-03-14
Q3\tP1\tQ2
Q3\tP2\t1930-05-01
Q1\tP31\tQ5
Q3\tP31\tQ5
"""
LABELS = """id\tlabel\tdescription
Q1\tIlse Brand\tchemist
Q2\tSkarvik\t
Q3\tTom Quint\t
Q5\thuman\t
Q99\tnobody\t
P1\tplace of birth\t
P2\tdate of birth\t
P31\tinstance of\t
"""
NODES = "id,label,type,founded\nn1,Acme Corp,company,1990\nn2,Globex,company,2001\nn3,Ann Lee,person,\nn4,Bonn,city,\n"
EDGES = "source,target,relation\nn3,n1,works for\nn1,n4,located in\nn2,n4,located in\n"
NETWORK = {
    "version": 2,
    "servers": [{"name": "web01", "rack": "R1", "ram_gb": 32}, {"name": "db01", "rack": "R2", "ram_gb": 128}],
    "switches": {"sw1": {"ports": 24, "connects": ["web01"]}, "sw2": {"ports": 48, "connects": ["db01"]}},
}
LINKED = {
    "nodes": [{"id": 7, "label": "Ann Lee", "type": "person"}, {"id": 8, "label": "Acme", "type": "company"}],
    "links": [{"source": 7, "target": 8, "label": "works for", "since": 2019}],
}
FIRM = {"company": "Acme", "founded": 1990, "employees": [{"name": "Ann", "salary": 5}, {"name": "Bob", "salary": 7}]}


def _recipe(folder: Path, **files: str) -> Recipe:
    sources = [folder / name.replace("_", ".") for name in files]
    for path, text in zip(sources, files.values(), strict=True):
        path.write_text(text)
    return Recipe(tuple(map(str, sources)), folder / "pack", recognise=True)


def _opened(recipe: Recipe) -> Opened:
    build(recipe, tell=lambda line: None)
    return kgask.open(str(recipe.target), reader=None)


@pytest.mark.parametrize("order", [("labels_tsv", "triples_tsv"), ("triples_tsv", "labels_tsv")])
def test_a_file_of_labels_calls_entities_and_relations(tmp_path: Path, order: tuple[str, str]) -> None:
    texts = {"labels_tsv": LABELS, "triples_tsv": TRIPLES}
    recipe = _recipe(tmp_path, **{name: texts[name] for name in order})
    with _opened(recipe) as opened:
        assert opened.ask("Where was Tom Quint born?").text == "Skarvik"
        assert opened.ask("When was Ilse Brand born?").text == "1921-03-14"
        assert "label" not in opened.pack.relation_labels()
        assert opened.pack.descriptions([opened.pack.find_key("Q1")]) == ["chemist"]


def test_names_without_a_header_count_where_the_triples_know_their_keys(tmp_path: Path) -> None:
    names = "\n".join(LABELS.splitlines()[1:]).replace("\tchemist", "").replace("\t\n", "\n").rstrip("\t") + "\n"
    with _opened(_recipe(tmp_path, names_tsv=names, triples_tsv=TRIPLES)) as opened:
        assert opened.ask("Who was born in Skarvik?").text == "Ilse Brand | Tom Quint"


def test_a_table_of_nodes_is_about_what_the_edges_lead_to(tmp_path: Path) -> None:
    with _opened(_recipe(tmp_path, edges_csv=EDGES, nodes_csv=NODES)) as opened:
        assert opened.ask("Who works for Acme Corp?").text == "Ann Lee"
        assert opened.ask("Which company was founded first?").text == "Acme Corp"
        assert "node" not in opened.pack.labels(range(opened.pack.n_entities))


def test_rows_that_no_triple_names_stay_rows(tmp_path: Path) -> None:
    with _opened(_recipe(tmp_path, edges_csv=EDGES, offices_csv="id,name,rent\no1,Hall,10\no2,Barn,20\n")) as opened:
        assert opened.ask("What is the rent of the Barn?").text == "20"


@pytest.mark.parametrize("files", [{"a_tsv": LABELS, "b_tsv": TRIPLES}, {"edges_csv": EDGES, "nodes_csv": NODES}])
def test_both_engines_read_them_alike(tmp_path: Path, files: dict[str, str]) -> None:
    recipe = _recipe(tmp_path, **files)
    build(recipe, tell=lambda line: None)
    build_out_of_core(replace(recipe, target=tmp_path / "other"), 1 << 29, tell=lambda line: None)
    with Pack.open(tmp_path / "pack") as pack, Pack.open(tmp_path / "other") as other:
        assert pack.content_hash == other.content_hash


def test_a_document_lists_things_of_several_kinds(tmp_path: Path) -> None:
    with _opened(_recipe(tmp_path, net_json=json.dumps(NETWORK, indent=1))) as opened:
        assert opened.ask("How much RAM does db01 have?").text == "128 GB"
        assert opened.ask("What does sw1 connect to?").text == "web01"
        assert opened.ask("How many servers are there?").text == "2"


def test_a_document_of_nodes_and_links_is_a_graph(tmp_path: Path) -> None:
    with _opened(_recipe(tmp_path, graph_json=json.dumps(LINKED))) as opened:
        assert opened.ask("Who works for Acme?").text == "Ann Lee"


def test_a_document_that_says_something_of_its_own_is_a_thing(tmp_path: Path) -> None:
    with _opened(_recipe(tmp_path, firm_json=json.dumps(FIRM))) as opened:
        assert opened.ask("When was Acme founded?").text == "1990"
        assert opened.ask("How many employees does Acme have?").text == "2"


def test_codes_tell_things_apart_that_others_name_by_them(tmp_path: Path) -> None:
    rooms = [{"code": "A1", "seats": 20}, {"code": "B2", "seats": 90}]
    courses = [
        {"code": "M1", "title": "Algebra", "room": "A1"},
        {"code": "M2", "title": "Logic", "room": "B2", "needs": ["M1"]},
    ]
    document = {"university": "Westmark", "city": "Bonn", "rooms": rooms, "courses": courses}
    with _opened(_recipe(tmp_path, uni_json=json.dumps(document))) as opened:
        assert opened.ask("Which room has the most seats?").text == "B2"
        assert opened.ask("What does Logic need?").text == "Algebra"
        assert opened.ask("What city is Westmark in?").text == "Bonn"


def test_codes_that_several_have_are_none(tmp_path: Path) -> None:
    people = [{"name": "Ann", "code": "x", "age": 30}, {"name": "Bob", "code": "x", "age": 40}]
    with _opened(_recipe(tmp_path, people_json=json.dumps(people))) as opened:
        assert opened.ask("How old is Bob?").text == "40"


@pytest.mark.parametrize(
    ("document", "kinds", "own"),
    [
        ({"web01": {"ram": 1}, "db01": {"ram": 2}}, ["", ""], None),
        ({"name": "Emma", "author": "Jane Austen"}, [""], None),
        ({"elements": {"nodes": [{"data": {"id": "a"}}], "edges": [{"source": "a", "target": "a"}]}}, ["", ""], None),
        ({"title": "Zoo", "animals": [{"name": "Asha"}]}, ["animal"], ("", {"name": "Zoo"})),
        ({"generated": "2024-01-01", "animals": [{"name": "Asha"}]}, ["animal"], None),
        ({"date": "2024", "farm": "Oak", "cows": [{"tag": "a"}]}, ["cow"], ("farm", {"name": "Oak", "date": "2024"})),
    ],
)  # fmt: skip
def test_what_a_document_holds(document: dict[str, Any], kinds: list[str], own: tuple[str, Any] | None) -> None:
    assert [part.kind for part in parts_of(document)] == kinds
    assert own_of(document) == own


def test_a_link_may_say_the_places_of_its_nodes() -> None:
    document = {"nodes": [{"name": "Ann"}, {"name": "Bob"}], "links": [{"source": 0, "target": 1}]}
    link = [part.said for part in parts_of(document)][-1]
    assert (link["start"], link["end"]) == ({"id": "Ann"}, {"id": "Bob"})


def test_what_belongs_to_no_list_is_not_lost(tmp_path: Path) -> None:
    document = {
        "title": "Cookbook", "author": "Ann Lee", "publisher": {"city": "Bonn"},
        "nodes": [{"id": "a", "name": "Soup"}, {"id": "b", "name": "Salt"}],
        "links": [{"source": "a", "target": "b", "label": "needs"}], "shops": [{"name": "Corner", "city": "Rome"}],
    }  # fmt: skip
    with _opened(_recipe(tmp_path, book_json=json.dumps(document))) as opened:
        assert opened.ask("What does Soup need?").text == "Salt"
        assert opened.ask("Which city is Corner in?").text == "Rome"
    del document["nodes"], document["links"]
    assert own_of(document) == ("", {"name": "Cookbook", "author": "Ann Lee", "publisher": {"city": "Bonn"}})


def test_a_broken_first_line_is_a_line(tmp_path: Path) -> None:
    recipe = _recipe(tmp_path, people_jsonl='{"name": "Ann", \n{"name": "Bob", "city": "Rome"}\n')
    with pytest.raises(kgask.KgaskError, match="jsonl:1: not JSON"):
        build(recipe, tell=lambda line: None)
    assert build(replace(recipe, skip_errors=True), tell=lambda line: None).broken == 1


@pytest.mark.parametrize("text", ['{"a": [1, 2', '{"a": 1} {"b"', "{nothing}"])
def test_what_is_no_json_is_told(tmp_path: Path, text: str) -> None:
    with pytest.raises(kgask.KgaskError, match="not JSON"):
        build(_recipe(tmp_path, bad_json=text), tell=lambda line: None)


@pytest.mark.parametrize(
    ("header", "line"),
    [
        ("source,target,type", "Ann,Acme,works for"),
        ("Source,Target,Type,Label", "Ann,Acme,Directed,works for"),
        ("id,node1,label,node2", "e1,Ann,works for,Acme"),
        ("source_id,target_id,relation_type", "Ann,Acme,works for"),
        ("Source Node,Edge,Target Node", "Ann,works for,Acme"),
        ("start,end,relation", "Ann,Acme,works for"),
    ],
)
def test_edges_as_tools_name_their_columns(tmp_path: Path, header: str, line: str) -> None:
    with _opened(_recipe(tmp_path, edges_csv=f"{header}\n{line}\n{line.replace('Ann', 'Bob')}\n")) as opened:
        assert opened.ask("Who works for Acme?").text == "Ann | Bob"


def test_a_timetable_is_no_list_of_edges(tmp_path: Path) -> None:
    text = "from,to,type,km\nBonn,Rome,night,1500\nRome,Bari,day,450\nBari,Oslo,night,2500\n"
    with _opened(_recipe(tmp_path, trains_csv=text)) as opened:
        assert "km" in opened.pack.relation_labels()
