"""Questions that name what may answer them: which of these it is."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import kgask
from kgask.answer.pipeline import Pipeline


@pytest.fixture(scope="module")
def demo() -> Iterator[Pipeline]:
    with kgask.open("demo", reader=None, settings={}) as pipeline:
        yield pipeline


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Was Kafka born in Prague or in Vienna?", "Prague"),
        ("Is helium a gas or a solid?", "gas"),
        ("is the capital of Germany Berlin or Bonn", "Berlin"),
        ("Does the Rhone flow into the Mediterranean Sea or the Atlantic Ocean?", "Mediterranean Sea"),
        ("Who discovered radium: Marie Curie or Isaac Newton?", "Marie Curie"),
        ("Was Emma written by Charles Dickens or Mark Twain?", None),  # by neither
        ("Is Peru bigger than Chile or Bolivia?", None),  # an order, of which this knows nothing
    ],
)
def test_which_of_the_names_it_is(demo: Pipeline, question: str, answer: str | None) -> None:
    found = demo.ask(question)
    assert found.text == answer
    if answer is not None:
        assert (
            found.question == question and found.query_text is not None and found.query_text.startswith("and(entities(")
        )
        assert [one.label for one in found.entities] == [answer] and found.support and found.kind == "set"
        assert answer in (found.support[0].subject, found.support[0].object)


def test_what_is_answered_as_it_stands_is_asked_once(demo: Pipeline) -> None:
    assert demo.ask("Who was born first, Goethe or Schiller?").text == "Johann Wolfgang von Goethe"
    assert demo.ask("Did either Plato or Aristotle influence Thomas Aquinas?").text != "Aristotle"


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Who won the Nobel Prize in Literature in 1954 or 1957?", {"Ernest Hemingway", "Albert Camus"}),
        ("Where were Marie Curie and Albert Einstein born?", {"Warsaw", "Ulm"}),
        (
            "Movies by David Lynch or M. Night Shyamalan",
            {"Dune", "Lost Highway", "Mulholland Drive", "Signs", "The Last Airbender", "The Sixth Sense"},
        ),
    ],
)
def test_what_is_asked_of_one_or_the_other_is_all_of_both(demo: Pipeline, question: str, answers: set[str]) -> None:
    found = demo.ask(question)
    assert {one.label for one in found.entities} == answers
    assert found.query_text is not None and "or(" in found.query_text and found.support


def test_of_one_of_whom_nothing_is_known_there_is_no_such_answer(demo: Pipeline) -> None:
    found = demo.ask("Which universities did either Albert Einstein or Max Planck attend?")
    assert found.text in (None, "ETH Zürich | University of Zurich")  # as a whole: the graph knows Einstein's alone
