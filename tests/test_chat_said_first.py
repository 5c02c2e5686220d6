"""What a turn names or tells before its question, which list it means, and what nobody knows after a refusal."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import kgask
from kgask.build.recipe import Recipe, build
from kgask.opened import Opened

REFUSED = ""


@pytest.fixture(scope="module")
def demo() -> Iterator[Opened]:
    with kgask.open("demo", reader=None) as opened:
        yield opened


@pytest.mark.parametrize(
    "talk",
    [
        [("I've just finished Wuthering Heights and adored it. Who wrote it again?", "Emily Brontë"),
         ("And what did the poor woman die of?", "tuberculosis")],
        [("How big is Lake Garda?", "370 km²"),
         ("And Lake Maggiore, in what countries it lies?", "Italy | Switzerland")],
        [("Where was John Lennon born?", "Liverpool"), ("kids?", "Julian Lennon | Sean Lennon"), ("wife", "Yoko Ono"),
         ("How many children are listed?", "2")],
        [("when did henry viii die", "1547"),
         ("who were his children", "Edward VI of England | Elizabeth I of England | "
          "Henry FitzRoy, 1st Duke of Richmond and Somerset | Mary I of England"), ("when was elizabeth born", "1533")],
        [("Who wrote The Portrait of a Lady?", "Henry James"), ("no, the film - who directed it?", "Jane Campion")],
        [("Films directed by Tarantino?", 
          "Inglourious Basterds | Jackie Brown | Kill Bill Volume 1 | Pulp Fiction | Sin City"),
         ("the ones with Uma Thurman", "Kill Bill Volume 1 | Pulp Fiction"),
         ("with Samuel L. Jackson?", "Inglourious Basterds | Jackie Brown | Pulp Fiction")],
        [("Where was Einstein born?", "Ulm"), ("And Niels Bohr?", "Copenhagen"),
         ("which one lived longer", "Niels Bohr")],
        [("deepest lake in the world?", "Lake Baikal"), ("Second deepest?", "Lake Tanganyika"),
         ("and which of the two covers the larger area", "Lake Tanganyika")],
        [("what countries are next to switzerland", "Austria | France | Germany | Italy | Liechtenstein"),
         ("which of them have german as an official language", "Austria | Germany | Liechtenstein"),
         ("which is the smallest of all the neighbours", "Liechtenstein"),
         ("and which has the most people", "Germany")],
        [("how many people live in Sweden?", "9555893"), ("Norway?", "5051275"), ("Together?", "14607168")],
        [("how deep is Lake Victoria", "85 m"), ("so Lake Tanganyika is deeper?", "yes")],
        [("does gold melt at a higher temperature than silver", "yes"), ("and than copper?", "no")],
        [("Who founded Google?", "Larry Page | Sergey Brin"), ("where did it start", "Menlo Park"),
         ("does it own YouTube?", "yes")],
    ],
    ids=["told before", "fronted", "kin", "of those told", "the film", "instead", "lived longer", "second", "of all",
         "together", "so it is", "than", "no of another"],
)  # fmt: skip
def test_turns_mean_what_was_said(demo: Opened, talk: list[tuple[str, str]]) -> None:
    chat = demo.chat()
    for line, expected in talk:
        answer = chat.ask(line).answer
        assert answer is not None and " | ".join(sorted((answer.text or REFUSED).split(" | "))) == expected, line


@pytest.mark.parametrize(
    "talk",
    ["What prize did Emma win?|in which year?", "Which airport will I land at?|code for that?"],
    ids=["the year of nothing", "a kind is no thing"],
)
def test_what_was_refused_is_not_gone_on_from(demo: Opened, talk: str) -> None:
    chat = demo.chat()
    assert [bool(chat.ask(line).answer) for line in talk.split("|")] == [False, False]


CLUB = """\
subject,predicate,object
Trench 1,opened on,2018-06-11
Trench 2,opened on,2018-06-18
Trench 3,opened on,2019-07-01
Trench LF-A,opened on,2020-08-03
SF-1,type,coin
SF-2,type,coin
SF-3,type,bead
SF-1,made of,silver
SF-2,made of,gold
SF-3,made of,silver
Ann Lee,type,person
Ann Lee,hasFather,Bob Lee
Cy Lee,hasFather,Bob Lee
Ann Lee,lives in,York
Cy Lee,lives in,Leeds
Bob Lee,lives in,Hull
"""


def test_a_graph_of_ones_own_is_talked_about(tmp_path: Path) -> None:
    (tmp_path / "club.csv").write_text(CLUB, encoding="utf-8")
    build(Recipe((str(tmp_path / "club.csv"),), tmp_path / "pack", recognise=True), tell=lambda line: None)
    with kgask.open(str(tmp_path / "pack"), reader=None) as club:
        assert set((club.ask("which trenches were opened after 2018?").text or "").split(" | ")) == {
            "Trench 3",
            "Trench LF-A",
        }
        chat = club.chat()
        said = [chat.ask(line).answer for line in ("list the coins", "which of those are silver?", "how many is that?")]
        assert [answer.text for answer in said if answer] == ["SF-1 | SF-2", "SF-1", "1"]
        chat.reset()
        talk = ("when did we start Trench 3?", "And trench 1?")
        assert [turn.text for line in talk if (turn := chat.ask(line).answer)] == ["2019-07-01", "2018-06-11"]
        chat.reset()
        chat.ask("Ann Lee's brother or sister, who is that?")
        answer = chat.ask("and where does that one live?").answer
        assert answer is not None and answer.text in ("Leeds", None)


LIGHTS = """\
name,built of,partner
Velle Head,brick,Velle Low
Velle Low,cast iron,Velle Head
Quern Skerry,granite,Tarn Ness
Tarn Ness,steel,Quern Skerry
"""
GAMES = """\
subject,predicate,object
Nine Ferrymen,designedBy,Priya Vant
Moth & Candle,designedBy,Priya Vant
Nine Ferrymen,playersAtMost,4
Moth & Candle,playersAtMost,5
Priya Vant,livesIn,Leeds
Ines Marrow,livesIn,Porto
Leeds,inCountry,United Kingdom
Porto,inCountry,Portugal
"""


def test_that_one_is_a_light_and_she_is_neither_a_town_nor_a_game(tmp_path: Path) -> None:
    for name, rows in (("lights", LIGHTS), ("games", GAMES)):
        (tmp_path / f"{name}.csv").write_text(rows, encoding="utf-8")
        build(Recipe((str(tmp_path / f"{name}.csv"),), tmp_path / name, recognise=True), tell=lambda line: None)
    with kgask.open(str(tmp_path / "lights"), reader=None) as lights:
        chat = lights.chat()
        talk = ("What is Velle Head built of?", "which light is its partner", "what's that one built of?")
        assert [turn.text for line in talk if (turn := chat.ask(line).answer)] == ["brick", "Velle Low", "cast iron"]
    with kgask.open(str(tmp_path / "games"), reader=None) as games:
        chat = games.chat()
        for line in ("who designed Nine Ferrymen?", "where does she live", "which country's that in?"):
            chat.ask(line)
        assert "Leeds" not in chat.ask("which other games did she design?").shown
        assert "Priya Vant" in chat.turns[-1].shown
