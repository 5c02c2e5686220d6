"""Questions that say no relation ("is Nigeria in Africa?"), and queries that leave out what no answer may leave out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import kgask
from kgask.answer.pipeline import Pipeline
from kgask.answer.request import AskOptions
from kgask.build.writer import PackBuilder
from kgask.link.spans import segmentations
from kgask.methods.accounted import RelationWords
from kgask.methods.doubts import LOST, left_out_of
from kgask.pack.store import Pack
from kgask.query.text import parse
from kgask.retrieve.run import run
from kgask.types import Question


@pytest.fixture(scope="module")
def demo() -> Iterator[Pipeline]:
    with kgask.open(reader=None) as pipeline:
        yield pipeline


# In somebody's graph an adjective is the name of an ethnic group, and of a continent.
GROUPS = """
Egypt|instance of|country
Peru|instance of|country
Gobi|instance of|desert
Africa|instance of|continent
South America|instance of|continent
Egypt|continent|Africa
Peru|continent|South America
Peru|ethnic group|African
Egypt|ethnic group|Nubian
Egypt|capital|Cairo
Gobi|located in|Mongolia
Mongolia|instance of|country
Mongolia|ethnic group|Kazakh
Cairo|country|Egypt
Kenya|continent|Africa
Ghana|continent|Africa
Chad|continent|Africa
Mali|continent|Africa
Niger|continent|Africa
Togo|continent|Africa
Peru|ethnic group|Quechua
Egypt|ethnic group|Beja
Kenya|ethnic group|Luo
Kenya|ethnic group|Kikuyu
Ghana|ethnic group|Akan
Cairo|instance of|city
"""


@pytest.fixture(scope="module")
def groups(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pipeline]:
    target: Path = tmp_path_factory.mktemp("otherwise") / "pack"
    builder = PackBuilder()
    for line in GROUPS.strip().splitlines():
        builder.add(*line.split("|"))
    builder.write(target, name="groups")
    with kgask.open(str(target), reader=None) as pipeline:
        yield pipeline


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Is Egypt an African country?", "yes"),
        ("Is Peru an African country?", "no"),  # though it is in a triple with what is called so
        ("Is there a desert in Mongolia?", "yes"),
    ],
)
def test_an_adjective_is_of_the_place_where_that_leads_to_one(groups: Pipeline, text: str, answer: str) -> None:
    assert groups.ask(text, min_confidence=0.0).text == answer


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Is Nigeria in Africa?", "yes"),  # its world region is another
        ("is egypt an african country", "yes"),
        ("Is Sydney the capital of Australia?", "no"),  # it is in Australia, but the question says which relation
        ("Does Kenya border Egypt?", "no"),
    ],
)
def test_a_question_that_says_no_relation_means_the_one_that_there_is(demo: Pipeline, text: str, answer: str) -> None:
    assert demo.ask(text).text == answer


@pytest.mark.parametrize(
    ("text", "query", "lost"),
    [
        ("which european country has the highest GDP", "best(class(<class-country>), value(<P2131>), most 1)", -1),
        ("which european country has the highest GDP",
         "best(and(class(<class-country>), follow(<Q46>, ^<P30>)), value(<P2131>), most 1)", 0),
        ("Which countries became independent in 1960?", "class(<class-country>)", -1),
        ("which of the elements aren't alkali metals", "class(<class-alkali-metal>)", -1),
        ("which of the elements aren't alkali metals",
         "minus(class(<class-chemical-element>), class(<class-alkali-metal>))", 0),
        ("who was the wife of the man who wrote Dracula", "follow(follow(<gutenberg-345>, <P50>), <P26>)", 0),
    ],
)  # fmt: skip
def test_adjectives_names_and_dates_are_lost_and_phrases_are_not(
    demo: Pipeline, text: str, query: str, lost: int
) -> None:
    pack, linker, question = demo.pack, demo.linker, Question(text)
    spans = segmentations(text, linker.words(question), linker.link(question), pack)[0]
    asked = parse(query, pack)
    found = left_out_of(asked, run(asked, pack).certain, "set", text, spans, RelationWords(pack))
    assert found[LOST] == lost


def test_what_leaves_an_adjective_out_is_never_answered_with(demo: Pipeline) -> None:
    answer = demo.ask("which european country has the highest unemployment rate", min_confidence=0.0)
    assert [one.label for one in answer.entities] != ["Zimbabwe"]


def test_a_path_that_the_question_does_not_name_is_read_twice(demo: Pipeline) -> None:
    unsaid, said = (
        demo.understand(Question(text), AskOptions())
        for text in ("What is Tom Hanks's home address?", "What is the capital of Kenya?")
    )
    assert unsaid.read_as is not None
    assert said.read_as is None


def test_who_are_called_by_a_relation_are_no_others(tmp_path: Path) -> None:
    builder = PackBuilder()
    for line in ("Moss|instance of|driver", "Hunt|instance of|driver", "1976|driver champion|Hunt",
                 "Aintree|winner|Moss", "Aintree|lap record|1:55"):  # fmt: skip
        builder.add(*line.split("|"))
    builder.write(tmp_path / "pack", name="races")
    with Pack.open(tmp_path / "pack") as pack:
        words, text = RelationWords(pack), "was Moss ever world champion, and what are the lap records?"
        labels = list(pack.relation_labels())
        by_winner, by_champion = (words.of([labels.index(one)]) for one in ("winner", "driver champion"))
        assert words.roles(text, (), by_winner) == ("champion",)  # a lap record is of no lap that is known
        assert words.roles(text, (), by_champion) == ()
        assert words.roles(text, [(20, 28)], by_winner) == ()  # it is in a name
        assert [labels[one] for one in words.said_by(text, ())] == ["driver champion", "lap record"]
        assert [labels[one] for one in words.said_by(text, [(20, 28)])] == ["lap record"]


def test_another_number_than_what_is_counted_needs_the_judges_word(demo: Pipeline) -> None:
    assert demo.ask("How many isotopes does tin have?").abstained  # its atomic number is none
    assert demo.ask("How many protons does tin have?").text == "50"
    assert demo.ask("how many people live in india").text == "1210854977"


def test_a_path_to_nothing_of_the_class_that_is_asked_for_is_no_answer(demo: Pipeline) -> None:
    """Bulgaria borders countries, and on what sea it lies the graph says otherwise."""
    for question in ("Which sea does Bulgaria border?", "Name a sea that Bulgaria touches"):
        assert demo.ask(question).abstained
    assert "Greece" in (demo.ask("Which countries does Bulgaria border?").text or "")
