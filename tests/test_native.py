"""Compiled code that does not work here: real crashes, a library that does not load, and what is remembered."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from network import QUESTION
from tiny_gguf import write_qwen2

from kgask import config
from kgask.cards import write_card
from kgask.errors import FallbackWarning, NativeError
from kgask.machine.remembered import recall
from kgask.machine.trial import Trial, cpu
from kgask.read.files import probe
from kgask.read.gguf.bindings import library_files, library_hash
from kgask.read.load import load_reader

READER = config.shipped_root("model") / "reader"


def run(*words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "kgask", *words],
        env=os.environ | variables, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


def broken(folder: Path, name: str, content: bytes | None = None) -> str:
    """A copy of llama.cpp's libraries in which those of this name are garbage, or have no code where they had some."""
    shutil.copytree(library_files()[0].parent, folder)
    for path in folder.glob(f"*{name}.*"):
        data = bytearray(path.read_bytes())
        path.write_bytes(content or bytes(data[:200_000]) + bytes(700_000) + bytes(data[900_000:]))
    return str(folder)


@pytest.fixture(scope="module")
def no_library(tmp_path_factory: pytest.TempPathFactory) -> str:
    return broken(tmp_path_factory.mktemp("garbage") / "lib", "llama", os.urandom(50_000))


@pytest.fixture(scope="module")
def crashing(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A library that loads, and ends the process when it computes: as one compiled by the wrong compiler does."""
    return broken(tmp_path_factory.mktemp("crashing") / "lib", "ggml-cpu")


@pytest.mark.slow
def test_a_library_that_does_not_load_costs_a_line_and_no_answer(no_library: str) -> None:
    done = run(QUESTION, LLAMA_CPP_LIB_PATH=no_library)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (0, "Jane Austen\n", 1)
    assert "does not load" in done.stderr and "pip install --force-reinstall" in done.stderr


@pytest.mark.slow
def test_a_crash_costs_a_line_and_no_answer_and_is_tried_once(crashing: str, own_cache: Path) -> None:
    for _ in range(2):
        done = run(QUESTION, LLAMA_CPP_LIB_PATH=crashing)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (0, "Jane Austen\n", 1)
        assert "it crashes (SIGSEGV)" in done.stderr and "kgask doctor" in done.stderr
    verdicts = [json.loads(path.read_text())["value"] for path in (own_cache / "remembered").iterdir()]
    assert verdicts.count("crashes (SIGSEGV)") == 1


@pytest.mark.slow
def test_no_setting_of_python_hides_the_line_or_makes_it_an_error(crashing: str) -> None:
    for setting in ("error", "ignore"):
        done = run(QUESTION, LLAMA_CPP_LIB_PATH=crashing, PYTHONWARNINGS=setting)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (0, "Jane Austen\n", 1)


def test_from_python_it_is_a_warning(crashing: str) -> None:
    code = "import kgask; kg = kgask.open('demo'); print(kg.ask('who wrote Lady Susan?').text, kg.reader)"
    done = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | {"LLAMA_CPP_LIB_PATH": crashing}, capture_output=True, text=True,
        timeout=120, check=True,
    )  # fmt: skip
    assert done.stdout == "Jane Austen None\n"
    assert FallbackWarning.__name__ in done.stderr


@pytest.mark.slow
def test_what_needs_a_reader_is_refused_without_one(crashing: str, tmp_path: Path) -> None:
    model = write_qwen2(tmp_path / "model.gguf")
    for words in (["--free"], ["--prompt", "kaping"]):
        done = run("ask", "-r", str(model), *words, QUESTION, LLAMA_CPP_LIB_PATH=crashing)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
        assert "crashes" in done.stderr


@pytest.mark.slow
def test_doctor_names_it(crashing: str, no_library: str) -> None:
    for folder, check, word in ((crashing, "reader", "crashes (SIGSEGV)"), (no_library, "llama.cpp", "does not load")):
        done = run("doctor", "--json", LLAMA_CPP_LIB_PATH=folder)
        findings = {finding["check"]: finding for finding in json.loads(done.stdout)["findings"]}
        assert done.returncode == 4
        assert findings[check]["status"] == "fail" and word in findings[check]["found"]
        assert "pip install" in findings[check]["advice"]


@pytest.mark.slow
def test_doctor_says_what_llama_cpp_is_compiled_for_and_by() -> None:
    done = run("doctor", "--json")
    findings = {finding["check"]: finding for finding in json.loads(done.stdout)["findings"]}
    assert findings["llama.cpp"]["status"] == "ok", findings["llama.cpp"]
    assert "compiled for" in findings["llama.cpp"]["found"] and "GPU backends:" in findings["llama.cpp"]["found"]
    assert findings["reader"]["found"].startswith("reader: read in ")
    assert findings["encoder"]["status"] == "ok"


@pytest.mark.slow
def test_a_reader_folder_whose_file_aborts_is_not_read(tmp_path: Path) -> None:
    """Its card and its hash are right; llama.cpp ends the process on a model without layers."""
    from gguf import GGUFReader

    from kgask.read.files.card import make_card

    folder = tmp_path / "reader"
    shutil.copytree(READER, folder)
    file = folder / "reader.gguf"
    field = GGUFReader(file, "r+").get_field("bert.block_count")
    field.parts[field.data[0]][0] = 0
    card = json.loads((folder / "model.json").read_text())
    card["files"] = make_card(file, {})["files"]
    write_card(folder, card)
    with pytest.raises(NativeError, match=r"crashes \(SIGABRT\)"):
        load_reader(folder)
    done = run("ask", "-r", str(folder), QUESTION)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (0, "Jane Austen\n", 1)


def test_the_verdict_depends_on_library_cpu_file_and_settings() -> None:
    assert library_hash() == library_hash() and len(library_hash()) == 64
    assert cpu() == cpu() and len(cpu()) > 10
    runs = [probe.Run.own(READER / "reader.gguf", threads) for threads in (1, 2)]
    keys = {trial._key() for run in runs for trial in (run.trial("a", 1), run.trial("b", 1))}
    assert len(keys) == 4


@pytest.mark.slow
def test_where_nothing_can_be_kept_it_is_tried_each_time_and_said(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    for _ in range(2):
        done = run(QUESTION, "--verbose", KGASK_CACHE=str(blocked / "cache"))
        assert done.returncode == 0
        assert "tried in a process of its own, as each time: the cache cannot be written" in done.stderr


@pytest.mark.slow
def test_with_a_cache_it_is_said_once(own_cache: Path) -> None:
    said = ["tried in a process of its own" in run(QUESTION, "--verbose").stderr for _ in range(2)]
    assert said == [True, False]


@pytest.mark.parametrize(
    ("code", "how", "fault"),
    [
        ("os.kill(os.getpid(), signal.SIGSEGV)", "crashes (SIGSEGV)", True),
        ("os.abort()", "crashes (SIGABRT)", True),
        ("os.kill(os.getpid(), signal.SIGKILL)", "was killed (too little memory?)", False),
        ("os.kill(os.getpid(), signal.SIGINT)", "crashes (SIGINT)", False),
        ("time.sleep(60)", "takes longer than 1 s", False),
    ],
)
def test_only_faults_are_remembered(
    code: str, how: str, fault: bool, own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "kgask.machine.child._START", f"import os, signal, time; signal.signal(2, signal.SIG_DFL); {code}"
    )
    trial = Trial("model", "a library", "kgask.read.files.probe:attempt", {}, ("this",), seconds=1.0)
    with pytest.raises(NativeError) as died:
        trial.pass_once()
    assert str(died.value) == f"model: a library cannot use this file: it {how}"
    assert recall(trial._key()) == (how if fault else None)


def test_a_models_graph_that_crashes_onnx_runtime_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No file is known here that crashes the runtime, so the child is ended by a signal."""
    from kgask.plan.providers import open_session

    shutil.copy(config.shipped_root("model") / "encoder" / "encoder.onnx", tmp_path / "encoder.onnx")
    session, _ = open_session(tmp_path / "encoder.onnx")
    assert session.get_inputs()
    shutil.copy(tmp_path / "encoder.onnx", tmp_path / "other.onnx")
    with open(tmp_path / "other.onnx", "ab") as file:
        file.write(b"\x7a\x00")  # an unknown field that is ignored: the same graph, another file
    monkeypatch.setattr("kgask.machine.child._START", "import os; os.abort()")
    with pytest.raises(NativeError, match=r"other\.onnx: ONNX Runtime cannot use this file: it crashes \(SIGABRT\)"):
        open_session(tmp_path / "other.onnx")
    open_session(tmp_path / "encoder.onnx")  # remembered to have passed: no child


def test_a_rearranged_layout_that_crashes_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Q4_0 weights are rearranged where a child has shown that it works, and left as they are where it has died."""
    model = write_qwen2(tmp_path / "model.gguf")
    monkeypatch.setattr(probe, "REARRANGED", frozenset({probe.read_header(model).quantisation}))
    assert probe.usable(model, 1, 0).run.extra_buffers
    real = Trial.run

    def dies_when_rearranged(trial: Trial) -> None:
        if trial.payload["extra_buffers"]:
            raise trial._died("crashes (SIGSEGV)")
        real(trial)

    monkeypatch.setattr(Trial, "run", dies_when_rearranged)
    other = write_qwen2(tmp_path / "other.gguf", rng_seed=5)
    assert not probe.usable(other, 1, 0).run.extra_buffers


def test_every_gguf_is_loaded_by_one_function() -> None:
    package = Path(config.__file__).parent
    loading = {
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        if "llama_model_load" in (text := path.read_text(encoding="utf-8")) or "llama_cpp.Llama(" in text
    }
    assert loading == {"read/gguf/bindings.py"}
