"""A warm read: how long the reader takes for so many facts, prompt and all."""

from __future__ import annotations

import random
import statistics

from kgask.answer.pipeline import Pipeline
from kgask.bench.timing import in_turn, ms_of
from kgask.errors import ModelError
from kgask.types import Candidate, Evidence, Question, ScoredTriple

QUESTION = "who of these people wrote the book that was first printed in Bath?"


def measure(pipeline: Pipeline, n_facts: int, n_runs: int, rng_seed: int = 0) -> dict[str, float]:
    """Milliseconds of a read of ``n_facts`` facts, half of which end in a candidate; other facts every time."""
    reader, pack = pipeline.reader, pipeline.pack
    if reader is None:
        raise ModelError("there is no reader to measure; name one: --reader GGUF")
    rng, tokens, question = random.Random(rng_seed), [], Question(QUESTION)

    def once() -> float:
        evidence = _evidence(rng.sample(range(pack.n_triples), min(n_facts, pack.n_triples)), pipeline)
        spent_ms = ms_of(lambda: reader.read(question, evidence, pack))
        tokens.append(reader.preview(question, evidence, pack).n_tokens)
        return spent_ms

    spent = in_turn({"read": once}, n_runs)["read"]
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
