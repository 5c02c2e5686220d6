"""A hypothesis that is a query with operators becomes an answer: words, value, derivation, and honest refusals."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from kgask.answer.compose import Composer
from kgask.answer.fuse import Fusion
from kgask.answer.result import Answer
from kgask.build.writer import PackBuilder
from kgask.cli.explain import sections, why
from kgask.cli.formats import formatted
from kgask.cli.render import answer_view
from kgask.methods.protocol import Hypothesis, Request, Retrieved, Timer
from kgask.pack.literals import parse_typed
from kgask.pack.store import Pack
from kgask.query.text import parse
from kgask.retrieve.frontier import Budget
from kgask.retrieve.run import Runner
from kgask.types import Evidence, Question

TRIPLES = """
Japan|capital|Tokyo
Kenya|capital|Nairobi
Japan|instance of|country
Kenya|instance of|country
Peru|instance of|country
Narnia|instance of|country
Tokyo|instance of|city
Osaka|born here|Ken
Kyoto|born here|Mia
Kyoto|born here|Ann
Japan|area|"377975"^^number[km²]
Kenya|area|"580367"^^number[km²]
Peru|area|"1285216"^^number[km²]
Peru|borders|Chile
Chile|borders|Peru
Peru|borders|Bolivia
Bolivia|borders|Peru
Chile|borders|Bolivia
Bolivia|borders|Chile
Ann|spouse|Bob
Bob|sibling|Mia
Lima|capital of|Peru
Ann|child|Zoe
Zoe|parent|Ann
"""
AWARDS = [("Ann", "1903", "Prize"), ("Ann", "1911", "Medal")]


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pack]:
    target: Path = tmp_path_factory.mktemp("derived") / "pack"
    builder = PackBuilder()
    for line in TRIPLES.strip().splitlines():
        subject, relation, obj = line.split("|")
        builder.add(subject, relation, parse_typed(obj) or obj)
    for person, year, award in AWARDS:
        date = parse_typed(f'"{year}"^^date')
        assert date is not None
        builder.add(person, "award", award, [("in", date)])
    builder.relation("child", inverse_label="parent")
    builder.write(target, name="derived")
    with Pack.open(target) as opened:
        yield opened


def asked(pack: Pack, text: str, confidence: float = 0.9) -> Answer:
    """The answer of the pipeline's stages to a question that was understood as this query."""
    query = parse(text, pack)
    outcome = Runner(pack, Budget()).result(query)
    members = outcome.certain.astype(np.int64)
    best = Hypothesis(confidence, members, frozenset(), lambda _: [], lambda: query, outcome)
    found = Retrieved((), (best,), confidence)
    assert found.is_derived
    verdict = Fusion(pack, True, None, 0.5).unread(found, Evidence((), (), False), Timer())
    return Composer(pack, Request(Question(text)), "rigel", {}, 0.5, found).compose(verdict)


ANSWERS = {
    "holds(<Japan>, <capital>, <Tokyo>)": "yes",
    "holds(<Japan>, <capital>, <Osaka>)": "no",  # Tokyo is
    "holds(<Osaka>, ^<capital>, <Japan>)": "no",  # the same, asked the other way round
    "not(holds(<Japan>, <capital>, <Osaka>))": "yes",
    "holds(<Peru>, <capital>, <Nairobi>)": "no",  # it is Kenya's, and a capital is of one country
    "holds(<Osaka>, <capital of>, <Peru>)": "no",  # Lima is; a capital has one country, a country one capital
    "some(and(<Tokyo>, class(<country>)))": "no",  # a city is
    "some(and(class(<country>), follow(<Bolivia>, <borders>)))": "yes",
    "some(minus(class(<city>), <Tokyo>))": "no",  # there is one city to look at
    "count(class(<country>))": "4",
    "count(where(class(<country>), value(<area>) > 600000[km²]))": "1 or 2",  # nobody knows how large Narnia is
    "difference(values(<Kenya>, <area>), values(<Japan>, <area>))": "202392",
    "compare(values(<Kenya>, <area>) > values(<Japan>, <area>))": "yes",
    "best(class(<country>), value(<area>), most 1 .. 2)": "Peru | Kenya",  # best first
    "best(class(<country>), value(<area>), least 1 .. 3)": "Japan | Kenya | Peru",
    "qualifier(follow(<Ann>, <award>), <in>)": "1903 | 1911",
    "qualifier(follow(<Ann>, <award>), <in>, <Medal>)": "1911",
}


@pytest.mark.parametrize("text", ANSWERS)
def test_answers(pack: Pack, text: str) -> None:
    answer = asked(pack, text)
    assert (answer.text, answer.abstained, answer.reason) == (ANSWERS[text], False, None)
    assert answer.query_text is not None and parse(answer.query_text, pack) == parse(text, pack)
    assert answer.sparql is not None and ("ASK" in answer.sparql) == (answer.kind == "truth")
    assert answer.truth is {"yes": True, "no": False}.get(ANSWERS[text])
    told = json.loads(formatted("json")(answer, None))
    assert told["answer"] == ANSWERS[text] and told["derivation"]["words"]


UNKNOWN = {
    "holds(<Peru>, <capital>, <Osaka>)": "the graph does not say whether Osaka is the capital of Peru",
    "not(holds(<Peru>, <capital>, <Osaka>))": "the graph does not say whether it is not so that Osaka is the",
    "holds(<Bob>, <spouse>, <Ann>)": "the graph does not say whether Ann is the spouse of Bob",  # it says so of Ann
    "some(follow(<Bob>, <child>))": "the graph does not say whether",
    "count(follow(<Bob>, <child>))": "the graph says nothing about",
    "some(and(<Osaka>, class(<country>)))": "the graph does not say whether",  # nor what Osaka is
    "values(<Narnia>, <area>)": "the graph knows nothing for the area of Narnia",
    "follow(<Bob>, <child>)": "the graph knows nothing for",
    "where(<Narnia>, value(<area>) > 1[km²])": "the graph does not decide",
}


@pytest.mark.parametrize("text", UNKNOWN)
def test_where_the_graph_is_silent_nothing_is_claimed(pack: Pack, text: str) -> None:
    answer = asked(pack, text)
    assert answer.abstained and answer.text is None and answer.kind is None
    assert answer.died_at == "retrieve" and answer.reason is not None
    assert answer.reason.startswith(UNKNOWN[text])


def facts(answer: Answer) -> list[tuple[str, str, str]]:
    return [(one.subject, one.relation, one.object) for one in answer.support]


def test_no_is_shown_with_what_is_so_instead(pack: Pack) -> None:
    for text in ("holds(<Japan>, <capital>, <Osaka>)", "holds(<Osaka>, ^<capital>, <Japan>)"):
        assert facts(asked(pack, text)) == [("Japan", "capital", "Tokyo")]
    assert facts(asked(pack, "holds(<Osaka>, <capital of>, <Peru>)")) == [("Lima", "capital of", "Peru")]


def test_both_directions_of_a_fact_are_one(pack: Pack) -> None:
    same = asked(pack, "and(follow(<Peru>, <borders>), follow(<Peru>, ^<borders>))")
    assert sorted(facts(same)) == [("Bolivia", "borders", "Peru"), ("Chile", "borders", "Peru")]
    assert facts(asked(pack, "and(follow(<Ann>, <child>), follow(<Ann>, ^<parent>))")) in (
        [("Ann", "child", "Zoe")],
        [("Zoe", "parent", "Ann")],
    )


def test_a_value_has_its_unit_beside_it(pack: Pack) -> None:
    answer = asked(pack, "difference(values(<Kenya>, <area>), values(<Japan>, <area>))")
    assert answer.value == {"kind": "number", "low": 202392.0, "high": 202392.0, "unit": "km²"}
    assert (answer.kind, answer.with_unit) == ("value", "202392 km²")
    assert formatted("plain")(answer, None) == "202392\n"
    dated = asked(pack, "qualifier(follow(<Ann>, <award>), <in>, <Medal>)")
    assert dated.value == {"kind": "date", "low": "1911-01-01", "high": "1911-12-31", "unit": ""}
    assert [one.label for one in dated.entities] == ["1911"]


def test_ties_and_missing_values_are_said(pack: Pack) -> None:
    tied = asked(pack, "best(having(<borders>), size(<borders>), most 1)")
    assert {one.label for one in tied.entities} == {"Peru", "Chile", "Bolivia"}
    assert any(note.startswith("tied: ") and note.count(" and ") == 2 for note in tied.notes)
    assert "among 3 of 4 with a known area" in asked(pack, "best(class(<country>), value(<area>), most 1)").notes
    assert "among 3 of 4 with a known area" in asked(pack, "sum(values(class(<country>), <area>))").notes


def test_a_terminal_shows_the_answer_then_how(pack: Pack) -> None:
    console = Console(file=io.StringIO(), width=120)
    answer_view(asked(pack, "best(class(<country>), value(<area>), most 1)"), pack, console)
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert lines[:2] == ["Peru", "confidence 90%"]
    assert lines[2] == "the largest by area: 1"
    rows = [line.split("── ")[1] for line in lines[3:7]]
    assert rows[:3] == ["Peru: 1285216 km²", "Kenya: 580367 km²", "Japan: 377975 km²"]
    assert rows[3].startswith("countries: 4 (")
    assert "among 3 of 4 with a known area" in lines
    number = Console(file=io.StringIO(), width=120)
    answer_view(asked(pack, "difference(values(<Kenya>, <area>), values(<Japan>, <area>))"), pack, number)
    assert number.file.getvalue().startswith("202392 km²\n")  # type: ignore[attr-defined]


def test_what_is_not_sure_enough_is_not_told(pack: Pack) -> None:
    query = parse("count(class(<country>))", pack)
    outcome = Runner(pack, Budget()).result(query)
    best = Hypothesis(0.2, outcome.certain, frozenset(), lambda _: [], lambda: query, outcome)
    verdict = Fusion(pack, True, None, 0.5).unread(Retrieved((), (best,), 0.2), Evidence((), (), False), Timer())
    assert verdict.refused == "unsure"


def test_explain_tells_the_steps(pack: Pack) -> None:
    answer = asked(pack, "count(where(class(<country>), value(<area>) > 400000[km²]))")
    assert why(answer, pack).startswith("asked for the number of countries whose area is more than 400,000 km²")
    shown = {title: rows for title, _, rows in sections(answer, pack)}
    lines = [line for (line,) in shown["derivation"]]
    assert lines[0] == "how many: 2 or 3"
    assert lines[1].startswith("  whose area is more than 400,000 km²: 2, perhaps 1 more")
    assert "    Kenya: 580367 km²" in lines and lines[-1].startswith("    countries: 4 (")
    assert "facts for the reader" not in shown
