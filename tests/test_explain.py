"""``--explain`` as tables: candidates, plan, beam, alternatives, and where a question died."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from kgask.answer.pipeline import Pipeline
from kgask.cli.explain import Section, sections


@pytest.fixture(scope="module")
def kg(family_path: Path, opened: Callable[..., Pipeline]) -> Pipeline:
    return opened(str(family_path), None)


def explained(kg: Pipeline, question: str, **options: object) -> dict[str, Section]:
    answer = kg.ask(question, explain=True, **options)
    return {section[0].partition(" (")[0]: section for section in sections(answer, kg.pack)}


def test_an_answer_shows_every_step(kg: Pipeline) -> None:
    found = explained(kg, "Who are the children of the wife of George Hill?")
    assert list(found) == [
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
    assert answer.died_at in {"retrieve", "plan"}
    beam = {path.fate for path in answer.explanation.beam}
    assert "the graph lacks it" in beam


def test_without_explain_nothing_is_kept_for_it(kg: Pipeline) -> None:
    assert kg.ask("Who is married to Cora Reed?").explanation is None
