"""Cold start, side by side: ``kgask "who wrote Lady Susan?"`` against the bare script.

Both as whole processes, in turn, several times; the ratio of median wall times
and the difference of peak memory are what counts.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from kgask import config
from kgask.errors import KgaskError

QUESTION = "who wrote Lady Susan?"


@dataclass(frozen=True, slots=True)
class Run:
    wall_s: float
    peak_mib: float


@dataclass(frozen=True, slots=True)
class ColdStart:
    """Medians over the runs of each command."""

    kgask: Run
    bare: Run

    @property
    def time_ratio(self) -> float:
        return self.kgask.wall_s / self.bare.wall_s

    @property
    def more_mib(self) -> float:
        return self.kgask.peak_mib - self.bare.peak_mib


def measure(n_runs: int) -> ColdStart:
    """Run both commands ``n_runs`` times in turn, after one run each that does not count."""
    planner = config.find("model", config.DEFAULT_MODEL).path
    reader = config.find("model", config.DEFAULT_READER).path
    files = (planner / "rigel.onnx", planner / "tokenizer.json", next(reader.glob("*.gguf")))
    bare = [sys.executable, str(Path(__file__).with_name("bare.py")), *map(str, files)]
    ours = [sys.executable, "-m", "kgask", QUESTION]
    runs: tuple[list[Run], list[Run]] = ([], [])
    for counted in range(n_runs + 1):
        for command, found in zip((ours, bare), runs, strict=True):
            run = _run(command)
            if counted:
                found.append(run)
    return ColdStart(_median(runs[0]), _median(runs[1]))


def _run(command: Sequence[str]) -> Run:
    """One whole process: wall time and its own peak memory, as the kernel accounts for it."""
    began = time.perf_counter()
    nowhere = os.open(os.devnull, os.O_RDWR)
    pid = os.posix_spawn(
        command[0],
        list(command),
        os.environ,
        file_actions=[(os.POSIX_SPAWN_DUP2, nowhere, fd) for fd in (0, 1, 2)],
    )
    os.close(nowhere)
    _, status, usage = os.wait4(pid, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        raise KgaskError(f"{' '.join(command[1:])}: ended with {os.waitstatus_to_exitcode(status)}")
    return Run(time.perf_counter() - began, usage.ru_maxrss / 1024)


def _median(runs: list[Run]) -> Run:
    return Run(statistics.median(r.wall_s for r in runs), statistics.median(r.peak_mib for r in runs))
