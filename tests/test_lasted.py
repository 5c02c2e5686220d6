"""How long something lasted, or how old somebody became, by which a question chooses."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import kgask
from kgask.build.recipe import Recipe, build
from kgask.errors import QueryError
from kgask.methods.lasted import chooses_by_span, is_asked_for, says_how_long
from kgask.opened import Opened
from kgask.query import nodes
from kgask.query.text import parse, to_text
from kgask.query.words import verbalise
from kgask.retrieve.compare import spans
from kgask.retrieve.run import run

RULERS = """ruler,house,born,died,reign start,reign end,tax in,tax out
Ada,Corvane,1201,1270-05-04,1230,1262,900,500
Bero,Corvane,1231,1290,1262,1288,300,700
Cyna,Tessel,1250-02-01,1301-03-01,1288,1301,800,750
Dorn,Tessel,1260,1299,1301,,100,90
"""


@pytest.fixture(scope="module")
def rulers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    folder = tmp_path_factory.mktemp("rulers")
    (folder / "rulers.csv").write_text(RULERS, encoding="utf-8")
    build(Recipe((str(folder / "rulers.csv"),), folder / "pack", recognise=True), tell=lambda line: None)
    with kgask.open(str(folder / "pack"), reader=None) as opened:
        yield opened


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("best(class(<ruler>), span(<reign start>, <reign end>), most 1)", {"Ada"}),
        ("best(class(<ruler>), span(<reign start>, <reign end>), least 1)", {"Cyna"}),
        ("best(class(<ruler>), span(<reign start>, <reign end>), most 2)", {"Bero"}),
        ("where(class(<ruler>), span(<reign start>, <reign end>) >= 26[year])", {"Ada", "Bero"}),
        ("where(class(<ruler>), span(<born>, <died>) > 60[year])", {"Ada"}),  # of Bero it is 59
        ("best(class(<ruler>), span(<tax out>, <tax in>), most 1)", {"Ada"}),
        ("where(class(<ruler>), span(<tax out>, <tax in>) < 0)", {"Bero"}),
    ],
)
def test_queries(rulers: Opened, query: str, said: set[str]) -> None:
    meant = parse(query, rulers.pack)
    assert parse(to_text(meant, rulers.pack), rulers.pack) == meant
    assert set(rulers.pack.labels(run(meant, rulers.pack).certain.tolist())) == said


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("best(class(<ruler>), span(<born>, <died>), most 1)", "the one with the longest time from born to died"),
        ("where(class(<ruler>), span(<tax out>, <tax in>) < 0)", "whose 'tax in' less 'tax out' is less than 0"),
    ],
)
def test_words(rulers: Opened, query: str, words: str) -> None:
    assert verbalise(parse(query, rulers.pack), rulers.pack).endswith(words)


def test_nothing_lies_between_what_is_unlike(rulers: Opened) -> None:
    with pytest.raises(QueryError):
        parse("where(class(<ruler>), span(<born>, <died>) in <Corvane>)", rulers.pack)
    unlike = parse("best(class(<ruler>), span(<born>, <tax in>), most 1)", rulers.pack)
    assert not len(run(unlike, rulers.pack).possible)


def test_years_are_counted_where_no_more_is_known() -> None:
    january, december = np.array([0.0]), np.array([364.0])  # 1970
    low, high = spans((january, december), (january + 365 * 20 + 5, december + 365 * 20 + 5), "date")
    assert low == high == 20 * 365.25 * 86400
    day = np.array([100.0])
    low, high = spans((january, december), (day, day), "date")
    assert low < 0 < high


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Which ruler had the longest reign?", {"Ada"}),
        ("who reigned the shortest?", {"Cyna"}),
        ("Did Ada or Bero have the longer reign?", {"Ada"}),
        ("Which rulers reigned for more than 20 years?", {"Ada", "Bero"}),
        ("Which ruler lived the longest?", {"Ada"}),
    ],
)
def test_questions(rulers: Opened, text: str, said: set[str]) -> None:
    answer = rulers.ask(text)
    assert {one.label for one in answer.entities} == said
    assert answer.query is not None and chooses_by_span(answer.query)


def test_the_derivation_tells_how_long(rulers: Opened) -> None:
    told = rulers.ask("Which ruler had the longest reign?").to_dict()
    assert told["derivation"]["values"][0]["value"] == "32 years"
    assert {one["relation"] for one in told["support"]} >= {"reign start", "reign end"}
    assert "ROUND" in told["sparql"]


@pytest.mark.parametrize(
    "text", ["Who is the oldest?", "Which river is the longest?", "How long is the Nile?", "over 20 km"]
)
def test_other_questions_choose_otherwise(text: str) -> None:
    assert not says_how_long(text)


def test_what_a_query_does_not_say_is_not_passed_over(rulers: Opened) -> None:
    query = parse("best(class(<ruler>), span(<reign start>, <reign end>), most 1)", rulers.pack)
    words = verbalise(query, rulers.pack)
    assert is_asked_for(query, "Which ruler had the longest reign?", words)
    assert not is_asked_for(query, "Which bearded ruler had the longest reign?", words)
    assert isinstance(query, nodes.Best)
