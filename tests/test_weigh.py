"""Plan and reader weighed against each other: on a real pack with the shipped planner and reader, and by hand."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import kgask
from kgask.answer.fuse import (
    FEATURES,
    MOST_ODDS,
    Weighing,
    best_of,
    log_odds,
    standings,
    weigh,
    weighed_features,
)
from kgask.answer.pipeline import Pipeline
from kgask.answer.request import AskOptions
from kgask.errors import ModelError
from kgask.methods.protocol import Hypothesis, Scope
from kgask.methods.rigel import path_hypothesis
from kgask.pack.store import Pack
from kgask.plan.card import Calibration
from kgask.retrieve.evidence import gather
from kgask.retrieve.walk import Route, routes, walks
from kgask.types import Branch, Question, Reading

Shown = tuple[Pack, dict[Hypothesis, Route]]
PLAIN = Weighing({"best": 0.0, "mean": 0.0}, Calibration(0.0, dict.fromkeys(FEATURES, 0.0) | {"plan": 1.0}), 0.5)
EAGER = Weighing({"best": 1.0, "mean": 0.0}, Calibration(0.0, dict.fromkeys(FEATURES, 0.0) | {"best": 1.0}), 0.5)


@pytest.fixture
def two_routes(family: Pack) -> Shown:
    """From Cora Reed: her spouse (0.6) and her children (0.3)."""
    labels = family.relation_labels()
    cora = family.find_key("cora") or next(iter(family.exact(["cora reed"])["cora reed"])).entity
    probs = np.zeros((1, 2 * family.n_relations), np.float32)
    has = [(labels.index(name) if name in labels else None) for name in ("spouse", "child")]
    for relation, prob in zip(has, (0.6, 0.3), strict=True):
        assert relation is not None, labels
        probs[0, relation] = prob
    walked = routes(walks(family, Branch((), probs, np.ones(1, np.float32)), [cora], 1))
    found = {path_hypothesis(family, route): route for route in walked}
    assert len(found) == 2
    return family, found


def judged(pack: Pack, found: dict[Hypothesis, Route], odds: list[float]) -> tuple:
    """Evidence of the routes, and a probability for every line: the route's own."""
    evidence = gather(pack, [walk for route in found.values() for walk in route.walks], 10)
    chances = [1.0 / (1.0 + math.exp(-value)) for value in odds]
    subjects, _, objects = pack.triples(np.array([t.triple for t in evidence.triples]))
    ends = [s if t.inverse else o for t, s, o in zip(evidence.triples, subjects, objects, strict=True)]
    lines = {}
    for number, end in enumerate(ends, start=1):
        lines[number] = next(chances[at] for at, one in enumerate(found) if end in one.answers)
    return evidence, lines


def test_without_power_the_plan_decides_and_with_it_the_reader_may(
    two_routes: Shown,
) -> None:
    pack, found = two_routes
    evidence, lines = judged(pack, found, [-3.0, 4.0])
    standing = standings(list(found), evidence, lines, pack)
    assert [s.hypothesis for s in standing] == list(found) and [s.first for s in standing] == [True, False]
    assert standing[1].best == pytest.approx(4.0, abs=1e-3)
    assert weigh(PLAIN, standing, 0.8) == (list(found)[0], pytest.approx(0.8))
    route, confidence = weigh(EAGER, standing, 0.8)
    assert route is list(found)[1] and confidence == pytest.approx(1 / (1 + math.exp(-4)), abs=1e-3)


def test_the_features_say_that_the_plan_was_changed_and_how_far_the_rest_is_behind(
    two_routes: Shown,
) -> None:
    pack, found = two_routes
    evidence, lines = judged(pack, found, [-3.0, 4.0])
    standing = standings(list(found), evidence, lines, pack)
    values = weighed_features(standing, best_of(standing, EAGER.powers), EAGER.powers, 0.8)
    assert set(values) == set(FEATURES)
    assert values["changed"] == 1.0 and values["plan"] == pytest.approx(math.log(4))
    scores = [math.log(0.6) - 3, math.log(0.3) + 4]
    assert values["share"] == pytest.approx(scores[1] - np.logaddexp(*scores), abs=1e-2)


def test_a_route_that_was_not_shown_does_not_stand(two_routes: Shown) -> None:
    pack, found = two_routes
    evidence, lines = judged(pack, found, [0.0, 0.0])
    assert standings(list(found), evidence, {}, pack) == []
    first = {number: prob for number, prob in lines.items() if number == 1}
    assert len(standings(list(found), evidence, first, pack)) == 1


@pytest.mark.parametrize(("prob", "expected"), [(0.5, 0.0), (0.0, -MOST_ODDS), (1.0, MOST_ODDS), (float("nan"), 0.0)])
def test_log_odds_are_finite(prob: float, expected: float) -> None:
    assert log_odds(prob) == pytest.approx(expected)


def test_a_card_comes_back_as_it_was_written() -> None:
    assert Weighing.of({"weighing": EAGER.as_card()}) == EAGER
    assert Weighing.of({}) is None and Weighing.of(None) is None


@pytest.mark.parametrize(
    "change",
    [
        {"powers": {}},
        {"bias": "much"},
        {"weights": {"plan": 1}},
        {"min_confidence": 2},
        {"bias": float("nan")},
        {"margin": "wide"},
    ],
)
def test_a_broken_card_is_one_line(change: dict) -> None:
    with pytest.raises(ModelError, match="kgask train calibrate"):
        Weighing.of({"weighing": EAGER.as_card() | change})


# --- in the pipeline ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def kg(family_path: Path, opened: Callable[..., Pipeline]) -> Pipeline:
    return opened(str(family_path), judge=None)  # of what was judged the reader is not asked


def asked(kg: Pipeline, text: str, weighing: Weighing | None, **options: float) -> kgask.Answer:
    before = kg._weighing
    kg._weighing = weighing
    try:
        return kg.ask(text, **options)
    finally:
        kg._weighing = before


def test_the_shipped_reader_judges_every_line_that_ends_in_an_answer(kg: Pipeline) -> None:
    question = Question("who is married to Cora Reed?")
    found = kg.understand(question, AskOptions())
    evidence = kg.retriever.evidence(found, kg.pack, Scope())
    reading: Reading = kg.reader.read(question, evidence, kg.pack)
    assert reading.line_probs
    assert all(0.0 <= prob <= 1.0 for prob in reading.line_probs.values())
    assert standings(found.hypotheses, evidence, reading.line_probs, kg.pack)[0].first


def test_what_the_weighing_makes_unsure_is_refused_by_the_reader(kg: Pipeline) -> None:
    never = replace(PLAIN, confidence=Calibration(-20.0, dict.fromkeys(FEATURES, 0.0)))
    answer = asked(kg, "who is married to Cora Reed?", never)
    assert (answer.abstained, answer.died_at) == (True, "read")
    assert "Cora Reed" in answer.reason and "none of them answers" in answer.reason
    anyway = asked(kg, "who is married to Cora Reed?", never, min_confidence=0.0)
    assert anyway.text == "Dan Reed" and anyway.confidence < 0.01


def test_what_plan_and_reader_are_sure_of_together_is_printed(kg: Pipeline) -> None:
    sure = replace(PLAIN, confidence=Calibration(20.0, dict.fromkeys(FEATURES, 0.0)))
    answer = asked(kg, "who is married to Cora Reed?", sure, min_confidence=0.999)
    assert answer.text == "Dan Reed" and answer.confidence > 0.999


def test_the_default_threshold_is_that_of_the_card(kg: Pipeline) -> None:
    picky = replace(PLAIN, min_confidence=1.0)
    refused = asked(kg, "who is married to Cora Reed?", picky)
    assert refused.abstained and refused.died_at in {"confidence", "plan", "read"}
    assert asked(kg, "who is married to Cora Reed?", PLAIN).text == "Dan Reed"
    assert Pipeline(kg.pack, kg.planner, None).min_confidence == kg.planner.card.min_confidence


def test_a_reader_is_asked_only_where_it_may_change_what_is_printed(kg: Pipeline) -> None:
    question = "who is married to Cora Reed?"
    never = replace(PLAIN, confidence=Calibration(-20.0, dict.fromkeys(FEATURES, 0.0)), margin=0.0)
    skipped = asked(kg, question, never)
    assert "read" not in skipped.timings_ms and skipped.text == "Dan Reed" and not skipped.notes
    assert skipped.confidence == asked(Pipeline(kg.pack, kg.planner, None), question, None).confidence
    assert asked(kg, question, replace(never, margin=50.0)).abstained
    near = asked(kg, question, replace(PLAIN, margin=0.5), min_confidence=skipped.confidence - 0.001)
    assert "read" in near.timings_ms and near.text == "Dan Reed"


def test_a_margin_counts_on_both_sides_of_the_threshold() -> None:
    weighing = replace(PLAIN, margin=1.0)
    assert [weighing.is_asked(sure, 0.5) for sure in (0.1, 0.3, 0.5, 0.7, 0.9)] == [False, True, True, True, False]
    assert PLAIN.is_asked(0.999, 0.5)
