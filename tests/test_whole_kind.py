"""Some of a kind are not all of it; what is called by a noun, and who is called after what they play."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import kgask
from kgask.build.recipe import Recipe, build
from kgask.methods.whole_kind import takes_whole_kind
from kgask.opened import Opened
from kgask.query.text import parse

ANIMALS = """name,species,house,keeper,arrived from,born,died
Asha,African elephant,Savanna,Ruth Cole,Karlsund Zoo,2001-04-05,
Tembo,African elephant,Savanna,Ruth Cole,Tarn Valley Zoo,1995-02-01,2019-03-04
Gus,giraffe,Savanna,Ruth Cole,Karlsund Zoo,2012-08-09,2014-01-02
Rajah,Sumatran tiger,Forest,Ivo Lang,Tarn Valley Zoo,2010-01-01,
Melati,Sumatran tiger,Forest,Ivo Lang,Karlsund Zoo,2011-06-07,
Pip,Humboldt penguin,Cove,Ana Ruiz,born here,2020-05-06,
"""
PLAYERS = """subject,predicate,object
Sol Ade,plays,cello
Ida Lund,plays,drums
Max Voss,plays,piano
Max Voss,division,South
Bea Roth,division,South
Ida Lund,division,North
"""


def _opened(folder: str, text: str, factory: pytest.TempPathFactory) -> Opened:
    path = factory.mktemp(folder) / f"{folder}.csv"
    path.write_text(text)
    build(Recipe((str(path),), path.parent / "pack", recognise=True), tell=lambda line: None)
    return kgask.open(str(path.parent / "pack"), reader=None)


@pytest.fixture(scope="module")
def animals(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    with _opened("animals", ANIMALS, tmp_path_factory) as opened:
        yield opened


@pytest.fixture(scope="module")
def players(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    with _opened("players", PLAYERS, tmp_path_factory) as opened:
        yield opened


@pytest.mark.parametrize(
    ("question", "query", "is_it"),
    [
        ("How many animals are there in the zoo?", "count(class(<animal>))", False),
        ("How many animals does our zoo have?", "count(class(<animal>))", False),
        ("How many animals are on loan at the moment?", "count(class(<animal>))", True),
        ("Who can swim?", "having(<keeper>)", True),
        ("Which animals have a keeper?", "having(<keeper>)", False),
        ("Which tigers make visitors queue?", "and(class(<animal>), having(<keeper>))", True),
    ],
)
def test_all_of_a_kind(animals: Opened, question: str, query: str, is_it: bool) -> None:
    found = parse(query, animals.pack)
    covered = [(question.index(word), question.index(word) + len(word)) for word in ("animals",) if word in question]
    assert takes_whole_kind(found, question, covered, animals.pack) is is_it


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How many animals are there?", "6"),
        ("How many animals are on loan at the moment?", None),
        ("How many tigers does the zoo have?", "2"),
        ("Which animals in Savanna are not elephants?", "Gus"),
        ("Which animals came from Karlsund Zoo?", "Asha | Gus | Melati"),
    ],
)
def test_what_animals_are_called_by(animals: Opened, question: str, answer: str | None) -> None:
    assert animals.ask(question).text == answer


def test_who_is_called_after_what_she_plays(players: Opened) -> None:
    assert players.ask("Who are the drummers?").text == "Ida Lund"
    southern = parse("follow(<South>, ^<division>)", players.pack)
    assert players.ask("Who are the southern players?", min_confidence=0.0).query == southern
