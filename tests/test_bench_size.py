"""The benches of sizes: parts are all of a pack, a pack is small beside other stores, hops are those of pyoxigraph."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from click.testing import CliRunner

from kgask.bench.hops import measure as measure_hops
from kgask.bench.linking import synthetic
from kgask.build.writer import PackBuilder
from kgask.cli.bench import bench
from kgask.errors import KgaskError


def _measured(pack: Path, *words: str) -> dict[str, dict]:
    done = CliRunner().invoke(bench, ["size", "--pack", str(pack), "--json", *words])
    assert done.exit_code == 0, done.output
    return {row["part"]: row for row in json.loads(done.stdout)}


def test_parts_are_the_whole(tmp_path: Path) -> None:
    synthetic(tmp_path / "pack", 2000)
    rows = _measured(tmp_path / "pack", "--pyoxigraph")
    on_disk = sum(path.stat().st_size for path in (tmp_path / "pack").iterdir() if path.name != "pack.json")
    assert rows["all"]["bytes"] == on_disk
    others = {name: row for name, row in rows.items() if row["at most"]}
    assert {"HDT with index and labels, noted", "kuzu, noted", "pyoxigraph, measured"} <= set(others)
    assert sum(row["bytes"] for name, row in rows.items() if name not in others and name != "all") == on_disk
    for row in others.values():
        assert row["pack / it"] == round(on_disk / row["bytes"], 3)


def test_a_pack_of_names_is_at_most_half_of_pyoxigraph(tmp_path: Path) -> None:
    """Of people with names of two common words, 20,000 triples; real graphs: docs/figures.md."""
    rng, builder = random.Random(4), PackBuilder()
    firsts, lasts = (
        ["".join(rng.choices("aeiouklmnrst", k=rng.randint(4, 8))).title() for _ in range(400)] for _ in "12"
    )
    people = [
        f"{first} {last}" for first, last in zip(rng.choices(firsts, k=9000), rng.choices(lasts, k=9000), strict=True)
    ]
    for _ in range(20_000):
        builder.add(rng.choice(people), f"relation {rng.randrange(12)}", rng.choice(people[:3000]))
    builder.write(tmp_path / "pack")
    row = _measured(tmp_path / "pack", "--pyoxigraph")["pyoxigraph, measured"]
    assert row["pack / it"] <= row["at most"]


def test_two_hops_reach_what_pyoxigraph_reaches(tmp_path: Path) -> None:
    synthetic(tmp_path / "small", 300)
    synthetic(tmp_path / "large", 3_000)
    first, second = measure_hops([tmp_path / "small", tmp_path / "large"], 20, True)
    assert (first["ratio"], first["pack"], second["pack"]) == (1.0, "small", "large")
    assert all(float(row[name]) > 0 for row in (first, second) for name in ("open ms", "open MiB", "pyoxigraph ms"))
    with pytest.raises(KgaskError, match="no KG pack here"):
        measure_hops([tmp_path], 1, False)
