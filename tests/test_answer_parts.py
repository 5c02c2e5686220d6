"""Several questions in one: where they are divided, whom pronouns mean, and one answer of all parts."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from forked_cli import kgask

import kgask as library
from kgask.answer.parts import split_question, with_name
from kgask.answer.pipeline import Pipeline
from kgask.cli.formats import formatted

DIVIDED = {
    "who directed Pulp Fiction and when was he born?": ["who directed Pulp Fiction", "when was he born?"],
    "What is the capital of Kenya and how many people live there?": [
        "What is the capital of Kenya",
        "how many people live there?",
    ],
    "Who wrote Emma? Who wrote Dracula?": ["Who wrote Emma?", "Who wrote Dracula?"],
    "Who wrote Emma? And who wrote Dracula, please?": ["Who wrote Emma?", "who wrote Dracula, please?"],
    "Where is the Nile; how long is it?": ["Where is the Nile", "how long is it?"],
    "Could you please tell me who wrote Emma and also when she died": [
        "Could you please tell me who wrote Emma",
        "when she died",
    ],
    "Symbol of tungsten and its atomic number, please": ["Symbol of tungsten?", "its atomic number?"],
    "Is Paris in France and is it large?": ["Is Paris in France", "is it large?"],
    "Who wrote Emma, and in which year was it published?": ["Who wrote Emma", "in which year was it published?"],
    "when and where was Ann born": ["when was Ann born", "where was Ann born"],
    "How long and how wide is the Nile?": ["How long is the Nile?", "how wide is the Nile?"],
    "Who is A b? Who is C d? Who is E f?": ["Who is A b?", "Who is C d?", "Who is E f?"],
}
WHOLE = [
    "Who wrote Emma and Persuasion?",
    "Which countries border both Peru and Chile?",
    "Who was born before 1700 and died after 1750?",
    "Which country borders France and is larger than Italy?",
    "Name actors who won an Oscar and who were born in Italy",
    "Which people that wrote a novel and whose father is Ann?",
    'Who sang "Why and what is love"?',
    "who wrote [Who and what]?",
    "Who is Bono? Really?",
    "Is she the sister of Ann and the mother of Bob?",
    "war and when?",
    "",
]


@pytest.mark.parametrize("text", DIVIDED)
def test_divided(text: str) -> None:
    assert split_question(text) == DIVIDED[text]


@pytest.mark.parametrize("text", WHOLE)
def test_not_divided(text: str) -> None:
    assert split_question(text) == [text]


def test_a_name_is_never_divided() -> None:
    text = "who directed Guess and Who Is It?"
    assert len(split_question(text)) == 2
    assert split_question(text, [(13, 32)]) == [text]
    assert len(split_question("who wrote Emma and when did she die?", [(10, 14)])) == 2


SAID = {
    "when was he born?": "when was Ann born?",
    "what's her name": "what's Ann's name",
    "who married her?": "who married Ann?",
    "who married her and who killed her?": "who married Ann and who killed Ann?",
    "how many people live there?": "how many people live in Ann?",
    "what is its capital and how large is it?": "what is Ann's capital and how large is Ann?",
    "where is that firm based?": "where is Ann based?",
    "how big is the country?": "how big is Ann?",
    "who lives in that same town?": "who lives in Ann?",
    "in which year was that?": None,
    "who wrote the book that won?": None,
    "what is the capital of the country in the north?": None,
    "how many are there?": None,
    "where is Hereford?": None,
}


@pytest.mark.parametrize("part", SAID)
def test_a_name_in_the_place_of_a_pronoun(part: str) -> None:
    found = with_name(part, 7, "Ann")
    assert (found and found.text) == SAID[part]
    if found is not None:
        assert {found.text[start:end] for start, end, _ in found.given} == {"Ann"}
        assert {entity for *_, entity in found.given} == {7}


@pytest.fixture(scope="module")
def kg(family_path: Path, opened: Callable[..., Pipeline]) -> Pipeline:
    return opened(str(family_path), None)


def test_a_pronoun_is_the_answer_before_or_what_was_asked_about(kg: Pipeline) -> None:
    answer = kg.ask("Who is married to Cora Reed and when was he born?")
    first, second = answer.parts
    assert first.text == "Dan Reed" and second.question == "when was he born?"
    assert "read 'he' as 'Dan Reed'" in second.notes
    alone = kg.ask("when was Dan Reed born?")
    assert (second.text, second.reason) == (alone.text, alone.reason)


def test_all_parts_are_answered_or_the_whole_is_refused(kg: Pipeline) -> None:
    answer = kg.ask("Who is married to Cora Reed? Who is the mother of Zebulon Quist?")
    assert not answer and answer.text is None and answer.entities == ()
    assert [part.text for part in answer.parts] == ["Dan Reed", None]
    assert answer.confidence == min(part.confidence for part in answer.parts)
    assert answer.reason is not None and answer.reason.startswith("'Who is the mother of Zebulon Quist?': ")
    assert answer.help == ("'Who is married to Cora Reed?' is answered: Dan Reed",)
    refused = kg.ask("What is soup? Who is the mother of Zebulon Quist?")
    assert not refused and refused.text is None and refused.reason is not None
    assert "'What is soup?'" in refused.reason and len(refused.parts) == 2


def test_answers_of_many_stay_in_order(kg: Pipeline) -> None:
    asked = ["Who is married to Cora Reed?", "Who is married to Cora Reed? Who is married to Dan Reed?"]
    one, both = kg.ask_many(asked)
    assert (one.text, both.text) == ("Dan Reed", "Dan Reed; Cora Reed")
    assert one.parts == ()


def test_whoever_names_the_topic_asks_one_question(kg: Pipeline) -> None:
    assert kg.ask("Who is married to her and when was he born?", entity="Cora Reed").parts == ()
    assert kg.ask("Who is married to [Cora Reed] and when was he born?").parts == ()


def test_one_object_one_line(kg: Pipeline) -> None:
    answer = kg.ask("Who is married to Cora Reed? Who is married to Dan Reed?")
    line = formatted("json")(answer, None)
    told = json.loads(line)
    assert line.count("\n") == 1 and [part["answer"] for part in told["parts"]] == ["Dan Reed", "Cora Reed"]
    assert told["answer"] == "Dan Reed; Cora Reed" and told["query"] is None
    assert formatted("plain")(answer, None) == "Dan Reed; Cora Reed\n"
    assert formatted("lines")(answer, None) == "Dan Reed\nCora Reed\n"


def test_the_command_says_which_part(family_path: Path) -> None:
    question = "Who is married to Cora Reed? Who is the mother of Zebulon Quist?"
    done = kgask(question, "--no-reader", "-p", str(family_path))
    assert (done.returncode, done.stdout) == (3, "")
    assert "kgask: part 2: no answer: " in done.stderr
    assert "kgask: 'Who is married to Cora Reed?' is answered: Dan Reed\n" in done.stderr


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("What are Japan's capital and currency?", ["What are Japan's capital?", "What are Japan's currency?"]),
        ("Name the neighbours of Peru and the capital of Chile.",
         ["Name the neighbours of Peru?", "Name the capital of Chile?"]),
        ("What is the symbol of sodium and that of potassium?",
         ["What is the symbol of sodium?", "What is the symbol of potassium?"]),
        ("What is the sum of A and of B?", ["What is the sum of A and of B?"]),
        ("What is the capital of Bosnia and Herzegovina?", ["What is the capital of Bosnia and Herzegovina?"]),
        ("When was he born, when did he die and where is he buried?",
         ["When was he born", "when did he die", "where is he buried?"]),
    ],
)  # fmt: skip
def test_two_things_asked_of_what_is_named(text, parts) -> None:
    assert split_question(text) == parts


def test_a_part_takes_from_the_one_before_what_it_leaves_out() -> None:
    with Pipeline.open("demo", reader=None) as pipeline:
        answer = pipeline.ask("Which languages are official in Finland and which in Sweden?", min_confidence=0.0)
    assert [part.text.split(" | ")[0] for part in answer.parts] == ["Finnish", "Swedish"]
    assert answer.parts[1].notes[0].startswith("read 'which in Sweden?' as 'Which languages are official in Sweden?'")


def test_he_is_no_place_that_was_told() -> None:
    with library.open("demo", reader=None) as demo:
        found = demo.ask("Where was Enrico Fermi born and where did he die?")
        assert found.text == "Rome; Chicago", found.reason
