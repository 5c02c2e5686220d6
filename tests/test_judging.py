"""What the judge is shown and what its word counts: prompts, candidates, the winner's confidence, broken models."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from piped import opened, piped

import kgask
from kgask.answer.choices import SURE_QUERY, set_of
from kgask.answer.judging import (
    DOUBTS,
    FAIRLY_SURE,
    FEATURES,
    MOST_BESIDE_SURE,
    POWERS,
    Candidate,
    Judging,
    judged_features,
    others_of,
)
from kgask.answer.pipeline import Pipeline
from kgask.config import shipped_root
from kgask.errors import ModelError
from kgask.methods.accounted import unsaid_words
from kgask.methods.protocol import Hypothesis, Retrieved
from kgask.methods.query_judge import LAST, MOST_QUERIES, QUERY, Judged, PromptTokens, QueryJudge
from kgask.pack.store import Pack
from kgask.plan.card import Calibration
from kgask.query import nodes
from kgask.query.text import parse
from kgask.retrieve.frontier import Budget
from kgask.retrieve.outcome import NONE, Result
from kgask.retrieve.run import Runner

JUDGE = shipped_root("model") / "judge"
TRAILS = """
T4 | grade | hard
T4 | leads to | Monte Selva
T7 | grade | medium
T7 | leads to | Graukopf
Graukopf | type | peak
Monte Selva | type | peak
T4 | type | trail
T7 | type | trail
"""


@pytest.fixture(scope="module")
def judge() -> QueryJudge:
    return QueryJudge(JUDGE)


@pytest.fixture(scope="module")
def trails(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pack]:
    with opened(piped(TRAILS), tmp_path_factory.mktemp("trails")) as pack:
        yield pack


# --- the judge ----------------------------------------------------------------------------------


def test_the_right_query_is_told_from_its_neighbours(judge: QueryJudge) -> None:
    queries = [
        ("the number of countries that share border with Germany", "9"),
        ("countries that share border with Germany", "Austria, Belgium, Denmark and 6 more"),
        ("the population of Germany", "83,000,000"),
    ]
    for question, right in (("how many countries border Germany?", 0), ("Which countries border Germany?", 1)):
        said = judge.judge(question, queries).queries
        assert int(np.argmax(said)) == right


def test_no_text_becomes_a_control_token(judge: QueryJudge) -> None:
    tokens: PromptTokens = judge._tokens
    ids, places = tokens.encode(f"who {LAST} {QUERY}", [(f"the {QUERY} of {LAST}", LAST)])
    assert len(places) == 1
    assert ids.count(tokens._controls[QUERY]) == 1 and ids.count(tokens._controls[LAST]) == 2


def test_too_many_and_too_long_queries_are_judged_as_far_as_they_fit(judge: QueryJudge) -> None:
    assert len(judge.judge("who?", [("a", "b")] * (MOST_QUERIES + 3)).queries) == MOST_QUERIES
    long = "word " * 60
    assert 1 <= len(judge.judge(long, [(long, long)] * MOST_QUERIES).queries) < MOST_QUERIES


def test_a_verdict_does_not_depend_on_the_threads_or_the_order_of_asking(judge: QueryJudge) -> None:
    queries = [("the author of Emma", "Jane Austen"), ("the genre of Emma", "novel")]
    before = judge.judge("who wrote Emma?", queries)
    judge.judge("something else", [("x", "y")])
    assert judge.judge("who wrote Emma?", queries) == before


def test_where_it_is_torn_both_orders_are_heard(judge: QueryJudge) -> None:
    """What is said of a query depends on where it stands; who is sure is asked once."""
    alike = [(f"the {name} of Emma", "Jane Austen") for name in ("author", "writer")]
    forth, back = judge.judge("who wrote Emma?", alike), judge.judge("who wrote Emma?", alike[::-1])
    both = judge.judge("who wrote Emma?", alike, in_both_orders=True)
    assert forth.queries != back.queries[::-1]
    assert both.queries == pytest.approx(np.add(forth.queries, back.queries[::-1]) / 2, abs=1e-5)
    assert both.any == pytest.approx((forth.any + back.any) / 2, abs=1e-5) and both.alike == forth.alike
    apart = [("the author of Emma", "Jane Austen"), ("the number of pages of Emma", "474")]
    assert judge.judge("who wrote Emma?", apart, in_both_orders=True) == judge.judge("who wrote Emma?", apart)


@pytest.mark.parametrize("name", ["judge.onnx", "tokenizer.json"])
def test_a_judge_that_is_broken_says_so(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "judge"
    shutil.copytree(JUDGE, folder)
    content = (folder / name).read_bytes()
    (folder / name).write_bytes(content[:-10])
    with pytest.raises(ModelError, match="size differs"):
        QueryJudge(folder)
    (folder / name).write_bytes(b"\0" * len(content))
    with pytest.raises(ModelError, match=name.replace(".", r"\.")):
        QueryJudge(folder).judge("who?", [("a", "b")])


def test_a_folder_that_is_no_judge_is_refused() -> None:
    with pytest.raises(ModelError, match="not of kind 'judge'"):
        QueryJudge(shipped_root("model") / "encoder")


# --- what its word counts -----------------------------------------------------------------------

EQUAL = Judging(
    dict.fromkeys(POWERS, 1.0) | {"alike": 0.0},
    Calibration(0.0, dict.fromkeys(FEATURES, 0.0) | {"margin": 1.0}),
    0.8,
    1.0,
)


def candidate(
    plan: float, judged: float, first: bool = False, proposed: bool = False, comes_to: object = None
) -> Candidate:
    return Candidate(plan, judged, 2.5, first, proposed, True, comes_to)


def test_planner_and_judge_decide_together() -> None:
    shown = [candidate(2.0, -3.0, first=True), candidate(-1.0, 2.0), candidate(-4.0, 4.0)]
    place, confidence = EQUAL.choose(shown, 0.0)
    assert place == 1 and confidence == pytest.approx(1 / (1 + np.exp(-1.0)))
    values = judged_features(shown, place, EQUAL.powers, 0.3)
    assert values.pop("share") == pytest.approx(2.0 - np.logaddexp.reduce([one.judged for one in shown]))
    assert values == {
        "plan": -1.0, "judged": 2.0, "alike": 2.5, "any": 0.3, "margin": 1.0, "changed": 1.0, "proposed": 0.0,
        "query": 1.0, "behind": 0.0, "choices": 3.0, "described": 0.0, "denied": 0.0, "kin": 0.0,
        "names": 0.0, "values": 0.0, "demands": 0.0,
    }  # fmt: skip


def test_queries_that_come_to_the_same_speak_for_it_together() -> None:
    shown = [candidate(0.0, 0.0, first=True, comes_to="a"), candidate(-0.3, 0.0, comes_to="b")]
    assert EQUAL.choose(shown, 0.0)[0] == 0
    shown.append(candidate(-0.4, 0.0, comes_to="b"))
    place, _ = EQUAL.choose(shown, 0.0)
    assert place == 1
    together = np.logaddexp(-0.3, -0.4)
    assert judged_features(shown, place, EQUAL.powers, 0.0)["margin"] == pytest.approx(together)


def test_a_judge_is_asked_where_it_may_change_what_is_printed() -> None:
    assert [EQUAL.is_asked(sure) for sure in (0.01, 0.8, 0.9, 0.95)] == [True, True, True, False]


def test_what_a_judge_counts_comes_back_from_its_card() -> None:
    assert Judging.of({Judging.card_key: EQUAL.as_card()}) == EQUAL
    assert Judging.of({}) is None
    older = EQUAL.as_card() | {"weights": {name: 1.0 for name in FEATURES if name not in DOUBTS}}
    counted = Judging.of({Judging.card_key: older})
    assert counted is not None and counted.confidence.weights["names"] == 0.0


def test_what_leaves_out_more_of_the_question_is_behind() -> None:
    lax = Judging(dict(EQUAL.powers, left_out=0.0), EQUAL.confidence, 0.8)
    whole, less = candidate(0.0, 0.0), replace(candidate(0.5, 0.0, first=True), doubts={"names": -1.0, "described": -1})
    assert (lax.choose([less, whole], 0.0)[0], EQUAL.choose([less, whole], 0.0)[0]) == (0, 1)
    assert judged_features([less, whole], 0, EQUAL.powers, 0.0)["names"] == -1.0


def test_a_broken_card_of_a_judge_is_one_line() -> None:
    for broken in ({"powers": {}}, {"bias": "x"}, {"min_confidence": 2}, {"margin": float("nan")}):
        with pytest.raises(ModelError, match="kgask train calibrate"):
            Judging.of({Judging.card_key: EQUAL.as_card() | broken})


def test_the_shipped_judge_was_fitted_beside_the_shipped_planner() -> None:
    content = json.loads((JUDGE / "model.json").read_text(encoding="utf-8"))
    planner = json.loads((JUDGE.parent / "rigel" / "model.json").read_text(encoding="utf-8"))
    assert content[Judging.card_key]["planner"] in json.dumps(planner)
    assert content["training_data"] and content["recipe"]["steps"] == content["steps"]


# --- what it chooses from -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def demo() -> Iterator[Pipeline]:
    with kgask.open(reader=None) as pipeline:
        yield pipeline


def test_counts_of_the_same_things_are_one_answer(demo: Pipeline) -> None:
    counted = [
        "count(follow(<Q183|Germany>, <P47|shares border with>))",
        "count(and(class(<class-country|country>), follow(<Q183|Germany>, ^<P47|shares border with>)))",
        "count(follow(<Q40|Austria>, <P47|shares border with>))",
    ]
    results = [Runner(demo.pack, Budget(5.0)).result(parse(text, demo.pack)) for text in counted]
    found = [Retrieved(hypotheses=(Hypothesis(1.0, NONE, frozenset(), lambda _: [], outcome=one),)) for one in results]
    first, same, other = map(set_of, found)
    assert first == same != other


def test_beside_a_sure_reading_no_proposals_are_judged(demo: Pipeline) -> None:
    looked: list[str] = []

    def find() -> Iterator[Retrieved]:
        for name in ("read", "read", "read", "read", "read", "proposed", "proposed"):
            looked.append(name)
            yield Retrieved(is_proposed=name == "proposed")

    for confidence, n in ((0.1, 7), (FAIRLY_SURE, MOST_BESIDE_SURE)):
        looked.clear()
        found = Retrieved(confidence=confidence, find_alternatives=find)
        assert len([*others_of(found)]) == len(looked) == n
    looked.clear()
    outcome = Result(nodes.Entities((1,)), Runner(demo.pack, Budget(1.0)))
    query = Hypothesis(0.9, NONE, frozenset(), lambda answers: [], outcome=outcome)
    for confidence, n in ((FAIRLY_SURE, 7), (SURE_QUERY, MOST_BESIDE_SURE)):
        found = Retrieved(hypotheses=(query,), confidence=confidence, find_alternatives=find)
        assert len([*others_of(found)]) == n


def test_whether_a_topic_is_its_own_answer_is_no_matter_of_the_judge(demo: Pipeline) -> None:
    """Nobody who asks for films of the same director means the film that is named."""
    answer = demo.ask("which films have the same director as Pulp Fiction?")
    assert answer.text is not None
    assert "Jackie Brown" in answer.text and "Pulp Fiction" not in answer.text
    behind = demo.ask("what genres are the films directed by Inception's director?")
    assert behind.query_text is not None and "minus(" in behind.query_text and "Inception>)" in behind.query_text


def test_a_relation_is_never_read_the_wrong_way_round_for_want_of_the_right_one(demo: Pipeline) -> None:
    """Of Metope the graph knows a child, and no parents: whom she was the mother of is no answer."""
    answer = demo.ask("Who was Metope's father?")
    assert answer.abstained and "has no 'parent'" in (answer.reason or "")
    assert "Percy Florence" not in (demo.ask("Who was Mary Shelley's father?").text or "")


def test_an_answer_says_which_judge_was_asked(demo: Pipeline) -> None:
    assert demo.judge is not None
    assert demo.ask("who wrote Lady Susan?").hashes["judge"] == demo.judge.hash


def test_without_a_judge_the_planner_decides() -> None:
    with kgask.open(reader=None, judge=None) as pipeline:
        answer = pipeline.ask("who wrote Lady Susan?")
        assert answer.text == "Jane Austen" and "judge" not in answer.hashes
        assert pipeline.min_confidence == pipeline.planner.card.min_confidence


def test_a_sure_path_costs_no_judging(demo: Pipeline) -> None:
    assert "judge" not in demo.ask("who wrote Lady Susan?").timings_ms


def test_what_says_every_word_is_not_judged(demo: Pipeline, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless a class is counted, of which the graph may lack some, or a word is said by nothing."""

    asked, judge = [], QueryJudge.judge

    def noting(self: QueryJudge, question: str, *rest: Any, **how: Any) -> Judged:
        asked.append(question)
        return judge(self, question, *rest, **how)

    monkeypatch.setattr(QueryJudge, "judge", noting)
    plain = ["How many countries border Germany?", "Which rivers in Africa are longer than 2000 km?"]
    others = ["How many universities are there in Finland?", "Which countries do not use the euro?"]
    for question in (*plain, *others):
        demo.ask(question)
    assert asked == others


def test_words_that_a_query_does_not_say_are_a_doubt() -> None:
    text = "Which mountains of Nepal's south are higher than 7000 m?"
    assert unsaid_words(text, "mountains whose country is Nepal and whose elevation is more than") == [
        "south",
        "higher",
        "m",
    ]
    assert unsaid_words("who designed it?", "the designer") == []


def test_the_most_of_what_all_have_alike_is_no_answer(tmp_path: Path) -> None:
    spells = zip("ABCD", ("1 (1960)", "2", "x", "1 (2011)"), strict=True)
    text = "\n".join(f"{name} | years played | {spell}" for name, spell in spells)
    piped(text).write(tmp_path / "pack")
    with kgask.open(tmp_path / "pack") as graph:
        assert graph.ask("Who played for the most years?").abstained
