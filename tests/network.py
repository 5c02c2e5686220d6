"""Ways to have no network: an empty namespace, strace, and Python's audit hook."""

from __future__ import annotations

import shutil
import socket
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


def has_route() -> bool:
    """Whether packets could leave this machine; asks the kernel only (connecting a UDP socket sends nothing)."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # an address kept for documentation, RFC 5737
        except OSError:
            return False
    return True
