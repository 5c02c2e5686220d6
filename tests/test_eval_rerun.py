"""Printed answers against their own SPARQL in pyoxigraph: what is derived holds, what is changed is found."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import test_answer_derived
from test_answer_derived import ANSWERS, asked

from kgask.answer.pipeline import Pipeline
from kgask.answer.result import Answer, AnswerEntity
from kgask.errors import KgaskError
from kgask.eval.endpoint import Endpoint, UnansweredError
from kgask.eval.recheck import Witness
from kgask.eval.rerun import Rerun
from kgask.pack.store import Pack

AREA = "difference(values(<Kenya>, <area>), values(<Japan>, <area>))"
FIRST = "best(class(<country>), value(<area>), most 1 .. 2)"
WHEN = "qualifier(follow(<Ann>, <award>), <in>, <Medal>)"
TWO_MORE = AnswerEntity(0, "", ""), AnswerEntity(1, "", "")  # at most one is a city
FALSE = "holds(<Japan>, <capital>, <Osaka>)"


pack = test_answer_derived.pack


@pytest.fixture(scope="module")
def rerun(pack: Pack) -> Iterator[Rerun]:
    with Rerun(pack, 30.0) as found:
        yield found


def test_what_is_derived_holds(pack: Pack, rerun: Rerun) -> None:
    with Witness(Path(pack.path)) as witness:
        for text in ANSWERS:
            answer = asked(pack, text)
            assert (rerun.faults(answer), witness.faults(answer)) == ([], []), text


def changed(answer: Answer, **value: object) -> Answer:
    assert answer.value is not None
    return replace(answer, value={**answer.value, **value})


@pytest.mark.parametrize(
    ("text", "change", "says"),
    [
        (FALSE, lambda one: replace(one, text="yes"), "SPARQL says no"),
        (FIRST, lambda one: replace(one, entities=one.entities[:1]), "SPARQL alone gives urn:kgask:Kenya"),
        ("class(<city>)", lambda one: replace(one, entities=(*one.entities, *TWO_MORE)), "printed alone is"),
        (AREA, lambda one: changed(one, high=202393.0), "SPARQL says"),
        (AREA, lambda one: changed(one, unit="m²"), "SPARQL says"),
        (AREA, lambda one: replace(one, text="202393"), "the text '202393' is not"),
        (WHEN, lambda one: changed(one, low="1911-01-02"), "SPARQL says"),
        (WHEN, lambda one: replace(one, query=None), "no query"),
    ],
)
def test_what_is_changed_is_found(
    pack: Pack,
    rerun: Rerun,
    text: str,
    change: Callable[[Answer], Answer],
    says: str,
) -> None:
    answer = asked(pack, text)
    assert rerun.faults(answer) == []
    assert any(says in fault for fault in rerun.faults(change(answer))), rerun.faults(change(answer))


def test_what_a_statement_does_not_say_is_found(pack: Pack) -> None:
    answer = asked(pack, WHEN)
    (triple,) = answer.support
    assert triple.qualifiers == (("in", "1911"),)
    with Witness(Path(pack.path)) as witness:
        for said in ((), (("in", "1903"),), (("at", "1911"),)):
            wrong = replace(answer, support=(replace(triple, qualifiers=said),))
            assert any("is said with" in fault for fault in witness.faults(wrong))
        assert any("in no triple shown" in fault for fault in witness.faults(replace(answer, support=())))


def test_a_path_that_would_come_back_to_its_topic_is_asked_so(
    family_path: Path, opened: Callable[..., Pipeline]
) -> None:
    kg = opened(str(family_path), None)
    answer = kg.ask("who is the child of the parent of Ben Hill?", min_confidence=0.0)
    assert answer.text == "Cora Reed"
    assert answer.query_text is not None and answer.query_text.startswith("minus(follow(")
    with Rerun(kg.pack, 30.0) as found:
        assert found.faults(answer) == []


@pytest.mark.slow
def test_an_endpoint_stops_what_takes_too_long_and_goes_on(family_path: Path) -> None:
    product = " ".join(f"?a{number} ?b{number} ?c{number} ." for number in range(9))
    with Endpoint(family_path, 1.5) as endpoint:
        with pytest.raises(UnansweredError, match="longer than"):
            endpoint.ask(f"SELECT (COUNT(*) AS ?n) {{ {product} }}")
        assert endpoint.ask("ASK { ?s ?p ?o }") is True
        with pytest.raises(KgaskError, match="pyoxigraph"):
            endpoint.ask("SELECT nothing")
        assert endpoint.ask("SELECT ?s { ?s ?p <urn:nowhere> }") == []
