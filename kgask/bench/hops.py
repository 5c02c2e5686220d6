"""Opening a pack in a process of its own, and two hops from random things, beside the same join in pyoxigraph."""

from __future__ import annotations

import json
import random
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from kgask.bench.timing import ms_of
from kgask.errors import KgaskError
from kgask.pack.store import Pack
from kgask.retrieve.follow import all_edges

if TYPE_CHECKING:
    pass

SEED = 14
_BLOCK = 1 << 18  # triples
_OPEN = """
import json, sys, time
from kgask.pack.store import Pack
began = time.perf_counter()
Pack.open(sys.argv[1])
spent = 1000 * (time.perf_counter() - began)
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(json.dumps([spent, int(peak.split()[1]) / 1024]))
"""  # ru_maxrss would be that of this process where it is more


def measure(
    packs: Sequence[Path], n_starts: int, with_pyoxigraph: bool, tell: Callable[[str], None] = lambda _: None
) -> list[dict[str, str | float]]:
    """A row a pack: opening (ms, MiB resident, of a new process), and the median of two hops from random things (ms).

    ``ratio`` is to the first pack; ``times faster`` to pyoxigraph with the same triples in memory. Raises
    :class:`~kgask.errors.KgaskError` when the two do not reach the same.
    """
    rows: list[dict[str, str | float]] = []
    for path in packs:
        tell(str(path))
        opened_ms, resident = _opening(path)
        with Pack.open(path) as pack:
            starts = _starts(pack, n_starts)
            spent = statistics.median(ms_of(partial(two_hops, pack, start)) for start in starts)
            first = float(rows[0]["two hops ms"]) if rows else spent
            row: dict[str, str | float] = {
                "pack": pack.name, "triples": pack.n_triples, "open ms": round(opened_ms, 1),
                "open MiB": round(resident, 1), "two hops ms": round(spent, 4), "ratio": round(spent / first, 2),
            }  # fmt: skip
            if with_pyoxigraph:
                theirs = _by_pyoxigraph(pack, starts, tell)
                row |= {"pyoxigraph ms": round(theirs, 4), "times faster": round(theirs / spent, 1)}
        rows.append(row)
    return rows


def two_hops(pack: Pack, start: int) -> np.ndarray:
    """What is reached from a thing over any two triples, out of it and out of what they lead to."""
    near = np.unique(all_edges(pack, np.array([start]), False).targets)
    return np.unique(all_edges(pack, near, False).targets)


def _opening(path: Path) -> tuple[float, float]:
    done = subprocess.run([sys.executable, "-c", _OPEN, str(path)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise KgaskError((done.stderr.strip().splitlines() or [f"{path}: cannot be opened"])[-1])
    spent, resident = json.loads(done.stdout)
    return spent, resident


def _starts(pack: Pack, n_starts: int) -> list[int]:
    """Random things that something is said of."""
    rng, n_things = random.Random(SEED), pack.n_entities - pack.n_literals
    drawn = (rng.randrange(n_things) for _ in range(20 * n_starts))
    found = [one for one in drawn if pack.out_indptr[one + 1] > pack.out_indptr[one]][:n_starts]
    if not found:
        raise KgaskError(f"{pack.name}: nothing is said of {20 * n_starts} random things")
    return found


def _by_pyoxigraph(pack: Pack, starts: Sequence[int], tell: Callable[[str], None]) -> float:
    """The median of the same join, in ms."""
    from pyoxigraph import QuerySolutions, RdfFormat, Store

    tell("loading the triples into pyoxigraph")
    store = Store()
    for block in _lines(pack):
        store.bulk_load(block, RdfFormat.N_TRIPLES)

    def asked(start: int) -> int:
        found = store.query(f"SELECT DISTINCT ?y WHERE {{ <urn:e:{start}> ?p ?x . ?x ?q ?y }}")
        assert isinstance(found, QuerySolutions)
        return sum(1 for _ in found)

    for start in starts:
        if asked(start) != len(two_hops(pack, start)):
            raise KgaskError(f"bench hops: kgask and pyoxigraph do not agree from #{start}")
    return statistics.median(ms_of(partial(asked, start)) for start in starts)


def _lines(pack: Pack) -> Iterator[bytes]:
    for first in range(0, pack.n_triples, _BLOCK):
        columns = pack.triples(range(first, min(first + _BLOCK, pack.n_triples)))
        rows = zip(*(column.tolist() for column in columns), strict=True)
        yield "".join(f"<urn:e:{s}> <urn:r:{r}> <urn:e:{o}> .\n" for s, r, o in rows).encode()
