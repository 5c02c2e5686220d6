"""What a question is read as before anything is planned: its wish for a form, names that share a word, orders."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import kgask
from kgask.answer.pipeline import Pipeline
from kgask.link.reworded import reworded
from kgask.link.shared_words import with_shared_words
from kgask.link.wishes import without_wish


@pytest.fixture(scope="module")
def demo() -> Iterator[Pipeline]:
    with kgask.open("demo", reader=None, settings={}) as pipeline:
        yield pipeline


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("When was Kafka born? Give me the full date.", "When was Kafka born?"),
        ("Is Peru or Chile bigger? Name the bigger one, please.", "Is Peru or Chile bigger?"),
        ("Which parts go into it? Codes only.", "Which parts go into it?"),
        ("Whose light shines furthest? Name the lighthouse.", "Whose light shines furthest?"),
        ("Who directed Jaws? Name the capital.", "Who directed Jaws? What is its capital?"),
        ("What hangs on SW-1? hosts only", "What hangs on SW-1? hosts only"),  # which are not all of it
        ("Who directed Jaws? When was he born?", "Who directed Jaws? When was he born?"),
    ],
)
def test_a_wish_for_a_form_asks_nothing(text: str, asked: str) -> None:
    assert without_wish(text) == asked


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("Is the Dead or the Caspian Sea deeper?", "Is the Dead Sea or the Caspian Sea deeper?"),
        ("countries in North and South America", "countries in North America and South America"),
        ("Which countries border Peru and Chile?", "Which countries border Peru and Chile?"),
        ("Is New York or New Orleans bigger?", "Is New York or New Orleans bigger?"),
    ],
)
def test_a_word_that_names_share_is_said_of_each(demo: Pipeline, text: str, read: str) -> None:
    assert with_shared_words(text, demo.pack) == read


def test_orders_in_fewer_words() -> None:
    assert reworded("who has won more races than anyone else?") == "who has won the most races?"
    assert reworded("Which is third when sorted by weight?") == "Which is third by weight?"
    assert reworded("Has Peru more neighbours than any of these?") == "Has Peru more neighbours than any of these?"


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who directed the second most films?", "Martin Scorsese | Tim Burton"),
        ("Who wrote the 2nd most books?", "Honoré de Balzac"),
        ("Which halogens are not gases?", "Astatine | Bromine | Iodine | Tennessine"),
        ("Is the Dead or the Caspian Sea deeper? Just the name.", "Caspian Sea"),
        ("What is the smallest US state by area?", "Rhode Island"),
        ("Is it true that Peru borders Chile?", "yes"),
        ("Is it true that no country in Africa uses the euro?", "no"),
        ("Is it true that Dracula was written by Mary Shelley?", "no"),
        ("do you know if Kafka was born in Prague", "yes"),
        ("What is the highest population of a city in Kenya?", "3133518"),
    ],
)
def test_what_is_read_so_is_answered(demo: Pipeline, question: str, answer: str) -> None:
    assert demo.ask(question).text == answer


def test_beyond_the_last_place_there_is_nobody(demo: Pipeline) -> None:
    assert not demo.ask("Who is the ninth oldest child of Marie Curie?")


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("how many different parts go into it?", "how many parts go into it?"),
        ("Which mountain is the tallest in the world?", "Which mountain is the tallest?"),
        ("Where on Earth is Peru?", "Where on Earth is Peru?"),
        ("Peru or Chile: which has more people?", "which has more people, Peru or Chile?"),
        ("Of Mars and Venus, which is hotter?", "Of Mars and Venus, which is hotter?"),
        ("Has anybody won both? If so, who?", "Who has won both?"),
        ("anyone here who can weld? who", "Who can weld?"),
        ("Apart from Germany, who borders France but not Germany?", "who borders France but not Germany?"),
        ("Apart from Germany, who borders France?", "Apart from Germany, who borders France?"),
        ("which clubs did NOT win?", "which clubs did not win?"),
        ("WHICH CLUBS DID NOT WIN?", "WHICH CLUBS DID NOT WIN?"),
        ("How many countries is Borneo split between?", "How many countries is Borneo shared between?"),
        ("Maren Holm outlived her sister Ida Holm", "Maren Holm died after Ida Holm"),
        ("how many souls did Peru have in 1970?", "how many people did Peru have in 1970?"),
        ("Which mountains top 2700 metres?", "Which mountains are higher than 2700 metres?"),
        ("Which are the top 10 metres of cable?", "Which are the top 10 metres of cable?"),
        ("mean length of the Adda and the Alz (km)", "mean length of the Adda and the Alz"),
    ],
)
def test_questions_in_fewer_words(text: str, read: str) -> None:
    assert reworded(text) == read


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How many laureates in medicine are women?", "12"),
        ("zinc symbol, plus boiling point", "Zn; 1180 K"),
        ("ethiopia capital & currency", "Addis Ababa; Ethiopian birr"),
        ("nobel medicine 1962 laureates", "Francis Crick | Maurice Wilkins | James Watson"),
        ("longest river s america", "Amazon River"),
        ("rivers found in austria + hungary", "Raab | Danube | Mura | Drava"),
        ("volga: how long, ends where", None),  # not the one without the other
        ("titanic film release year", None),  # of which no year is known
        ("What is the tallest mountain on Earth?", "Mount Everest"),
        ("gold vs lead: which is denser", "Gold"),
        ("How many countries border Mali, and is Niger one of them?", "7; yes"),
        ("Where did the 1954 winner of the literature Nobel die?", "Ketchum"),
        ("Which of the Black Sea and the North Sea is longer?", None),  # areas and depths are known
    ],
)
def test_they_are_answered(demo: Pipeline, question: str, answer: str | None) -> None:
    assert demo.ask(question).text == answer


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Was Marie Curie older than her husband?", "no"),
        ("Who was born first, Marie Curie or her husband?", "Pierre Curie"),
        ("Are there more halogens than noble gases?", "no"),
        ("Which director has made the most films?", "Steven Spielberg"),
        ("How many countries border Germany and which of them is the largest?", "9; France"),
        ("How many noble gases are there, and which is the heaviest?", "6; Radon"),
        ("is Everest higher than K2 and by how much?", "yes; 237"),
        ("Where were the winners of the Nobel Prize in Literature of 1930 born?", "Sauk Centre"),
        ("What is the tallest building in Asia?", None),  # mountains have heights
        ("How many French novelists are there?", "23"),  # not the books about them
        ("Is Kenya bigger than its capital?", None),  # of which no area is known
    ],
)
def test_they_are_asked_about_what_they_are_about(demo: Pipeline, question: str, answer: str | None) -> None:
    assert demo.ask(question).text == answer
