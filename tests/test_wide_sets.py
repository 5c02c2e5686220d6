"""Sets of a large part of a pack: one look at all triples gives what their rows give; none is run only to prune."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kgask.bench.linking import synthetic
from kgask.methods import sense
from kgask.methods.relation_facts import RelationFacts
from kgask.methods.sense import PackSense
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.base import Node
from kgask.retrieve import frontier
from kgask.retrieve.frontier import Budget, edges_from
from kgask.retrieve.run import Runner


@pytest.mark.parametrize("share", [1.0, 0.5])
def test_one_look_finds_the_same_triples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, share: float) -> None:
    synthetic(tmp_path / "pack", 1000)
    with Pack.open(tmp_path / "pack") as pack:
        some = np.flatnonzero(np.random.default_rng(1).random(pack.n_entities) < share)
        for relation in range(2 * pack.n_relations):
            monkeypatch.setattr(frontier, "CHUNK", 1 << 16)
            by_rows = edges_from(pack, some, relation, Budget())
            monkeypatch.setattr(frontier, "CHUNK", 1)
            by_look = edges_from(pack, some, relation, Budget())
            for column in ("sources", "relations", "targets", "rows"):
                assert np.array_equal(getattr(by_rows, column), getattr(by_look, column))


def test_sets_of_vast_ones_are_not_run_to_prune(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synthetic(tmp_path / "pack", 1000)
    with Pack.open(tmp_path / "pack") as pack:
        facts, runner = RelationFacts(pack), Runner(pack, Budget())
        best = nodes.Best(nodes.Having(0), nodes.SizeOf((1,)), most=True, first=1, last=1)

        def none(span: int, rank: int | None) -> Node:
            raise AssertionError(f"span {span} is not asked for")

        PackSense(facts, (), runner, none)._leaving_set(best)
        assert best in runner._sets
        monkeypatch.setattr(sense, "MOST_FOLLOWED", 10)
        runner = Runner(pack, Budget())
        assert np.array_equal(PackSense(facts, (), runner, none)._leaving_set(best), facts.paths)
        assert best not in runner._sets
