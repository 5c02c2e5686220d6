"""Questions on an idle machine and beside other work: what waiting threads cost.

llama.cpp's threads spin while they wait for each other; one that spins takes the core that the thread it waits for
needs. So the reader takes only threads that find a core of their own (:func:`~kgask.machine.cores.free_cores`); here
that is compared with taking all of them always. Every measurement is a process of its own, in turn.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from kgask.answer.pipeline import Pipeline
from kgask.bench.warm import QUESTIONS
from kgask.machine.child import in_child

SECONDS = 600.0


def measure(reader: str | None, n_questions: int, n_neighbours: int, n_rounds: int) -> dict[str, float]:
    """Medians over rounds of the milliseconds that all questions took, and of their ratios round by round."""
    rounds: list[dict[str, float]] = []
    for _ in range(n_rounds):
        found = {}
        for name, yields in (("", True), ("_all_threads", False)):
            payload = {"reader": reader or "", "number": n_questions, "yields": yields}
            found[f"idle{name}"] = float(in_child(f"{__name__}:ask", payload, seconds=SECONDS))
            with busy(n_neighbours):
                found[f"beside{name}"] = float(in_child(f"{__name__}:ask", payload, seconds=SECONDS))
        rounds.append(found)
    medians = {f"{name}_ms": statistics.median(found[name] for found in rounds) for name in rounds[0]}
    pairs = (("beside", "idle"), ("beside_all_threads", "idle_all_threads"), ("idle", "idle_all_threads"))
    ratios = {f"{a}_to_{b}": statistics.median(found[a] / found[b] for found in rounds) for a, b in pairs}
    return medians | ratios


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


def ask(payload: dict[str, Any]) -> float:
    """In a child: milliseconds of all questions, after some that do not count."""
    from kgask.read.gguf.engine import Engine

    Engine.yields = payload["yields"]
    with Pipeline.open(reader=payload["reader"], must_read=True) as pipeline:
        for question in QUESTIONS:
            pipeline.ask(question)
        began = time.perf_counter()
        for number in range(payload["number"]):
            pipeline.ask(QUESTIONS[number % len(QUESTIONS)])
        return 1000 * (time.perf_counter() - began)
