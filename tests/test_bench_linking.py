"""The benches of linking and building: both packs are asked the same kinds of questions, and what it prints."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from kgask.bench.linking import questions, synthetic
from kgask.cli.bench import bench
from kgask.pack.store import Pack


@pytest.mark.slow
def test_both_packs_are_asked_and_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kgask.bench.linking.N_QUESTIONS", 3)
    found = CliRunner().invoke(bench, ["linking", "--small", "1000", "--large", "2000", "--rounds", "1", "--json"])
    assert found.exit_code == 0, found.output
    rows = json.loads(found.stdout)
    assert [row["questions"] for row in rows] == ["exact", "lower case", "typo", "partial", "two hops"]
    assert all(row["small ms"] > 0 and row["large ms"] > 0 and row["ratio"] > 0 for row in rows)


@pytest.mark.slow
def test_both_engines_are_timed_beside_the_bare_plan() -> None:
    found = CliRunner().invoke(bench, ["building", "--triples", "2000", "--memory", "700MB", "--json"])
    assert found.exit_code == 0, found.output
    rows = json.loads(found.stdout)
    assert [row["way"] for row in rows] == ["bare plan", "memory", "duckdb"]
    assert rows[0]["ratio"] == 1
    assert all(row["seconds"] > 0 and row["peak MiB"] > 10 for row in rows)


def test_typos_are_no_names_and_the_others_are(tmp_path: Path) -> None:
    synthetic(tmp_path / "pack", 1000)
    with Pack.open(tmp_path / "pack") as pack:
        asked = questions(pack)
        names = {label.lower() for label in pack.labels(range(pack.n_entities))}
        assert all(any(name in text.lower() for name in names) for text in asked["exact"] + asked["two hops"])
        assert not any(any(name in text.lower() for name in names) for text in asked["typo"])
