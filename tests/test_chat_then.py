"""What a turn says of the last one by a word: "then", "they" of a country, "larger", "that man", the year alone."""

from __future__ import annotations

import pytest

import kgask


@pytest.mark.parametrize(
    "talk",
    [
        [("Where did Albert Einstein die?", "Princeton"), ("How old was he then?", "76")],
        [("Who won the physics Nobel prize in 2020?", "Andrea Ghez | Reinhard Genzel | Roger Penrose"),
         ("Who won the chemistry prize then?", "Emmanuelle Charpentier | Jennifer A. Doudna")],
        [("What is the largest lake in Africa?", "Lake Victoria"), ("How deep is it?", "85 m"),
         ("Is Lake Tanganyika deeper?", "yes")],
        [("Which countries border Switzerland?", "Austria | France | Germany | Italy | Liechtenstein"),
         ("And the smallest?", "Liechtenstein"), ("What is its capital?", "Vaduz"),
         ("How many people live in that country?", "36149"), ("What language do they speak officially?", "German")],
        [("Which Nobel Prize did Albert Einstein get?", "Nobel Prize in Physics"), ("In what year?", "1921")],
        [("how high is mont blanc", "4808 m"), ("and the matterhorn?", "4478 m"),
         ("How much is the difference?", "330")],
        [("What is the highest mountain in Peru?", "Huascarán"),
         ("And what's the highest one in Nepal?", "Mount Everest")],
        [("Who won the Nobel Prize in Physics in 2018?", "Arthur Ashkin | Donna Strickland | Gérard Mourou"),
         ("And the literature prize the same year, who got that?", "Olga Tokarczuk")],
        [("Is Casablanca the capital of Morocco?", "no"), ("What is, then?", "Rabat")],
    ],
    ids=["died", "year", "deeper", "they", "when", "so many words", "one in Nepal", "same year", "what then"],
)  # fmt: skip
def test_a_word_for_what_was_spoken_of_last(talk: list[tuple[str, str]]) -> None:
    with kgask.open("demo", reader=None) as opened:
        chat = opened.chat()
        for line, expected in talk:
            answer = chat.ask(line).answer
            assert answer is not None and answer.text is not None, line
            assert " | ".join(sorted(answer.text.split(" | "))) == expected, line


def test_a_nobel_year_is_plainly_asked() -> None:
    with kgask.open("demo", reader=None) as opened:
        assert opened.ask("In which year did Albert Einstein receive the Nobel Prize?").text == "1921"
        assert not opened.ask("When did Rudyard Kipling win the Booker Prize?")
