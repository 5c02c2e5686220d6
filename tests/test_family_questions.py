"""A pack that the planner has never seen: a family of seven, answers checked by eye, shipped models."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import kgask
from kgask.answer.pipeline import Pipeline


@pytest.fixture(scope="module", params=["reader", "plan alone"])
def kg(request: pytest.FixtureRequest, family_path: Path, opened: Callable[..., Pipeline]) -> Pipeline:
    return opened(str(family_path), "" if request.param == "reader" else None)


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Who is married to Cora Reed?", {"Dan Reed"}),
        ("who taught Cora Reed?", {"Dan Reed"}),  # parallel to spouse: the same two people
        ("Whom did Dan Reed teach?", {"Cora Reed"}),
        ("Who are the children of George Hill?", {"Ben Hill", "Cora Reed"}),
        ("Who is the sibling of Eve Reed?", {"Finn Reed"}),
        ("when was Eve Reed born?", {"1901-05-02"}),
        ("When was Evie born?", {"1901-05-02"}),  # an alias
        ("Who are the children of the wife of George Hill?", {"Ben Hill", "Cora Reed"}),
        ("When was the brother of Eve Reed born?", {"1904"}),
    ],
)
def test_answers_checked_by_eye(kg: Pipeline, question: str, answers: set[str]) -> None:
    assert {entity.label for entity in kg.ask(question).entities} == answers


@pytest.mark.parametrize(
    "question", ["Who is the sibling of George Hill?", "Who taught Anne Hill?", "What is the capital of Ben Hill?"]
)
def test_what_the_family_does_not_say_is_not_answered(kg: Pipeline, question: str) -> None:
    answer = kg.ask(question)
    assert answer.abstained
    assert answer.reason


def test_support_is_whole_and_re_checks(kg: Pipeline) -> None:
    answer = kg.ask("When was the brother of Eve Reed born?")
    proof = {(t.hop, t.subject, t.relation, t.object) for t in answer.support}
    assert (1, "Eve Reed", "sibling", "Finn Reed") in proof
    assert (2, "Finn Reed", "date of birth", "1904") in proof
    for triple in answer.support:
        subject, relation, obj = kg.pack.triples([triple.id])
        assert kg.pack.labels(subject) == [triple.subject]
        assert kg.pack.relation_labels()[relation[0]] == triple.relation
        assert kg.pack.labels(obj) == [triple.object]


def test_the_api_refuses_what_is_no_question(kg: Pipeline) -> None:
    with pytest.raises(kgask.KgaskError, match="empty"):
        kg.ask("  ")
    with pytest.raises(kgask.KgaskError, match="no such entity"):
        kg.ask("when was she born?", entity="Zoe")


def test_the_entity_can_be_given_by_key_id_or_label(kg: Pipeline) -> None:
    eve = kg.pack.find_key("Eve Reed")
    for name in ("Eve Reed", f"#{eve}", "evie"):
        assert kg.ask("when was she born?", entity=name).text == "1901-05-02"
