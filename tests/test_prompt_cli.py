"""``kgask prompt`` and ``--prompt`` as people use them: processes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from forked_cli import kgask
from tiny_gguf import write_qwen2

from kgask.read.gguf.prompts import FIELD_HELP, NAMED

ASKED = "who is the sibling of Eve Reed?"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_qwen2(tmp_path_factory.mktemp("models") / "foreign.gguf", n_ctx=620)


def test_the_list_names_every_prompt_and_field() -> None:
    done = kgask("prompt", "--list")
    assert (done.returncode, done.stderr) == (0, "")
    rows = dict(line.split("\t") for line in done.stdout.splitlines())
    assert set(rows) == {*NAMED, *(f"{{{field}}}" for field in FIELD_HELP)}
    assert {form["name"] for form in json.loads(kgask("prompt", "--list", "--json").stdout)["prompts"]} == set(NAMED)


def test_the_preview_of_the_shipped_reader(family_path: Path) -> None:
    done = kgask("prompt", ASKED, "--pack", str(family_path))
    assert done.returncode == 0 and "Eve Reed" in done.stdout and "Finn Reed" in done.stdout
    assert "tokens of this model" in done.stderr and "kgask's own reader" in done.stderr


def test_the_preview_of_a_gguf_says_what_does_not_fit(model: Path, family_path: Path) -> None:
    done = kgask("prompt", ASKED, "--pack", str(family_path), "-r", str(model), "--prompt", "kg-gpt", "--json")
    shown = json.loads(done.stdout)
    assert shown["prompt"] == "kg-gpt" and shown["n_ctx"] == 620 and ASKED in shown["text"]
    assert shown["n_static_tokens"] < shown["n_tokens"] <= 620
    assert any("Finn Reed" in line for line in shown["shown"])
    for line in shown["cut"]:
        assert line not in shown["text"]


def test_no_facts_no_prompt(model: Path, family_path: Path) -> None:
    words = ("prompt", "who wrote Zarbulon?", "--pack", str(family_path), "-r", str(model))
    done = kgask(*words)
    assert (done.returncode, done.stdout) == (3, "") and done.stderr.count("\n") == 1
    assert kgask(*words, "--prompt", "none").returncode == 0


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["prompt"], 2, "no question"),
        (["prompt", ASKED, "--prompt", "nope"], 2, "kgask prompt --list"),
        (["prompt", ASKED, "--prompt", "kaping"], 2, "--reader FILE.gguf"),
        ([ASKED, "--prompt", "kaping"], 2, "--reader FILE.gguf"),
        ([ASKED, "--prompt", "none"], 2, "add --free"),
        ([ASKED, "--free"], 1, "--reader FILE.gguf"),
        ([ASKED, "--temperature", "1"], 2, "--free"),
        ([ASKED, "--free", "--no-reader"], 2, "exclude"),
    ],
)
def test_what_cannot_be_is_one_line(words: list[str], code: int, says: str, family_path: Path) -> None:
    done = kgask(*words, "--pack", str(family_path))
    assert (done.returncode, done.stdout) == (code, "")
    assert says in done.stderr and done.stderr.count("\n") == 1 and "Traceback" not in done.stderr


def test_a_prompt_of_ones_own_answers(model: Path, family_path: Path, tmp_path: Path) -> None:
    file = tmp_path / "mine.txt"
    file.write_text("Name who is meant.\n{facts}\n{question}", encoding="utf-8")
    done = kgask(ASKED, "--pack", str(family_path), "-r", str(model), "--prompt", str(file), "--verbose")
    assert done.returncode in (0, 3) and "Traceback" not in done.stderr
    if done.returncode == 0:
        assert done.stdout == "Finn Reed\n"
