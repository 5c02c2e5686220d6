"""Planner folders that are not what they should be: one line that names the file, never a traceback."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kgask.cards import file_entry, write_card
from kgask.config import MODEL_CARD, shipped_root
from kgask.errors import ModelError
from kgask.pack.store import Pack
from kgask.plan.card import CLOSED_FILE, RigelCard
from kgask.plan.rigel_onnx import RigelPlanner

SHIPPED = shipped_root("model") / "rigel"
Change = Callable[[dict[str, Any]], object]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(SHIPPED, tmp_path / "rigel"))


def changed(folder: Path, change: Change) -> Path:
    path = folder / MODEL_CARD
    card = json.loads(path.read_text(encoding="utf-8"))
    change(card)
    write_card(folder, card)
    return folder


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda card: card.update(linker=[1.0]), "broken model card"),
        (lambda card: card.update(linker={"bias": "much"}), "broken model card"),
        (lambda card: card.update(linker={"bias": float("nan")}), "broken model card"),
        (lambda card: card["calibration"].update(weights={"mass": None}), "broken model card"),
        (lambda card: card.update(calibration=None), "broken model card"),
        (lambda card: card.update(max_tokens=-1), "max_tokens -1"),
        (lambda card: card.update(closed_vocabulary="P1"), "closed_vocabulary"),
        (lambda card: card.update(closed_vocabulary=["P1", "P1"]), "closed_vocabulary"),
        (lambda card: card.update(files=[]), "broken model card"),
        (lambda card: card["files"].update({"../rigel.onnx": {"bytes": 1}}), "not a file of this folder"),
        (lambda card: card["files"].update({"gone.npy": {"bytes": 1}}), "gone.npy: missing"),
        (lambda card: card.update(format_version=1), "train it again"),
        (lambda card: card.update(format_version=3), "newer kgask"),
    ],
)
def test_a_broken_card_is_one_line(change: Change, says: str, folder: Path) -> None:
    with pytest.raises(ModelError, match=says) as raised:
        RigelCard.load(changed(folder, change))
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("content", [None, b"", b"not an array", "too narrow", "float64", "NaN"])
def test_closed_vectors_that_do_not_fit_the_card_are_one_line(content: object, folder: Path, family: Pack) -> None:
    keys = [relation.key for relation in family.relations()]
    vectors = np.ones((2 * len(keys), 384), np.float32)
    if isinstance(content, bytes):
        (folder / CLOSED_FILE).write_bytes(content)
    elif content is not None:
        wrong = {"too narrow": vectors[:, 1:], "float64": vectors.astype(float), "NaN": vectors * np.nan}
        np.save(folder / CLOSED_FILE, wrong[content])
    planner = RigelPlanner.load(changed(folder, lambda card: card.update(closed_vocabulary=keys)))
    with pytest.raises(ModelError, match=CLOSED_FILE):
        planner.relation_matrix(family.relations())
    np.save(folder / CLOSED_FILE, vectors)
    np.testing.assert_array_equal(planner.relation_matrix(family.relations()), vectors)


def test_a_graph_of_something_else_is_one_line(folder: Path) -> None:
    onnx = pytest.importorskip("onnx")
    graph = onnx.load(str(folder / "rigel.onnx"))
    del graph.graph.output[2]  # branch_scores
    onnx.save(graph, str(folder / "rigel.onnx"))
    changed(folder, lambda card: card["files"].update({"rigel.onnx": file_entry(folder / "rigel.onnx")}))
    with pytest.raises(ModelError, match="'branch_scores'"):
        RigelPlanner.load(folder)


def test_a_garbled_or_foreign_cache_of_relations_is_made_again(own_cache: Path, family: Pack) -> None:
    planner = RigelPlanner.load(SHIPPED)
    expected = planner.relation_matrix(family.relations())
    cached = next((own_cache / "relations").glob("*.npy"))
    for content in (np.zeros((1, 384), np.float32), expected.astype(float), expected * np.nan):
        np.save(cached, content)
        np.testing.assert_array_equal(planner.relation_matrix(family.relations()), expected)
    for broken in (b"", cached.read_bytes()[:-9], b"\x93NUMPY\x01\x00\x10\x00{'shape': (9**9"):
        cached.write_bytes(broken)
        np.testing.assert_array_equal(planner.relation_matrix(family.relations()), expected)
