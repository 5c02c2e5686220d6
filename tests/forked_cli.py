"""``kgask`` commands, each in a process of its own, without starting Python anew for each.

A server imports once a session what commands import; then every command line
runs ``main()`` in a fork of it: real exit codes and streams, and a crash, a
hang or an abort is seen as what it is. What start-up itself does is tested
with ``python -m kgask``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

LONGEST_SECONDS = 120
# One line of JSON is a command (words, stdin, folder, environment), one line is how it ended; bytes as Latin-1 text.
_SERVER = """
import json, os, signal, sys, tempfile
import kgask  # before the libraries: it sets what they read from the environment
import numpy, onnxruntime, tokenizers
import kgask.cli.ask, kgask.cli.models, kgask.answer.pipeline, kgask.read.cross_encoder.reader, kgask.read.files.probe
from kgask.machine import environment
from kgask.cli.main import main

asked, told = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
os.dup2(2, 1)

def become(words, folder, variables):
    signal.alarm(SECONDS)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(variables)
    environment.prepare()
    sys.argv = ["kgask", *words]
    code = 99
    try:
        main(prog_name="kgask")
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 98
    except BaseException:
        import traceback
        traceback.print_exc()
    finally:
        sys.stdout.flush(), sys.stderr.flush()
        os._exit(code)

def run(words, stdin, folder, variables):
    streams = [tempfile.TemporaryFile() for _ in range(3)]
    streams[0].write(stdin.encode("latin-1"))
    for stream in streams:
        stream.seek(0)
    child = os.fork()
    if child == 0:
        for number, stream in enumerate(streams):
            os.dup2(stream.fileno(), number)
        become(words, folder, variables)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return [code, *(stream.seek(0) or stream.read().decode("latin-1") for stream in streams[1:])]

for line in asked:
    print(json.dumps(run(*json.loads(line))), file=told, flush=True)
"""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended; a negative code is the signal that killed it."""

    code: int
    stdout: str
    stderr: str


@cache
def _server() -> subprocess.Popen[str]:
    """Ends when this process does, for then its stdin is closed."""
    code = _SERVER.replace("SECONDS", str(LONGEST_SECONDS))
    return subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def _run(words: Sequence[str], stdin: bytes, folder: Path, variables: dict[str, str]) -> tuple[int, bytes, bytes]:
    server = _server()
    assert server.stdin is not None and server.stdout is not None
    print(json.dumps([list(words), stdin.decode("latin-1"), str(folder), variables]), file=server.stdin, flush=True)
    code, out, err = json.loads(server.stdout.readline())
    return code, out.encode("latin-1"), err.encode("latin-1")


def run_all(commands: Sequence[Sequence[str]], folder: Path) -> list[Ended]:
    """Run each command line (without the word kgask) in ``folder``; bytes that are not UTF-8 are replaced."""
    ended = (_run(words, b"", folder, dict(os.environ)) for words in commands)
    return [Ended(code, out.decode(errors="replace"), err.decode(errors="replace")) for code, out, err in ended]


def kgask(*words: str, stdin: str | bytes | None = None, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a command here, with these environment variables added; stdin is empty unless given."""
    given = stdin.encode() if isinstance(stdin, str) else stdin or b""
    code, out, err = _run(words, given, Path.cwd(), dict(os.environ) | variables)
    return subprocess.CompletedProcess(words, code, out.decode(), err.decode())
