"""``kgask models``: list, check, show."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from kgask.cli.main import cli
from kgask.config import shipped_root


def kgask(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["models", *arguments])


@pytest.fixture
def mine(empty_home: Path) -> Path:
    """The user's folder with a copy of both shipped models, under names of its own."""
    for name in ("reader", "rigel"):
        shutil.copytree(shipped_root("model") / name, empty_home / "models" / f"my-{name}")
    return empty_home / "models"


def flip_a_byte(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def test_list_names_what_is_found_and_where(mine: Path) -> None:
    rows = [line.split("\t") for line in kgask("list").stdout.splitlines()]
    assert [row[:3] for row in rows] == [
        ["encoder", "encoder", "shipped"],
        ["judge", "judge", "shipped"],
        ["reader", "reader", "shipped"],
        ["rigel", "planner", "shipped"],
        ["my-reader", "reader", "user"],
        ["my-rigel", "planner", "user"],
    ]
    assert rows[4][4] == str(mine / "my-reader")
    assert int(rows[2][3]) == (shipped_root("model") / "reader" / "reader.gguf").stat().st_size


def test_list_as_json_has_the_same() -> None:
    entries = json.loads(kgask("list", "--json").stdout)
    assert [(entry["name"], entry["role"]) for entry in entries] == [
        ("encoder", "encoder"),
        ("judge", "judge"),
        ("reader", "reader"),
        ("rigel", "planner"),
    ]


def test_list_shows_a_broken_model_and_says_why(mine: Path) -> None:
    (mine / "my-rigel" / "model.json").write_text("[]")
    result = kgask("list")
    assert "my-rigel" in result.stdout
    assert "my-rigel/model.json: not a model card" in result.stderr


def test_check_passes_the_shipped_models() -> None:
    result = kgask("check")
    assert result.exit_code == 0
    assert result.stdout == "encoder\tok\njudge\tok\nreader\tok\nrigel\tok\n"


@pytest.mark.parametrize(
    ("name", "file"), [("my-reader", "reader.gguf"), ("my-rigel", "rigel.onnx"), ("my-rigel", "tokenizer.json")]
)
def test_check_finds_one_flipped_bit(mine: Path, name: str, file: str) -> None:
    flip_a_byte(mine / name / file)
    result = kgask("check", name, "--json")
    assert result.exit_code == 1
    (entry,) = json.loads(result.stdout)
    assert not entry["ok"]
    assert file in entry["problem"]


def test_check_goes_on_after_a_broken_model(mine: Path) -> None:
    (mine / "my-reader" / "reader.gguf").unlink()
    result = kgask("check")
    assert result.exit_code == 1
    assert [line.split("\t")[0] for line in result.stdout.splitlines()] == [
        "encoder", "judge", "reader", "rigel", "my-reader", "my-rigel"
    ]  # fmt: skip
    assert [line.endswith("\tok") for line in result.stdout.splitlines()] == [True, True, True, True, False, True]


@pytest.mark.parametrize(
    "files", ['{"../../x": {"bytes": 1, "sha256": "0"}}', '{"x": 3}', '{"x": {"bytes": "1"}}', "null"]
)
def test_a_card_may_not_name_files_elsewhere_or_without_hash(mine: Path, files: str) -> None:
    card = mine / "my-rigel" / "model.json"
    content = json.loads(card.read_text()) | {"files": json.loads(files)}
    card.write_text(json.dumps(content))
    result = kgask("check", "my-rigel")
    assert result.exit_code == 1
    assert "model.json" in result.stdout


def test_check_reads_the_header_of_a_bare_gguf(tmp_path: Path) -> None:
    shipped = shipped_root("model") / "reader" / "reader.gguf"
    assert kgask("check", str(shipped)).exit_code == 0
    cut = tmp_path / "cut.gguf"
    cut.write_bytes(shipped.read_bytes()[:-1000])
    result = kgask("check", str(cut))
    assert result.exit_code == 1
    assert "cut off" in result.stdout


def test_show_prints_the_card() -> None:
    card = json.loads((shipped_root("model") / "rigel" / "model.json").read_text())
    shown = json.loads(kgask("show", "rigel", "--json").stdout)
    assert shown == {"path": str(shipped_root("model") / "rigel"), "origin": "shipped", "role": "planner", **card}
    rows = dict(line.split("\t", 1) for line in kgask("show", "rigel").stdout.splitlines())
    assert rows["files.rigel.onnx.sha256"] == card["files"]["rigel.onnx"]["sha256"]
    assert rows["licence"] == card["licence"]


def test_show_of_a_gguf_says_what_its_header_says() -> None:
    shown = json.loads(kgask("show", str(shipped_root("model") / "reader" / "reader.gguf"), "--json").stdout)
    assert shown["architecture"] == "bert"
    assert shown["n_tensors"] > 0


def test_an_unknown_model_is_one_line() -> None:
    result = kgask("show", "nowhere")
    assert result.exit_code == 1
    assert "no model named or at 'nowhere'" in str(result.exception)
