"""Building a synthetic graph with named entities by either engine, beside its bare plan in DuckDB; a process each."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from kgask.bench.linking import KINDS, RELATIONS, SEED, TRIPLES_A_NAME, WORDS, power_law
from kgask.errors import KgaskError

_ROWS = 1 << 20
MEBIBYTE = 1 << 20


def measure(
    n_triples: int, memory: int, in_memory: bool, tell: Callable[[str], None] = lambda _: None
) -> list[dict[str, str | float]]:
    """A row a way: seconds, peak memory, and how many times the bare plan takes. ``memory`` in bytes."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tell(f"writing {n_triples:,} triples")
        triples, labels = write_sources(folder, n_triples)
        build = ["-m", "kgask", "pack", "build", str(triples), "--labels", str(labels), "-o"]
        ways = {"bare plan": ["-m", "kgask.bench.bare_build", str(triples), name, str(memory // MEBIBYTE)]}
        if in_memory:
            ways["memory"] = [*build, str(folder / "memory")]
        size = f"{memory // 10**6}MB"
        ways["duckdb"] = [*build, str(folder / "duckdb"), "--engine", "duckdb", "--memory", size]
        spent = {}
        for way, words in ways.items():
            tell(way)
            spent[way] = _spent(words)
            for left in (folder / "bare.duckdb", folder / "bare.duckdb.wal"):
                left.unlink(missing_ok=True)
    bare = spent["bare plan"][0]
    return [
        {"way": way, "triples": n_triples, "seconds": round(seconds, 1), "peak MiB": round(peak / MEBIBYTE),
         "ratio": round(seconds / bare, 2)}
        for way, (seconds, peak) in spent.items()
    ]  # fmt: skip


def _spent(words: list[str]) -> tuple[float, int]:
    """Seconds and peak resident bytes of a Python process; KgaskError with its last line when it fails."""
    began = time.perf_counter()
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen([sys.executable, *words], stderr=said)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            said.seek(0)
            raise KgaskError((said.read().decode(errors="replace").strip().splitlines() or ["it was killed"])[-1])
    return time.perf_counter() - began, usage.ru_maxrss * 1024


def write_sources(folder: Path, n_triples: int) -> tuple[Path, Path]:
    """A table of triples and one of labels, one name to five triples, as in :func:`kgask.bench.linking.synthetic`."""
    rng, n_names = np.random.default_rng(SEED), max(200, n_triples // TRIPLES_A_NAME)
    common, popular = power_law(len(WORDS), 1.0), np.cumsum(power_law(n_names, 0.8))
    labels, triples = folder / "labels.tsv", folder / "triples.tsv"
    with labels.open("w") as file:
        for start in range(0, n_names, _ROWS):
            names = range(start, min(start + _ROWS, n_names))
            words = rng.choice(len(WORDS), size=(len(names), 3), p=common).tolist()
            kinds, numbers = rng.integers(len(KINDS), size=len(names)), rng.integers(1, n_names, size=len(names))
            file.writelines(
                f"Q{name}\t{WORDS[a]} {WORDS[b]} {WORDS[c]} {number} {KINDS[kind]}\n"
                for name, (a, b, c), kind, number in zip(names, words, kinds.tolist(), numbers.tolist(), strict=True)
            )
    with triples.open("w") as file:
        for start in range(0, n_triples, _ROWS):
            n = min(_ROWS, n_triples - start)
            objects = np.searchsorted(popular, rng.random(n)).clip(max=n_names - 1)
            rows = rng.integers(n_names, size=n), rng.integers(len(RELATIONS), size=n), objects
            file.writelines(
                f"Q{s}\t{RELATIONS[r]}\tQ{o}\n" for s, r, o in zip(*(row.tolist() for row in rows), strict=True)
            )
    return triples, labels
