"""``kgask doctor``: what it finds right and wrong, in whole processes where it counts."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from forked_cli import kgask
from test_imports import LISTING, TRAINING

from kgask.cli import health, health_native
from kgask.config import shipped_root
from kgask.pack.records import RelationText


def examined(*args: str, **env: str) -> tuple[int, dict[str, dict[str, str]]]:
    """Exit code, and the findings by check."""
    done = kgask("doctor", "--json", *args, **env)
    report = json.loads(done.stdout)
    assert report["ok"] == (done.returncode == 0)
    assert "Traceback" not in done.stderr
    return done.returncode, {finding["check"]: finding for finding in report["findings"]}


@pytest.mark.slow
def test_a_sound_installation_passes() -> None:
    done = kgask("doctor")
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    assert done.returncode == 0, done.stdout
    assert {row[0] for row in rows} <= {"ok", "warn"}
    found = {row[1]: row[2] for row in rows}
    assert {"python", "onnxruntime", "llama_cpp", "sqlite", "threads", "memory", "onnx providers"} <= set(found)
    assert "hashes fit" in found["model rigel"]
    assert "triples" in found["pack"]
    assert "planned right" in found["self-test"]
    assert done.stderr.endswith("0 failed, 0 warnings\n")


@pytest.mark.slow
def test_a_small_pack_is_examined_and_named(family_path: Path) -> None:
    code, found = examined("--pack", str(family_path))
    assert code == 0
    assert "8 relations, 21 triples" in found["pack"]["found"]
    assert found["relation labels"]["status"] == "ok"
    assert " ms (What is the " in found["self-test"]["found"]


@pytest.mark.slow
def test_relations_that_are_ids_are_flagged_with_what_to_type(tmp_path: Path) -> None:
    source = tmp_path / "ids.tsv"
    source.write_text("Grey Heron\tP57\tOld Town\nOld Town\tm.0abc1\tGrey Heron\n")
    assert kgask("pack", "build", str(source), "-o", str(tmp_path / "ids")).returncode == 0
    code, found = examined("--pack", str(tmp_path / "ids"))
    assert code == 4
    assert (found["relation labels"]["status"], found["relation labels"]["found"][:6]) == ("fail", "2 of 2")
    assert "--relations FILE" in found["relation labels"]["advice"]


def test_some_ids_among_words_are_a_warning() -> None:
    relations = [RelationText("P50", "author", ("written by",)), RelationText("P57", "P57")]
    labels, aliases = health.relation_texts(relations)
    assert (labels.status, labels.found) == ("warn", "1 of 2 are ids, not words (P57)")
    assert aliases.found == "1 of 2 relations have other names (50%)"


@pytest.mark.parametrize(
    "label", ["P57", "Q42", "R5", "rel_12", "m.0abc", "/m/02_x9", "http://x.org/p/9", "4f2a99bc01", "12", "??"]
)
def test_labels_that_are_ids(label: str) -> None:
    assert health_native.is_opaque(label)


@pytest.mark.parametrize(
    "label",
    ["author", "ISO 639-1 code", "date of birth", "m/s", "is a", "größe", "作者", "p-value", "decade", "facade"],
)
def test_labels_that_are_words(label: str) -> None:
    assert not health_native.is_opaque(label)


def test_a_damaged_pack_a_missing_model_and_broken_settings_fail(
    tmp_path: Path, empty_home: Path, family_path: Path
) -> None:
    damaged = tmp_path / "damaged"
    shutil.copytree(family_path, damaged)
    (damaged / "out_object.npy").write_bytes(b"")
    (empty_home / "config.toml").write_text("colour = 1\n")
    code, found = examined("--pack", str(damaged), "--model", "nowhere")
    assert code == 4
    assert [found[check]["status"] for check in ("pack", "model nowhere", "settings")] == ["fail"] * 3
    assert "kgask pack check" in found["pack"]["advice"]


@pytest.mark.slow
@pytest.mark.parametrize("used", [pytest.param(False, marks=pytest.mark.slow), True])
def test_a_broken_model_fails_only_when_it_is_used(used: bool, empty_home: Path) -> None:
    mine = empty_home / "models" / "mine"
    shutil.copytree(shipped_root("model") / "rigel", mine)
    with (mine / "rigel.onnx").open("r+b") as file:
        file.seek(1000)
        byte = file.read(1)[0]
        file.seek(1000)
        file.write(bytes([byte ^ 1]))
    code, found = examined(**({"KGASK_MODEL": "mine"} if used else {}))
    assert found["model mine"]["status"] == ("fail" if used else "warn")
    assert "rigel.onnx" in found["model mine"]["found"]
    assert code == (4 if used else 0)


@pytest.mark.slow
def test_settings_and_home_are_shown_with_their_origin(empty_home: Path, family_path: Path) -> None:
    (empty_home / "config.toml").write_text("top_k = 7\n")
    _, found = examined(KGASK_PACK=str(family_path))
    assert "top_k = 7 (config.toml)" in found["settings"]["found"]
    assert "(environment)" in found["settings"]["found"]
    assert found["home"]["found"] == f"{empty_home} (KGASK_HOME)"


@pytest.mark.slow
def test_a_home_that_cannot_be_written_is_a_warning(tmp_path: Path) -> None:
    plain = tmp_path / "file"
    plain.write_text("")
    code, found = examined(KGASK_HOME=str(plain / "home"))
    assert (code, found["home"]["status"]) == (0, "warn")
    assert "KGASK_HOME" in found["home"]["advice"]


@pytest.mark.slow
def test_hostile_labels_cannot_touch_the_terminal(tmp_path: Path) -> None:
    source = tmp_path / "evil.tsv"
    source.write_text("Grey\x1b[31m Heron\tis\x1b]0;owned\x07 in\tOld Town\n", encoding="utf-8")
    assert kgask("pack", "build", str(source), "-o", str(tmp_path / "evil")).returncode == 0
    done = kgask("doctor", "--pack", str(tmp_path / "evil"))
    assert not set(done.stdout + done.stderr) & set("\x1b\x07")


@pytest.mark.slow
def test_nothing_of_training_is_loaded(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LISTING, "doctor"],
        cwd=tmp_path, capture_output=True, text=True, timeout=120, check=True,
        env=os.environ,
    )  # fmt: skip
    assert set(done.stderr.splitlines()[-1].split()) & TRAINING == set()
