"""What the prefix cache saves: time to the first decision with it and without, side by side.

Each run has a context of its own, as a new process has. Without the cache the whole prompt is
evaluated; with it the state of the static part is read from the disk and the rest evaluated. Both
ways alternate, so that whatever else the machine does hits them alike.
"""

from __future__ import annotations

import statistics
import tempfile
from functools import partial
from pathlib import Path

from kgask.bench.constrain import random_reader
from kgask.bench.timing import in_turn, ms_of
from kgask.errors import ModelError
from kgask.pack.store import Pack
from kgask.read.files.prefix_cache import PrefixCache
from kgask.read.gguf.prompts import form_of
from kgask.read.gguf.reader import ConstrainedReader
from kgask.read.load import load_reader
from kgask.types import ScoredTriple
from kgask.verbalise import verbalise

QUESTION = "which of these was meant by the one who asked?"
REPLY_TOKENS = 64


def measure(
    pack: Pack, model: Path | None, prompt: str, facts: int, runs: int, threads: int | None
) -> dict[str, float]:
    """Medians in ms, and their ratio (without / with); a random model of 3 M parameters when none is given."""
    with tempfile.TemporaryDirectory() as folder:
        path, cache_folder = model or random_reader(Path(folder), pack), Path(folder) / "prefixes"
        reader = load_reader(path, n_threads=threads)
        if not isinstance(reader, ConstrainedReader):
            raise ModelError(f"{path}: our own reader has no static part; name another GGUF file")
        reader.use_prompt(form_of(prompt))
        lines = verbalise([ScoredTriple(triple, 1, 1.0, False) for triple in range(min(facts, pack.n_triples))], pack)
        filled = reader.style.prompt(QUESTION, lines)
        reader.close()
        static, room = filled.tokens[: filled.n_static], len(filled.tokens) + REPLY_TOKENS

        def first_decision(cached: bool) -> float:
            fresh = load_reader(path, n_threads=threads)
            cache = PrefixCache(fresh.engine, "bench", cache_folder)
            fresh.engine.reserve(room)
            try:
                warm_ms = ms_of(lambda: cache.warm(static, room)) if cached else 0.0
                return warm_ms + ms_of(lambda: fresh.engine.logits_after(filled.tokens))
            finally:
                fresh.close()

        # The first run fills the cache and is not counted.
        spent = in_turn({"with": partial(first_decision, True), "without": partial(first_decision, False)}, runs)
        n_bytes = sum(file.stat().st_size for file in cache_folder.rglob("*") if file.is_file())
    without, with_it = statistics.median(spent["without"]), statistics.median(spent["with"])
    least, least_with = min(spent["without"]), min(spent["with"])
    return {
        "prompt_tokens": len(filled.tokens), "static_tokens": filled.n_static, "state_bytes": n_bytes,
        "without_ms": round(without, 2), "with_ms": round(with_it, 2), "ratio": round(without / with_it, 2),
        "least_without_ms": round(least, 2), "least_with_ms": round(least_with, 2),
        "ratio_of_least": round(least / least_with, 2),
    }  # fmt: skip
