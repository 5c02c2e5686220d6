"""``kgask bench``: each command really runs, and random models are real."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from kgask import config
from kgask.bench.random_gguf import ARCHITECTURES, write_random
from kgask.cli.main import cli
from kgask.errors import UsageError
from kgask.read.gguf.engine import Engine

TEXTS = ["Cora Reed is married to Dan Reed", "George Hill", "who is the child of Anne Hill?"] * 20


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(cli, ["bench", *map(str, arguments)], standalone_mode=True)


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


def test_similarity_and_the_bare_script_put_the_same_triple_first(family_path: Path, tmp_path: Path) -> None:
    (tmp_path / "q.txt").write_text("who is married to [Cora Reed]\tDan Reed\n", encoding="utf-8")
    result = invoke("similarity", tmp_path / "q.txt", "--pack", family_path, "--json")
    row = json.loads(result.stdout)
    assert (row["questions"], row["same_first"]) == (1, 1.0) and row["time_ratio"] > 0


def test_what_measures_answers_has_moved_and_says_where() -> None:
    moved = invoke("paths", "qa_dev.txt", "--pack", "metaqa")
    assert isinstance(moved.exception, UsageError) and "kgask eval run metaqa" in str(moved.exception)
    assert "Parts:" in invoke("--help").output and "paths" not in invoke("--help").output


# --- ask ----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_ask_compares_kinds_and_planners() -> None:
    result = invoke("ask", "--no-reader", "--rounds", 1, "--beside", "rigel", "--json")
    assert result.exit_code == 0, result.output
    figures = json.loads(result.stdout)
    assert all(figures[f"{who}{kind}_ms"] > 0 for who in ("", "beside_") for kind in ("path", "operators"))
    assert figures["operators_to_path"] == pytest.approx(figures["operators_ms"] / figures["path_ms"], rel=0.01)
    assert figures["path_to_beside_path"] > 0 and figures["path_to_beside_path_mean"] > 0
    assert 0 <= figures["derived"] <= figures["operator_questions"]


@pytest.mark.slow
def test_claims_and_turns_are_compared_with_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kgask.bench.claims.BATCH", 1)
    result = invoke("claims", "--rounds", 1, "--json")
    assert result.exit_code == 0, result.output
    figures = json.loads(result.stdout)
    assert figures["claim_to_question"] == pytest.approx(figures["claim_ms"] / figures["question_ms"], rel=0.01)
    assert figures["turn_to_question"] == pytest.approx(figures["turn_ms"] / figures["whole_ms"], rel=0.01)
    assert figures["claims_a_second_to_questions"] > 0


@pytest.mark.slow
def test_checks_are_compared_with_no_checks(family_path: Path) -> None:
    result = invoke("checks", "--runs", 2, "--pack", family_path, "--json")
    assert result.exit_code == 0, result.output
    figures = json.loads(result.stdout)
    assert figures["first_question_ms"] > 0 and figures["planner_hashed_ms"] > figures["planner_remembered_ms"] > 0
    assert 0 < figures["planner_remembered_share"] < figures["planner_hashed_share"] < 1
