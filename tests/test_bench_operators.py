"""The bench of operators: both sides answer the same, and what it prints."""

from __future__ import annotations

import json

from click.testing import CliRunner

from kgask.cli.bench import bench


def test_both_agree_and_are_timed() -> None:
    found = CliRunner().invoke(bench, ["operators", "--members", "300", "--rounds", "1", "--json"])
    assert found.exit_code == 0, found.output
    rows = json.loads(found.stdout)
    assert [row["question"] for row in rows] == ["largest", "largest", "count of all", "count of larger ones"]
    assert all(row["kgask ms"] > 0 and row["pyoxigraph ms"] > 0 and row["ratio"] > 0 for row in rows)
