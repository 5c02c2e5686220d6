"""Persons and things of some sort: by what they do, where they are from, and what goes both ways said once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import kgask
from kgask.link.nations import asked_of_nation
from kgask.link.values import value_spans
from kgask.opened import Opened
from kgask.query.nodes import Date, Range
from kgask.query.text import parse
from kgask.retrieve.run import run


@pytest.fixture(scope="module")
def demo() -> Iterator[Opened]:
    with kgask.open("demo", reader=None, settings={}) as pipeline:
        yield pipeline


def _set_of(pipeline: Opened, query: str) -> set[str]:
    result = run(parse(query, pipeline.pack), pipeline.pack)
    assert result.members is not None
    return set(pipeline.pack.labels(result.members.certain.tolist()))


NOVELISTS, PRIZE = "follow(<Q6625963>, ^<P106>)", "follow(<nobel-literature>, ^<P166>)"
PHYSICISTS, OF_USA = "follow(<Q169470>, ^<P106>)", "follow(<Q30>, ^<P27>)"


@pytest.mark.parametrize(
    ("question", "query"),
    [
        ("Which novelists won the Nobel Prize in Literature?", f"and({NOVELISTS}, {PRIZE})"),
        (
            "Which French novelists won the Nobel Prize in Literature?",
            f"and({NOVELISTS}, and(follow(<Q142>, ^<P27>), {PRIZE}))",
        ),
        (
            "Which American physicists won the Nobel Prize in Physics?",
            f"and({PHYSICISTS}, and({OF_USA}, follow(<nobel-physics>, ^<P166>)))",
        ),
        ("countries neighbouring Chad", "follow(<Q657>, <P47>)"),
        ("finland neighbouring countries", "follow(<Q33>, <P47>)"),
        ("List the lakes that are deeper than 600 m.", "where(class(<class-lake>), value(<P4511>) > 600[m])"),
    ],
)
def test_they_are_found(demo: Opened, question: str, query: str) -> None:
    answer = demo.ask(question)
    assert {one.label for one in answer.entities} == _set_of(demo, query)


@pytest.mark.parametrize(
    "question",
    [
        "Which physicists won the Nobel Prize in Literature?",
        "Which footballers were born in Ulm?",
        "Who are the astronauts born in Ohio?",
        "How many footballers were born in Ulm?",
    ],
)
def test_of_whom_it_says_no_such_thing_nobody_is_told(demo: Opened, question: str) -> None:
    assert not demo.ask(question)


def test_what_is_of_other_kinds_is_not_counted_as_none(demo: Opened) -> None:
    """A demonym is said of countries, a prize of persons: nothing is of both, and no answer."""
    assert demo.ask("How many American physicists won the Nobel Prize in Physics?").text != "0"


def test_years_are_reckoned_by_years_where_no_more_is_known(demo: Opened) -> None:
    assert demo.ask("How many years lie between the births of Jane Austen and Charles Dickens?").text == "37"


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Is Angela Merkel German?", "yes"),
        ("Was Victor Hugo a French novelist?", "yes"),
        ("Is Shakira Colombian?", "yes"),
        ("Is Emma written in English?", "yes"),
    ],
)
def test_who_is_called_after_a_country_is_from_there(demo: Opened, question: str, answer: str) -> None:
    assert demo.ask(question).text == answer


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("Victor Hugo was French.", "supported"),
        ("Angela Merkel is not German.", "refuted"),
        ("Mozart was a German composer.", "not enough information"),  # that he spoke German does not say so
    ],
)
def test_claims_of_where_somebody_is_from(demo: Opened, claim: str, verdict: str) -> None:
    assert demo.verify(claim).verdict == verdict


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("Was Victor Hugo a French novelist?", ("Was Victor Hugo from France?", "Was Victor Hugo a novelist?")),
        ("Is Bob Dylan American?", ("Is Bob Dylan from United States of America?",)),
        ("Is Bob Dylan tall?", ()),
        ("Which actors are German?", ()),
    ],
)
def test_what_is_asked_of_a_nation(demo: Opened, text: str, asked: tuple[str, ...]) -> None:
    assert asked_of_nation(text, demo.pack) == asked


def test_a_day_before_a_whole_date_is_of_its_month(demo: Opened) -> None:
    (span,) = value_spans("Who was born between 12 and 16 March 1879?")
    assert span.options == (Range(Date("1879-03-12"), Date("1879-03-16")),)
    assert demo.ask("Who was born between 12 and 16 March 1879?").text == "Albert Einstein"
