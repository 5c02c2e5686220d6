"""kgask commands in forked children, under limits of time and memory.

The process that forks has imported what commands import, so that a child costs what the command itself costs. Threads
and sessions are made in the children only.
"""

from __future__ import annotations

import gc
import importlib
import os
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

MOST_CPU_SECONDS, MOST_SECONDS = 5, 180  # the second is for what waits; a busy machine makes all wait
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
    "kgask.cli.pack_triples", "kgask.build.archive", "kgask.machine.minisign", "kgask.verify.verifier",
    "kgask.cli.prompt", "kgask.methods.similarity", "kgask.verify.by_evidence", "kgask.cli.explain",
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


def share_models() -> None:
    """Open the graphs and tokenizers that ship, once: a child that asks for one of these very files gets it.

    Sessions on the CPU have no threads, so they work in a fork; what a case has changed lies elsewhere and is opened.
    """
    from kgask.config import shipped_root
    from kgask.plan import providers

    folders = [folder for folder in shipped_root("model").iterdir() if (folder / "tokenizer.json").exists()]
    open_graph, open_words = providers._cpu_session, providers.open_tokenizer
    graphs = {path: open_graph(onnxruntime(), path) for folder in folders for path in folder.glob("*.onnx")
              if ".cuda." not in path.name}  # fmt: skip
    words = {
        path: [open_words(path, 512) for _ in range(2)] for path in (folder / "tokenizer.json" for folder in folders)
    }

    def tokenizer(path: Path, max_tokens: int) -> Any:
        if not (kept := words.get(path)):
            return open_words(path, max_tokens)
        found = kept.pop()  # its own for each that asks: truncation is set
        found.enable_truncation(max_tokens)
        return found

    providers._cpu_session = lambda library, path: graphs.get(path) or open_graph(library, path)
    for module in list(sys.modules.values()):
        if getattr(module, "open_tokenizer", None) is open_words:
            module.open_tokenizer = tokenizer  # type: ignore[attr-defined]
    gc.freeze()  # or each child copies what its collector looks at


def onnxruntime() -> Any:
    return importlib.import_module("onnxruntime")


def run(words: Sequence[str], folder: Path, stdin: bytes = b"", **variables: str) -> Ended:
    """Run a command (without the word kgask) in ``folder``, with these environment variables."""
    return _begun([words], folder, stdin, variables)[0]


def run_all(commands: Sequence[Sequence[str]], folder: Path) -> list[Ended]:
    """Run commands one after the other in one child, which costs less; what one of them ends goes on in another."""
    ended: list[Ended] = []
    while len(ended) < len(commands):
        ended += _begun(commands[len(ended) :], folder, b"", {})
    return ended


def _begun(commands: Sequence[Sequence[str]], folder: Path, stdin: bytes, variables: Mapping[str, str]) -> list[Ended]:
    """How the commands ended up to the one that ended the child."""
    with ExitStack() as opened:
        given, codes, *said = (opened.enter_context(tempfile.TemporaryFile()) for _ in range(2 + 2 * len(commands)))
        given.write(stdin)
        given.seek(0)
        began = time.monotonic()
        child = os.fork()
        if child == 0:
            os.environ |= variables
            _become_all(commands, folder, given.fileno(), codes.fileno(), [file.fileno() for file in said])
        code, stopped = _watched(child, began, len(commands))
        codes.seek(0)
        found = [line.split() for line in codes.read().splitlines()]
        if len(found) < len(commands):
            found.append((b"%d" % code, b"%f" % (time.monotonic() - began)))
        texts = [(file.seek(0), file.read(MOST_OUTPUT).decode(errors="replace"))[1] for file in said]
        return [
            Ended(
                tuple(words), int(number), *texts[2 * at : 2 * at + 2], float(seconds), stopped * (at == len(found) - 1)
            )
            for at, (words, (number, seconds)) in enumerate(zip(commands, found, strict=False))
        ]


def _become_all(
    commands: Sequence[Sequence[str]], folder: Path, given: int, codes: int, said: Sequence[int]
) -> NoReturn:
    """The commands, in the child; code and seconds of each are written to ``codes``."""
    os.setsid()  # what it starts is stopped with it
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    for at, words in enumerate(commands):
        began = time.monotonic()
        code = _run_here(words, folder, [given, *said[2 * at : 2 * at + 2]])
        os.write(codes, b"%d %f\n" % (code, time.monotonic() - began))
    os._exit(0)


def become(words: Sequence[str], folder: Path, streams: Sequence[int]) -> NoReturn:
    """The command, in the child; never returns."""
    os.setsid()
    os._exit(_run_here(words, folder, streams))


def _run_here(words: Sequence[str], folder: Path, streams: Sequence[int]) -> int:
    """Run a command in this process, with the streams as its own; its exit code, 98 or 99 for what is none."""
    try:
        spent = time.process_time()
        resource.setrlimit(resource.RLIMIT_CPU, (int(spent) + MOST_CPU_SECONDS, resource.RLIM_INFINITY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.chdir(folder)
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
        sys.stdin, sys.stdout, sys.stderr = (
            os.fdopen(number, "rw"[number > 0], buffering=1, closefd=False) for number in range(3)
        )
        sys.argv = ["kgask", *words]
        from kgask.cli.main import main

        main(prog_name="kgask")
        return 98
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 98
    except BaseException:
        import traceback

        traceback.print_exc()
        return 99
    finally:
        sys.stdout.flush()
        sys.stderr.flush()


def _watched(child: int, began: float, n_commands: int) -> tuple[int, str]:
    """The exit code, and why it was stopped."""
    stopped = ""
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            code = os.waitstatus_to_exitcode(status)
            return code, HANG if code == -signal.SIGXCPU else stopped
        if not stopped and time.monotonic() - began > MOST_SECONDS * n_commands:
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
