"""Broken and hostile model files through the real commands: one line, no crash, nothing left.

A file that cannot be used is exit code 1; one that ends the process that loads it is not read, and the plan answers.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from forked_cli import Ended, run_all
from hostile_gguf import BYTES, METADATA, write_all
from network import QUESTION
from tiny_gguf import write_qwen2

from kgask.errors import ModelError
from kgask.read.load import load_reader

HANGS = "{% for a in range(99999) %}{% for b in range(99999) %}{% set c = a * b %}{% endfor %}{% endfor %}"
TEMPLATES = {
    "hangs": HANGS,
    "endless output": "{% for a in range(99999) %}{% for b in range(99999) %}xxxxxxxxxx{% endfor %}{% endfor %}",
    "ten gigabytes": "{{ 'x' * 10000000000 }}",
    "a huge number": "{{ 9 ** 9 ** 9 }}",
    "recursion": "{% macro a() %}{{ a() }}{% endmacro %}{{ a() }}",
    "leaves the sandbox": "{{ messages.__class__.__mro__[1].__subclasses__() }}{{ messages[0]['content'] }}",
    "syntax": "{% for message in messages %}",
    "raises": "{{ raise_exception('no') }}",
    "divides by zero": "{{ 1 / 0 }}",
    "forgets the question": "<|im_start|>user",
    "says the question twice": "{{ messages[0]['content'] }}{{ messages[0]['content'] }}",
}
MORE_TEMPLATES = [name for name in TEMPLATES if name not in ("recursion", "syntax")]


def is_one_line(ended: Ended) -> bool:
    line = ended.stderr.rstrip("\n")
    return ended.code == 1 and ended.stdout == "" and line.startswith("kgask: ") and line.isprintable()


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return write_all(tmp_path_factory.mktemp("hostile"))


def test_there_are_many(files: dict[str, Path]) -> None:
    assert len(files) > 70
    assert set(files) >= {*BYTES, *METADATA}


@pytest.mark.slow
def test_add_refuses_each_with_one_line_and_leaves_nothing(files: dict[str, Path], empty_home: Path) -> None:
    ended = run_all([["models", "add", str(path)] for path in files.values()], empty_home)
    assert [(name, end) for name, end in zip(files, ended, strict=True) if not is_one_line(end)] == []
    assert not list((empty_home / "models").glob("*"))


def answered_without_it(ended: Ended) -> bool:
    line = ended.stderr.rstrip("\n")
    crashed = "cannot use this file: it crashes" in line and "answering without a reader" in line
    return (ended.code, ended.stdout) == (0, "Jane Austen\n") and crashed and line.isprintable()


@pytest.mark.slow
def test_ask_refuses_each_with_one_line_or_answers_without_it(files: dict[str, Path], empty_home: Path) -> None:
    ended = run_all([["ask", "-r", str(path), QUESTION] for path in files.values()], empty_home)
    unclear = [end for end in ended if not (is_one_line(end) or answered_without_it(end))]
    assert unclear == []
    assert answered_without_it(dict(zip(files, ended, strict=True))["a million layers"])


def test_some_are_refused_in_the_quick_run_too(files: dict[str, Path], empty_home: Path) -> None:
    some = [str(files[name]) for name in ("cut to 0.5", "a million layers")]
    ended = run_all([["models", "add", path] for path in some], empty_home)
    assert all(map(is_one_line, ended)), ended
    assert not list((empty_home / "models").glob("*"))


@pytest.mark.parametrize("name", ["cut to 0.5", "a million layers", "a pipe that nobody writes to"])
def test_in_a_python_of_its_own(name: str, files: dict[str, Path], empty_home: Path) -> None:
    command = [sys.executable, "-m", "kgask", "ask", "-r", str(files[name]), QUESTION]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=empty_home, check=False)
    end = Ended(done.returncode, done.stdout, done.stderr)
    assert answered_without_it(end) if name == "a million layers" else is_one_line(end)


def test_what_aborts_llama_cpp_names_how_it_died(files: dict[str, Path]) -> None:
    with pytest.raises(ModelError, match=r"crashes \(SIGABRT\)"):
        load_reader(files["a million layers"])


def test_what_llama_cpp_refuses_gives_its_reason(files: dict[str, Path]) -> None:
    with pytest.raises(ModelError, match=r"blk\.1\.ffn_up\.weight"):
        load_reader(files["a tensor is missing"])


@pytest.mark.parametrize(
    "name",
    ["recursion", "syntax", *(pytest.param(name, marks=pytest.mark.slow) for name in MORE_TEMPLATES)],
)
def test_a_hostile_chat_template_costs_seconds_and_a_plain_prompt(name: str, tmp_path: Path) -> None:
    reader = load_reader(write_qwen2(tmp_path / "model.gguf", chat_template=TEMPLATES[name]), n_threads=1)
    assert "does not render" in reader.note


def test_metadata_that_is_not_text_is_shown_harmlessly(tmp_path: Path, empty_home: Path) -> None:
    whole = write_qwen2(tmp_path / "model.gguf", metadata={"general.name": "NAME" * 4}).read_bytes()
    path = tmp_path / "model.gguf"
    hostile = b"\xff\xfe\x1b[2J\x00\x9b1mabc\n\xc3x"
    assert len(hostile) == 16
    path.write_bytes(whole.replace(b"NAME" * 4, hostile))
    shown, as_json, answered = run_all(
        [["models", "show", str(path)], ["models", "show", str(path), "--json"], ["ask", "-r", str(path), QUESTION]],
        empty_home,
    )
    assert shown.code == 0 and "\x1b" not in shown.stdout and "\\x1b" in shown.stdout
    assert as_json.code == 0 and "\x1b" not in as_json.stdout
    assert answered.code in (0, 3) and "Traceback" not in answered.stderr


@pytest.mark.slow
def test_a_file_is_tried_once_and_again_when_it_changes(
    tmp_path: Path, own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from kgask.read.files import probe

    path, tried = write_qwen2(tmp_path / "model.gguf"), []
    real = probe.Trial.run
    monkeypatch.setattr(probe.Trial, "run", lambda trial: (tried.append(trial.file), real(trial))[1])

    def use() -> None:
        probe.usable(path, 1, 0)

    use()
    use()
    assert len(tried) == 1
    os.utime(path, ns=(0, 10**18))
    use()
    assert len(tried) == 2
    write_qwen2(path, rng_seed=1)
    os.utime(path, ns=(0, 10**18))  # same size, same time: the hash says that it is another
    use()
    assert len(tried) == 3
    for entry in (own_cache / "remembered").iterdir():  # safe to delete, and garbage there is no answer
        entry.write_text('{"key": 1')
    use()
    assert len(tried) == 4


def test_what_is_remembered_is_bounded(own_cache: Path) -> None:
    from kgask.machine.remembered import MOST_ENTRIES, recall, remember

    for number in range(MOST_ENTRIES + 20):
        remember(f"key {number}", number)
    folder = own_cache / "remembered"
    assert len(list(folder.iterdir())) == MOST_ENTRIES
    assert recall(f"key {MOST_ENTRIES + 19}") == MOST_ENTRIES + 19
    assert recall("key that is not there") is None
