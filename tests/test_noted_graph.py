"""A graph as an analyst notes it down: units nobody converts, verbs in the past, what lies where."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import kgask
from kgask.build.recipe import Recipe, build
from kgask.opened import Opened

NOTED = """subject,predicate,object
K-1,called,frame
K-2,called,motor
K-3,called,rim
K-4,called,tyre
K-1,part of,K-9
K-2,part of,K-9
K-3,part of,K-9
K-4,part of,K-3
Borealis Cycles,supplies,K-1
Borealis Cycles,supplies,K-3
Nakano,supplies,K-2
Nakano,supplies,K-3
K-1,costs,240 EUR
K-2,costs,415.50 EUR
K-3,costs,31 EUR
K-4,costs,12 EUR
K-2,lies in,Hall B
K-4,lies in,Hall B
K-1,manual,312 pages
K-2,manual,45 pages
K-3,manual,8 pages
Ann Lee,sent by,Bo Ek
Ann Lee,mother,Ida Lee
Ida Lee,mother,Eva Holm
Ida Lee,father,Jon Holm
Ann Lee,father,Ola Lee
Ola Lee,father,Per Lee
Cy Dahl,sent by,Ann Lee
"""


@pytest.fixture(scope="module")
def noted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    folder: Path = tmp_path_factory.mktemp("noted")
    (folder / "noted.csv").write_text(NOTED)
    build(Recipe((str(folder / "noted.csv"),), folder / "pack", recognise=True), tell=lambda line: None)
    with kgask.open(str(folder / "pack"), reader=None) as opened:
        yield opened


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which parts cost more than 200 euros?", "K-1 | K-2"),
        ("Which part is the most expensive?", "K-2"),
        ("By how much is the motor dearer than the frame?", "175.5"),
        ("What do both Borealis Cycles and Nakano supply?", "K-3"),
        ("Which part has the longest manual?", "K-1"),
        ("What is the name of K-4?", "tyre"),
        ("Who are Ann Lee's grandparents on her mother's side?", "Eva Holm | Jon Holm"),
        ("Who is Ann Lee's paternal grandfather?", "Per Lee"),
    ],
)
def test_it_is_asked(noted: Opened, question: str, answer: str) -> None:
    assert noted.ask(question).text == answer


def test_what_something_is_called_is_nothing_else(noted: Opened) -> None:
    assert noted.ask("What is the title of K-9?").text is None


def test_claims_are_neither_turned_round_nor_made_of_what_is_shared(noted: Opened) -> None:
    unknown = "not enough information"
    assert noted.verify("Bo Ek was sent to us by Cy Dahl.").verdict == unknown
    assert noted.verify("Ann Lee was sent to us by Bo Ek.").verdict == "supported"
    assert noted.verify("The motor gets its grease from the tyre.").verdict == unknown
