"""What nothing has foreseen: one line, a code of its own, and no traceback unless it is asked for."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from functools import partial

import pytest
from forked_cli import kgask

from kgask.errors import EXIT_ERROR, EXIT_OK, EXIT_UNFORESEEN, EXIT_USAGE

# A command that fails as no command of ours is known to.
FAULTY = """
import click
from kgask.cli import main
@main.cli.command("faulty")
@click.option("--verbose", is_flag=True)
def faulty(verbose):
    {}["\\x1b[31m" + "x" * 5000]
main.COMMANDS["faulty"] = ("__main__:faulty", "")
main.main(prog_name="kgask")
"""


@pytest.mark.parametrize("words", [("faulty",), ("faulty", "--verbose")])
def test_the_unforeseen_is_one_line_with_a_code(words: tuple[str, ...]) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", FAULTY, *words], capture_output=True, text=True, check=False, timeout=60
    )
    assert (ended.returncode, ended.stdout) == (EXIT_UNFORESEEN, "")
    *traceback, line = ended.stderr.splitlines()
    assert line.startswith("kgask: a fault of kgask itself (KeyError-") and len(line) < 600
    assert bool(traceback) == ("--verbose" in words) and "\x1b" not in ended.stderr


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["pack", "info", "~nosuch/x"], 1),
        (["ask", "-p", "~nosuch/x", "who?"], 1),
        (["pack", "show", "#" + "9" * 5000], 1),
        (["pack", "show", "9" * 5000], 1),
        (["query", f"follow(<{'9' * 5000}>, <author>)"], EXIT_USAGE),
    ],
)
def test_odd_words_are_one_line(words: list[str], code: int) -> None:
    ended = kgask(*words)
    assert (ended.returncode, ended.stdout) == (code, ""), ended
    assert ended.stderr.startswith("kgask: ") and ended.stderr.count("\n") == 1


def test_a_terminal_that_has_no_letters_for_an_answer() -> None:
    command = [sys.executable, "-m", "kgask", "pack", "search", "charlotte bronte"]
    ended = subprocess.run(
        command, env=os.environ | {"PYTHONIOENCODING": "ascii"}, capture_output=True, text=True, check=False, timeout=60
    )
    assert ended.returncode == EXIT_OK and "Bront\\xeb" in ended.stdout and not ended.stderr


def test_a_process_that_may_open_few_files() -> None:
    command = [sys.executable, "-m", "kgask", "who wrote Lady Susan?"]
    few = partial(resource.setrlimit, resource.RLIMIT_NOFILE, (12, 12))
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60, preexec_fn=few)
    assert (ended.returncode, ended.stdout) == (EXIT_ERROR, "")
    assert ended.stderr.endswith(": Too many open files\n") and ended.stderr.count("\n") == 1
