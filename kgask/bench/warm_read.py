"""A warm read: how long the reader takes for so many facts, prompt and all."""

from __future__ import annotations

import random
import statistics
import time

from kgask.answer.pipeline import Pipeline
from kgask.errors import ModelError
from kgask.types import Candidate, Evidence, Question, ScoredTriple

QUESTION = "who of these people wrote the book that was first printed in Bath?"


def measure(pipeline: Pipeline, n_facts: int, n_runs: int, rng_seed: int = 0) -> dict[str, float]:
    """Milliseconds of a read of ``n_facts`` facts, half of which end in a candidate; other facts every time."""
    if pipeline.reader is None:
        raise ModelError("there is no reader to measure; leave out --no-reader")
    rng, pack = random.Random(rng_seed), pipeline.pack
    spent, tokens = [], []
    for run in range(n_runs + 1):
        evidence = _evidence(rng.sample(range(pack.n_triples), min(n_facts, pack.n_triples)), pipeline)
        began = time.perf_counter()
        pipeline.reader.read(Question(QUESTION), evidence, pack)
        if run:
            spent.append(1000 * (time.perf_counter() - began))
            tokens.append(pipeline.reader.preview(Question(QUESTION), evidence, pack).n_tokens)
    return {
        "facts": n_facts,
        "prompt_tokens": int(statistics.median(tokens)),
        "ms_median": round(statistics.median(spent), 1),
        "ms_least": round(min(spent), 1),
    }


def _evidence(rows: list[int], pipeline: Pipeline) -> Evidence:
    triples = [ScoredTriple(row, 1, 1.0 / (at + 1), False) for at, row in enumerate(rows)]
    ends = pipeline.pack.triples(rows)[2].tolist()
    candidates = dict.fromkeys(ends[: (len(ends) + 1) // 2])
    return Evidence(tuple(triples), tuple(Candidate(end, 1.0 / (at + 1)) for at, end in enumerate(candidates)), False)
