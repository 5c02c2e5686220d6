"""Turns that mean one of two, a place, or what somebody has, as people say it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

import kgask
from kgask.chat.given_names import SEX_OF
from kgask.opened import Opened


@pytest.fixture(scope="module")
def demo() -> Iterator[Opened]:
    with kgask.open("demo", reader=None, settings={}) as opened:
        yield opened


TALKS: list[Sequence[tuple[str, str | None]]] = [
    (
        ("What band was John Lennon part of?", "The Beatles"),
        ("Who else was in it?", "Paul McCartney | Ringo Starr | George Harrison"),
        ("Which of them played the violin?", "Paul McCartney | George Harrison"),
        ("And the drum kit?", "Ringo Starr"),
        ("Who is he married to?", "Barbara Bach"),
    ),
    (
        ("longest river in europe?", "Volga"),
        ("and the second longest", "Danube"),
        ("which sea does that one end in", "Black Sea"),
        ("and the first one?", "Caspian Sea"),
    ),
    (
        ("Is Lake Como or Lake Garda deeper?", "Lake Como"),
        ("how deep is the other one then", "346 m"),
    ),
    (
        ("who plays in The Dark Knight", None),
        ("where's the story set?", "Hong Kong"),
        ("and Inception?", "Los Angeles | Australia | Paris"),
    ),
    (
        ("what year was jane austen born", "1775"),
        ("and the author of Jane Eyre?", "1816"),
    ),
    (
        ("Where was John Lennon born?", "Liverpool"),
        ("same city as Paul McCartney?", "yes"),
    ),
    (
        ("Literature Nobel 1909, who was it?", "Selma Lagerlöf"),
        ("and physics, that year?", "Guglielmo Marconi | Ferdinand Braun"),
    ),
    (
        ("How deep does Lake Titicaca get?", "281 m"),
        ("deeper than Lake Geneva?", "no"),
        ("Which river drains it? Titicaca, that is.", "Rio Desaguadero"),
        ("brilliant, ta", None),
    ),
]


@pytest.mark.parametrize("talk", TALKS, ids=[talk[0][0] for talk in TALKS])
def test_talk(demo: Opened, talk: Sequence[tuple[str, str | None]]) -> None:
    chat = demo.chat()
    for line, said in talk:
        turn = chat.ask(line)
        if said is not None:
            assert turn.answer is not None and turn.answer.text is not None, (line, turn.understood)
            assert {*turn.answer.text.split(" | ")} == {*said.split(" | ")}, (line, turn.understood)


def test_a_noun_alone_is_no_list(demo: Opened) -> None:
    chat = demo.chat()
    chat.ask("Where was Robert Louis Stevenson born?")
    answer = chat.ask("University?").answer
    assert answer is None or answer.text in (None, "University of Edinburgh")


def test_thanks_ask_nothing(demo: Opened) -> None:
    chat = demo.chat()
    chat.ask("Who wrote Emma?")
    assert chat.ask("brilliant, ta").answer is None


def test_given_names_are_of_one_sex() -> None:
    assert SEX_OF["priya"] == "female" and SEX_OF["emil"] == "male" and "robin" not in SEX_OF
