"""Readings that answer another question, as people asked: refused, or read as what was asked."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import kgask
from kgask.answer.pipeline import Pipeline
from kgask.methods.coordinated import joins_apart
from kgask.methods.wording import rules_out
from kgask.query.text import parse


@pytest.fixture(scope="module")
def demo() -> Iterator[Pipeline]:
    with kgask.open("demo", reader=None, settings={}) as pipeline:
        yield pipeline


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Whom did Michael Faraday marry?", (None,)),  # Michael Jackson did
        ("Is Zürich the Swiss capital?", (None, "no")),
        ("Is Bern the Swiss capital?", (None, "yes")),
        ("gold vs lead, greater density?", (None, "Gold")),
        ("Was Albert Camus already dead by the end of 1960?", (None, "yes")),
        ("Period 4 elements belonging to group 17 or group 18", (None, "Bromine | Krypton")),
        ("Which films have James Cameron and Steven Spielberg made together?", (None,)),  # none
        ("Who founded Nike, and who Adidas?", (None, "Phil Knight; Adolf Dassler")),
    ],
)
def test_what_was_answered_otherwise(demo: Pipeline, question: str, answers: tuple[str | None, ...]) -> None:
    assert demo.ask(question).text in answers


def test_lakes_are_no_countries(demo: Pipeline) -> None:
    found = demo.ask("Swiss lakes not shared with any other country")
    assert "class(<class-country|country>))" not in (found.query_text or "")


@pytest.mark.parametrize(
    ("question", "comparison", "is_out"),
    [
        ("Was Albert Camus dead by the end of 1960?", ">", True),
        ("Was Albert Camus dead by the end of 1960?", "<", True),
        ("Was Albert Camus dead by the end of 1960?", "<=", False),
        ("Was Albert Camus still alive by 1950?", ">", False),
        ("Did Albert Camus die before 1970?", "<", False),
    ],
)
def test_what_was_so_by_then(demo: Pipeline, question: str, comparison: str, is_out: bool) -> None:
    query = parse(f"compare(values(<Q34670>, <P570>) {comparison} date(1960))", demo.pack)
    assert rules_out(query, question) is is_out


def test_names_that_are_not_side_by_side(demo: Pipeline) -> None:
    query = parse("or(follow(<Q419>, <P36>), follow(<Q298>, <P36>))", demo.pack)
    peru, chile = (demo.pack.find_key(key) for key in ("Q419", "Q298"))
    assert peru is not None and chile is not None
    for question, is_apart in (
        ("capitals of Peru and Chile", False),
        ("Peru, Chile: capitals", False),
        ("the capital of Peru bordering Chile", True),
    ):
        places = {one: (at := question.index(name), at + 4) for one, name in ((peru, "Peru"), (chile, "Chil"))}
        assert joins_apart(query, question, places) is is_apart
