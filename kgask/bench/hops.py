"""Opening a pack in a process of its own, and two hops from random things, beside the same join in pyoxigraph.

Both sides are warm: the best of several times through all starts counts, and in a pack the first of them looks at the
checksums of what is read. All starts at once are one frontier here, and VALUES there.
"""

from __future__ import annotations

import json
import random
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from kgask.bench.timing import ms_of
from kgask.errors import KgaskError
from kgask.pack.arrays import distinct, spans
from kgask.pack.store import Pack
from kgask.retrieve.follow import all_edges, neighbours

SEED = 14
_BLOCK = 1 << 18  # triples
_TIMES = 5  # that all starts are asked, one after another and at once; the best counts
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
            spent = _warm(partial(partial, two_hops, pack), starts)
            together = min(ms_of(partial(all_two_hops, pack, starts)) for _ in range(_TIMES))
            first = float(rows[0]["two hops ms"]) if rows else spent
            row: dict[str, str | float] = {
                "pack": pack.name, "triples": pack.n_triples, "open ms": round(opened_ms, 1),
                "open MiB": round(resident, 1), "two hops ms": round(spent, 4), "ratio": round(spent / first, 2),
                "together ms": round(together, 2),
            }  # fmt: skip
            if with_pyoxigraph:
                theirs, theirs_together = _by_pyoxigraph(pack, starts, tell)
                row |= {"pyoxigraph ms": round(theirs, 4), "times faster": round(theirs / spent, 1),
                        "pyoxigraph together ms": round(theirs_together, 2),
                        "times faster together": round(theirs_together / together, 1)}  # fmt: skip
        rows.append(row)
    return rows


def two_hops(pack: Pack, start: int) -> set[int]:
    """What is reached from a thing over any two triples, out of it and out of what they lead to."""
    return neighbours(pack, neighbours(pack, [start], False), False)


def all_two_hops(pack: Pack, starts: Sequence[int]) -> int:
    """How many different pairs of a start and what is reached from it there are."""
    first = all_edges(pack, np.array(starts), False)
    near = distinct(first.targets)
    second = all_edges(pack, near, False)
    n_ends = np.bincount(np.searchsorted(near, second.sources), minlength=len(near))
    at = np.searchsorted(near, first.targets)
    ends = second.targets[spans((np.cumsum(n_ends) - n_ends)[at], n_ends[at])]
    return len(distinct(np.repeat(first.sources, n_ends[at]) * pack.n_entities + ends))


def _warm(work_of: Callable[[int], Callable[[], object]], starts: Sequence[int]) -> float:
    """The median of milliseconds for each start, of the best time through all of them."""
    works = [work_of(start) for start in starts]
    return min(statistics.median(map(ms_of, works)) for _ in range(_TIMES))


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


def _by_pyoxigraph(pack: Pack, starts: Sequence[int], tell: Callable[[str], None]) -> tuple[float, float]:
    """The median of the same join, and that of all starts at once, in ms."""
    from pyoxigraph import QuerySolutions, RdfFormat, Store

    tell("loading the triples into pyoxigraph")
    store = Store()
    for block in _lines(pack):
        store.bulk_load(block, RdfFormat.N_TRIPLES)

    def counted(query: str) -> int:
        found = store.query(query)
        assert isinstance(found, QuerySolutions)
        return sum(1 for _ in found)

    def asked(start: int) -> int:
        return counted(f"SELECT DISTINCT ?y WHERE {{ <urn:e:{start}> ?p ?x . ?x ?q ?y }}")

    values = " ".join(f"<urn:e:{start}>" for start in starts)
    every = f"SELECT DISTINCT ?s ?y WHERE {{ VALUES ?s {{ {values} }} ?s ?p ?x . ?x ?q ?y }}"
    if counted(every) != all_two_hops(pack, starts):
        raise KgaskError("bench hops: kgask and pyoxigraph do not agree from all starts")

    for start in starts:
        if asked(start) != len(two_hops(pack, start)):
            raise KgaskError(f"bench hops: kgask and pyoxigraph do not agree from #{start}")
    together = min(ms_of(partial(counted, every)) for _ in range(_TIMES))
    return _warm(partial(partial, asked), starts), together


def _lines(pack: Pack) -> Iterator[bytes]:
    for first in range(0, pack.n_triples, _BLOCK):
        columns = pack.triples(range(first, min(first + _BLOCK, pack.n_triples)))
        rows = zip(*(column.tolist() for column in columns), strict=True)
        yield "".join(f"<urn:e:{s}> <urn:r:{r}> <urn:e:{o}> .\n" for s, r, o in rows).encode()
