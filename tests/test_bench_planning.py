"""``kgask bench planning``: real plans, sensible figures."""

from __future__ import annotations

import json
from pathlib import Path

from forked_cli import kgask

from kgask.config import shipped_root
from kgask.plan.rigel_onnx import MASK
from kgask.sets.of_pack import masked_questions


def test_questions_repeat_and_hold_one_mask() -> None:
    texts = masked_questions(["place_of_birth", "author"], 30)
    assert texts == masked_questions(["place_of_birth", "author"], 30)
    assert all(text.count(MASK) == 1 for text in texts)
    assert "place of birth" in texts[0] or "author" in texts[0]
    assert {text.count(" of the ") for text in texts} == {0, 1, 2}


def test_a_graph_compared_with_itself_differs_in_nothing(family_path: Path) -> None:
    same = shipped_root("model") / "rigel" / "rigel.onnx"
    done = kgask(
        "bench",
        "planning",
        "--pack",
        str(family_path),
        "--questions",
        "12",
        "--runs",
        "1",
        "--full",
        str(same),
        "--json",
    )
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)
    assert figures["questions"] == 12
    assert figures["ms_per_question"] > 0
    assert figures["questions_per_s_in_batches"] > 0
    assert figures["same_path_as_full"] == 1.0
    assert figures["total_difference_of_relation_probs"] == 0.0
    assert 0.5 <= figures["same_path_alone_and_in_batches"] <= 1.0


def test_a_graph_that_is_none_is_one_line(tmp_path: Path, family_path: Path) -> None:
    path = tmp_path / "none.onnx"
    path.write_bytes(b"no graph")
    done = kgask("bench", "planning", "--pack", str(family_path), "--questions", "1", "--full", str(path))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1
