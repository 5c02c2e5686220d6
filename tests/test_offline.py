"""A question needs no network: none is there, no system call asks for one, no Python code opens a socket."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from network import QUESTION, TRIPLE, without_network

KGASK = [sys.executable, "-m", "kgask"]
TESTS = Path(__file__).parent

# Python code that raises on any use of a socket, then answers as `kgask` does.
GUARDED = """
import sys
def refuse(event, arguments):
    if event.startswith("socket.") or event.startswith("urllib.") or event == "http.client.connect":
        sys.stderr.write(f"NETWORK {event} {arguments}\\n")
        raise OSError(event)
sys.addaudithook(refuse)
from kgask.cli.main import main
main(prog_name="kgask")
"""


def assert_answered(done: subprocess.CompletedProcess[str]) -> None:
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["answer"] == "Jane Austen"
    assert TRIPLE in {(t["subject"], t["relation"], t["object"]) for t in answer["support"]}


def run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)


def test_a_namespace_without_network_is_one() -> None:
    probe = "import socket; socket.create_connection(('127.0.0.1', 9), timeout=2)"
    done = run([*without_network(), sys.executable, "-c", probe], TESTS)
    assert "Network is unreachable" in done.stderr


def test_the_question_in_an_empty_network_namespace(tmp_path: Path) -> None:
    done = run([*without_network(), *KGASK, QUESTION, "--json"], tmp_path)
    assert_answered(done)
    assert done.stderr == ""


@pytest.mark.slow
def test_the_forty_and_the_ten_in_an_empty_network_namespace() -> None:
    names = ("test_at_least_36_of_40_are_right", "test_at_least_nine_of_ten_end_in_no_answer")
    nodes = [f"{TESTS / 'test_questions.py'}::{name}[reader]" for name in names]
    pytest_run = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *nodes]
    done = run([*without_network(), *pytest_run], TESTS.parent)
    assert done.returncode == 0, done.stdout[-3000:]
    assert "2 passed" in done.stdout


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
def test_no_system_call_touches_the_network(tmp_path: Path) -> None:
    calls = tmp_path / "calls"
    done = run(["strace", "-f", "-e", "trace=%network", "-o", str(calls), *KGASK, QUESTION, "--json"], tmp_path)
    if "ptrace" in done.stderr:
        pytest.skip("strace may not trace here")
    assert_answered(done)
    lines = calls.read_text().splitlines()
    assert any("+++ exited with 0 +++" in line for line in lines)
    assert [line for line in lines if "+++" not in line and "---" not in line] == []


def test_no_python_code_opens_a_socket(tmp_path: Path) -> None:
    done = run([sys.executable, "-c", GUARDED, QUESTION, "--json"], tmp_path)
    assert_answered(done)
    assert "NETWORK" not in done.stderr


def test_the_guard_sees_a_socket(tmp_path: Path) -> None:
    script = GUARDED.replace("from kgask.cli.main import main", "import socket; socket.socket()")
    done = run([sys.executable, "-c", script], tmp_path)
    assert "NETWORK socket.__new__" in done.stderr
