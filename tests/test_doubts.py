"""What a query leaves out of a question, whoever wrote it; and what is mended of that: exceptions, years, surnames."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import kgask
from kgask.answer.pipeline import Pipeline
from kgask.answer.request import AskOptions
from kgask.build.recipe import Recipe, build
from kgask.link.shared_words import with_shared_words
from kgask.link.spans import segmentations
from kgask.methods.accounted import RelationWords
from kgask.methods.doubts import LEFT_OUT, LOST, left_out_of, operators_of
from kgask.query.text import parse, to_text
from kgask.retrieve.run import run
from kgask.types import Question

PRIZE = "follow(<nobel-prize-physics>, ^<P166>)"


@pytest.fixture(scope="module")
def demo() -> Iterator[Pipeline]:
    with kgask.open(reader=None) as pipeline:
        yield pipeline


@pytest.mark.parametrize(
    ("text", "query", "left"),
    [
        ("Which rivers in Africa are longer than 2000 km?",
         "where(and(class(<class-river>), follow(<Q15>, ^<P30>)), value(<P2043>) > 2000[km])", (0, 0, 0)),
        ("Which rivers in Africa are longer than 2000 km?", "and(class(<class-river>), follow(<Q15>, ^<P30>))",
         (0, -1, -1)),
        ("Is Nairobi the capital of Kenya?", "follow(<Q114>, <P36>)", (-1, 0, -1)),
        ("Which country in Africa is the second largest?",
         "best(and(class(<class-country>), follow(<Q15>, ^<P30>)), value(<P2046>), most 1)", (0, -1, 0)),
        ("Which country in Africa is the second largest?",
         "best(and(class(<class-country>), follow(<Q15>, ^<P30>)), value(<P2046>), most 2)", (0, 0, 0)),
        ("Which countries besides France border Spain?", "follow(<Q29>, <P47>)", (-1, 0, -1)),
        ("south american opec members", "follow(<organization-744979756379>, ^<P463>)", (-1, 0, 0)),
        ("Which countries besides France border Spain?", "minus(follow(<Q29>, <P47>), <Q142>)", (0, 0, 0)),
        ("What are the capital and the currency of Peru?", "follow(<Q419>, <P38>)", (0, 0, -1)),
    ],
)  # fmt: skip
def test_what_a_query_leaves_out_is_seen_from_the_query(
    demo: Pipeline, text: str, query: str, left: tuple[int, ...]
) -> None:
    pack, linker, question = demo.pack, demo.linker, Question(text)
    spans = segmentations(text, linker.words(question), linker.link(question), pack)[0]
    asked = parse(query, pack)
    answers = run(asked, pack).certain
    found = left_out_of(asked, answers, "set" if len(answers) else "nothing", text, spans, RelationWords(pack))
    assert tuple(found[name] for name in LEFT_OUT) == left


def test_operators_are_called_as_the_grammar_calls_them(demo: Pipeline) -> None:
    query = parse("compare(count(or(<Q15>, <Q46>)) >= 2)", demo.pack)
    assert operators_of(query) == {"COUNT", "OR", "GE"}


def _asked(demo: Pipeline, text: str) -> str:
    query = demo.understand(Question(text), AskOptions()).hypotheses[0].make_query()
    assert query is not None
    return to_text(query, demo.pack)


def test_who_is_excepted_by_name_is_left_out(demo: Pipeline) -> None:
    text = "Who won the Nobel Prize in Physics in 1903, other than Marie Curie?"
    answer = demo.ask(text, min_confidence=0.0)
    assert (answer.query_text or "").endswith("<nobel-6|Marie Curie>)")
    assert sorted(one.label for one in answer.entities) == ["Henri Becquerel", "Pierre Curie"]


def test_between_dates_lie_years_or_days_as_is_asked(demo: Pipeline) -> None:
    years = _asked(demo, "How many years lie between the deaths of Pierre Curie and Marie Curie?")
    days = _asked(demo, "How many days lie between the deaths of Pierre Curie and Marie Curie?")
    assert years.startswith("age(") and days.startswith("difference(")


@pytest.mark.parametrize("text", ["Were Marie and Pierre Curie married?", "are janet and michael jackson siblings?"])
def test_of_two_first_names_with_one_surname_both_are_found(demo: Pipeline, text: str) -> None:
    linked = demo.linker.link(Question(with_shared_words(text, demo.pack)))
    surname = text.split()[4].rstrip("?").capitalize() if "Curie" not in text else "Curie"
    found = {demo.pack.labels([one.seeds[0].entity])[0] for one in linked}
    assert len({name for name in found if name.endswith(surname) and " " in name}) == 2


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Who wrote Emma 2?", "nothing in this pack is called '2'"),
        ("Which Klingon novels did Jane Austen write?", "klingon"),
    ],
)
def test_what_is_nobodys_name_is_refused(demo: Pipeline, text: str, reason: str) -> None:
    answer = demo.ask(text, min_confidence=0.0)
    assert answer.abstained and reason in (answer.reason or "").lower()


@pytest.mark.parametrize(
    "text", ["How deep is the Baltic Sea on average?", "What is the average depth of the Baltic Sea?"]
)
def test_a_mean_of_one_value_is_none(demo: Pipeline, text: str) -> None:
    assert demo.ask(text).abstained


@pytest.mark.parametrize(
    "text", ["Who wrote Emma?", "Which novels did Jane Austen write?", "Is Nairobi in Kenya in 2020?"]
)
def test_names_and_years_that_are_known_are_no_strangers(demo: Pipeline, text: str) -> None:
    reason = demo.ask(text, min_confidence=0.0).reason
    assert reason is None or "nothing in this pack is called" not in reason


def test_an_order_is_not_what_the_graph_says_nothing_about(demo: Pipeline) -> None:
    reason = demo.ask("Who is the oldest painter with a wooden leg?").reason or ""
    assert "oldest" not in reason


def test_a_yes_that_leaves_out_a_name_is_none(demo: Pipeline) -> None:
    assert demo.ask("Is Peru an Asian country?").text != "yes"
    assert demo.ask("Is Norway a European country?").text == "yes"


def test_an_age_below_nothing_tells_nothing(demo: Pipeline) -> None:
    for older, younger, idle in (("nobel-6", "nobel-5", True), ("nobel-5", "nobel-6", False)):
        query = f"age(values(<{older}>, <P569>), values(<{younger}>, <P569>))"
        assert run(parse(query, demo.pack), demo.pack).is_idle is idle


def test_a_year_in_the_name_of_a_column_is_said_by_it(tmp_path: Path) -> None:
    table, text = tmp_path / "hives.csv", "Which hive gave the most honey in {}?"
    table.write_text(
        "hive,honey_2023_kg,honey_2024_kg,set up\nBramble,12,9,2019\nClover,20,21.5,2020\nThistle,16,31,2021\n"
    )
    build(Recipe(sources=(str(table),), target=tmp_path / "hives", recognise=True), tell=lambda line: None)
    with kgask.open(str(tmp_path / "hives"), reader=None) as pipeline:
        assert [pipeline.ask(text.format(year)).text for year in (2023, 2024, 2022)] == ["Clover", "Thistle", None]


@pytest.mark.parametrize(
    ("text", "query", "lost"),
    [
        ("common neighbours of France and Germany", "and(follow(<Q142>, <P47>), follow(<Q183>, <P47>))", 0),
        ("EU members that don't use it", "follow(<Q458>, ^<P463>)", 0),
        ("neighbours of France and Germany", "follow(<Q142>, <P47>)", -1),
        ("neighbours of france and germany", "follow(<Q142>, <P47>)", -1),
        ("African neighbours of Kenya", "follow(<Q114>, <P47>)", -1),
    ],
)
def test_a_word_in_small_letters_beside_names_is_not_surely_one(
    demo: Pipeline, text: str, query: str, lost: int
) -> None:
    pack, linker, question = demo.pack, demo.linker, Question(text)
    spans = segmentations(text, linker.words(question), linker.link(question), pack)[0]
    asked = parse(query, pack)
    left = left_out_of(asked, run(asked, pack).certain, "set", text, spans, RelationWords(pack))
    assert left[LOST] == lost
