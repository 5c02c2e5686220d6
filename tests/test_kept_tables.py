"""A table as its owner keeps it, from its file to questions, claims and conversations about it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import kgask
from kgask.build.recipe import Recipe, build
from kgask.methods.flags import flagged, passes_over_flag
from kgask.methods.pointless import is_pointless
from kgask.methods.protocol import Hypothesis
from kgask.opened import Opened
from kgask.query.text import parse
from kgask.retrieve.frontier import Budget
from kgask.retrieve.run import Runner, run
from kgask.types import opposite
from kgask.verify.table_rows import is_of_rows, rows_of

BOATS = """Boat no.,Name,Class,Skipper,Joined,Length (m),Insured?,Capsizes,Berth,Colours
B-01,Curlew,dinghy,Ann Lee,14/03/2011,4.2,yes,2,North,"red, white"
B-02,Heron,dinghy,Bo Ek,02/05/2014,4.2,yes,0,North,"white, blue"
B-03,Otter,yacht,Cy Dahl,21/06/2009,9.1,yes,0,South,blue
B-04,Puffin,dinghy,Dee Frost,11/04/2019,3.9,no,5,North,"blue, red"
B-05,Gannet,yacht,Eva Holm,30/08/2016,11.4,yes,1,South,white
B-06,Teal,canoe,Finn Moe,05/05/2020,5.1,no,0,West,"green, white"
B-07,Merlin,yacht,Gus Berg,19/07/2012,8.3,yes,0,,"green, blue"
"""
SUPPORTED, REFUTED, UNKNOWN = "supported", "refuted", "not enough information"


VIALS = """Vial ID,Type,Species,Vol. (µL),Conc. (ng/µL),Freezer,Rack,Frozen,By,Thaws
S-31,DNA,Rana arvalis,50,82.4,F1,R2,14/03/22,K. Halloran,2
S-32,DNA,Rana arvalis,30,167.1,F1,R2,14/03/22,K. Halloran,0
S-33,RNA,Hyla arborea,20,211.5,F2,R1,15/03/22,T. Ivarsson,0
S-34,plasma,Hyla arborea,200,12.5,F2,R3,16/04/23,T. Ivarsson,4
S-35,RNA,Bufo bufo,180,40,F3,R1,17/04/23,T. Ivarsson,1
"""


def _kept(folder: Path, name: str, text: str) -> Opened:
    (folder / name).write_text(text)
    build(Recipe((str(folder / name),), folder / "pack", recognise=True), tell=lambda line: None)
    return kgask.open(str(folder / "pack"), reader=None)


@pytest.fixture(scope="module")
def vials(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    with _kept(tmp_path_factory.mktemp("vials"), "vials.csv", VIALS) as opened:
        yield opened


@pytest.fixture(scope="module")
def boats(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    with _kept(tmp_path_factory.mktemp("boats"), "boats.csv", BOATS) as opened:
        yield opened


@pytest.mark.parametrize(
    ("query", "question", "is_other"),
    [
        ("where(class(<vial>), value(<volume (µl)>) > 150)", "vials above 150 ng/µL", True),
        ("where(class(<vial>), value(<concentration (ng/µl)>) > 150)", "vials above 150 ng/µL", False),
        ("where(class(<vial>), value(<volume (µl)>) > 150)", "vials with more than 150 µL", False),
        ("holds(<vial/S-31>, <rack>, <F1>)", "Is S-31 kept in F1?", True),  # it is, in that freezer
        ("holds(<vial/S-31>, <freezer>, <F2>)", "Is S-31 kept in F2?", False),
    ],
)
def test_what_nobody_asks_of_a_table(vials: Opened, query: str, question: str, is_other: bool) -> None:
    asked = parse(query, vials.pack)
    found = run(asked, vials.pack)
    members = found.certain if found.members is not None else np.zeros(0, np.int64)
    one = Hypothesis(1.0, members, frozenset(), lambda entities: [], lambda: asked, found)
    assert is_pointless(one, asked, question, vials.pack) is is_other


def test_rows_are_called_by_their_ids_and_dates_of_short_years_are_dates(vials: Opened) -> None:
    answer = vials.ask("Which vials were frozen in 2023?")
    assert {one.label for one in answer.entities} == {"S-34", "S-35"}


def test_what_is_counted_from_nought_on_is_had_from_one_on(vials: Opened) -> None:
    pack = vials.pack
    for said, meant in (
        ("some(follow(<vial/S-32>, <thaws>))", "compare(values(<vial/S-32>, <thaws>) > 0)"),
        ("minus(class(<vial>), having(<thaws>))", "minus(class(<vial>), where(having(<thaws>), value(<thaws>) > 0))"),
    ):
        assert flagged(pack, parse(said, pack)) == parse(meant, pack)


def test_a_column_of_yes_and_no_that_is_said_is_not_passed_over(boats: Opened) -> None:
    pack = boats.pack
    every, insured = parse("class(<boat>)", pack), parse("follow(<yes>, ^<insured>)", pack)
    assert passes_over_flag(every, "which boats are insured", pack)
    assert not passes_over_flag(insured, "which boats are insured", pack)
    assert not passes_over_flag(every, "which boats are there", pack)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Which boats joined after 2015?", {"Puffin", "Gannet", "Teal"}),
        ("Which boats are blue and white?", {"Heron"}),
        ("What berths are there?", {"North", "South", "West"}),
        ("Who is the skipper of B-04?", {"Dee Frost"}),
        ("Which dinghies are not insured?", {"Puffin"}),
    ],
)
def test_questions(boats: Opened, text: str, said: set[str]) -> None:
    assert {one.label for one in boats.ask(text).entities} == said


CLAIMS = {
    "All of the dinghies are in the North berth": SUPPORTED,
    "All of the yachts are in the North berth": REFUTED,
    "All of the yachts are in the South berth": UNKNOWN,  # of one it is not said
    "Teal is the only canoe": SUPPORTED,
    "Otter is the only yacht": REFUTED,
    "Gannet is the only boat that joined in 2016": SUPPORTED,
    "Gannet is longer than any other boat": SUPPORTED,
    "Puffin has had more capsizes than any other boat": SUPPORTED,
    "Four boats are in the North berth": UNKNOWN,  # the one of which it is not said may be
    "Five boats are in the North berth": REFUTED,
    "Three boats are in the North berth": SUPPORTED,
    "No boat joined before 2009": SUPPORTED,
    "Puffin is no longer insured": SUPPORTED,
    "Otter was made into a film": UNKNOWN,
}


def test_claims(boats: Opened) -> None:
    found = boats.verify_many([*CLAIMS])
    assert {one.claim: one.verdict for one in found} == CLAIMS


@pytest.mark.parametrize(
    "turns",
    [
        [
            ("Which boats are in the South berth?", "Otter | Gannet"),
            ("how long are they together?", "20.5"),
            ("which of them joined first?", "Otter"),
            ("who is its skipper?", "Cy Dahl"),
            ("is the boat insured?", "yes"),
        ],
        [
            ("Which boats joined before 2013?", "Curlew | Otter | Merlin"),
            ("which of them is in the North berth?", "Curlew"),
            ("and who is the skipper of Merlin?", "Gus Berg"),
            ("where is it berthed?", "no answer"),  # which nothing says, and nobody asks of another boat
        ],
    ],
)
def test_turns(boats: Opened, turns: list[tuple[str, str]]) -> None:
    chat = boats.chat()
    for line, said in turns:
        answer = chat.ask(line).answer
        assert answer is not None
        told = answer.text if answer else "no answer"
        assert set(str(told).split(" | ")) == set(said.split(" | ")), line


def test_the_rows_of_a_table_are_all_there_is(boats: Opened) -> None:
    pack, runner = boats.pack, Runner(boats.pack, Budget(5))
    kind = parse("class(<boat>)", pack)
    assert is_of_rows(runner, kind)  # type: ignore[arg-type]
    berth = pack.relation_labels().index("berth")
    rows = rows_of(runner, opposite(berth, pack.n_relations))
    assert rows is not None and len(rows) == 7
    assert rows_of(runner, berth) is None
