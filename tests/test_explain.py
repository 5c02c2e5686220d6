"""``--explain`` as tables: candidates, plan, beam, alternatives, and where a question died."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from kgask.answer.compose import Composer
from kgask.answer.pipeline import Pipeline
from kgask.answer.readings import NOT_RUN, query_readings
from kgask.cli.explain import NO_QUERY, Section, readings_lines, sections
from kgask.link.spans import CandidateSpan
from kgask.methods.accounted import LeftOut
from kgask.methods.protocol import Request, Retrieved
from kgask.methods.query_readings import Reading, Understood
from kgask.plan.query_onnx import KINDS, Written
from kgask.query.nodes import Number
from kgask.query.text import parse
from kgask.retrieve.frontier import Budget
from kgask.retrieve.run import Runner
from kgask.types import Question, Seed


@pytest.fixture(scope="module")
def kg(family_path: Path, opened: Callable[..., Pipeline]) -> Pipeline:
    return opened(str(family_path), None)


def explained(kg: Pipeline, question: str, **options: object) -> dict[str, Section]:
    answer = kg.ask(question, explain=True, **options)
    return {section[0].partition(" (")[0]: section for section in sections(answer, kg.pack)}


def test_an_answer_shows_every_step(kg: Pipeline) -> None:
    found = explained(kg, "Who are the children of the wife of George Hill?")
    of_queries = ("what the question speaks of", "queries that it may be")  # by a planner that writes them
    assert [title for title in found if title not in of_queries] == [
        "names that were read", "what the names could be", "relations that the question asks for",
        "paths that were tried", "other readings", "facts for the reader", "time",
    ]  # fmt: skip
    mention, entity, _, score, features = found["what the names could be"][2][0]
    assert (mention, entity) == ("George Hill", "George Hill")
    assert float(score) > 0.9
    assert "spelling 1.00" in features
    first = found["paths that were tried"][2][0]
    assert (first[0], first[1], first[4]) == ("George Hill", "spouse > child", "answer")
    assert len(first[2].split()) == 2  # a probability a hop
    assert "the graph lacks it" in {row[4] for row in found["paths that were tried"][2]}
    for title, columns, rows in found.values():
        assert all(len(row) == len(columns) for row in rows), title


def test_alternatives_are_paths_with_their_answers(kg: Pipeline) -> None:
    answer = kg.ask("Who are the children of the wife of George Hill?", explain=True)
    rows = next(rows for title, _, rows in sections(answer, kg.pack) if title == "other readings")
    assert 1 <= len(rows) <= 5
    scores = [float(row[0]) for row in rows]
    assert scores == sorted(scores, reverse=True)
    told = json.loads(json.dumps(answer.to_dict()))["alternatives"]
    assert [" > ".join(other["path"]) for other in told] == [row[2] for row in rows]
    assert [other["seed"]["label"] for other in told] == [row[1] for row in rows]
    for other, shown in zip(told, answer.alternatives, strict=True):
        assert other["answers"] == kg.pack.labels(shown.answers)
        assert len(other["answers"]) == min(3, other["n_answers"])


@pytest.mark.parametrize(
    ("question", "stage", "closest"),
    [
        ("who is the mother of Zebulon Quist?", "link", "-"),
        ("What is the capital of Ben Hill?", "plan", "0."),
    ],
)
def test_a_question_that_dies_shows_the_stage_and_what_was_closest(
    kg: Pipeline, question: str, stage: str, closest: str
) -> None:
    (row,) = explained(kg, question)["no answer"][2]
    assert row[0] == stage
    assert row[1]
    assert closest in row[2]


def test_what_the_graph_lacks_shows_the_path_that_there_is(kg: Pipeline) -> None:
    answer = kg.ask("Who taught Anne Hill?", explain=True)
    assert answer.abstained and answer.died_at in {"retrieve", "plan", "confidence"}
    beam = {path.fate for path in answer.explanation.beam}
    assert "the graph lacks it" in beam or answer.explanation.queries is not None


def test_without_explain_nothing_is_kept_for_it(kg: Pipeline) -> None:
    assert kg.ask("Who is married to Cora Reed?").explanation is None


@pytest.fixture
def read_as(kg: Pipeline) -> tuple[Question, Understood]:
    """A question about George Hill with what a planner that writes queries could make of it."""
    question = Question("the last but how many children has George Hill")
    (hill,) = {hit.entity for hit in kg.pack.exact(["george hill"])["george hill"]}
    spans = (
        CandidateSpan(4, 8, "rank", nodes=(Number(-1.0),)),
        CandidateSpan(35, 46, "entity", (Seed(hill, (35, 46), 1.0, "George Hill", "George Hill"),)),
    )
    runner = Runner(kg.pack, Budget())
    texts = (
        ("count(follow(<George Hill>, <child>))", math.log(0.5), ("last",)),
        ("follow(<George Hill>, <child>)", math.log(0.25), ()),
        ("some(follow(<George Hill>, <child>))", math.log(0.125), ()),
    )
    readings = []
    for text, log_prob, left_out in texts:
        query = parse(text, kg.pack)
        written = Written(query, (), (log_prob,), np.zeros(1, np.float32), ())
        demanded = ("how many",) if query.__class__.__name__ == "Follow" else ()
        readings.append(
            Reading(written, spans, LeftOut(left_out, 1.0), demanded, (), (), runner.result(query), log_prob)
        )
    readings.append(readings[0])  # of another segmentation: it is told once
    query = parse("sum(values(<George Hill>, <height>))", kg.pack)
    unrun = Written(query, (), (-30.0,), np.zeros(1, np.float32), ())
    readings.append(Reading(unrun, spans, LeftOut((), 1.0), (), (), (), None, -30.0))
    probs = np.zeros(len(KINDS), np.float32)
    probs[KINDS.index("count")], probs[KINDS.index("path")] = 0.75, 0.25
    return question, Understood(tuple(readings), probs, 0.03125)


def test_the_queries_that_a_question_may_be_are_told(kg: Pipeline, read_as: tuple[Question, Understood]) -> None:
    question, understood = read_as
    said = query_readings(understood, question.text, kg.pack)
    assert [(one.text, one.kind, one.meaning) for one in said.spans] == [
        ("last", "rank", "the last"), ("George Hill", "entity", "George Hill"),
    ]  # fmt: skip
    assert said.kinds == (("count", 0.75), ("path", 0.25))
    children = kg.pack.labels(understood.readings[1].outcome.certain.tolist())
    count, several, any_, last = said.queries
    assert (count.outcome, count.left_out, round(count.prob, 6)) == (str(len(children)), ("last",), 0.5)
    assert several.left_out == ("how many",)
    assert several.outcome.split(" and ")[-1] in (*children, f"{len(children) - 3} more")
    assert (any_.outcome, last.outcome) == ("yes", NOT_RUN)
    assert parse(count.query, kg.pack) == understood.readings[0].written.query


def test_explain_and_verbose_show_them(kg: Pipeline, read_as: tuple[Question, Understood]) -> None:
    question, understood = read_as
    composer = Composer(kg.pack, Request(question), "rigel", {}, 0.5, Retrieved(read_as=understood), explain=True)
    answer = composer.refusal("plan", "unsure")
    found = {title: rows for title, _, rows in sections(answer, kg.pack)}
    rows = found["queries that it may be (count 0.75, path 0.25)"]
    assert [row[0] for row in rows] == ["0.500", "0.250", "0.125", "0.000", "0.031"]
    assert (rows[0][3], rows[-1][1]) == ("last", NO_QUERY)
    assert len(found["what the question speaks of"]) == 2
    lines = readings_lines(answer)
    assert lines[0].startswith("asks for count 0.75, path 0.25; found 'last' as rank the last, 'George Hill' as entity")
    assert lines[1].startswith("0.50 count(") and lines[1].endswith("(leaves out last)")
    assert lines[-1] == f"0.03 {NO_QUERY}"


def test_without_verbose_no_reading_is_worded(kg: Pipeline, read_as: tuple[Question, Understood]) -> None:
    question, understood = read_as
    found = Retrieved(read_as=understood)
    assert Composer(kg.pack, Request(question), "rigel", {}, 0.5, found).refusal("plan", "x").explanation is None
    told = Composer(kg.pack, Request(question), "rigel", {}, 0.5, found, tells_readings=True).refusal("plan", "x")
    assert told.explanation is not None and told.explanation.queries is not None and not told.explanation.candidates
