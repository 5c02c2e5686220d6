"""A warm question: the second and later ones of a process, stage by stage."""

from __future__ import annotations

import statistics
from functools import partial

from kgask.answer.pipeline import Pipeline
from kgask.bench.timing import timed

# Asked in turn, so that no stage answers from what it has just seen.
QUESTIONS = (
    "who wrote Lady Susan?",
    "What is the capital of Kenya?",
    "Who directed Pulp Fiction?",
    "where was Albert Einstein born?",
    "Where was the director of Pulp Fiction born?",
)


def measure(pack: str | None, n_runs: int) -> dict[str, float]:
    """Median milliseconds per stage and in all, after one question that does not count."""
    spent: dict[str, list[float]] = {}
    with Pipeline.open(pack, must_read=True) as pipeline:
        pipeline.ask(QUESTIONS[0])
        for index in range(n_runs):
            whole_ms, answer = timed(partial(pipeline.ask, QUESTIONS[index % len(QUESTIONS)]))
            for stage, ms in [("whole question", whole_ms), *answer.timings_ms.items()]:
                spent.setdefault(stage, []).append(ms)
    return {stage: statistics.median(values) for stage, values in spent.items()}
