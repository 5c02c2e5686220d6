"""Benches of the reader: what is re-checked fails when it should, sides are counted apart, random models are real."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import kgask
from kgask import config
from kgask.answer.pipeline import Pipeline
from kgask.answer.result import Answer, AnswerEntity
from kgask.bench.random_gguf import ARCHITECTURES, write_random
from kgask.cli.main import cli
from kgask.eval import recheck
from kgask.eval.datasets import GoldQuestion
from kgask.eval.reading import Comparison, compare
from kgask.read.gguf.engine import Engine

TEXTS = ["Cora Reed is married to Dan Reed", "George Hill", "who is the child of Anne Hill?"] * 20


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(cli, ["bench", *map(str, arguments)], standalone_mode=True)


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
    drawn = recheck.pack_questions(kg, 30, 4)
    assert drawn == recheck.pack_questions(kg, 30, 4) and len(drawn) == 30
    labels = kg.pack.labels(range(kg.pack.n_entities))
    assert all(any(question.endswith(label) for label in labels) for question in drawn)


def test_recheck_on_a_random_model(family_path: Path) -> None:
    result = invoke("recheck", "--pack", family_path, "--number", 12, "--random", "falcon", "--json")
    assert result.exit_code == 0, result.output
    rows = json.loads(result.stdout)
    assert [row["reader"] for row in rows] == ["shipped", "random falcon"]
    assert all(row["questions"] == 12 and row["broken_answers"] == 0 and row["answered"] for row in rows)


def test_an_unknown_architecture_is_a_usage_error(family_path: Path) -> None:
    result = invoke("recheck", "--pack", family_path, "--random", "nonesuch")
    assert result.exit_code == 2 and "gpt2" in result.output


# --- random models ------------------------------------------------------------------------------


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_every_random_architecture_loads_and_differs_by_seed(architecture: str, tmp_path: Path) -> None:
    logits = []
    for rng_seed in (1, 2):
        path = tmp_path / f"{rng_seed}.gguf"
        engine = Engine(write_random(path, architecture, TEXTS, width=32, layers=1, n_vocab=320, rng_seed=rng_seed), 1)
        tokens = engine.tokenize("who is the child of Anne Hill?")
        assert 0 < len(tokens) < 30
        logits.append(engine.logits_after(tokens).copy())
        engine.close()
    assert abs(logits[0] - logits[1]).max() > 0


# --- reading ------------------------------------------------------------------------------------


def made(text: str, labels: list[str], confidence: float) -> Answer:
    entities = tuple(AnswerEntity(at, label, label) for at, label in enumerate(labels))
    return Answer(text, " | ".join(labels) or None, entities, (), confidence, abstained=not labels, reason="none")


def test_repaired_and_spoiled_questions_are_counted_apart() -> None:
    gold = GoldQuestion("q", "t", frozenset({"A", "B"}))
    found = Comparison()
    found.count(gold, made("q", ["A", "B"], 0.9), made("q", ["C"], 0.4), (0.5, 0.5))
    found.count(gold, made("q", [], 0.0), made("q", ["A"], 0.9), (0.5, 0.5))
    found.count(gold, made("q", ["A"], 0.6), made("q", ["B"], 0.6), (0.7, 0.5))
    figures = found.figures()
    assert (figures["questions"], figures["repaired"], figures["spoiled"]) == (3, 1, 1)
    assert figures["hits_at_1_reader"] == figures["hits_at_1_plan"] == pytest.approx(2 / 3, abs=1e-4)
    assert figures["f1_reader"] == pytest.approx((1 + 0 + 2 / 3) / 3, abs=1e-4)
    assert (figures["answered_reader"], figures["answered_plan"]) == (0.3333, 0.6667)
    assert (figures["better_sets"], figures["worse_sets"]) == (1, 1)
    assert figures["holds"]


def test_a_reader_that_loses_does_not_hold() -> None:
    found = Comparison()
    gold = GoldQuestion("q", "t", frozenset({"A"}))
    for _ in range(99):
        found.count(gold, made("q", ["A"], 0.9), made("q", ["A"], 0.9), (0.5, 0.5))
    found.count(gold, made("q", ["B"], 0.9), made("q", ["A"], 0.9), (0.5, 0.5))
    assert not found.figures()["holds"]


def test_both_sides_are_asked(family_path: Path) -> None:
    with kgask.open(str(family_path), settings={}) as pipeline:
        golds = [GoldQuestion("who is married to Cora Reed?", "Cora Reed", frozenset({"Dan Reed"}))]
        figures = compare(pipeline, golds).figures()
        assert pipeline.reader is not None
    assert figures["hits_at_1_plan"] == 1.0 and figures["questions"] == 1


# --- constrain and read -------------------------------------------------------------------------


def test_constrain_prints_all_ways(family_path: Path) -> None:
    result = invoke(
        "constrain", "--pack", family_path, "--candidates", 4, "--facts", 5, "--runs", 1, "--threads", 1, "--json"
    )
    assert result.exit_code == 0, result.output
    (row,) = json.loads(result.stdout)
    assert row["candidates"] == 4 and row["prompt_tokens"] > 50
    assert all(row[f"{way}_ms"] > 0 for way in ("unconstrained", "trie", "grammar", "sequences"))


def test_constrain_says_when_a_pack_is_too_small_or_the_reader_is_ours(family_path: Path) -> None:
    small = invoke("constrain", "--pack", family_path, "--candidates", 200)
    assert small.exit_code == 1 and "larger pack" in small.output + str(small.exception)


def test_read_prints_tokens_and_times(family_path: Path) -> None:
    result = invoke("read", "--pack", family_path, "--facts", 6, "--runs", 2, "--json")
    assert result.exit_code == 0, result.output
    (row,) = json.loads(result.stdout)
    assert row["facts"] == 6 and row["prompt_tokens"] > 0 and 0 < row["ms_least"] <= row["ms_median"]


def test_prefix_prints_both_ways_and_their_ratio(family_path: Path) -> None:
    result = invoke("prefix", "--pack", family_path, "--facts", 3, "--runs", 2, "--threads", 1, "--json")
    assert result.exit_code == 0, result.output
    row = json.loads(result.stdout)
    assert 0 < row["static_tokens"] < row["prompt_tokens"] and row["state_bytes"] > 1000
    assert row["ratio"] == pytest.approx(row["without_ms"] / row["with_ms"], rel=0.05)
    assert 0 < row["least_with_ms"] <= row["with_ms"]


def test_prefix_says_that_the_shipped_reader_has_none(family_path: Path) -> None:
    shipped = config.shipped_root("model") / "reader"
    refused = invoke("prefix", "--pack", family_path, "--reader", shipped)
    assert refused.exit_code == 1 and "name another GGUF" in refused.output + str(refused.exception)
