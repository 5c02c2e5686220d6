"""Two things that were named apart in a conversation: the other one, the first film, the larger island, he and she."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import kgask
from kgask.chat.heard import heard
from kgask.chat.shorts import counts_years, in_that_year, what_differs
from kgask.opened import Opened


@pytest.fixture(scope="module")
def demo() -> Iterator[Opened]:
    with kgask.open("demo", reader=None) as opened:
        yield opened


@pytest.mark.parametrize(
    "talk",
    [
        [("How high is Mount Everest?", "8848 m"), ("What about Aconcagua?", "6962 m"),
         ("How many metres higher is the first one?", "1886"),
         ("On which continent is the other one?", "South America")],
        [("Which island is larger, Sicily or Sardinia?", "Sicily"), ("What is that one's capital?", "Palermo"),
         ("And the other one's?", "Cagliari"), ("Which volcano is there on the larger island?", "Mount Etna")],
        [("When was Marie Curie born?", "1867-11-07"), ("Who was her husband?", "Pierre Curie"),
         ("Did she outlive him?", "yes")],
        [("Who got the Nobel Peace Prize in 1993?", "F.W. de Klerk | Nelson Mandela"),
         ("Who won the prize one year later?", "Shimon Peres | Yitzhak Rabin | Yasser Arafat"),
         ("How many of them were there?", "3")],
        [("How deep is Lake Titicaca?", "281 m"), ("And how deep is Lake Baikal?", "1637 m"),
         ("Is Lake Tanganyika deeper than that?", "no"),
         ("Which of the three has the largest area?", "Lake Tanganyika"),
         ("No, I mean: which of them lies highest above sea level?", "Lake Titicaca")],
        [("What currency is used in Japan?", "Japanese yen"), ("And in South Korea?", "South Korean won"),
         ("Where was Yoko Ono born?", "Tokyo"),
         ("Back to the two countries: what is the capital of the smaller one?", "Seoul")],
    ],
)  # fmt: skip
def test_talks(demo: Opened, talk: list[tuple[str, str]]) -> None:
    chat = demo.chat()
    for line, said in talk:
        answer = chat.ask(line).answer
        assert answer is not None and answer.text == said, (line, answer)


def test_what_nobody_knows_is_not_something_older(demo: Opened) -> None:
    """After a question about "the other one" of which there is none, "it" is not what was spoken of before."""
    chat = demo.chat()
    chat.ask("How high is Mount Everest?")
    assert not chat.ask("On which continent is the other one?").answer
    assert not chat.ask("Which mountain range is it part of?").answer


def test_when_is_not_asked_of_one_of_several(demo: Opened) -> None:
    chat = demo.chat()
    assert len(chat.ask("Which countries founded ASEAN?").ends) > 2
    assert not chat.ask("When?").answer


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("Who was their sister Ann Lee's husband?", "Who was Ann Lee's husband?"),
        ("no, I mean: which of them is older?", "which of them is older"),
    ],
)
def test_heard(line: str, text: str) -> None:
    assert heard(line).text == text


def test_years_on() -> None:
    assert in_that_year("Who won it three years earlier?", ["1921"]) == "Who won it in 1918?"
    assert counts_years("Who won it the next year?") and not counts_years("and a year later?")
    assert what_differs("How many metres higher is K2?") == "K2"


def test_that_man_is_whom_nobody_knows(demo: Opened) -> None:
    chat = demo.chat()
    chat.ask("When did Nelson Mandela win the Nobel Peace Prize?")
    assert not chat.ask("who sold him his first pair of shoes?").answer
    assert not chat.ask("where was that man born").answer
