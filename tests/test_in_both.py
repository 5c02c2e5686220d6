"""Who was in both of two things, where one relation alone says of anybody that they were."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import kgask
from kgask.answer.pipeline import Pipeline
from kgask.build.recipe import Recipe, build

TRIPS = """subject,predicate,object
Bat Count,type,trip
Winter Warmer,type,trip
Bat Count,leader,Tilly Branthwick
Winter Warmer,leader,Fen Askerdale
Bat Count,party,Tilly Branthwick
Bat Count,party,Fen Askerdale
Winter Warmer,party,Fen Askerdale
Winter Warmer,party,Cole Standring
Bat Count,date,2022-11-05
Winter Warmer,date,2021-01-23
"""


@pytest.fixture(scope="module")
def trips(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pipeline]:
    folder = tmp_path_factory.mktemp("trips")
    (folder / "trips.csv").write_text(TRIPS)
    build(Recipe(sources=(str(folder / "trips.csv"),), target=folder / "pack", recognise=True), print)
    with kgask.open(str(folder / "pack"), reader=None, settings={}) as pipeline:
        yield pipeline


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Anyone who went on both the Bat Count and the Winter Warmer?", "Fen Askerdale"),
        ("Who was on both the Bat Count and the Winter Warmer?", "Fen Askerdale"),
        ("Who led both the Bat Count and the Winter Warmer?", None),
    ],
)
def test_who_was_in_both(trips: Pipeline, question: str, said: str | None) -> None:
    assert trips.ask(question).text == said
