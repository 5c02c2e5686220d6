"""Things asked for by their numbers, parts of things, what belongs to the thing that is the most, what is misread."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import kgask
from kgask.answer.marks import asks_marks
from kgask.build.recipe import Recipe, build
from kgask.methods.taken_away import takes_nothing_away
from kgask.opened import Opened
from kgask.query.text import parse

FINDS = """find_no,description,material,trench,found_on,weight_g
F001,bronze fibula,bronze,Trench A,2022-06-14,14.2
F002,iron knife blade,iron,Trench A,2022-06-15,87.5
F003,glass bead,glass,Trench B,2022-07-02,3.1
F004,iron spearhead,iron,Trench B,2023-06-20,120.4
F005,amber pendant,amber,Trench C,2023-08-01,6.0
F006,iron nail,iron,Trench C,2023-08-02,12.9
"""
HOSTS = [
    {"hostname": "garnet", "site": "Linz", "ram_gb": 64,
     "vulnerabilities": [{"cve": "CVE-2019-0708", "severity": "high"}, {"cve": "CVE-2023-36884", "severity": "low"}]},
    {"hostname": "jasper", "site": "Graz", "ram_gb": 32,
     "vulnerabilities": [{"cve": "CVE-2019-0708", "severity": "high"}]},
    {"hostname": "kelvin", "site": "Linz", "ram_gb": 16, "vulnerabilities": []},
]  # fmt: skip
MATCHES = """match,date,home,away,spectators
m01,2023-09-02,TSV Koog,SV Torf,210
m02,2023-09-09,SV Torf,HSG Eck,180
m03,2023-11-04,HSG Eck,TSV Koog,455
m04,2023-11-11,TSV Koog,HSG Eck,320
"""
TERMS = """@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix : <http://v.example/> .
:fibre a skos:Concept ; skos:prefLabel "fibres"@en .
:plant a skos:Concept ; skos:prefLabel "plant fibres"@en ; skos:broader :fibre .
:cotton a skos:Concept ; skos:prefLabel "cotton"@en ; skos:broader :plant .
:flax a skos:Concept ; skos:prefLabel "flax"@en ; skos:broader :plant .
"""


@contextmanager
def _opened(folder: Path, name: str, text: str) -> Iterator[Opened]:
    (folder / name).write_text(text, encoding="utf-8")
    build(Recipe((str(folder / name),), folder / "pack", recognise=True), lambda _: None)
    with kgask.open(str(folder / "pack"), reader=None) as opened:
        yield opened


@pytest.fixture(scope="module")
def finds(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    with _opened(tmp_path_factory.mktemp("finds"), "finds.csv", FINDS) as opened:
        yield opened


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which iron finds (numbers) weigh more than 80 grams?", "F002 | F004"),
        ("Which iron finds weigh more than 80 grams? Numbers please.", "F002 | F004"),
        ("Which finds, by find number, are made of iron?", "F002 | F004 | F006"),
        ("Which iron finds weigh more than 80 grams?", "iron knife blade | iron spearhead"),
        ("How many finds are made of iron?", "3"),
    ],
)
def test_numbers_are_told_where_they_are_asked_for(finds: Opened, question: str, answer: str) -> None:
    found = finds.ask(question)
    assert found.text is not None and " | ".join(sorted(found.text.split(" | "))) == answer
    if answer.startswith("F"):
        assert any("is called 'iron" in note for note in found.notes), "the titles are said beside them"


def test_a_turn_asks_for_numbers(finds: Opened) -> None:
    chat = finds.chat()
    first, second = (chat.ask(line).answer for line in ("Which finds are made of iron?", "Give me their numbers."))
    assert first is not None and first.text is not None and "iron nail" in first.text
    assert second is not None and second.text is not None and set(second.text.split(" | ")) == {"F002", "F004", "F006"}


@pytest.mark.parametrize("text", ["How many numbers are there?", "number of countries bordering Germany", "his phone?"])
def test_what_asks_for_no_marks(text: str) -> None:
    assert not asks_marks(text)


def test_parts_without_a_name_are_told_as_what_they_belong_to(tmp_path: Path) -> None:
    with _opened(tmp_path, "hosts.json", json.dumps(HOSTS)) as opened:
        found = opened.ask("Which machines are exposed to CVE-2019-0708?")
        assert found.text is not None and set(found.text.split(" | ")) == {"garnet", "jasper"}


def test_the_date_of_a_match_is_no_match(tmp_path: Path) -> None:
    with _opened(tmp_path, "matches.csv", MATCHES) as opened:
        found = opened.ask("Which match date had the most spectators?")
        assert found.text == "2023-11-04"
        assert found.query_text is not None and found.query_text.startswith("follow(best(")


def test_narrower_terms_are_told_by_the_broader_ones(tmp_path: Path) -> None:
    with _opened(tmp_path, "terms.ttl", TERMS) as opened:
        found = opened.ask("What are the narrower terms of plant fibres?")
        assert found.text is not None and set(found.text.split(" | ")) == {"cotton", "flax"}


TOWNS = """Town,District,Pop. 2015,Pop. 2020,Mayor
Aldersund,Nordvik,"13,055","13,790",Ingrid Solheim
Brekkeby,Nordvik,"4,655","4,390",Olav Myhre
Dalmo,Indre,"2,010","1,876",Kari Tveit
Jordal,Indre,"2,300","2,011",Jon Aasen
"""


def test_a_year_is_no_number_of_people(tmp_path: Path) -> None:
    with _opened(tmp_path, "Sheet1.csv", TOWNS) as opened:
        assert not opened.ask("Which towns had fewer people in 2020 than in 2015?")


HEADS = {"Mathematics": "Elif Karaca", "Biology": "Samuel Adeyemi", "History": "Yuki Hasegawa"}


def test_a_department_that_nobody_knows_is_not_all_of_them(tmp_path: Path) -> None:
    said = json.dumps({name: {"head": head, "rooms": 4} for name, head in HEADS.items()})
    with _opened(tmp_path, "departments.json", said) as opened:
        assert opened.ask("Who heads the Biology department?").text == "Samuel Adeyemi"
        assert not opened.ask("Who heads the Philosophy department?")


MOTHS = """Night,Site,Vernacular,Family,Count
2023-05-12,Back garden,Hebrew Character,Noctuidae,4
2023-05-12,Back garden,Poplar Hawk-moth,Sphingidae,1
2023-06-03,Withy Wood,Elephant Hawk-moth,Sphingidae,2
2023-06-03,Withy Wood,Buff-tip,Notodontidae,3
2023-06-17,Back garden,Elephant Hawk-moth,Sphingidae,5
2023-06-17,Back garden,Garden Tiger,Erebidae,1
2023-07-21,Fen Drove,Drinker,Lasiocampidae,2
2023-07-21,Fen Drove,Elephant Hawk-moth,Sphingidae,2
2023-08-12,Withy Wood,Old Lady,Noctuidae,1
"""


def test_rows_without_a_name_are_told_by_what_tells_them_apart(tmp_path: Path) -> None:
    with _opened(tmp_path, "moths_2023.csv", MOTHS) as opened:
        found = opened.ask("Which Sphingidae have we recorded?")
        assert found.text is not None and set(found.text.split(" | ")) == {"Elephant Hawk-moth", "Poplar Hawk-moth"}
        assert opened.ask("How many Elephant Hawk-moths did we catch in total?").text in (None, "9")


BRANDS = "tool_id,name,brand\nT01,Hedge trimmer,Bosch\nT02,Chainsaw,Stihl\nT03,Belt sander,Makita\nT04,Router,Bosch\n"


def test_still_is_no_slip(tmp_path: Path) -> None:
    with _opened(tmp_path, "tools.csv", BRANDS) as opened:
        assert not opened.ask("which tools are still out?")
        assert opened.ask("which tools are from Stihl?").text == "Chainsaw"


def test_nobody_knows_the_keys_of_a_large_graph() -> None:
    with kgask.open("demo", reader=None) as opened:
        found = opened.ask("Give me the codes of airports in London")
        assert found.text is None or "airport-" not in found.text


DELIVERIES = """Date,Grower,Variety,Crates,Buyer
2024-09-02,Tilly Marsh,Discovery,40,Hobbs Cider
2024-09-05,Ned Oakes,Bramley,25,Village Stores
2024-09-05,Tilly Marsh,Bramley,30,Hobbs Cider
2024-09-11,Ada Quince,Egremont Russet,12,Village Stores
2024-09-19,Ned Oakes,Cox,55,Hobbs Cider
2024-09-23,Ada Quince,Cox,18,School Kitchen
2024-10-01,Tilly Marsh,Egremont Russet,9,School Kitchen
"""


def test_what_he_does_not_grow_is_not_what_he_grows(tmp_path: Path) -> None:
    with _opened(tmp_path, "deliveries.csv", DELIVERIES) as opened:
        assert "Bramley" not in (opened.ask("Which varieties does Ned Oakes not grow?").text or "")
        his, others = (f"follow(minus(follow(<Ned Oakes>, ^<grower>), {taken}), <variety>)" for taken in (
            "having(^<variety>)", "follow(<Hobbs Cider>, ^<buyer>)"
        ))  # fmt: skip
        assert takes_nothing_away(parse(his, opened.pack), opened.pack)
        assert not takes_nothing_away(parse(others, opened.pack), opened.pack)


def test_what_comes_from_some_of_a_kind_is_none_of_that_kind(tmp_path: Path) -> None:
    rows = ["subject,predicate,object"]
    for number, digger in ((1, "Ikram Siddiqui"), (2, "Moss Amery"), (3, "Ikram Siddiqui")):
        rows += [f"Trench {number},is a,trench", f"Trench {number},excavated by,{digger}"]
        rows += [f"SF-{number}{n},found in,Trench {number}" for n in (1, 2)]
    (tmp_path / "dig.csv").write_text("\n".join(rows), encoding="utf-8")
    build(Recipe((str(tmp_path / "dig.csv"),), tmp_path / "pack", recognise=True), tell=lambda line: None)
    with kgask.open(str(tmp_path / "pack"), reader=None) as dig:
        finds = dig.ask("I need a list of every find out of the trenches Ikram Siddiqui dug")
        assert not finds or "Trench" not in (finds.text or "")
        assert dig.ask("list the trenches Ikram Siddiqui dug").text == "Trench 1 | Trench 3"


def test_the_sponsors_of_records_are_no_verb(tmp_path: Path) -> None:
    episodes = [
        {
            "episode": "Bread Riots",
            "minutes": 44,
            "host": "Dana Okoro",
            "sponsors": ["Millstone Flour", "Norrby Socks"],
        },
        {"episode": "Sugar Kings", "minutes": 61, "host": "Rui Teles", "sponsors": ["Inkwell VPN"]},
        {"episode": "Mules of the Pass", "minutes": 38, "host": "Dana Okoro", "sponsors": ["Millstone Flour"]},
    ]
    (tmp_path / "episodes.json").write_text(json.dumps(episodes), encoding="utf-8")
    build(Recipe((str(tmp_path / "episodes.json"),), tmp_path / "pack", recognise=True), tell=lambda line: None)
    with kgask.open(str(tmp_path / "pack"), reader=None) as podcast:
        found = podcast.ask("which episodes were sponsored by Millstone Flour?")
        assert set((found.text or "").split(" | ")) == {"Bread Riots", "Mules of the Pass"}
        assert podcast.ask("who sponsored Sugar Kings?").text == "Inkwell VPN"
