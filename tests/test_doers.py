"""Who did something most, or so often; names that are joined are of one kind; whether something is so is no number."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import kgask
from kgask.build.recipe import Recipe, build
from kgask.methods.doers import counts_doers
from kgask.opened import Opened
from kgask.query.text import parse

WINNERS = {
    "Ida Lund": ("Kiel Cup 2001", "Kiel Cup 2002", "Oslo Cup 2002"),
    "Max Voss": ("Kiel Cup 2003", "Oslo Cup 2003"),
    "Bea Roth": ("Oslo Cup 2001",),
}
COUNTRIES = {"Ida Lund": "Denmark", "Max Voss": "Germany", "Bea Roth": "Austria"}


def _triples() -> Iterator[str]:
    yield "subject,predicate,object"
    for driver, races in WINNERS.items():
        yield f"{driver},instance of,driver"
        yield from (f"{driver},country,{COUNTRIES[driver]}", f"{driver},date of birth,19{len(driver) + 60}-05-01")
        for race in races:
            yield from (f"{race},instance of,race", f"{race},winner,{driver}", f"{race},date,{race[-4:]}-06-01")
    for team in ("Lund", "Arrow"):  # a team of the driver's surname
        yield from (f"{team},instance of,team", f"{team},country,Denmark")


@pytest.fixture(scope="module")
def races(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    folder = tmp_path_factory.mktemp("races")
    (folder / "races.csv").write_text("\n".join(_triples()))
    build(Recipe((str(folder / "races.csv"),), folder / "pack", recognise=True), tell=lambda line: None)
    with kgask.open(str(folder / "pack"), reader=None) as opened:
        yield opened


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who won the most races?", "Ida Lund"),
        ("who has won more than one race?", "Ida Lund | Max Voss"),
        ("Who won more races, Lund or Voss?", "Ida Lund"),
        ("Who has the second most wins?", "Max Voss"),
    ],
)
def test_it_is_asked(races: Opened, question: str, answer: str) -> None:
    found = races.ask(question)
    assert {*(found.text or "").split(" | ")} == {*answer.split(" | ")}


@pytest.mark.parametrize(
    ("question", "query", "counts"),
    [
        ("Who won the most races?", "best(class(<race>), size(<winner>), most 1)", True),
        ("everybody who won one race", "where(class(<race>), size(<winner>) >= 1)", True),
        ("Who won the most races?", "best(class(<driver>), size(^<winner>), most 1)", False),
        ("Which race had the most winners?", "best(class(<race>), size(<winner>), most 1)", False),
    ],
)
def test_who_is_not_what_was_done(races: Opened, question: str, query: str, counts: bool) -> None:
    assert counts_doers(parse(query, races.pack), question, races.pack) is counts


def test_whether_something_is_so_is_no_date(races: Opened) -> None:
    found = races.ask("Was Kiel Cup 2001 or Oslo Cup 2003 longer?", min_confidence=0.0)
    assert found.kind == "truth" or not found or "Cup" in (found.text or "")
