"""The oldest of what has one date, whatever that is called."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import kgask
from kgask.answer.pipeline import Pipeline
from kgask.build.recipe import Recipe, build

BELLS = """subject,predicate,object
Sweet Agnes,type,bell
Little Peg,type,bell
Old Tobias,type,bell
Sweet Agnes,cast in,1742
Little Peg,cast in,1953
Old Tobias,cast in,1687
Ann Lee,type,ringer
Bo Day,type,ringer
Ann Lee,joined,2001-05-03
Bo Day,joined,1999-02-01
"""


@pytest.fixture(scope="module")
def bells(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pipeline]:
    folder = tmp_path_factory.mktemp("bells")
    (folder / "bells.csv").write_text(BELLS)
    build(Recipe(sources=(str(folder / "bells.csv"),), target=folder / "pack", recognise=True), print)
    with kgask.open(str(folder / "pack"), reader=None, settings={}) as pipeline:
        yield pipeline


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("What's the oldest bell?", ("Old Tobias",)),
        ("Which bell is the newest?", ("Little Peg",)),
        ("Is Sweet Agnes older than Little Peg?", ("yes",)),
        ("Which is older, Sweet Agnes or Old Tobias?", ("Old Tobias",)),
        ("Which ringer is the oldest?", (None,)),  # who joined first may be younger
    ],
)
def test_oldest(bells: Pipeline, question: str, answers: tuple[str | None, ...]) -> None:
    assert bells.ask(question).text in answers
