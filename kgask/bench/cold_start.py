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
from functools import partial
from pathlib import Path

from kgask import config
from kgask.bench.timing import in_turn
from kgask.errors import KgaskError

QUESTION = "who wrote Lady Susan?"


@dataclass(frozen=True, slots=True)
class Run:
    wall_s: float
    peak_mib: float


def measure(n_runs: int) -> list[dict[str, str | float]]:
    """Medians of both commands, run ``n_runs`` times in turn, and how they compare; a row each."""
    planner = config.find("model", config.DEFAULT_MODEL).path
    reader = config.find("model", config.DEFAULT_READER).path
    files = (planner / "rigel.onnx", planner / "tokenizer.json", next(reader.glob("*.gguf")))
    bare = [sys.executable, str(Path(__file__).with_name("bare.py")), *map(str, files)]
    ours = [sys.executable, "-m", "kgask", QUESTION]
    runs = in_turn({"kgask": partial(whole_process, ours), "bare script": partial(whole_process, bare)}, n_runs)
    wall = {name: statistics.median(run.wall_s for run in found) for name, found in runs.items()}
    peak = {name: statistics.median(run.peak_mib for run in found) for name, found in runs.items()}
    ratio, more = wall["kgask"] / wall["bare script"], peak["kgask"] - peak["bare script"]
    rows = [(name, round(wall[name], 3), peak[name]) for name in runs] + [("ratio, difference", round(ratio, 2), more)]
    return [{"command": name, "wall_s": time, "peak_mib": round(memory)} for name, time, memory in rows]


def whole_process(command: Sequence[str]) -> Run:
    """One whole process that must end well: wall time and its own peak memory, as the kernel accounts for it."""
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
