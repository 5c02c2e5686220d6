"""Beside other work: threads that find no core of their own are not started."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tiny_gguf import write_qwen2

from kgask.bench.busy import busy
from kgask.machine.cores import free_cores
from kgask.read.gguf import engine
from kgask.read.gguf.engine import Engine


@pytest.mark.parametrize(
    ("said", "own", "free"),
    [
        ("0.00 0.01 0.05 1/120 4711\n", "R", 4),  # the one that asks
        ("0.00 0.01 0.05 0/120 4711\n", "", 4),
        ("3.00 2.01 1.05 3/120 4711\n", "R", 2),
        ("3.00 2.01 1.05 3/120 4711\n", "RSR", 3),  # a thread of ours that still spins is in nobody's way
        ("3.00 2.01 1.05 3/120 4711\n", "RRRR", 4),
        ("90.1 80.0 70.0 64/900 4711\n", "R", 1),
        ("what is this\n", "R", 4),
        ("0 0 0 x/y 1\n", "R", 4),
        (None, "", 4),
    ],
)
def test_cores_that_nobody_runs_on(
    said: str | None, own: str, free: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    for number, state in enumerate(own):
        (tmp_path / "proc" / "self" / "task" / str(number)).mkdir(parents=True)
        (tmp_path / "proc" / "self" / "task" / str(number) / "stat").write_text(f"{number} (a) R) {state} 1 2 3\n")
    if said is not None:
        (tmp_path / "proc").mkdir(exist_ok=True)
        (tmp_path / "proc" / "loadavg").write_text(said)
    assert free_cores(tmp_path) == free


@pytest.mark.skipif(not Path("/proc/loadavg").exists(), reason="this system does not say what runs")
def test_busy_processes_are_seen() -> None:
    with busy(2 * (os.cpu_count() or 1)):
        assert free_cores() == 1


def test_an_evaluation_takes_the_threads_that_find_a_core(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And its logits do not depend on how many they are."""
    model = Engine(write_qwen2(tmp_path / "model.gguf"), 2)
    asked: list[int] = []
    real = model._llama.llama_set_n_threads

    def setting(context: object, *threads: int) -> None:
        asked.extend(threads)
        real(context, *threads)

    monkeypatch.setattr(model._llama, "llama_set_n_threads", setting)
    found = []
    for free in (2, 1, 8):
        monkeypatch.setattr(engine, "free_cores", lambda free=free: free)
        found.append(model.logits_after([1, 2, 3]).copy())
        model.logits_after([7])  # so that nothing is kept
    assert asked == [2, 2, 2, 2, 1, 1, 1, 1, 2, 2, 2, 2]
    assert abs(found[0] - found[1]).max() < 1e-4
