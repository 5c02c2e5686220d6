"""kgask commands in forked children, under limits of time and memory.

The process that forks has imported what commands import, so that a child costs what the command itself costs. Threads
and sessions are made in the children only.
"""

from __future__ import annotations

import importlib
import os
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

MOST_CPU_SECONDS, MOST_SECONDS = 5, 60  # the second is for what waits; a busy machine makes all wait
MOST_BYTES = 1 << 30  # of resident memory
MOST_OUTPUT = 8 << 20
_POLL_S = 0.01
_IMPORTED = (
    "numpy", "onnxruntime", "tokenizers", "pyoxigraph", "rapidfuzz", "kgask.cli.ask", "kgask.cli.chat",
    "kgask.cli.pack",
    "kgask.cli.pack_build", "kgask.cli.verify", "kgask.cli.query", "kgask.cli.models", "kgask.cli.doctor",
    "kgask.answer.pipeline", "kgask.read.cross_encoder.reader", "kgask.read.files.probe", "kgask.build.recipe",
    "kgask.build.rdf", "kgask.build.jsonl", "kgask.build.graphml", "kgask.build.sqlite", "kgask.build.wikidata",
    "kgask.methods.operators", "kgask.methods.query_judge", "kgask.pack.check", "kgask.chat.session",
)  # fmt: skip
HANG, MEMORY = "hang", "memory"


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended; a negative code is the signal that killed it, ``stopped`` why we did."""

    words: tuple[str, ...]
    code: int
    stdout: str
    stderr: str
    seconds: float
    stopped: str = ""


def warm_up() -> None:
    """Import what commands import."""
    for name in _IMPORTED:
        importlib.import_module(name)


def run(words: Sequence[str], folder: Path, stdin: bytes = b"") -> Ended:
    """Run a command (without the word kgask) in ``folder``."""
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write(stdin)
        given.seek(0)
        began = time.monotonic()
        child = os.fork()
        if child == 0:
            become(words, folder, [given.fileno(), out.fileno(), err.fileno()])
        code, stopped = _watched(child, began)
        texts = []
        for stream in (out, err):
            stream.seek(0)
            texts.append(stream.read(MOST_OUTPUT).decode(errors="replace"))
        return Ended(tuple(words), code, texts[0], texts[1], time.monotonic() - began, stopped)


def become(words: Sequence[str], folder: Path, streams: Sequence[int]) -> None:
    """The command, in the child; never returns."""
    code = 99
    try:
        os.setsid()  # what it starts is stopped with it
        resource.setrlimit(resource.RLIMIT_CPU, (MOST_CPU_SECONDS, MOST_CPU_SECONDS + 1))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.chdir(folder)
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
        sys.stdin, sys.stdout, sys.stderr = (os.fdopen(number, "rw"[number > 0], buffering=1) for number in range(3))
        sys.argv = ["kgask", *words]
        from kgask.cli.main import main

        main(prog_name="kgask")
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 98
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(code)


def _watched(child: int, began: float) -> tuple[int, str]:
    """The exit code, and why it was stopped."""
    stopped = ""
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            code = os.waitstatus_to_exitcode(status)
            return code, HANG if code == -signal.SIGXCPU else stopped
        if not stopped and time.monotonic() - began > MOST_SECONDS:
            stopped = HANG
        elif not stopped and _resident(child) > MOST_BYTES:
            stopped = MEMORY
        if stopped:
            os.killpg(child, signal.SIGKILL)
            return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), stopped
        time.sleep(_POLL_S)


def _resident(child: int) -> int:
    try:
        return int(Path(f"/proc/{child}/statm").read_text().split()[1]) * resource.getpagesize()
    except (OSError, IndexError):
        return 0
