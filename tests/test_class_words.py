"""What a question asks for by a class word at its head is what it is given."""

from __future__ import annotations

import pytest

from kgask.answer.pipeline import Pipeline
from kgask.link.spans import CandidateSpan
from kgask.methods.class_words import head_class


@pytest.mark.parametrize(
    ("text", "word", "is_head"),
    [
        ("Which women won it?", "women", True),
        ("List all the countries with a coast", "countries", True),
        ("How many countries border Peru?", "countries", True),
        ("Who is the oldest of the women?", "women", False),
        ("countries of Africa", "countries", True),
        ("river Thames", "river", False),
    ],
)
def test_the_head_is_the_class_word_after_the_question_word(text, word, is_head) -> None:
    start = text.index(word)
    found = head_class(text, [CandidateSpan(start, start + len(word), "class")])
    assert found == (0 if is_head else None)


def test_the_last_of_two_class_words_is_the_head() -> None:
    text = "which noble houses are there"
    spans = [CandidateSpan(text.index(word), text.index(word) + len(word), "class") for word in ("noble", "houses")]
    assert head_class(text, spans) == 1


def test_which_women_are_women() -> None:
    with Pipeline.open("demo", reader=None) as pipeline:
        answer = pipeline.ask("Which women won the Nobel Prize in Physics?", min_confidence=0.0)
    assert {one.label for one in answer.entities} == {
        "Marie Curie", "Maria Goeppert Mayer", "Donna Strickland", "Andrea Ghez",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("What is the second smallest country in Africa?", "and(class(<class-country|country>), follow("),
        ("In what countries is the euro legal tender?", "and(class(<class-country|country>), follow("),
        ("Which religions are there in Kenya?", "follow(<Q114|Kenya>, <P140|religion>)"),
    ],
)
def test_a_class_word_narrows_what_holds_others_too(text, query) -> None:
    with Pipeline.open("demo", reader=None) as pipeline:
        assert query in pipeline.ask(text, min_confidence=0.0).query_text
