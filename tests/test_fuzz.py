"""The fuzzer: what it changes follows from its seed, what it calls bad is bad, and a short run finds nothing."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

TOOL = Path(__file__).resolve().parents[1] / "tools" / "fuzz"


@pytest.fixture(scope="module")
def tool() -> Iterator[dict[str, ModuleType]]:
    """Its modules, which import each other by their bare names."""
    import importlib

    names = ("classify", "mutate", "databases", "children")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(TOOL))
        yield {name: importlib.import_module(name) for name in names}
        for name in names:
            sys.modules.pop(name, None)


def line(answer: str | None) -> str:
    entities = [{"label": answer}] if answer else []
    return json.dumps({"answer": answer, "entities": entities, "abstained": answer is None})


def test_changes_follow_from_the_seed(tool: dict[str, ModuleType]) -> None:
    data = json.dumps({"files": {"a": {"bytes": 12}}, "counts": [1, 2, 3]}).encode()
    kinds = (*tool["mutate"].BYTES, tool["mutate"].json_value, tool["mutate"].text, tool["mutate"].lines)
    for kind in kinds:
        made = [kind(random.Random(f"7 {number}"), data) for number in range(20)]
        assert made == [kind(random.Random(f"7 {number}"), data) for number in range(20)]
        assert any(new != data for new, _ in made)


def test_a_changed_database_is_another_one(tool: dict[str, ModuleType], family_path: Path, tmp_path: Path) -> None:
    whole = (family_path / "names.sqlite").read_bytes()
    for number in range(30):
        path = tmp_path / f"{number}.sqlite"
        path.write_bytes(whole)
        assert tool["databases"].database(random.Random(number), path)
    assert sum(path.read_bytes() != whole for path in tmp_path.iterdir()) > 20


@pytest.mark.parametrize(
    ("answers", "stderr", "code", "expected"),
    [
        (["Ann", "Bob"], "", 0, "right"),
        (["Ann", "Eve"], "", 0, "WRONG"),
        (["Ann", None], "", 0, "refused"),
        (["Ann"], "kgask: names.sqlite: is damaged\n", 1, "clear error"),
        (["Eve"], "kgask: names.sqlite: is damaged\n", 1, "WRONG"),
        (["Ann"], "", 1, "SILENT"),
        (["Ann"], "", 0, "SILENT"),
        ([], "Traceback (most recent call last):\nValueError\n", 1, "TRACEBACK"),
        ([], "kgask: a fault of kgask itself (IndexError-x:1): y; please report it\n", 70, "FAULT"),
        ([], "libfoo: oops\n", 1, "UNCLEAR"),
        ([], "", -11, "SIGNAL"),
    ],
)
def test_what_an_outcome_is_called(
    answers: list[str | None], stderr: str, code: int, expected: str, tool: dict[str, ModuleType]
) -> None:
    def ended(said: list[str | None], stderr: str = "", code: int = 0) -> object:
        stdout = "".join(f"{line(one)}\n" for one in said)
        return tool["children"].Ended(("ask",), code, stdout, stderr, 0.1)

    assert tool["classify"].of_answers(ended(["Ann", "Bob"]), ended(answers, stderr, code), False) == expected


def fuzzed(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(TOOL), *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | {"COLUMNS": "200"})


@pytest.mark.slow
def test_a_case_is_made_again_by_its_number(tmp_path: Path) -> None:
    done = fuzzed("--what", "inputs", "--only", "3", "--seed", "1", "--keep", str(tmp_path / "kept"))
    assert done.returncode == 0, done.stdout + done.stderr
    (kept,) = (tmp_path / "kept").iterdir()
    assert kept.name.startswith("inputs-1-3-") and (kept / "what.txt").exists()


@pytest.mark.slow
@pytest.mark.parametrize("what", ["packs", "sources", "inputs", "files", "planners", "judges", "encoders", "readers"])
def test_a_short_run_finds_nothing(what: str, tmp_path: Path) -> None:
    done = fuzzed("--what", what, "--number", "40", "--seconds", "3", "--seed", "20", "--keep", str(tmp_path / "kept"))
    assert done.returncode == 0, done.stdout + done.stderr
