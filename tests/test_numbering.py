"""The third by a number of order, or by a date, is counted from the first."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import kgask
from kgask.answer.pipeline import Pipeline
from kgask.methods.numbering import counted_off
from kgask.query.text import parse

NUMBERED = "best(class(<class-noble-gas>), value(<P1086>), {} 4)"
MEASURED = "best(class(<class-country>), value(<P2046>), {} 4)"


@pytest.fixture(scope="module")
def demo() -> Iterator[Pipeline]:
    with kgask.open("demo", reader=None, settings={}) as pipeline:
        yield pipeline


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which lanthanide is third by atomic number?", "Praseodymium"),
        ("Which is the fourth noble gas by atomic number?", "Krypton"),
        ("Which country is fourth by area?", "United States of America"),
        ("What's the 79th element?", "Gold"),
    ],
)
def test_where_counting_begins(demo: Pipeline, question: str, answer: str) -> None:
    assert demo.ask(question).text in (answer, None)


@pytest.mark.parametrize(
    ("question", "query", "said"),
    [
        ("the fourth noble gas by atomic number", NUMBERED, "least"),
        ("the noble gas with the fourth highest atomic number", NUMBERED, "most"),
        ("the 4th noble gas from the end", NUMBERED, "most"),
        ("the fourth country by area", MEASURED, "most"),  # which numbers no places
        ("which noble gas has an atomic number", NUMBERED, "most"),
    ],
)
def test_what_is_turned(demo: Pipeline, question: str, query: str, said: str) -> None:
    found = counted_off(parse(query.format("most"), demo.pack), question, demo.pack)
    assert found == parse(query.format(said), demo.pack)
