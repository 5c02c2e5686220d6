"""Times of day: in a table, in a query, in questions; and that minutes and seconds of what takes some time are none."""

from __future__ import annotations

import pytest

import kgask
from kgask.build.recipe import Recipe, build
from kgask.build.said_times import iso_time
from kgask.link.values import value_spans
from kgask.opened import Opened
from kgask.pack.literals import literal_label, parse_literal
from kgask.pack.quantities import CLOCK
from kgask.query.text import parse
from kgask.query.words import verbalise
from kgask.retrieve.run import run
from kgask.retrieve.shown import quantity_text

FERRIES = """ferry,departs,arrives,deck,length
Aurora,07:42,09:10,2,03:10
Borealis,11:05,12:00,4,02:30
Corona,17:30,19:05,3,05:45
Dorado,21:15,23:59,1,04:00
"""


@pytest.fixture(scope="module")
def ferries(tmp_path_factory: pytest.TempPathFactory) -> Opened:
    folder = tmp_path_factory.mktemp("ferries")
    (folder / "ferries.csv").write_text(FERRIES, encoding="utf-8")
    told: list[str] = []
    build(Recipe((str(folder / "ferries.csv"),), folder / "pack", recognise=True), told.append)
    assert any("departs (times of day), arrives (times of day)" in line for line in told), told
    return kgask.open(str(folder / "pack"), reader=None)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("7:42", "T07:42"),
        ("07:42:00", "T07:42"),
        ("7 pm", "T19:00"),
        ("12:05 a.m.", "T00:05"),
        ("24:10", None),
        ("7", None),
    ],
)
def test_times_are_read_as_they_are_written(written: str, read: str | None) -> None:
    assert iso_time(written) == read


def test_a_time_of_day_is_shown_without_its_letter() -> None:
    literal = parse_literal("date", "T07:42:00")
    assert (literal.text, literal_label(literal)) == ("T07:42", "07:42")


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("best(class(<ferry>), value(<departs>), least 1)", "Aurora"),
        ("where(class(<ferry>), value(<departs>) > date(T17:00))", "Corona | Dorado"),
        ("where(class(<ferry>), value(<departs>) in range(date(T11:05), date(T17:30)))", "Borealis | Corona"),
    ],
)
def test_queries_compare_times_of_day(ferries: Opened, query: str, found: str) -> None:
    result = run(parse(query, ferries.pack), ferries.pack)
    assert " | ".join(ferries.pack.labels(result.certain.tolist())) == found


def test_a_time_less_another_is_told_in_minutes(ferries: Opened) -> None:
    query = parse("difference(values(<Corona>, <arrives>), values(<Corona>, <departs>))", ferries.pack)
    found = run(query, ferries.pack).quantity
    assert found is not None and found.low == 95 * 60
    latest = run(parse("max(values(class(<ferry>), <departs>))", ferries.pack), ferries.pack).quantity
    assert latest is not None and quantity_text(latest) == "21:15"


def test_a_query_says_at_what_time(ferries: Opened) -> None:
    query = parse("where(class(<ferry>), value(<departs>) = date(T07:42))", ferries.pack)
    assert verbalise(query, ferries.pack) == "ferries whose departs is at 07:42"


def test_minutes_and_seconds_of_a_length_are_no_time_of_day(ferries: Opened) -> None:
    assert run(parse("follow(<Aurora>, <length>)", ferries.pack), ferries.pack).values is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("before 9", "T09:00"),
        ("after 4 in room B", "T16:00"),
        ("at half past ten", "T10:30"),
        ("by quarter to six in the evening", "T17:45"),
        ("until noon", "T12:00"),
        ("after 8 p.m.", "T20:00"),
    ],
)
def test_times_are_understood_as_they_are_said(text: str, said: str) -> None:
    (span,) = value_spans(text, [CLOCK])
    assert getattr(span.options[0], "text", None) == said


def test_without_times_of_day_in_a_graph_none_is_understood() -> None:
    (span,) = value_spans("before 9", ["date"])
    assert span.kind == "number"


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("When does the Corona leave?", "17:30"),
        ("What is the first ferry to leave?", "Aurora"),
        ("Which ferries depart after 5 pm?", "Corona | Dorado"),
        ("which ferries arrive before noon", "Aurora"),
    ],
)
def test_questions_about_times_are_answered(ferries: Opened, question: str, answer: str) -> None:
    found = ferries.ask(question)
    assert found.text == answer, found.reason
