"""Words that choose among what a query finds: who reads over them answers another question, and is refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from piped import piped

import kgask
from kgask.answer.pipeline import Pipeline


@pytest.fixture(scope="module")
def demo() -> Iterator[Pipeline]:
    with kgask.open(reader=None) as pipeline:
        yield pipeline


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Which men won the Nobel Peace Prize in 2011?", "men"),
        ("Which female writers were born in London?", "female"),
        ("Which living writers were born in London?", "living"),
        ("Was Isaac Newton alive in 1700?", "alive"),  # that he died in another year is no "no"
        ("Who was Albert Einstein's first wife?", "first"),
        ("Which country south of Kenya has the biggest population?", "south"),
        ("Which cities are near Paris?", "near"),
        ("Who was the former wife of Albert Einstein?", "former"),
        ("Who is the current wife of Tom Cruise?", "current"),
        ("Who is the mother of Ziggy Marley?", "mother"),  # the graph knows two parents, and not which is which
        ("Who is the mother of Martin Heisenberg?", "mother"),  # the graph knows his father
        ("Who is the mother of Jenny Longuet?", "mother"),  # the one parent that it knows is called Karl
    ],
)
def test_what_is_read_over_is_refused_and_said(demo: Pipeline, text: str, word: str) -> None:
    answer = demo.ask(text, min_confidence=0.0)
    assert answer.abstained and f"'{word}'" in (answer.reason or "")


def test_of_a_sex_that_nobody_there_has_it_is_said(demo: Pipeline) -> None:
    answer = demo.ask("Which women were born in Vienna?", min_confidence=0.0)
    assert answer.abstained and "female" in (answer.reason or "")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Which women won the Nobel Prize in Physics?", "Marie Curie"),
        ("How many women won the Nobel Prize in Physics?", "4"),
        ("Who wrote Little Women?", "Louisa May Alcott"),  # of a name
        ("Which writers were born in London?", "Geoffrey Chaucer"),
        ("What is the largest country in Africa?", ""),
        ("What is the capital of South Korea?", "Seoul"),
        ("Who is the father of Charles Darwin?", "Robert Darwin"),
        ("Who was the wife of Barack Obama?", "Michelle Obama"),
        ("Are more than four million people living in Uruguay?", ""),
        ("At what age did the discoverer of radium, Marie Curie, pass away?", "66"),
        ("did hemingway win a nobel prize?", "yes"),  # that he is no prize's "winner" says nothing
        ("What is Australia's fourth biggest city by population?", "Perth"),  # not how many live there
        ("Who are the parents of Napoleon II's father?", "Bonaparte"),
    ],
)
def test_what_is_honoured_is_answered(demo: Pipeline, text: str, said: str) -> None:
    answer = demo.ask(text, min_confidence=0.0)
    assert not answer.abstained and said in (answer.text or "")


def test_other_kin_is_no_answer(demo: Pipeline) -> None:
    """ "law" is a thing of the graph, but not within one word for kin."""
    assert demo.ask("Name the father-in-law of Richard Wagner.", min_confidence=0.0).text == "Franz Liszt"


RACES = """
Monza 2001 | winner | Ann Berg
Spa 2001 | winner | Ann Berg
Imola 2001 | winner | Ann Berg
Monza 2002 | winner | Joe Lund
Season 2001 | champion | Ann Berg
Season 2002 | champion | Joe Lund
"""


def test_other_things_than_are_asked_for_are_not_counted(tmp_path: Path) -> None:
    """ "championships" is what another relation of hers is called: three won races are none."""
    piped(RACES).write(tmp_path / "races")
    with kgask.open(tmp_path / "races", reader=None) as races:
        assert races.ask("How many championships did Ann Berg win?", min_confidence=0.0).text != "3"


def test_a_school_is_not_what_somebody_studied(demo: Pipeline) -> None:
    assert "University" not in (demo.ask("What did Goethe study at university?").text or "")
    assert "Leipzig University" in (demo.ask("Where did Goethe study?").text or "")
