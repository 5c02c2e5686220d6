"""What objects within the objects of a JSON file tell together, as triples."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kgask.build.recipe import Recipe, build
from kgask.errors import BuildError
from kgask.pack.store import Pack
from kgask.query.text import parse
from kgask.retrieve.run import run


def built(folder: Path, name: str, document: Any, lines: bool = False) -> Pack:
    source = folder / name
    text = "".join(f"{json.dumps(one)}\n" for one in document) if lines else json.dumps(document)
    source.write_text(text, encoding="utf-8")
    build(Recipe((str(source),), folder / "pack", recognise=True), lambda line: None)
    return Pack.open(folder / "pack")


def said(pack: Pack, query: str) -> list[str]:
    found = run(parse(query, pack), pack)
    if found.quantity is not None:
        return [f"{found.quantity.low:g}"]
    return sorted(pack.labels(found.certain.tolist()))


SOUPS = [
    {"title": "Leek soup", "ingredients": [{"name": "leek", "amount": 2}, {"name": "salt", "amount": 5, "unit": "g"}]},
    {"title": "Pea soup", "ingredients": [{"name": "pea", "amount": 400, "unit": "g"},
                                          {"name": "salt", "amount": 8, "unit": "g"}]},
]  # fmt: skip


@pytest.mark.parametrize("lines", [False, True])
def test_an_amount_that_differs_is_said_of_the_link(tmp_path: Path, lines: bool) -> None:
    name = "recipes.jsonl" if lines else "recipes.json"
    with built(tmp_path, name, SOUPS, lines) as pack:
        assert said(pack, "follow(<Pea soup>, <ingredients>)") == ["pea", "salt"]
        assert said(pack, "qualifier(follow(<Pea soup>, <ingredients>), <amount>, <salt>)") == ["0.008"]  # kg
        assert said(pack, "qualifier(follow(<Leek soup>, <ingredients>), <amount>, <salt>)") == ["0.005"]


def test_what_stands_within_several_keeps_what_each_holds(tmp_path: Path) -> None:
    days = [
        {"day": "Friday", "stages": [{"name": "Main", "acts": [{"name": "Ann"}]}]},
        {"day": "Saturday", "stages": [{"name": "Main", "acts": [{"name": "Bob"}]}]},
    ]
    with built(tmp_path, "festival.json", {"name": "Fest", "days": days}) as pack:
        assert said(pack, "follow(<Main>, <acts>)") == ["Ann", "Bob"]
        (friday,) = [hit.entity for hit in pack.exact(["friday"])["friday"]]
        assert said(pack, f"follow(<{pack.keys([friday])[0]}>, <acts>)") == ["Ann"]


ORDERS = [
    {"order_no": "A-1", "lines": [{"product": {"name": "tent"}, "quantity": 1, "price": 90},
                                  {"product": {"name": "mug"}, "quantity": 4, "price": 5}]},
    {"order_no": "A-2", "lines": [{"product": {"name": "mug"}, "quantity": 2, "price": 5}]},
    {"order_no": "A-3", "lines": [{"product": {"name": "tent"}, "quantity": 2, "price": 90}]},
]  # fmt: skip


def test_orders_are_called_by_their_numbers_and_lead_to_what_their_lines_are_of(tmp_path: Path) -> None:
    with built(tmp_path, "orders.jsonl", ORDERS, lines=True) as pack:
        assert said(pack, "and(class(<order>), follow(<mug>, ^<product>))") == ["A-1", "A-2"]
        assert said(pack, "follow(<tent>, <price>)") == ["90"]  # which is the same in every line
        assert said(pack, "sum(values(follow(<mug>, ^<product>), <quantity>))") == ["6"]
        assert said(pack, "class(<product>)") == ["mug", "tent"]


def test_items_are_known_by_their_one_text(tmp_path: Path) -> None:
    bills = [
        {"name": "B-1", "items": [{"description": "Logo", "hours": 3}, {"description": "Cards", "hours": 1}]},
        {"name": "B-2", "items": [{"description": "Poster", "hours": 8}]},
    ]
    with built(tmp_path, "bills.json", bills) as pack:
        assert said(pack, "follow(<B-1>, <items>)") == ["Cards", "Logo"]
        assert said(pack, "best(follow(<B-1>, <items>), value(<hours>), most 1)") == ["Logo"]


def test_items_of_the_same_text_are_one_thing_with_its_price(tmp_path: Path) -> None:
    bills = [
        {"name": "B-1", "items": [{"what": "kettle", "n": 2, "price": 58}, {"what": "cup", "n": 1, "price": 4}]},
        {"name": "B-2", "items": [{"what": "cup", "n": 6, "price": 4}, {"what": "kettle", "n": 1, "price": 58}]},
    ]
    with built(tmp_path, "bills.json", bills) as pack:
        assert said(pack, "follow(<kettle>, <price>)") == ["58"]
        assert said(pack, "and(class(<bill>), follow(<cup>, ^<what>))") == ["B-1", "B-2"]


def test_what_has_a_head_is_no_triple(tmp_path: Path) -> None:
    departments = {
        "Mathematics": {"head": "Ann", "courses": [{"title": "Algebra", "credits": 6}]},
        "Biology": {"head": "Bob", "courses": [{"title": "Genetics", "credits": 5}]},
    }
    with built(tmp_path, "departments.json", departments) as pack:
        assert said(pack, "follow(<Mathematics>, <head>)") == ["Ann"]
        assert said(pack, "follow(follow(<Genetics>, ^<courses>), <head>)") == ["Bob"]


def test_a_unit_is_one_that_things_are_measured_in(tmp_path: Path) -> None:
    flats = [{"name": "North", "unit": "4B", "value": 210}, {"name": "South", "unit": "2A", "value": 180}]
    with built(tmp_path, "flats.json", flats) as pack:
        assert said(pack, "follow(<North>, <unit>)") == ["4B"]
        assert said(pack, "follow(<North>, <value>)") == ["210"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('[{"name": "x", "price": 1e999}]', "1e999 is no number"),
        ('{"subject": "Emma", "relation": "author", "object": "Jane"}\n{"subject": "Dune"}\n', "no relation"),
    ],
)
def test_what_cannot_be_read_is_one_line(tmp_path: Path, text: str, reason: str) -> None:
    (tmp_path / "books.jsonl").write_text(text, encoding="utf-8")
    with pytest.raises(BuildError, match=reason):
        build(Recipe((str(tmp_path / "books.jsonl"),), tmp_path / "pack", recognise=True), lambda line: None)
