"""Days and months that are said without their year; words that only lead up to a question, or deny by a syllable."""

from __future__ import annotations

from pathlib import Path

import pytest

import kgask
from kgask.build.recipe import Recipe, build
from kgask.link.apostrophes import with_apostrophe
from kgask.link.denied import undenied
from kgask.link.left_year import with_year
from kgask.link.preamble import without_preamble
from kgask.link.reworded import reworded
from kgask.opened import Opened

LOANS = """loan,book,reader,taken,joined
L-1,Emma,Ann Lee,2024-03-04,2011-03-01
L-2,Dune,Bob Ray,2024-03-18,2019-06-20
L-3,Ulysses,Ann Lee,2024-04-02,2011-03-01
L-4,Emma,Cy Orr,2024-04-09,2020-04-11
"""


@pytest.fixture(scope="module")
def loans(tmp_path_factory: pytest.TempPathFactory) -> Opened:
    folder: Path = tmp_path_factory.mktemp("loans")
    (folder / "loans.csv").write_text(LOANS, encoding="utf-8")
    build(Recipe((str(folder / "loans.csv"),), folder / "pack", recognise=True), lambda line: None)
    return kgask.open(str(folder / "pack"), reader=None)


@pytest.mark.parametrize(
    ("asked", "read"),
    [
        ("Which loans were taken in March?", "Which loans were taken in March 2024?"),
        ("what was taken on the 2nd of April", "what was taken on 2 April 2024"),
        ("what was taken on Monday 4 March?", "what was taken on 4 March 2024?"),
        ("what was taken on Tuesday 4 March?", "what was taken on Tuesday 4 March?"),  # it was a Monday
        ("Who joined in March?", "Who joined in March?"),  # in which year is told by nothing
        ("Who was born in March?", "Who was born in March?"),
        ("what was taken on 4 March 2023", "what was taken on 4 March 2023"),
        ("may I see Emma", "may I see Emma"),
    ],
)
def test_the_year_is_that_of_the_season(loans: Opened, asked: str, read: str) -> None:
    assert with_year(asked, loans.pack) == read


@pytest.mark.parametrize(
    ("asked", "answer"),
    [("How many loans were there in March?", "2"), ("which loans were taken before 5 March?", "L-1")],
)
def test_a_month_is_a_limit(loans: Opened, asked: str, answer: str) -> None:
    found = loans.ask(asked)
    assert found.text == answer, found.reason


@pytest.mark.parametrize(
    ("asked", "read"),
    [
        (
            "Sorry to be a pain, but which loan was it again that we wrapped up in May?",
            "which loan was wrapped up in May?",
        ),
        ("For the debate I'd need to know how many wolves there are.", "how many wolves there are."),
        ("We had a call from 0173 917 384 - which tenant is that?", "Which tenant has 0173 917 384?"),
        ("My boss says Emma is a novel, is that right?", "Is it true that Emma is a novel?"),
        ("In 2019, can you tell me who won?", "In 2019, can you tell me who won?"),
        ("If you look at France, which river is the longest?", "If you look at France, which river is the longest?"),
        ("Leaving aside Ann, would you tell me who won?", "Leaving aside Ann, would you tell me who won?"),
        ("If you have a rash, what helps?", "If you have a rash, what helps?"),
        ("For my allergy to nuts, which soups are safe?", "For my allergy to nuts, which soups are safe?"),
        ("If you have a moment, what helps?", "what helps?"),
        ("Who is Jackson? I mean the player.", "Who is Jackson? I mean the player."),
        ("How high is Ben Nevis? My uncle climbed it.", "How high is Ben Nevis?"),
        ("Who says that Emma is a novel?", "Who says that Emma is a novel?"),
        ("Last round, ladies and gentlemen: name two owls!", "name two owls!"),
        ("Everybody knows Everest, but what is the second highest?", "what is the second highest?"),
        ("My club reads a lot. Which novels are by Ann Lee?", "Which novels are by Ann Lee?"),
        ("We sold 3 mixers. Who bought them?", "We sold 3 mixers. Who bought them?"),
        ("My dog is ill: is he insured?", "My dog is ill: is he insured?"),
    ],
)
def test_what_asks_nothing_is_left_out_and_nothing_else(asked: str, read: str) -> None:
    assert without_preamble(asked) == read


@pytest.mark.parametrize(
    ("asked", "read"),
    [("ann lees manager", "ann lee's manager"), ("ulysses manager", "ulysses manager"), ("its manager", "its manager")],
)
def test_a_possessive_may_lack_its_apostrophe(loans: Opened, asked: str, read: str) -> None:
    assert with_apostrophe(asked, loans.pack) == read


@pytest.mark.parametrize(
    ("asked", "read"),
    [
        ("element w/ atomic number 42", "element with atomic number 42"),
        ("physics nobel 1965 winners?", "winners of the Nobel Prize in Physics in 1965?"),
        ("Who was the lady who wrote it?", "Who was the woman who wrote it?"),
        ("Who was Lady Susan?", "Who was Lady Susan?"),
        ("the depth of both (avg of the two)?", "the depth of both?"),
    ],
)
def test_what_is_typed_in_short_is_read(asked: str, read: str) -> None:
    assert reworded(asked) == read


def test_only_what_a_graph_says_is_denied() -> None:
    assert undenied("Are any bills unpaid?", ["paid on"]) == "Are any bills that are not paid?"
    assert undenied("the unknown soldier", ["known for"]) == "the unknown soldier"
    assert undenied("the United Kingdom under Union law", ["it", "der", "ion"]) == "the United Kingdom under Union law"


def test_a_name_may_lack_its_apostrophe(tmp_path: Path) -> None:
    rows = "name,operator\nHag's Tooth,Brae Society\nVelle Head,Port Authority\nKings Rock,Brae Society\n"
    (tmp_path / "lights.csv").write_text(rows, encoding="utf-8")
    build(Recipe((str(tmp_path / "lights.csv"),), tmp_path / "pack", recognise=True), tell=lambda line: None)
    with kgask.open(str(tmp_path / "pack"), reader=None) as lights:
        assert lights.ask("who operates hags tooth").text == "Brae Society"
        for asked in ("who operates kings rock", "which lights heads"):
            assert with_apostrophe(asked, lights.pack) == asked
