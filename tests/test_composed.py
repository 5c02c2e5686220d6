"""What planner and judge are not sure of, put together from questions that they are sure of."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import kgask
from kgask.answer.composed import composed
from kgask.answer.numbers import of_two_counts
from kgask.answer.result import Answer
from kgask.build.recipe import Recipe, build
from kgask.link.shared_words import with_shared_words
from kgask.methods.protocol import Request
from kgask.opened import Opened
from kgask.types import Question

RACES = "subject,relation,object\n" + "".join(
    f"{year} {place} Grand Prix,{relation},{end}\n"
    for year, place, winner in [
        (1988, "Monaco", "Alain Prost"), (1989, "Monaco", "Ayrton Senna"), (1990, "Monaco", "Ayrton Senna"),
        (1988, "Italian", "Gerhard Berger"), (1989, "Italian", "Alain Prost"), (1990, "Italian", "Ayrton Senna"),
        (1991, "Italian", "Nigel Mansell"), (1988, "French", "Alain Prost"), (1989, "French", "Alain Prost"),
    ]
    for relation, end in (("winner", winner), ("instance of", "race"), ("held in", place), ("laps", year - 1930))
)  # fmt: skip


@pytest.fixture(scope="module")
def races(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    folder = tmp_path_factory.mktemp("races")
    (folder / "races.csv").write_text(RACES, encoding="utf-8")
    build(Recipe((str(folder / "races.csv"),), folder / "pack", recognise=True), tell=lambda line: None)
    with kgask.open(str(folder / "pack"), reader=None) as opened:
        yield opened


@pytest.fixture(scope="module")
def demo() -> Iterator[Opened]:
    with kgask.open("demo", reader=None) as opened:
        yield opened


def _refused(opened: Opened, text: str) -> tuple[Request, Answer]:
    """A request, and a refusal of it, whatever would be answered."""
    return Request(Question(text, asked=text)), opened.ask(text).refusing("not sure")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Did Alain Prost win more races than Ayrton Senna?", "yes"),
        ("did ayrton senna win fewer races than gerhard berger?", "no"),
        ("Has Alain Prost won more races than Nigel Mansell?", "yes"),
        ("How many more races did Alain Prost win than Ayrton Senna?", "1"),
        ("How many fewer races did Nigel Mansell win than Alain Prost?", "3"),
        ("How many races did Alain Prost and Ayrton Senna win together?", "7"),
    ],
)
def test_two_counts(races: Opened, text: str, said: str) -> None:
    request, refusal = _refused(races, text)
    counted = of_two_counts(request, refusal, races.pack, races.ask)
    assert counted.text == said and counted.derivation and counted.sparql and races.ask(text).text == said


@pytest.mark.parametrize(
    "text",
    [
        "Did Alain Prost win more laps than Ayrton Senna?",  # nobody wins these
        "Did Alain Prost win more races than the Monaco Grand Prix?",
        "Who won more races?",
    ],
)
def test_what_is_not_counted_is_not_compared(races: Opened, text: str) -> None:
    request, refusal = _refused(races, text)
    assert not of_two_counts(request, refusal, races.pack, races.ask)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("how much higher is everest than k2", "237"),
        ("How much is K2 lower than Everest?", "237"),
        ("By how much deeper is Lake Baikal than Lake Tanganyika?", "167"),
        ("Is the Loire longer than the Danube?", "no"),
        ("is the seine shorter than the loire", "yes"),
        ("What is the total length of the Loire and the Seine?", "1789"),
        ("the mean depth of Lake Geneva and Loch Ness", "268"),
        ("Which countries border Italy but not Germany?", "Slovenia | Vatican City | San Marino"),
        ("Which countries border both Germany and Italy?", "Switzerland | Austria | France"),
        ("Do Finland and Estonia use the euro?", "yes"),
        ("Did Thomas Mann as well as Hermann Hesse get the literature Nobel?", "yes"),
        ("Which countries border Germany and also Italy?", "Switzerland | Austria | France"),
    ],
)
def test_two_values_or_lists(demo: Opened, text: str, said: str) -> None:
    request, refusal = _refused(demo, text)
    made = composed(request, refusal, demo.linker, demo.pack, demo.ask)
    assert {*(made.text or "").split(" | ")} == {*said.split(" | ")}
    assert made.query_text and made.sparql and made.confidence >= 0.79


@pytest.mark.parametrize(
    "text",
    [
        "How much higher is Everest than Mozart?",  # who is not high
        "Is Paris bigger than blue?",
        "Which countries border Italy but not the best ones?",
        "the total fun of Paris and London",
        "Do Peru and Spain share a language with each other?",
    ],
)
def test_what_is_no_two_questions_is_still_refused(demo: Opened, text: str) -> None:
    request, refusal = _refused(demo, text)
    assert not composed(request, refusal, demo.linker, demo.pack, demo.ask)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Do Chile and Brazil border each other?", "no"),  # both border Peru
        ("Do Peru and Brazil border each other?", "yes"),
        ("Do Poland and Italy share a border with each other?", "no"),
        ("Do Germany and the Netherlands border one another?", "yes"),
        ("Are the Netherlands and Italy next to each other?", "no"),
    ],
)
def test_each_other_is_no_third(demo: Opened, text: str, said: str) -> None:
    assert demo.ask(text).text == said
    request, refusal = _refused(demo, text)
    assert composed(request, refusal, demo.linker, demo.pack, demo.ask).text == said


def test_years_share_the_name_behind_them(races: Opened) -> None:
    said = with_shared_words("who won the 1988 and the 1990 Monaco Grand Prix?", races.pack)
    assert said == "who won the 1988 Monaco Grand Prix and the 1990 Monaco Grand Prix?"
    assert {*(races.ask("who won the 1988 and the 1990 Monaco Grand Prix?").text or "").split(" | ")} == {
        "Alain Prost",
        "Ayrton Senna",
    }


def test_the_year_is_told_where_it_is_asked_for(demo: Opened) -> None:
    year, day = demo.ask("In which year did Peru become independent?"), demo.ask("When did Peru become independent?")
    assert (year.text, day.text) == ("1821", "1821-07-28") and year.entities == day.entities


def test_that_year_is_the_one_before(demo: Opened) -> None:
    both = demo.ask("Who won the Nobel Prize in Literature in 1954 and who won the Nobel Peace Prize that year?")
    assert [part.text for part in both.parts][:1] == ["Ernest Hemingway"] and len(both.parts) == 2
