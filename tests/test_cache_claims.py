"""What a pack or a model claims about itself changes no other pack's and no other model's answers."""

from __future__ import annotations

import hashlib
import json
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hostile_pack import accept_hashes

from kgask.answer.pipeline import Pipeline
from kgask.cards import write_card
from kgask.config import shipped_root
from kgask.methods.amr_inputs import relation_vectors
from kgask.methods.similarity import Similarity
from kgask.methods.text_encoder import TextEncoder
from kgask.pack.store import Pack
from kgask.plan.rigel_onnx import RigelPlanner
from kgask.verbalise import directed_words

DEMO = shipped_root("pack") / "demo"
BORN = "when was Jane Austen born?"


@pytest.fixture
def swapped(tmp_path: Path) -> Path:
    """The demo pack with two relations called by each other's names, and with the hashes of the real one."""
    copy = Path(shutil.copytree(DEMO, tmp_path / "swapped"))
    with sqlite3.connect(copy / "names.sqlite") as db:
        texts = dict(db.execute("SELECT key, json_array(label, aliases) FROM relations WHERE key IN ('P569', 'P570')"))
        for key, other in (("P569", "P570"), ("P570", "P569")):
            db.execute("UPDATE relations SET label = ?, aliases = ? WHERE key = ?", (*json.loads(texts[other]), key))
    db.close()
    accept_hashes(copy)
    with Pack.open(copy) as pack, Pack.open(DEMO) as demo:
        assert pack.relation_hash == demo.relation_hash and pack.relation_labels() != demo.relation_labels()
    return copy


def with_other_words(model: Path, to: Path) -> Path:
    """A model that reads "birth" where "death" is written, with the hashes of the real one."""
    copy = Path(shutil.copytree(model, to))
    path = copy / "tokenizer.json"
    tokenizer = json.loads(path.read_text(encoding="utf-8"))
    words = tokenizer["model"]["vocab"]
    words["birth"], words["death"] = words["death"], words["birth"]
    path.write_text(json.dumps(tokenizer, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")
    assert path.stat().st_size == (model / "tokenizer.json").stat().st_size
    card = json.loads((copy / "model.json").read_bytes())
    card["files"]["tokenizer.json"]["sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()
    write_card(copy, card)
    return copy


@pytest.mark.slow
def test_a_pack_with_borrowed_hashes_poisons_no_other(swapped: Path, own_cache: Path) -> None:
    with Pipeline.open(str(swapped), reader=None) as pipeline:
        assert "1817" in pipeline.ask(BORN).text
    command = [sys.executable, "-m", "kgask", BORN]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert "1775" in done.stdout and "1817" not in done.stdout


@pytest.mark.slow
def test_a_planner_with_borrowed_hashes_poisons_no_other(tmp_path: Path, own_cache: Path) -> None:
    other = RigelPlanner.load(with_other_words(shipped_root("model") / "rigel", tmp_path / "other"))
    real = RigelPlanner.load(shipped_root("model") / "rigel")
    with Pack.open(DEMO) as pack:
        foreign = other.relation_matrix(pack.relations())
        mine = real.relation_matrix(pack.relations())
        keys = [relation.key for relation in pack.relations()]
    assert other.card.hash == real.card.hash
    assert mine[keys.index("P569")] @ foreign[keys.index("P569")] < 0.9
    assert len(list((own_cache / "relations").iterdir())) == 2


def test_one_planner_keeps_one_matrix_for_one_vocabulary(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Pack.open(DEMO) as pack:
        first = RigelPlanner.load(shipped_root("model") / "rigel").relation_matrix(pack.relations())
        again = RigelPlanner.load(shipped_root("model") / "rigel")
        monkeypatch.setattr(again, "_encode_texts", None)  # not called
        np.testing.assert_array_equal(again.relation_matrix(pack.relations()), first)


@pytest.mark.slow
def test_similarity_is_not_poisoned_by_claims(swapped: Path, tmp_path: Path, own_cache: Path) -> None:
    shipped = shipped_root("model") / "encoder"
    real, other = TextEncoder.load(shipped), TextEncoder.load(with_other_words(shipped, tmp_path / "other"))
    with Pack.open(DEMO) as demo, Pack.open(swapped) as pack:
        foreign = [Similarity(real)._relation_vectors(pack), Similarity(other)._relation_vectors(demo)]
        foreign.append(relation_vectors(other, directed_words(demo)))
        mine = Similarity(real)._relation_vectors(demo)
        born = [relation.key for relation in demo.relations()].index("P569")
        ranked = relation_vectors(real, directed_words(demo))
    assert all(mine[born] @ vectors[born] < 0.95 for vectors in foreign)
    assert ranked[born] @ foreign[-1][born] < 0.95
    assert len(list((own_cache / "relations").iterdir())) == 5
