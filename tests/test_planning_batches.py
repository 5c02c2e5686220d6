"""Planning many questions at once: order, bound inputs, failure, and what happens without a working GPU."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from kgask.config import shipped_root
from kgask.errors import ModelError
from kgask.pack.store import Pack
from kgask.plan import providers
from kgask.plan.batches import CPU_ROWS, Batches, padded
from kgask.plan.providers import CPU, CUDA, open_session
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
    best = together.relation_probs.argmax(-1)
    best_alone = np.concatenate([plan.relation_probs for plan in alone]).argmax(-1)
    assert (best[:, :2] == best_alone[:, :2]).mean() > 0.9  # int8 scales over a run, so not wholly equal
    assert len(set(best[:, 0].tolist())) > 2, "rows that all say the same would hide a wrong order"
    for name in ("stop_probs", "branch_scores", "answer_types"):
        single = np.concatenate([getattr(plan, name) for plan in alone])
        assert getattr(together, name).shape == single.shape
        assert np.median(np.abs(getattr(together, name) - single)) < 0.05, name


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


def test_a_gpu_that_does_not_work_is_said_and_the_cpu_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    import onnxruntime

    if CUDA not in onnxruntime.get_available_providers():
        pytest.skip("this onnxruntime has no CUDA support")
    if any(Path(node).exists() for node in providers._NVIDIA_NODES):
        pytest.skip("there is an NVIDIA device")
    monkeypatch.setattr(providers, "_NVIDIA_NODES", ("/dev/null",))  # looks like a device, is none
    session, note = open_session(SHIPPED / "rigel.onnx", SHIPPED / "rigel.onnx")
    assert note.startswith("planner on the CPU (CUDA failed: ")
    assert session.get_providers() == [CPU]
    session, note = open_session(SHIPPED / "rigel.onnx")
    assert note == f"planner on the CPU (CUDA runs {providers.FULL_GRAPH}, which this model does not have)"


def test_nothing_is_printed_when_the_gpu_fails() -> None:
    """ONNX Runtime complains on stdout, where answers go."""
    code = (
        "from pathlib import Path; from kgask.plan import providers; providers._NVIDIA_NODES = ('/dev/null',);"
        f"model = Path({str(SHIPPED / 'rigel.onnx')!r}); providers.open_session(model, model)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert (done.stdout, done.stderr) == ("", "")


def test_a_file_that_is_no_model_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "rigel.onnx"
    path.write_bytes(b"no model")
    with pytest.raises(ModelError, match="not a usable ONNX model"):
        open_session(path)
