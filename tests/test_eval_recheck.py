"""``kgask eval recheck``: what is re-checked fails when it should."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from kgask.answer.pipeline import Pipeline
from kgask.answer.result import Answer, AnswerEntity
from kgask.cli.main import cli
from kgask.eval import recheck
from kgask.sets.of_pack import pack_questions

TEXTS = ["Cora Reed is married to Dan Reed", "George Hill", "who is the child of Anne Hill?"] * 20


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(cli, ["eval", *map(str, arguments)], standalone_mode=True)


@pytest.fixture(scope="module")
def kg(family_path: Path, opened: Callable[..., Pipeline]) -> Pipeline:
    return opened(str(family_path), None)


# --- recheck ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def answer(kg: Pipeline) -> Answer:
    """Two hops: George Hill -> his wife -> her children."""
    found = kg.ask("Who are the children of the wife of George Hill?", min_confidence=0.0)
    assert found.support and len(found.entities) == 2
    return found


def faults(kg: Pipeline, answer: Answer) -> list[str]:
    with recheck.Witness(Path(kg.pack.path)) as witness:
        return witness.faults(answer)


def test_an_answer_that_holds_has_no_faults(kg: Pipeline, answer: Answer) -> None:
    assert faults(kg, answer) == []
    for text in ("who is the sibling of Eve Reed?", "when was Eve Reed born?", "Who is married to Cora Reed?"):
        found = kg.ask(text, min_confidence=0.0)
        assert found.entities, text
        assert faults(kg, found) == []


def test_a_wrong_label_key_or_text_is_found(kg: Pipeline, answer: Answer) -> None:
    first, second = answer.entities
    renamed = replace(answer, entities=(AnswerEntity(first.id, first.key, "Nobody"), second))
    assert any("printed as 'Nobody'" in fault for fault in faults(kg, renamed))
    assert any("is not its entities" in fault for fault in faults(kg, renamed))
    keyed = replace(answer, entities=(AnswerEntity(first.id, "Q0", first.label), second))
    assert any("the key" in fault for fault in faults(kg, keyed))
    unknown = replace(answer, entities=(AnswerEntity(10**6, first.key, first.label), second))
    assert any("is None" in fault for fault in faults(kg, unknown))


def test_a_triple_that_is_not_there_or_not_so_is_found(kg: Pipeline, answer: Answer) -> None:
    first, *rest = answer.support
    for wrong, says in (
        (replace(first, id=kg.pack.n_triples), "not in the pack"),
        (replace(first, id=-1), "not in the pack"),
        (replace(first, relation="teacher"), "printed as"),
        (replace(first, subject="Eve Reed"), "printed as"),
    ):
        assert any(says in fault for fault in faults(kg, replace(answer, support=(wrong, *rest)))), wrong


def test_an_answer_that_the_support_does_not_reach_is_found(kg: Pipeline, answer: Answer) -> None:
    last = [triple for triple in answer.support if triple.hop == 2]
    assert any("not reached" in fault for fault in faults(kg, replace(answer, support=tuple(last))))
    assert len([f for f in faults(kg, replace(answer, support=())) if "not reached" in f]) == 2
    elsewhere = replace(answer, seeds=(replace(answer.seeds[0], entity=answer.entities[0].id),))
    assert any("not reached" in fault for fault in faults(kg, elsewhere))


def test_questions_of_a_pack_are_drawn_alike_and_name_its_entities(kg: Pipeline) -> None:
    drawn = pack_questions(kg.pack, 30, 4)
    assert drawn == pack_questions(kg.pack, 30, 4) and len(drawn) == 30
    labels = kg.pack.labels(range(kg.pack.n_entities))
    assert all(any(question.endswith(label) for label in labels) for question in drawn)


@pytest.mark.slow
def test_recheck_on_a_random_model(family_path: Path) -> None:
    result = invoke("recheck", "--pack", family_path, "--number", 12, "--random", "falcon", "--json")
    assert result.exit_code == 0, result.output
    rows = json.loads(result.stdout)
    assert [row["reader"] for row in rows] == ["shipped", "random falcon"]
    assert all(row["questions"] == 12 and row["broken_answers"] == 0 and row["answered"] for row in rows)


def test_an_unknown_architecture_is_a_usage_error(family_path: Path) -> None:
    result = invoke("recheck", "--pack", family_path, "--random", "nonesuch")
    assert result.exit_code == 2 and "gpt2" in result.output
