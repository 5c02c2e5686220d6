"""Planners that would run without end or take all memory: one line, found out in a child process."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import numpy as np
import onnx
import pytest
from forked_cli import run_all
from network import QUESTION
from onnx import TensorProto, helper

from kgask.cards import write_card
from kgask.config import shipped_root
from kgask.plan.control_flow import control_flow
from kgask.plan.query_onnx import OPERATORS, allowed_steps
from kgask.query import nodes
from kgask.query.postfix import Stack

SHIPPED = sorted(shipped_root("model").glob("*/*.onnx"))


def endless() -> onnx.NodeProto:
    """A loop over nothing, 2^62 times."""
    body = helper.make_graph(
        [helper.make_node("Identity", ["go"], ["on"])],
        "body",
        [helper.make_tensor_value_info("at", TensorProto.INT64, []),
         helper.make_tensor_value_info("go", TensorProto.BOOL, [])],
        [helper.make_tensor_value_info("on", TensorProto.BOOL, [])],
    )  # fmt: skip
    return helper.make_node("Loop", ["often", "yes"], [], body=body)


def with_node(path: Path, node: onnx.NodeProto, **constants: onnx.TensorProto) -> None:
    """Put a node before all others of a graph, and its card right."""
    model = onnx.load(path)
    model.graph.node.insert(0, node)
    model.graph.initializer.extend(constants.values())
    onnx.save(model, path)
    seal(path)


def seal(path: Path) -> None:
    """The card says what the file is now."""
    data, card = path.read_bytes(), json.loads((path.parent / "model.json").read_text())
    card["files"][path.name] = {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    write_card(path.parent, card)


@pytest.fixture
def planner(tmp_path: Path) -> Path:
    return Path(shutil.copytree(SHIPPED[0].parents[1] / "rigel", tmp_path / "planner"))


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.name)
def test_no_model_that_ships_has_a_loop(path: Path) -> None:
    assert control_flow(path) == ""


def test_a_loop_is_found_within_a_function(tmp_path: Path) -> None:
    function = helper.make_function("own", "F", ["often", "yes"], [], [endless()], [helper.make_opsetid("", 18)])
    node = helper.make_node("F", ["often", "yes"], [], domain="own")
    graph = helper.make_graph([node], "g", [], [])
    onnx.save(helper.make_model(graph, functions=[function]), tmp_path / "model.onnx")
    assert control_flow(tmp_path / "model.onnx") == "Loop"


def test_what_is_no_protobuf_is_a_value_error(tmp_path: Path) -> None:
    whole = SHIPPED[-1].read_bytes()
    for number, data in enumerate((b"\xff" * 40, b"\x3b" + whole, whole[: len(whole) // 2])):
        path = tmp_path / f"{number}.onnx"
        path.write_bytes(data)
        with pytest.raises(ValueError, match="cut short|behind its message|of kind|64 bits"):
            control_flow(path)


def test_a_loop_is_refused_also_where_only_some_questions_run_it(planner: Path, tmp_path: Path) -> None:
    often = helper.make_tensor("often", TensorProto.INT64, [], [1 << 62])
    yes = helper.make_tensor("yes", TensorProto.BOOL, [], [True])
    with_node(planner / "rigel.query.onnx", endless(), often=often, yes=yes)
    (ended,) = run_all([["ask", "--model", str(planner), QUESTION]], tmp_path)
    assert (ended.code, ended.stdout) == (1, "")
    assert "rigel.query.onnx: has Loop, which may run without end" in ended.stderr


@pytest.mark.slow
def test_a_graph_that_takes_all_memory_is_refused(planner: Path, tmp_path: Path) -> None:
    sizes = helper.make_tensor("sizes", TensorProto.INT64, [2], [40_000, 100_000])
    with_node(planner / "rigel.query.onnx", helper.make_node("ConstantOfShape", ["sizes"], ["much"]), sizes=sizes)
    model = onnx.load(planner / "rigel.query.onnx")
    model.graph.output.append(helper.make_tensor_value_info("much", TensorProto.FLOAT, None))
    onnx.save(model, planner / "rigel.query.onnx")
    with_node(planner / "rigel.query.onnx", helper.make_node("Identity", ["sizes"], ["same"]))
    (ended,) = run_all([["ask", "--model", str(planner), QUESTION]], tmp_path)
    assert (ended.code, ended.stdout) == (1, "")
    assert "takes more than 1 GiB of memory" in ended.stderr


def cut_output(path: Path, name: str, axis: int, size: int) -> None:
    """An output becomes ``size`` wide along an axis, which the graph does not declare."""
    model = onnx.load(path)
    for node in model.graph.node:
        node.output[:] = ["whole" if one == name else one for one in node.output]
        node.input[:] = ["whole" if one == name else one for one in node.input]
    given = {"cut_from": 0, "cut_to": size, "cut_axis": axis}
    model.graph.initializer.extend(helper.make_tensor(one, TensorProto.INT64, [1], [at]) for one, at in given.items())
    model.graph.node.append(helper.make_node("Slice", ["whole", *given], [name]))
    onnx.save(model, path)
    seal(path)


OTHER = {  # file, output, axis, size
    "no hops": ("rigel/rigel.onnx", "relation_probs", 1, 0),
    "fewer stops than hops": ("rigel/rigel.onnx", "stop_probs", 1, 1),
    "fewer relations": ("rigel/rigel.onnx", "relation_probs", 2, 5),
    "no questions": ("rigel/rigel.onnx", "branch_scores", 0, 0),
    "a narrow state": ("rigel/rigel.onnx", "query_state", 1, 7),
    "few steps": ("rigel/rigel.query.onnx", "logits", 1, 3),
    "no tokens": ("rigel/rigel.query.onnx", "attention", 1, 0),
    "two verdicts": ("judge/judge.onnx", "verdicts", 2, 2),
    "no texts": ("encoder/encoder.onnx", "vectors", 0, 0),
}


@pytest.mark.slow
@pytest.mark.parametrize("what", OTHER)
def test_a_graph_of_other_widths_is_a_line(what: str, tmp_path: Path) -> None:
    place, output, axis, size = OTHER[what]
    role, name = place.split("/")
    shutil.copytree(SHIPPED[0].parents[1] / role, tmp_path / role)
    cut_output(tmp_path / role / name, output, axis, size)
    option = {"rigel": "--model", "judge": "--judge", "encoder": "--encoder"}[role]
    asked = ["--method", "similarity", QUESTION] if role == "encoder" else ["Which countries do not use the euro?"]
    (ended,) = run_all([["ask", "--no-reader", option, str(tmp_path / role), *asked]], tmp_path)
    assert (ended.code, ended.stdout) == (1, ""), ended
    assert ended.stderr.startswith("kgask: ") and ended.stderr.count("\n") == 1 and "fault of kgask" not in ended.stderr


class Everything:
    """A graph that rules out no step."""

    def relations(self, stack: Stack) -> np.ndarray:
        return np.ones(4, bool)

    def operators(self, stack: Stack, allowed: frozenset[str]) -> frozenset[str]:
        return allowed

    def spans(self, stack: Stack, allowed: frozenset[str]) -> frozenset[str]:
        return allowed


@pytest.mark.parametrize("logit", [np.inf, -np.inf, np.nan])
def test_steps_beyond_all_numbers_are_still_numbers(logit: float) -> None:
    stack = Stack(lambda span, relation: nodes.Entities((1,))).span(0, "entity")
    found = allowed_steps(np.full(len(OPERATORS) + 4 + 1, logit, np.float32), stack, ["entity"], 4, Everything())
    assert not np.isnan(found).any() and np.exp(found).sum() == pytest.approx(1.0, abs=1e-3)
