"""``kgask eval parity``: the graph for CUDA decides as the graph for the CPU does; here both run on the CPU."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from test_ask_cli import kgask
from test_company import questions

import kgask as api
from kgask.cards import write_card
from kgask.config import shipped_root
from kgask.eval.parity import answered, figures
from kgask.plan.providers import CUDA_GRAPH
from kgask.plan.rigel_onnx import RigelPlanner

SHIPPED = shipped_root("model") / "rigel"
MOST_DIFFER = 0.002


@pytest.mark.slow
def test_both_graphs_decide_alike_on_the_shipped_pack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nowhere = tmp_path / "file"
    nowhere.write_text("")
    monkeypatch.setenv("KGASK_CACHE", str(nowhere / "cache"))  # each graph encodes the relations itself
    planners = RigelPlanner.load(SHIPPED, on_cpu=True), RigelPlanner.load(SHIPPED, SHIPPED / CUDA_GRAPH)
    with api.open("demo", reader=None, settings={}) as kg:
        pairs = list(answered(kg.pack, planners, questions(kg)[:150]))
    found = figures(pairs)
    assert found["with a plan"] > 120 and found["answered"] > 80
    assert found["share that differs"] <= MOST_DIFFER
    assert found["largest difference of confidence"] <= 0.001


def test_differences_are_counted(family_path: Path) -> None:
    with api.open(str(family_path), reader=None, settings={}) as kg:
        right = kg.ask("who is the spouse of George Hill?", min_confidence=0.0)
        assert right.entities, right.reason
    refused = replace(right, entities=(), abstained=True, confidence=right.confidence - 0.25)
    unplanned = replace(refused, confidence=0.0)
    found = figures([(right, right), (right, refused), (unplanned, unplanned)])
    assert (found["questions"], found["with a plan"], found["decisions that differ"]) == (3, 2, 1)
    assert found["largest difference of confidence"] == pytest.approx(0.25)


@pytest.mark.slow
def test_the_command_takes_marked_and_plain_questions(tmp_path: Path) -> None:
    asked = tmp_path / "asked.txt"
    asked.write_text("who wrote [Lady Susan]\tJane Austen\nwhat is the capital of Kenya?\n")
    done = kgask("eval", "parity", str(asked), "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["questions"], found["with a plan"], found["answered"], found["decisions that differ"]) == (2, 2, 2, 0)


@pytest.mark.slow
def test_a_planner_without_that_graph_is_one_line(tmp_path: Path) -> None:
    mine, asked = tmp_path / "mine", tmp_path / "asked.txt"
    shutil.copytree(SHIPPED, mine)
    card = json.loads((mine / "model.json").read_text())
    del card["files"][CUDA_GRAPH]
    write_card(mine, card)
    (mine / CUDA_GRAPH).unlink()
    asked.write_text("who wrote Lady Susan?\n")
    done = kgask("eval", "parity", str(asked), "--model", str(mine))
    assert (done.returncode, done.stdout) == (1, "")
    assert "kgask train requantise" in done.stderr and done.stderr.count("\n") == 1
    assert kgask("--model", str(mine), "who wrote Lady Susan?").stdout == "Jane Austen\n"
