"""Readings whose answers are of another sort than the question's words ask for: refused, or read as what was asked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import kgask
from kgask.answer import misread
from kgask.answer.pipeline import Pipeline
from kgask.build.recipe import Recipe, build

STUDIO = """piece,made by,clay,price,member no
Gull Plate,Bao Tremlett,earthenware,22,M02
Tall Lantern,Bao Tremlett,porcelain,85,M02
Moon Jar,Yuki Harcastle,stoneware,140,M05
Raven Tile,Greta Ingersole,stoneware,18,M07
Fox Head,Marcy Odell,earthenware,64,M09
"""


@pytest.fixture(scope="module")
def demo() -> Iterator[Pipeline]:
    with kgask.open("demo", reader=None, settings={}) as pipeline:
        yield pipeline


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pipeline]:
    folder = tmp_path_factory.mktemp("studio")
    source = folder / "pieces.csv"
    source.write_text(STUDIO)
    build(Recipe(sources=(str(source),), target=folder / "pack", format="rows"), print)
    with kgask.open(str(folder / "pack"), reader=None, settings={}) as pipeline:
        yield pipeline


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Who was a British senator and acted in Casablanca?", (None,)),
        ("Which member of The Beatles was gunned down on the street?", (None, "John Lennon")),
        ("Is Christopher Nolan in Inception?", (None, "no")),  # he directed it
        ("Is Quentin Tarantino in Pulp Fiction?", (None, "yes")),
        ("Which is bigger, Rome or Milan?", (None, "Rome")),  # Milan lies higher
        ("Which is bigger, Mont Blanc or Mount Everest?", ("Mount Everest",)),
        ("what percentage of norway's population is protestant", (None, "70.6")),  # its population was told
        ("What did Steven Spielberg earn last year?", (None,)),  # his occupations were
        ("Did Rudyard Kipling ever win a Nobel?", ("yes",)),  # no laureate is a prize
    ],
)
def test_what_was_answered_otherwise(demo: Pipeline, question: str, answers: tuple[str | None, ...]) -> None:
    assert demo.ask(question).text in answers


def test_that_he_is_in_it_is_told_by_the_cast(demo: Pipeline) -> None:
    found = demo.ask("Is Quentin Tarantino in Pulp Fiction?")
    assert not found or "cast member" in (found.query_text or "")


def test_a_maker_is_no_material(studio: Pipeline) -> None:
    assert studio.ask("What is the Gull Plate made of?").text in (None, "earthenware")
    assert studio.ask("Who made the Gull Plate?").text == "Bao Tremlett"


def test_what_cannot_be_looked_at_in_time_is_refused(demo: Pipeline, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(misread, "LOOK_SECONDS", 0.0)
    assert demo.ask("Who has written more books, Jane Austen or Charlotte Brontë?").abstained


def test_a_class_that_nothing_names_is_called_by_its_iri(tmp_path: Path) -> None:
    source = tmp_path / "puppets.ttl"
    source.write_text(
        "@prefix p: <http://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
        "p:GlovePuppet rdfs:subClassOf p:Puppet .\n"
        + "".join(
            f'p:n{at} a p:{kind} ; rdfs:label "{name}" ; p:heightCm {height} .\n'
            for at, (kind, name, height) in enumerate(
                [
                    ("GlovePuppet", "Madame Souffle", 34),
                    ("GlovePuppet", "Baba Radish", 38),
                    ("Puppet", "Old Needle", 90),
                ]
            )
        )
    )
    build(Recipe(sources=(str(source),), target=tmp_path / "pack"), print)
    with kgask.open(str(tmp_path / "pack"), reader=None, settings={}) as opened:
        assert opened.pack.exact(["glove puppet"])["glove puppet"]
        assert opened.ask("What is the average height of the glove puppets?").text in (None, "36", "36 cm")


@pytest.mark.parametrize(
    "question", ["Which religion dominates in Brazil?", "Which of Goethe's influences was also a philosopher?"]
)
def test_all_are_not_the_main_one_nor_the_influenced_influences(demo: Pipeline, question: str) -> None:
    assert demo.ask(question).text is None
    assert demo.ask("Who influenced Karl Marx?").text == "Georg Wilhelm Friedrich Hegel"
