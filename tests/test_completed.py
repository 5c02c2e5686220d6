"""What a reading leaves out is put into it: limits, the first and last, what rows are of; from and to; how long."""

from __future__ import annotations

from pathlib import Path

import pytest

import kgask
from kgask.build.recipe import Recipe, build
from kgask.chat.shorts import asks_how_many
from kgask.link.values import value_spans
from kgask.methods.completed import sign_of
from kgask.methods.origins import goes_the_other_way, is_done_by_other, tells_rows
from kgask.methods.protocol import Hypothesis
from kgask.methods.whole_kind import takes_some_of_kind
from kgask.opened import Opened
from kgask.pack.quantities import CLOCK
from kgask.query.text import parse
from kgask.retrieve.frontier import Budget
from kgask.retrieve.run import Runner, run
from kgask.retrieve.shown import quantity_text, unit_of
from kgask.types import Question

TRAINS = """train,from,to,departs,arrives,operator
T1,Bonn,Ulm,05:40,09:05,North Rail
T2,Ulm,Bonn,07:10,10:40,North Rail
T3,Bonn,Kiel,08:30,13:00,Coast Line
T4,Kiel,Bonn,14:15,18:50,Coast Line
T5,Bonn,Ulm,17:20,20:45,North Rail
"""
SHIFTS = """date,start,place,volunteer,role
2025-05-01,09:30,Food Bank,Maureen Tidy,driver
2025-05-03,10:00,Shop,Janet Swales,till
2025-05-03,13:00,Garden,Colin Orr,lead
"""
VOLUNTEERS = """volunteer,phone,joined
Maureen Tidy,555 012,2011-03-07
Janet Swales,555 013,2015-09-19
Colin Orr,555 014,2019-01-02
"""


def opened(folder: Path, **files: str) -> Opened:
    for name, text in files.items():
        (folder / f"{name}.csv").write_text(text, encoding="utf-8")
    sources = tuple(str(folder / f"{name}.csv") for name in files)
    build(Recipe(sources, folder / "pack", recognise=True), lambda line: None)
    return kgask.open(str(folder / "pack"), reader=None)


@pytest.fixture(scope="module")
def trains(tmp_path_factory: pytest.TempPathFactory) -> Opened:
    return opened(tmp_path_factory.mktemp("trains"), trains=TRAINS)


@pytest.fixture(scope="module")
def rota(tmp_path_factory: pytest.TempPathFactory) -> Opened:
    return opened(tmp_path_factory.mktemp("rota"), shifts=SHIFTS, volunteers=VOLUNTEERS)


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("before 9", "<"),
        ("no later than 9:00", "<="),
        ("from 9:00", ">="),
        ("at 9:00 or later", ">="),
        ("at 9:00", "="),
    ],
)
def test_words_tell_how_a_limit_compares(text: str, sign: str) -> None:
    (span,) = value_spans(text, [CLOCK])
    assert sign_of(text, span) == sign


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("Which trains leave Bonn before 9?", "T1 | T3"),
        ("Which trains go to Bonn?", "T2 | T4"),
        ("How many departures from Bonn after noon?", "1"),
        ("last train from bonn to ulm", "T5"),
    ],
)
def test_trains_are_asked_about_as_travellers_do(trains: Opened, asked: str, answer: str) -> None:
    found = trains.ask(asked)
    assert found.text == answer, found.reason


def test_what_leaves_a_place_does_not_go_there(trains: Opened) -> None:
    pack = trains.pack
    (bonn,) = [hit.entity for hit in pack.exact(["bonn"])["bonn"]]
    text = "what leaves Bonn?"
    for query, is_other in (("follow(<Bonn>, ^<to>)", True), ("follow(<Bonn>, ^<from>)", False)):
        assert goes_the_other_way(parse(query, pack), text, {bonn: (12, 16)}, pack) is is_other
    by_arrival = parse("where(class(<train>), value(<arrives>) < date(T09:00))", pack)
    assert goes_the_other_way(by_arrival, "trains before 9", {}, pack)
    assert not goes_the_other_way(by_arrival, "trains that arrive before 9", {}, pack)


def test_how_long_a_train_takes_is_told_in_minutes(trains: Opened) -> None:
    text = "difference(values(<T1>, <arrives>), values(<T1>, <departs>))"
    found = run(parse(text, trains.pack), trains.pack)
    assert found.quantity is not None
    unit = unit_of(found.runner, found.query, found.quantity.axis)
    assert quantity_text(found.quantity, unit) == "205 min"


def test_whoever_is_asked_for_is_no_row(rota: Opened) -> None:
    found = rota.ask("Who's on the till on the 3rd?")
    assert found.text == "Janet Swales", found.reason
    query = parse("follow(<till>, ^<role>)", rota.pack)
    rows = Hypothesis(1.0, run(query, rota.pack).certain, frozenset(), lambda entities: [], lambda: query)
    assert tells_rows(rows, "Who is on the till?", rota.pack) and not tells_rows(rows, "Which shifts?", rota.pack)


MYTHS = """subject,predicate,object
Arven,slain by,Gorl
Teyla,slain by,Mord
Gorl,slain by,Teyla
Arven,instance of,god
Teyla,instance of,god
Gorl,instance of,monster
Mord,instance of,god
"""


@pytest.mark.parametrize(
    ("query", "text", "is_other"),
    [
        ("holds(<Arven>, <slain by>, <Gorl>)", "Did Arven slay Gorl?", True),
        ("holds(<Arven>, <slain by>, <Gorl>)", "Did Gorl slay Arven?", False),
        ("holds(<Arven>, <slain by>, <Gorl>)", "Has Arven been slain by Gorl?", False),
        ("follow(<Gorl>, <slain by>)", "Whom did Gorl kill?", True),
        ("follow(<Gorl>, ^<slain by>)", "Whom did Gorl kill?", False),
        ("follow(<Gorl>, <slain by>)", "Who slew Gorl?", False),
    ],
)
def test_who_did_it_is_no_one_it_was_done_to(tmp_path: Path, query: str, text: str, is_other: bool) -> None:
    with opened(tmp_path, myths=MYTHS) as myths:
        spans = {
            hit.entity: (text.index(name), text.index(name) + len(name))
            for name in ("Arven", "Gorl")
            if name in text
            for hit in myths.pack.exact([name.lower()])[name.lower()]
        }
        assert is_done_by_other(parse(query, myths.pack), text, spans, myths.pack) is is_other


LIGHTS = """subject,predicate,object
North Light,instance of,lighthouse
South Light,instance of,lighthouse
Otter Rock,instance of,lighthouse
Ann Lee,kept light,North Light
North Light,run by,Coast Board
South Light,run by,Coast Board
Otter Rock,run by,Harbour Trust
North Light,grade,6a
South Light,grade,6a+
Otter Rock,grade,6a+
"""


def test_lights_are_more_than_those_that_somebody_kept(tmp_path: Path) -> None:
    with opened(tmp_path, lights=LIGHTS) as lights:
        runner = Runner(lights.pack, Budget(1.0))
        kept = parse("and(having(^<kept light>), follow(<Coast Board>, ^<run by>))", lights.pack)
        assert takes_some_of_kind(kept, "which lights are run by Coast Board?", lights.pack, runner)
        assert not takes_some_of_kind(kept, "which kept lights are run by Coast Board?", lights.pack, runner)


@pytest.mark.parametrize(("asked", "meant"), [("what has grade 6a+?", "6a+"), ("what has grade 6a?", "6a")])
def test_a_sign_tells_names_apart(tmp_path: Path, asked: str, meant: str) -> None:
    with opened(tmp_path, lights=LIGHTS) as lights:
        (mention,) = [one for one in lights.linker.link(Question(asked)) if one.text == "6a"]
        assert lights.pack.labels([mention.seeds[0].entity]) == [meant]


def test_minutes_are_not_counted_by_what_was_found() -> None:
    assert asks_how_many("how many is that?") and asks_how_many("how many films is that?")
    assert not asks_how_many("how many minutes is it?")
