"""Ways to have no network: an empty namespace, strace, and Python's audit hook."""

from __future__ import annotations

import shutil
import subprocess
from functools import cache

import pytest

QUESTION = "who wrote Lady Susan?"
TRIPLE = ("Lady Susan", "author", "Jane Austen")


@cache
def _unshare() -> tuple[str, ...]:
    """The command that runs another one in an empty network namespace; empty when nothing is permitted."""
    program = shutil.which("unshare")
    for flags in ("-n", "-rn"):  # as root, else through a user namespace
        if program and subprocess.run([program, flags, "true"], capture_output=True, check=False).returncode == 0:
            return (program, flags)
    return ()


def without_network() -> list[str]:
    """Words to put before a command so that it runs in an empty network namespace; skips where there is none."""
    words = _unshare()
    if not words:
        pytest.skip("neither root nor user namespaces may make a network namespace here")
    return list(words)
