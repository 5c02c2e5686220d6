"""Planning many questions at once: order, bound inputs, failure, and what happens without a working GPU."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kgask.config import shipped_root
from kgask.errors import FallbackWarning, ModelError
from kgask.pack.store import Pack
from kgask.plan import providers
from kgask.plan.batches import CPU_PADDING, CPU_ROWS, Batches, by_length, in_chunks, padded, side_by_side
from kgask.plan.providers import CPU, CPU_GRAPH, CUDA, CUDA_GRAPH, open_on_cpu, open_session
from kgask.plan.rigel_onnx import PLAN_OUTPUTS, TEXT_OUTPUTS, RigelPlanner

SHIPPED = shipped_root("model") / "rigel"


@pytest.fixture(scope="module")
def planner() -> RigelPlanner:
    return RigelPlanner.load(SHIPPED)


@pytest.fixture(scope="module")
def session() -> object:
    return open_session(SHIPPED / "rigel.onnx")[0]


@pytest.fixture
def directed(planner: RigelPlanner, family: Pack) -> np.ndarray:
    return planner.relation_matrix(family.relations())


def questions(n: int) -> list[str]:
    """Masked questions of one to four relations, of mixed lengths."""
    rng = np.random.default_rng(4)
    names = ["parent", "child", "sibling", "husband", "mother", "place of birth", "year of birth"]
    return [f"who is the {' of the '.join(rng.choice(names, rng.integers(1, 5)))} of [MASK]" for _ in range(n)]


def rows_of_lengths(*lengths: int) -> list[list[int]]:
    rng = np.random.default_rng(0)
    return [[101, *rng.integers(1996, 2100, length - 2).tolist(), 102] for length in lengths]


def test_padding_is_masked() -> None:
    ids, mask = padded([[5, 6, 7], [8]], pad_id=9)
    assert ids.tolist() == [[5, 6, 7], [8, 9, 9]]
    assert mask.tolist() == [[1, 1, 1], [1, 0, 0]]


@pytest.mark.parametrize("n_threads", [1, 3])
def test_answers_keep_the_order_of_the_questions(
    n_threads: int, directed: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Several runs of mixed lengths, each row with a first mask of its own: as one by one."""
    monkeypatch.setattr("kgask.plan.batches.usable_cores", lambda: n_threads)
    planner, texts = RigelPlanner.load(SHIPPED), questions(3 * CPU_ROWS + 5)
    first_mask = np.random.default_rng(3).random((len(texts), len(directed))) < 0.4
    together = planner.plan(texts, directed, first_mask)
    alone = [planner.plan([text], directed, mask[None]) for text, mask in zip(texts, first_mask, strict=True)]
    assert len(set(together.relation_probs[:, 0].argmax(-1).tolist())) > 2, "rows that all say the same would hide it"
    for name in ("relation_probs", "stop_probs", "branch_scores", "answer_types"):
        single = np.concatenate([getattr(plan, name) for plan in alone])
        np.testing.assert_allclose(getattr(together, name), single, atol=1e-4, err_msg=name)


def test_chunks_hold_every_row_once_and_little_padding() -> None:
    lengths = np.random.default_rng(6).integers(3, 30, 200).tolist()
    chunks = by_length(lengths, CPU_ROWS, CPU_PADDING)
    assert sorted(row for chunk in chunks for row in chunk) == list(range(200))
    for chunk in chunks:
        rows = [lengths[row] for row in chunk]
        assert len(rows) <= CPU_ROWS and len(rows) * max(rows) - sum(rows) <= CPU_PADDING
    assert [len(chunk) for chunk in by_length(lengths, 64)] == [64, 64, 64, 8]


def test_bound_outputs_are_those_of_a_plain_run(session: object, directed: np.ndarray) -> None:
    rows = rows_of_lengths(7, 7, 7)
    first_mask = np.ones((3, len(directed)), np.float32)
    ids, mask = padded(rows, 0)
    names = [*PLAN_OUTPUTS, *TEXT_OUTPUTS]
    feeds = {"input_ids": ids, "attention_mask": mask, "directed": directed, "first_mask": first_mask}
    runs = [Batches(session, 0, bind).run(rows, directed, first_mask, names) for bind in (True, False)]
    for bound, unbound, plain in zip(*runs, session.run(names, feeds), strict=True):
        np.testing.assert_array_equal(bound, plain)
        np.testing.assert_array_equal(unbound, plain)


def test_the_relation_matrix_is_bound_once(session: object, directed: np.ndarray) -> None:
    batches = Batches(session, 0, bind=True)
    first = batches._bound(directed)
    assert batches._bound(directed) is first
    assert batches._bound(directed.copy()) is not first


@pytest.mark.parametrize("bind", [True, False])
def test_another_matrix_gives_other_answers(bind: bool, session: object, directed: np.ndarray) -> None:
    """The kept matrix must not answer for another pack."""
    batches, rows = Batches(session, 0, bind), rows_of_lengths(6)
    first_mask = np.ones((1, len(directed)), np.float32)
    before = batches.run(rows, directed, first_mask, PLAN_OUTPUTS)[0]
    turned = batches.run(rows, np.roll(directed, 1, axis=0), first_mask, PLAN_OUTPUTS)[0]
    np.testing.assert_allclose(turned[0, 0, 1:-1], before[0, 0, :-2], atol=1e-5)
    np.testing.assert_array_equal(batches.run(rows, directed, first_mask, PLAN_OUTPUTS)[0], before)


@pytest.mark.parametrize("bind", [True, False])
def test_inputs_that_do_not_fit_are_one_line(bind: bool, session: object, directed: np.ndarray) -> None:
    with pytest.raises(ModelError, match="the planner failed on 1 questions") as raised:
        Batches(session, 0, bind).run(rows_of_lengths(5), directed[:, :-1], np.ones((1, len(directed))), PLAN_OUTPUTS)
    assert "\n" not in str(raised.value)


@pytest.fixture
def seeming_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with a device node, as one whose driver or CUDA libraries are missing looks."""
    import onnxruntime

    if CUDA not in onnxruntime.get_available_providers():
        pytest.skip("this onnxruntime has no CUDA support")
    if any(Path(node).exists() for node in providers._NVIDIA_NODES):
        pytest.skip("there is an NVIDIA device")
    monkeypatch.setattr(providers, "_NVIDIA_NODES", ("/dev/null",))
    monkeypatch.delenv(providers.HIDES_GPUS, raising=False)


@pytest.mark.usefixtures("seeming_gpu")
def test_a_gpu_that_does_not_work_is_said_once_and_the_cpu_answers(directed: np.ndarray) -> None:
    with pytest.warns(FallbackWarning, match="CUDA failed: .*; to use no GPU: CUDA_VISIBLE_DEVICES=-1") as said:
        planner = RigelPlanner.load(SHIPPED)
    assert len(said) == 1
    assert planner.note.startswith("planner on the CPU (CUDA failed: ")
    assert planner._session.get_providers() == [CPU]
    assert len(planner.plan(questions(3), directed, np.ones((3, len(directed)))).stop_probs) == 3


@pytest.mark.usefixtures("seeming_gpu")
def test_a_model_without_a_graph_for_cuda_stays_on_the_cpu() -> None:
    session, note = open_session(SHIPPED / CPU_GRAPH)
    assert note == f"planner on the CPU (CUDA runs {CUDA_GRAPH}, which this model does not have)"
    assert session.get_providers() == [CPU]


@pytest.mark.usefixtures("seeming_gpu")
@pytest.mark.parametrize(("value", "hidden"), [("", True), ("-1", True), ("-1,0", True), ("0", False), ("1,-1", False)])
def test_hidden_gpus_are_not_tried(value: str, hidden: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(providers.HIDES_GPUS, value)
    wanted, note = providers.wanted_providers([CUDA, CPU])
    assert (wanted == [CPU], "hides every GPU" in note) == (hidden, hidden)


@pytest.mark.slow
@pytest.mark.usefixtures("seeming_gpu")
def test_nothing_is_printed_on_stdout_when_the_gpu_fails_and_one_line_on_stderr() -> None:
    """ONNX Runtime complains on stdout, where answers go; a buffered one too."""
    code = (
        "from kgask.plan import providers; providers._NVIDIA_NODES = ('/dev/null',);"
        "from kgask.cli.main import main; main(args=['ask', '--no-reader', 'who wrote Lady Susan?'])"
    )
    env = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60, env=env)
    assert done.stdout == "Jane Austen\n"
    assert done.stderr.startswith("kgask: planner on the CPU (CUDA failed: ") and done.stderr.count("\n") == 1


@pytest.fixture
def failing(tmp_path: Path) -> Path:
    """The graph for CUDA with the first 2,100 words only: a text with another word fails when it is run."""
    onnx = pytest.importorskip("onnx")
    from onnx import helper, numpy_helper

    model = onnx.load(str(SHIPPED / CUDA_GRAPH))
    gather = next(node for node in model.graph.node if node.input and node.input[-1] == "input_ids")
    table = next(tensor for tensor in model.graph.initializer if tensor.name == gather.input[0])
    kept = numpy_helper.from_array(numpy_helper.to_array(table)[:2100], table.name)
    table.CopyFrom(kept)
    helper.set_model_props(model, {})
    onnx.save(model, str(tmp_path / CUDA_GRAPH))
    return tmp_path / CUDA_GRAPH


def test_a_failure_in_the_middle_of_a_batch_goes_on_on_the_cpu(
    failing: Path, directed: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of four runs the third fails for real: one line, the answers of all rows in order, and no GPU from then on."""
    monkeypatch.setattr("kgask.plan.batches.CUDA_ROWS", 10)
    rows = rows_of_lengths(*range(4, 34), *range(34, 44))
    rows[25][2] = 5000  # a word that the failing graph has not
    np.random.default_rng(8).shuffle(rows)
    first_mask = np.ones((len(rows), len(directed)), np.float32)
    spare = partial(open_on_cpu, SHIPPED / CPU_GRAPH)
    batches = Batches(open_session(failing)[0], 0, spare=spare, note="planner on CUDA")
    with pytest.warns(FallbackWarning, match=r"planner on the CPU \(CUDA failed: .*out of") as said:
        found = batches.run(rows, directed, first_mask, PLAN_OUTPUTS)
    assert len(said) == 1 and batches.note == str(said[0].message)
    expected = Batches(open_session(SHIPPED / CPU_GRAPH)[0], 0).run(rows, directed, first_mask, PLAN_OUTPUTS)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-4)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        batches.run(rows, directed, first_mask, PLAN_OUTPUTS)


def test_where_the_spare_session_fails_too_it_is_one_error(failing: Path, directed: np.ndarray) -> None:
    batches = Batches(open_session(failing)[0], 0, spare=partial(open_on_cpu, failing))
    with pytest.warns(FallbackWarning), pytest.raises(ModelError, match="the planner failed on 1 questions"):
        batches.run([[101, 5000, 102]], directed, np.ones((1, len(directed))), PLAN_OUTPUTS)


def test_a_file_that_is_no_model_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "rigel.onnx"
    path.write_bytes(b"no model")
    with pytest.raises(ModelError, match="not a usable ONNX model"):
        open_session(path)


def test_rows_of_a_column_a_token_are_filled_up_to_the_longest() -> None:
    parts = [np.ones((2, 3, 4)), np.ones((1, 5, 4))]
    got, lengths = in_chunks([[2, 0], [1]], 1, lambda rows: [parts[len(rows) == 1], np.array(rows)])
    assert got.shape == (3, 5, 4) and lengths.tolist() == [0, 1, 2]
    assert got[:, :, 0].sum(axis=1).tolist() == [3.0, 5.0, 3.0]


@pytest.mark.parametrize("n_threads", [1, 2])
def test_two_runs_side_by_side_give_what_they_give_alone(
    n_threads: int, session: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kgask.plan.batches.usable_cores", lambda: n_threads)
    feeds = {node.name: providers._ones(node) for node in session.get_inputs()}
    names, expected = [["relation_probs"], ["stop_probs"]], session.run(["relation_probs", "stop_probs"], feeds)
    (one,), (other,) = side_by_side(*(partial(session.run, name, feeds) for name in names))
    np.testing.assert_array_equal(one, expected[0])
    np.testing.assert_array_equal(other, expected[1])
    for runs in ((int, partial(int, "x")), (partial(int, "x"), int)):
        with pytest.raises(ValueError, match="'x'"):
            side_by_side(*runs)


def test_what_was_read_with_a_plan_is_what_is_read_alone(planner: RigelPlanner) -> None:
    texts = ["how many countries border [MASK]?", "which is the longest of the rivers of [MASK] in the whole world?"]
    directed = np.random.default_rng(0).normal(size=(6, planner._width())).astype(np.float32)
    planner.plan(texts, directed, np.ones((2, 6), np.float32))
    for text, row in zip(texts, planner._rows(texts), strict=True):
        (read, kinds), (alone, alone_kinds) = planner._read[text], planner._read_one(row)
        assert read.tokens.shape == alone.tokens.shape == (len(row), planner._width())
        for one, other in ((read.tokens, alone.tokens), (read.state, alone.state), (kinds, alone_kinds)):
            np.testing.assert_allclose(one, other, atol=1e-4)
