"""Words that are misspelt in a question beside its names."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import kgask
from kgask.answer.pipeline import Pipeline
from kgask.link.spelling import changed, mended

SAID = frozenset(
    "capital capitals people address population directed author authors where river dairy dairyes pruned".split()
)
WORDS = frozenset("what is the of who lives in near house horse".split())


@pytest.mark.parametrize(
    ("asked", "read"),
    [
        ("the captial of Peru", "the capital of Peru"),  # swapped
        ("her adress", "her address"),  # missing
        ("the popuulation of Peru", "the population of Peru"),  # too much
        ("who direcded it", "who directed it"),  # another
        ("the rivver", "the river"),
        ("a horse near the house", "a horse near the house"),  # words of the language
        ("the authoring of it", "the authoring of it"),  # an ending
        ("which dairies are dairy", "which dairies are dairy"),  # a plural
        ("what did they prune", "what did they prune"),
        ("who is Captial?", "who is Captial?"),  # a name
        ("the eople of it", "the eople of it"),  # the first letter is hardly ever wrong
        ("the capital-wise captial's", "the capital-wise captial's"),
        ("the rver", "the rver"),  # too short to tell
        ("the capitan", "the capitan"),  # a name, below
        ("those that arent its capital", "those that aren't its capital"),
    ],
)
def test_slips_are_mended(asked: str, read: str) -> None:
    named = [(found, found + 7)] if (found := asked.find("capitan")) >= 0 else []
    assert mended(asked, lambda: named, SAID, WORDS.__contains__) == read


def test_what_two_words_are_near_stays() -> None:
    assert mended("the riverr", lambda: [], SAID | {"rivers"}, WORDS.__contains__) == "the riverr", "river or rivers"


def test_names_are_looked_for_only_where_there_is_a_slip() -> None:
    asked = []
    mended("who lives in the house", lambda: asked.append(1) or [], SAID, WORDS.__contains__)
    assert not asked


@pytest.fixture(scope="module")
def demo() -> Iterator[Pipeline]:
    with kgask.open(reader=None) as pipeline:
        yield pipeline


def test_a_misspelt_question_is_answered_and_it_is_said_how_it_was_read(demo: Pipeline) -> None:
    answer = demo.ask("what is the captial of Kenya?")
    assert answer.text == "Nairobi"
    assert answer.question == "what is the captial of Kenya?"
    assert "read 'captial' as 'capital'" in answer.notes
    assert [*changed("the captial", "the capital")] == [("captial", "capital")]
    assert demo.ask("what is the capital of Kenya?").notes == ()
