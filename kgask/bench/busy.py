"""Questions on an idle machine and beside other work: what waiting threads cost.

OpenMP's threads spin while they wait for each other unless they are told to sleep (:mod:`kgask.environment`); one that
spins takes the core that the thread it waits for needs. Every measurement is a process of its own, in turn.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from kgask.bench.warm import QUESTIONS
from kgask.child import in_child
from kgask.pipeline import Pipeline

SPINNING = {"GOMP_SPINCOUNT": "300000"}  # what libgomp does when it is told nothing
SECONDS = 600.0


def measure(reader: str | None, n_questions: int, n_neighbours: int, n_rounds: int) -> dict[str, float]:
    """Medians over rounds of the milliseconds that all questions took, and their ratios round by round."""
    rounds: list[dict[str, float]] = []
    payload = {"reader": reader or "", "number": n_questions}
    for _ in range(n_rounds):
        with busy(n_neighbours):
            beside = _ask(payload)
        rounds.append({"idle": _ask(payload), "spinning": _ask(payload, SPINNING), "beside": beside})
    medians = {f"{name}_ms": statistics.median(found[name] for found in rounds) for name in rounds[0]}
    ratios = {
        "beside_to_idle": [found["beside"] / found["idle"] for found in rounds],
        "idle_to_spinning": [found["idle"] / found["spinning"] for found in rounds],
    }
    return medians | {name: statistics.median(values) for name, values in ratios.items()}


@contextmanager
def busy(number: int) -> Iterator[None]:
    """So many other processes that never stop computing."""
    running = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(number)]
    try:
        yield
    finally:
        for process in running:
            process.kill()
            process.wait()


def _ask(payload: dict[str, Any], variables: dict[str, str] | None = None) -> float:
    before = dict(os.environ)
    try:
        for name in ("OMP_WAIT_POLICY", *SPINNING):
            os.environ.pop(name, None)
        os.environ.update(variables or {})
        return float(in_child(f"{__name__}:ask", payload, seconds=SECONDS))
    finally:
        os.environ.clear()
        os.environ.update(before)


def ask(payload: dict[str, Any]) -> float:
    """In a child: milliseconds of all questions, after some that do not count."""
    with Pipeline.open(reader=payload["reader"], must_read=True) as pipeline:
        for question in QUESTIONS:
            pipeline.ask(question)
        began = time.perf_counter()
        for number in range(payload["number"]):
            pipeline.ask(QUESTIONS[number % len(QUESTIONS)])
        return 1000 * (time.perf_counter() - began)
