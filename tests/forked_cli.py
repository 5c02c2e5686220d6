"""Many ``kgask`` commands, each in a process of its own, without starting Python anew for each.

What a command imports is loaded once; then every command line runs ``main()`` in
a fork, so that a crash, a hang or an abort is seen as what it is.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

LONGEST_SECONDS = 120
_DRIVER = """
import json, os, signal, sys, tempfile
import numpy, onnxruntime, tokenizers
import kgask.cli.ask, kgask.cli.models, kgask.read.llama_reader, kgask.read.probe
from kgask.cli.main import main

def run(words):
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = os.fork()
        if child == 0:
            signal.alarm(SECONDS)
            for file, target in ((os.open(os.devnull, os.O_RDONLY), 0), (out.fileno(), 1), (err.fileno(), 2)):
                os.dup2(file, target)
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
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        texts = [file.seek(0) or file.read().decode(errors="replace") for file in (out, err)]
        return [code, *texts]

print(json.dumps([run(words) for words in json.load(sys.stdin)]))
"""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended; a negative code is the signal that killed it."""

    code: int
    stdout: str
    stderr: str


def run_all(commands: Sequence[Sequence[str]], folder: Path) -> list[Ended]:
    """Run each command line (without the word kgask) in ``folder``."""
    driver = _DRIVER.replace("SECONDS", str(LONGEST_SECONDS))
    done = subprocess.run(
        [sys.executable, "-c", driver], input=json.dumps(list(commands)), cwd=folder, capture_output=True, text=True,
        timeout=LONGEST_SECONDS * 5, check=True,
    )  # fmt: skip
    return [Ended(*found) for found in json.loads(done.stdout)]
