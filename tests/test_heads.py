"""Those who are asked for by what they are: not answered with everybody of whom the rest is so."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import kgask
from kgask.answer.pipeline import Pipeline
from kgask.methods.heads import counts_other_class, passes_over_head
from kgask.query.text import parse
from kgask.retrieve.run import run


@pytest.fixture(scope="module")
def demo() -> Iterator[Pipeline]:
    with kgask.open("demo", reader=None, settings={}) as pipeline:
        yield pipeline


def test_all_born_in_a_place_do_not_answer_for_footballers(demo: Pipeline) -> None:
    answer = demo.ask("which footballer was born in Liverpool?")
    assert not answer or len(answer.entities) < 3


@pytest.mark.parametrize(
    ("question", "passes"),
    [
        ("which footballer was born in Liverpool?", True),
        ("What ballerinas were born in Liverpool?", True),
        ("which people were born in Liverpool?", False),
        ("which women were born in Liverpool?", False),  # looked at with the sexes
        ("who was born in Liverpool?", False),
    ],
)
def test_what_is_passed_over(demo: Pipeline, question: str, passes: bool) -> None:
    query = parse("follow(<Q24826>, ^<P19>)", demo.pack)
    assert passes_over_head(query, run(query, demo.pack).certain, question, demo.pack) is passes


@pytest.mark.parametrize(
    ("question", "never"),
    [
        ("Which cities in Kenya have an airport?", "Nakuru"),  # all of Kenya
        ("Which cities in Kenya have an airport?", "Malindi Airport"),
        ("Does Kenya have an airport?", "no"),
        ("the tributaries of the rhine", "North Sea"),
        ("How many countries border Germany and which of them is the largest?", "Bavaria"),
    ],
)
def test_what_another_class_or_relation_answers(demo: Pipeline, question: str, never: str) -> None:
    assert never not in (demo.ask(question).text or "")


@pytest.mark.parametrize(
    ("measure", "question", "is_other"),
    [
        ("size(^<P17>)", "Which country has the most rivers?", True),  # all that is within it
        ("value(<P1082>)", "Which country has the most cities?", True),
        ("value(<P2044>)", "Which country has the most mountains?", True),
        ("value(<P1082>)", "Which country has the most people?", False),
        ("value(<P1082>)", "Which country has the largest population?", False),
        ("size(<P47>)", "Which country borders the most countries?", False),
    ],
)
def test_the_most_of_a_class_is_of_that_class(demo: Pipeline, measure: str, question: str, is_other: bool) -> None:
    query = parse(f"best(class(<class-country>), {measure}, most 1)", demo.pack)
    assert counts_other_class(query, question, demo.pack) is is_other
    assert not (is_other and demo.ask(question))
