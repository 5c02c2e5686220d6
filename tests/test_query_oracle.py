"""The executor and the query's SPARQL in pyoxigraph, over the pack's RDF view, give the same answer."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyoxigraph import QueryBoolean, RdfFormat, Store
from random_queries import Parts, build_graph

from kgask.errors import QueryError
from kgask.pack.quantities import day_number
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.axes import value_axis
from kgask.query.base import BagNode, SetNode, TruthNode
from kgask.query.check import check as makes_sense
from kgask.query.rdf import Iris, n_triples
from kgask.query.sparql import Mode, to_sparql
from kgask.query.text import parse, to_text
from kgask.query.words import verbalise
from kgask.retrieve.run import run

N_GRAPHS = 25
NODE_KINDS = {kind for kind in vars(nodes).values() if isinstance(kind, type) and kind.__module__ == nodes.__name__} - {
    nodes._Aggregate,
    nodes._Several,
}


class Oracle:
    """The RDF view of a pack, in pyoxigraph."""

    def __init__(self, pack: Pack) -> None:
        self.pack, self.store = pack, Store()
        self.store.load(b"".join(n_triples(pack)), RdfFormat.N_TRIPLES)
        ids = range(pack.n_entities)
        self._ids = dict(zip(Iris(pack).of_entities(ids), ids, strict=True))
        assert len(self._ids) == pack.n_entities  # no two things share an IRI

    def asked(self, query: nodes.Query, mode: Mode) -> bool:
        found = self.store.query(to_sparql(query, self.pack, mode))
        assert isinstance(found, QueryBoolean)
        return bool(found)

    def truth(self, query: TruthNode) -> bool | None:
        return True if self.asked(query, "certain") else None if self.asked(query, "possible") else False

    def entities(self, query: nodes.Query, mode: Mode) -> list[int]:
        rows = self.store.query(to_sparql(query, self.pack, mode))
        return sorted(self._ids[row["x"].value] for row in rows)

    def value(self, query: nodes.Query) -> tuple[float, float] | None:
        rows = list(self.store.query(to_sparql(query, self.pack)))
        if not rows:
            return None
        assert len(rows) == 1
        low, high = (term.value for term in rows[0])
        return (_day(low), _day(high)) if "T" in low else (float(low), float(high))


def _day(text: str) -> float:
    year, month, day = text.removesuffix("T00:00:00Z").rsplit("-", 2)
    return float(day_number(int(year), int(month), int(day)))


def check(query: nodes.Query, oracle: Oracle) -> str:
    """Run a query in both ways, compare; returns what came out, for the statistics."""
    result = run(query, oracle.pack)
    if isinstance(query, TruthNode):
        assert result.truth is oracle.truth(query)
        return str(result.truth)
    if isinstance(query, SetNode | BagNode):
        certain, possible = oracle.entities(query, "certain"), oracle.entities(query, "possible")
        assert (sorted(result.certain.tolist()), sorted(result.possible.tolist())) == (certain, possible)
        return "undecided" if certain != possible else "decided" if certain else "empty"
    found, quantity = oracle.value(query), result.quantity
    if found is None or quantity is None:
        assert found is None and quantity is None
        return "no value"
    assert math.isclose(found[0], quantity.low, rel_tol=1e-12, abs_tol=1e-9)
    assert math.isclose(found[1], quantity.high, rel_tol=1e-12, abs_tol=1e-9)
    assert quantity.axis == value_axis(query, oracle.pack)
    return "point" if quantity.low == quantity.high else "interval"


@pytest.fixture(scope="module")
def oracle_of(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[int], Oracle]]:
    folder: Path = tmp_path_factory.mktemp("graphs")
    yield cache(lambda seed: Oracle(build_graph(seed, folder)))


def agree(oracle_of: Callable[[int], Oracle], n_pairs: int) -> Counter[object]:
    """Checks so many pairs of a query and a graph; counts the node kinds and outcomes that occurred."""
    seen: Counter[object] = Counter()

    @settings(
        max_examples=n_pairs, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
    )
    @given(st.data())
    def one(data: st.DataObject) -> None:
        oracle = oracle_of(data.draw(st.integers(0, N_GRAPHS - 1)))
        query = data.draw(Parts(oracle.pack).queries())
        assert parse(to_text(query, oracle.pack), oracle.pack) == query
        assert verbalise(query, oracle.pack).isprintable()
        assert all(problem.endswith(".") for problem in makes_sense(query, oracle.pack))
        outcome = check(query, oracle)
        seen.update({"pairs", outcome, *map(type, query.walk())})

    one()
    return seen


@pytest.mark.slow
def test_the_executor_equals_sparql_on_random_queries(oracle_of: Callable[[int], Oracle]) -> None:
    seen = agree(oracle_of, 250)
    assert seen["pairs"] >= 200 and len(NODE_KINDS & set(seen)) > 25
    assert {"True", "False", "decided", "undecided"} <= set(seen)


@pytest.mark.slow
def test_the_executor_equals_sparql_on_thousands_of_random_queries(oracle_of: Callable[[int], Oracle]) -> None:
    seen = agree(oracle_of, 3000)
    assert seen["pairs"] >= 2000
    assert NODE_KINDS - set(seen) == set()
    outcomes = ("True", "False", "None", "decided", "undecided", "no value", "point", "interval")
    assert min(seen[outcome] for outcome in outcomes) >= 20, seen


@settings(max_examples=150, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_damaged_text_raises_query_errors_only(oracle_of: Callable[[int], Oracle], data: st.DataObject) -> None:
    pack = oracle_of(data.draw(st.integers(0, 5))).pack
    text = to_text(data.draw(Parts(pack).queries()), pack)
    for _ in range(data.draw(st.integers(1, 4))):
        at, length = data.draw(st.integers(0, len(text))), data.draw(st.integers(0, 5))
        piece = data.draw(
            st.one_of(st.text(max_size=4), st.sampled_from(["(", ")", "<", ">", "^", "date(", "1e999", ", "]))
        )
        text = text[:at] + piece + text[at + length :]
    try:
        query = parse(text, pack)
    except QueryError as error:
        assert str(error)
    else:  # what can be read still can be written
        assert parse(to_text(query, pack), pack) == query
