"""What the prefix cache saves: time to the first decision with it and without, side by side.

Each run has a context of its own, as a new process has. Without the cache the whole prompt is
evaluated; with it the state of the static part is read from the disk and the rest evaluated. Both
ways alternate, so that whatever else the machine does hits them alike.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path

from kgask.bench.constrain import random_reader
from kgask.errors import ModelError
from kgask.pack.store import Pack
from kgask.read.cross_encoder.reader import LlamaReader
from kgask.read.files.prefix_cache import PrefixCache
from kgask.read.gguf.prompts import form_of
from kgask.read.gguf.reader import ForeignReader
from kgask.types import ScoredTriple
from kgask.verbalise import verbalise

QUESTION = "which of these was meant by the one who asked?"
REPLY_TOKENS = 64


def measure(
    pack: Pack, model: Path | None, prompt: str, n_facts: int, runs: int, threads: int | None
) -> dict[str, float]:
    """Medians in ms, and their ratio (without / with); a random model of 3 M parameters when none is given."""
    with tempfile.TemporaryDirectory() as folder:
        path = model or random_reader(Path(folder), pack)
        reader = LlamaReader.load(path, n_threads=threads)
        if not isinstance(reader, ForeignReader):
            raise ModelError(f"{path}: our own reader has no static part; name another GGUF file")
        reader.use_prompt(form_of(prompt))
        lines = verbalise([ScoredTriple(triple, 1, 1.0, False) for triple in range(min(n_facts, pack.n_triples))], pack)
        filled = reader.style.prompt(QUESTION, lines)
        reader.close()
        static, room = filled.tokens[: filled.n_static], len(filled.tokens) + REPLY_TOKENS
        spent: dict[bool, list[float]] = {True: [], False: []}
        n_bytes = 0
        for run in range(runs + 1):  # the first one fills the cache and is not counted
            for cached in (True, False):
                fresh = LlamaReader.load(path, n_threads=threads)
                cache = PrefixCache(fresh.engine, "bench", Path(folder) / "prefixes")
                fresh.engine.reserve(room)
                began = time.perf_counter()
                if cached:
                    cache.warm(static, room)
                fresh.engine.logits_after(filled.tokens)
                if run:
                    spent[cached].append((time.perf_counter() - began) * 1000)
                if cached and cache.path(static).exists():
                    n_bytes = cache.path(static).stat().st_size
                fresh.close()
    without, with_it = statistics.median(spent[False]), statistics.median(spent[True])
    return {
        "prompt_tokens": len(filled.tokens), "static_tokens": filled.n_static, "state_bytes": n_bytes,
        "without_ms": round(without, 2), "with_ms": round(with_it, 2), "ratio": round(without / with_it, 2),
        "least_without_ms": round(min(spent[False]), 2), "least_with_ms": round(min(spent[True]), 2),
        "ratio_of_least": round(min(spent[False]) / min(spent[True]), 2),
    }  # fmt: skip
