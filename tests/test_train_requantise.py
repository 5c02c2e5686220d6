"""A planner made before scales were taken per row still answers; ``kgask train requantise`` makes it one of today."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from test_ask_cli import kgask

onnx = pytest.importorskip("onnx")
pytest.importorskip("torch")

from kgask.cards import file_entry, write_card  # noqa: E402
from kgask.config import shipped_root  # noqa: E402
from kgask.plan.providers import CPU_GRAPH, CUDA_GRAPH  # noqa: E402
from kgask.plan.rigel_onnx import RigelPlanner  # noqa: E402
from kgask.train.onnx.fuse import CONTRIB, Graph  # noqa: E402

SHIPPED = shipped_root("model") / "rigel"
QUESTION = "who wrote Lady Susan?"


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shipped planner as planners were written before: one operator a product, which scales per batch."""
    folder = tmp_path_factory.mktemp("before") / "old"
    shutil.copytree(SHIPPED, folder)
    model = onnx.load(str(folder / CPU_GRAPH))
    graph = Graph(model.graph)
    for node in [node for node in model.graph.node if node.op_type == "MatMulIntegerToFloat"]:
        source = graph.maker[graph.maker[node.input[0]].input[0]].input[0]
        scaled = graph.only_user(node.output[0], "Mul")
        add = graph.maker.get(scaled.output[0].removesuffix("_scaled"))
        biased = add is not None and add.op_type == "Add" and add.input[0] == scaled.output[0]
        inputs = [source, node.input[1], node.input[3], "", add.input[1] if biased else ""]
        output = add.output[0] if biased else scaled.output[0]
        graph.replace(output, [onnx.helper.make_node("DynamicQuantizeMatMul", inputs, [output], domain=CONTRIB)])
    graph.drop_unused()
    assert not {"QuantizeLinear", "MatMulIntegerToFloat"} & {node.op_type for node in model.graph.node}
    onnx.save(model, str(folder / CPU_GRAPH))
    (folder / CUDA_GRAPH).unlink()
    card = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    del card["files"][CUDA_GRAPH]
    card["files"][CPU_GRAPH] = file_entry(folder / CPU_GRAPH)
    card |= {"recipe": "trained", "quantisation": "int8 dynamic"}
    write_card(folder, card)
    return folder


def test_an_older_planner_still_answers(before: Path) -> None:
    done = kgask("--model", str(before), QUESTION)
    assert (done.returncode, done.stdout) == (0, "Jane Austen\n"), done.stderr


@pytest.mark.slow
def test_requantised_it_is_the_planner_of_today(before: Path, tmp_path: Path) -> None:
    out = tmp_path / "new"
    done = kgask("train", "requantise", str(before), "-o", str(out))
    assert done.returncode == 0, done.stderr
    assert "52 products" in done.stderr
    card = json.loads((out / "model.json").read_text(encoding="utf-8"))
    assert card["recipe"] == "trained; its activations scaled per row instead of per batch: kgask train requantise"
    assert card["quantisation"] == "int8, scales per row"
    assert {path.name for path in out.iterdir()} == {*card["files"], "model.json"}
    assert card["files"] == {name: file_entry(out / name) for name in sorted(card["files"])}
    texts, blank = ["who wrote [MASK]", "when was the author of [MASK] born"], np.zeros((4, 384), np.float32)
    blank[:, 0] = 1.0
    plans = [
        RigelPlanner.load(folder, graph).plan(texts, blank, np.ones((2, 4)))
        for folder, graph in ((SHIPPED, None), (out, None), (out, out / CUDA_GRAPH))
    ]
    for plan in plans[1:]:
        np.testing.assert_allclose(plan.stop_probs, plans[0].stop_probs, atol=1e-5)
        np.testing.assert_allclose(plan.answer_types, plans[0].answer_types, atol=1e-5)


def test_what_cannot_be_changed_is_one_line(before: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    for model, out, said in (
        ("rigel", "new", "nothing in it is scaled per batch"),
        ("reader", "new", "name a planner or an encoder"),
        (str(before), "mine", "exists; name a new folder"),
    ):
        done = kgask("train", "requantise", model, "-o", str(tmp_path / out))
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done.stderr
        assert said in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine"]


@pytest.mark.slow
def test_a_planner_without_a_graph_for_cuda_gets_one(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    shutil.copytree(SHIPPED, mine)
    card = json.loads((mine / "model.json").read_text(encoding="utf-8"))
    del card["files"][CUDA_GRAPH]
    write_card(mine, card)
    done = kgask("train", "requantise", str(mine), "-o", str(tmp_path / "new"))
    assert done.returncode == 0, done.stderr
    assert RigelPlanner.load(tmp_path / "new", tmp_path / "new" / CUDA_GRAPH).note.startswith("planner on")
    assert (tmp_path / "new" / CPU_GRAPH).stat().st_size == (mine / CPU_GRAPH).stat().st_size
