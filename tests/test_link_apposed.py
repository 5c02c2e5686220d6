"""What stands beside a name and only says of it what the graph knows."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import kgask
from kgask.answer.pipeline import Pipeline
from kgask.link.apposed import without_apposed


@pytest.fixture(scope="module")
def demo() -> Iterator[Pipeline]:
    with kgask.open("demo", reader=None, settings={}) as pipeline:
        yield pipeline


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("When was the German chemist Otto Hahn born?", "When was Otto Hahn born?"),
        ("How long is the German river Rhine?", "How long is Rhine?"),
        ("What is the highest mountain in the Asian country Nepal?", "What is the highest mountain in Nepal?"),
        ("Knut Hamsun, the Norwegian novelist, was born in Oslo.", "Knut Hamsun was born in Oslo."),
        ("Which Italian city is bigger, Rome or Milan?", "Which is bigger, Rome or Milan?"),
    ],
)
def test_what_is_known_is_passed_over(demo: Pipeline, text: str, said: str) -> None:
    assert without_apposed(text, demo.linker) == said


@pytest.mark.parametrize(
    "text",
    [
        "When did the French chemist Otto Hahn die?",  # he was not
        "Which German chemists won a Nobel Prize?",
        "What is the longest French river?",
        "Who is the author of the French novel Frankenstein?",
        "Which French city is bigger, Rome or Milan?",
    ],
)
def test_what_chooses_stays(demo: Pipeline, text: str) -> None:
    assert without_apposed(text, demo.linker) == text


def test_questions_and_claims_are_read_so(demo: Pipeline) -> None:
    assert demo.ask("When was the German chemist Otto Hahn born?").text == "1879-03-08"
    assert demo.ask("Which German chemist is older, Otto Hahn or Fritz Haber?").text == "Fritz Haber"
    with kgask.open("demo", reader=None, settings={}) as opened:
        assert opened.verify("The Irish poet Seamus Heaney won the Nobel Prize in Literature.").verdict == "supported"
