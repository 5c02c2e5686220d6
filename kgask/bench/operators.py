"""A best-of and a count over many members: the executor beside the same SPARQL in pyoxigraph, over the same triples."""

from __future__ import annotations

import random
import statistics
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from kgask.bench.timing import in_turn, ms_of
from kgask.build.writer import PackBuilder
from kgask.errors import KgaskError
from kgask.pack.records import Literal
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.nodes import Query
from kgask.query.rdf import n_triples
from kgask.query.sparql import to_sparql
from kgask.retrieve.run import run

if TYPE_CHECKING:
    from pyoxigraph import Store

SEED = 12
_LARGEST = 1_000_000


def measure(
    n_members: int, n_rounds: int, tell: Callable[[str], None] = lambda _: None
) -> list[dict[str, str | float]]:
    """Builds a pack of ``n_members`` with a size each, and runs each question ``n_rounds`` times in both, in turn.

    One row a question: medians, and how many times faster the executor is; ``sparql`` is what kgask writes for the
    query (``as written``) or the shortest that a person would write (``by hand``).

    Raises :class:`~kgask.errors.KgaskError` when the two do not agree.
    """
    from pyoxigraph import RdfFormat, Store

    with tempfile.TemporaryDirectory() as folder:
        tell(f"building a pack of {n_members:,} members")
        with _synthetic(Path(folder), n_members) as pack:
            tell("loading its RDF view into pyoxigraph")
            store = Store()
            store.bulk_load(b"".join(n_triples(pack)), RdfFormat.N_TRIPLES)
            tell("measuring")
            return [
                _compared(name, how, query, sparql, pack, store, n_rounds) for name, how, query, sparql in _asked(pack)
            ]


def _synthetic(folder: Path, n_members: int) -> Pack:
    rng, builder = random.Random(SEED), PackBuilder()
    for number in range(1, n_members + 1):
        size = rng.randrange(_LARGEST)
        builder.add(f"Q{number}", "P31", "thing")
        builder.add(f"Q{number}", "P2046", Literal("number", str(size), float(size), "km²"))
    builder.write(folder / "pack", name="members")
    return Pack.open(folder / "pack")


def _asked(pack: Pack) -> Iterator[tuple[str, str, Query, str]]:
    kind = pack.find_key("thing")
    assert kind is not None
    size = [text.key for text in pack.relations()].index("P2046")
    members, by = nodes.Class(kind), nodes.ValueOf((size,))
    best = nodes.Best(members, by)
    counts = {
        "count of all": nodes.Count(members),
        "count of larger ones": nodes.Count(nodes.Where(members, by, ">", nodes.Number(_LARGEST / 2, "km²"))),
    }
    yield "largest", "as written", best, to_sparql(best, pack)
    yield "largest", "by hand", best, _BY_HAND
    for name, query in counts.items():
        yield name, "as written", query, to_sparql(query, pack)


_BY_HAND = """
SELECT ?x WHERE {
  ?x <urn:kgask:relation/P31> <urn:kgask:thing> ; <urn:kgask:relation/P2046>/<urn:kgask:vocabulary#low> ?size .
} ORDER BY DESC(?size) LIMIT 1
"""


def _compared(
    name: str, how: str, query: Query, sparql: str, pack: Pack, store: Store, n_rounds: int
) -> dict[str, str | float]:
    from pyoxigraph import QuerySolutions

    def asked() -> list[list[str]]:
        found = store.query(sparql)
        assert isinstance(found, QuerySolutions)
        return [[term.value for term in row] for row in found]

    result, rows = run(query, pack), asked()
    if result.quantity is not None:
        agrees = [[float(value) for value in row] for row in rows] == [[result.quantity.low, result.quantity.high]]
    else:
        agrees = {row[0] for row in rows} <= {f"urn:kgask:{key}" for key in pack.keys(result.certain.tolist())}
    if not agrees or not rows:
        raise KgaskError(f"bench operators: {name}: kgask and pyoxigraph do not agree")
    ways = {"kgask": lambda: ms_of(lambda: run(query, pack)), "pyoxigraph": lambda: ms_of(asked)}
    mine, theirs = (statistics.median(times) for times in in_turn(ways, n_rounds).values())
    return {
        "question": name,
        "sparql": how,
        "kgask ms": round(mine, 2),
        "pyoxigraph ms": round(theirs, 2),
        "ratio": round(theirs / mine, 1),
    }
