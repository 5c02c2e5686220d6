"""Offline is a promise for as long as a process lives: telemetry starts after seconds, so commands run for 25 s here.

Each run is in an empty network namespace under strace, which records every socket and every file that is opened to be
written, of children too. A new version of a dependency that goes online or leaves something behind fails here.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from films import build_films
from network import QUESTION, without_network

from kgask.cli.main import COMMANDS
from kgask.config import shipped_root
from kgask.machine import environment

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed"),
]
LEAST_SECONDS = 25
TRACED = "trace=socket,connect,sendto,openat,open,creat,mkdir,mkdirat,rename,renameat,renameat2,unlink,unlinkat"
# Command lines in one process, again and again until the time is over; each must end with a code that says it worked.
LOOP = """
import json, sys, time
from kgask.cli.main import main
lines, seconds = json.loads(sys.argv[1]), float(sys.argv[2])
began, done = time.monotonic(), 0
while done < len(lines) or time.monotonic() - began < seconds:
    words = lines[done % len(lines)]
    sys.argv = ["kgask", *(word.replace("ROUND", str(done // len(lines))) for word in words)]
    code = 0
    try:
        main(prog_name="kgask")
    except SystemExit as end:
        code = end.code
    if code not in (0, 3):
        sys.exit(f"{words}: exit {code}")
    done += 1
"""
WRITES = re.compile(r'(?:openat|open|creat|mkdir|mkdirat)\((?:AT_FDCWD, )?"([^"]*)"(.*)')


class Traced:
    """What a run did."""

    def __init__(self, calls: Path, done: subprocess.CompletedProcess[str]):
        self.done, self.lines = done, calls.read_text(errors="replace").splitlines()

    def sockets(self) -> list[str]:
        return [line for line in self.lines if "AF_INET" in line or "AF_NETLINK" in line]

    def written(self) -> set[str]:
        """Files that were opened to be written, and folders that were made."""
        found = (WRITES.search(line) for line in self.lines if ") = -1 " not in line)
        return {
            match[1]
            for match in found
            if match and ("mkdir" in match[0] or re.search("O_WRONLY|O_RDWR|O_CREAT", match[2]))
        }


def run_traced(command: Sequence[str], folder: Path, stdin: str | None = None, seconds: float = 600) -> Traced:
    """Run in an empty network namespace with a home of its own; other settings ask for what kgask forbids."""
    home, calls = folder / "home", folder / "calls"
    home.mkdir(parents=True)
    wanted = dict.fromkeys(environment.OFFLINE, "0")
    places = {"HOME": str(home), "KGASK_HOME": str(folder / "kgask"), "KGASK_CACHE": str(folder / "kgask" / "cache")}
    places |= {"TMPDIR": str(folder / "tmp"), "PYTHONDONTWRITEBYTECODE": "1"}
    (folder / "tmp").mkdir()
    strace = ["strace", "-f", "--seccomp-bpf", "-qq", "-s", "300", "-e", "signal=none", "-e", TRACED, "-o", str(calls)]
    done = subprocess.run(
        [*without_network(), *strace, *command],
        cwd=folder, env=os.environ | wanted | places, capture_output=True, text=True, timeout=seconds, check=False,
        **({"input": stdin} if stdin is not None else {"stdin": subprocess.DEVNULL}),
    )  # fmt: skip
    if "ptrace" in done.stderr:
        pytest.skip("strace may not trace here")
    return Traced(calls, done)


def assert_offline(traced: Traced, folder: Path) -> None:
    assert traced.done.returncode == 0, traced.done.stderr[-2000:]
    assert traced.sockets() == []
    assert list((folder / "home").rglob("*")) == [], "something was left in the person's home"
    outside = {
        path
        for path in traced.written()
        if os.path.isabs(path) and not path.startswith((str(folder), "/dev/", "/proc/self/", "/proc/thread-self/"))
    }
    assert outside == set()


def loop(lines: Sequence[Sequence[str]], folder: Path, seconds: float = LEAST_SECONDS) -> Traced:
    import json

    return run_traced([sys.executable, "-c", LOOP, json.dumps(list(lines)), str(seconds)], folder)


def test_the_trace_sees_a_socket_and_a_file(tmp_path: Path) -> None:
    code = "import socket, pathlib; socket.socket(); pathlib.Path.home().joinpath('left').write_text('x')"
    traced = run_traced([sys.executable, "-c", code], tmp_path)
    assert len(traced.sockets()) == 1
    assert str(tmp_path / "home" / "left") in traced.written()


def test_without_the_settings_onnxruntime_would_go_online(tmp_path: Path) -> None:
    """Else this file shows nothing any more: an onnxruntime without telemetry needs no setting."""
    model = shipped_root("model") / "encoder" / "encoder.onnx"
    code = "import os; del os.environ['ORT_DISABLE_TELEMETRY']; import onnxruntime; print(onnxruntime.__version__); "
    code += f"onnxruntime.InferenceSession({str(model)!r}, providers=['CPUExecutionProvider'])"
    traced = run_traced([sys.executable, "-c", code], tmp_path)
    assert traced.done.returncode == 0, traced.done.stderr
    if list((tmp_path / "home").rglob("*")) == []:
        pytest.skip(f"onnxruntime {traced.done.stdout.strip()} keeps nothing in the home: nothing to forbid")


def test_questions_that_come_for_25_seconds(tmp_path: Path) -> None:
    """As at a prompt: one process, a question now and then."""
    asked = f'for i in $(seq {LEAST_SECONDS}); do echo "{QUESTION}"; sleep 1; done | {sys.executable} -m kgask --json'
    traced = run_traced(["sh", "-c", asked], tmp_path)
    assert_offline(traced, tmp_path)
    assert traced.done.stdout.count("Jane Austen") >= LEAST_SECONDS


def test_a_build_of_25_seconds(tmp_path: Path) -> None:
    triples = "for i in $(seq 250); do printf 'Heron %s\\tlives in\\tOld Town\\n' $i; sleep 0.1; done"
    build = f"{sys.executable} -m kgask pack build - --format tsv -o pack"
    traced = run_traced(["sh", "-c", f"{triples} | {build}"], tmp_path)
    assert_offline(traced, tmp_path)
    assert (tmp_path / "pack" / "pack.json").is_file()


def test_every_other_command_for_25_seconds(tmp_path: Path) -> None:
    films, questions = build_films(tmp_path / "films"), tmp_path / "questions.txt"
    pack = str(films)
    questions.write_text(f"{QUESTION}\nwho directed Pulp Fiction?\nhow old is the moon?\n" * 20, encoding="utf-8")
    made, run = str(tmp_path / "made-ROUND.jsonl"), str(tmp_path / "run-ROUND")
    lines = [
        ["doctor"],
        ["ask", QUESTION, "--explain", "--verbose"],
        ["ask", "--method", "similarity", QUESTION],
        ["ask", "--questions", str(questions), "--no-reader"],
        ["ask", QUESTION, "--sparql"],
        ["verify", "Tokyo is the capital of Japan", "--explain"],
        ["chat", "--session", str(tmp_path / "talk-ROUND.jsonl")],
        ["query", "--pack", pack, "best(having(<publication year>), value(<publication year>), least 1)", "--explain"],
        ["prompt", QUESTION],
        ["methods"],
        ["pack", "list"],
        ["pack", "info", pack],
        ["pack", "check", pack],
        ["pack", "search", "Jane Austen"],
        ["pack", "export", pack, "-o", str(tmp_path / "export-ROUND.nt")],
        ["models", "list"],
        ["models", "check", "reader"],
        ["models", "show", "rigel"],
        ["models", "default"],
        ["eval", "make", pack, "-o", made],
        ["eval", "run", "jsonl", made, "--pack", pack, "-o", run],
        ["eval", "score", run],
        ["eval", "report", run, "-o", str(tmp_path / "page-ROUND")],
        ["completion", "bash"],
        ["bench", "warm", "--runs", "3"],
    ]
    assert {words[0] for words in lines} >= COMMANDS.keys() - {"airgap", "train"}
    assert_offline(loop(lines, tmp_path / "loop"), tmp_path)


def test_training_for_25_seconds(tmp_path: Path) -> None:
    """The libraries of ``[train]`` look for models in hubs and report their use where nothing forbids it."""
    pytest.importorskip("torch")
    pytest.importorskip("sentence_transformers")
    films = build_films(tmp_path / "films")
    lines = [["train", "adapt", str(films), "--steps", "4", "--probes", "20", "--out", str(tmp_path / "rigel-ROUND")]]
    assert_offline(loop(lines, tmp_path / "loop"), tmp_path)
