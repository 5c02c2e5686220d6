"""What a pack's triples teach about its relations, kept with the pack and checked."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from forked_cli import kgask
from hostile_pack import accept_hashes

from kgask.build.writer import PackBuilder
from kgask.config import PACK_MANIFEST
from kgask.pack.check import check_pack
from kgask.pack.header import dump_manifest
from kgask.pack.relation_kinds import COMPLETE, KINDS_ARRAY, SINGLE
from kgask.pack.store import Pack

COUNTRIES = ["Ardland", "Borland", "Corland", "Dorland", "Erland", "Forland"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Six countries in a ring of borders, each with a capital and one or two languages; six people with children."""
    builder = PackBuilder()
    for at, country in enumerate(COUNTRIES):
        builder.add(country, "instance of", "country")
        builder.add(country, "capital", f"{country} City")
        builder.add(country, "language", f"{country}ish")
        neighbour = COUNTRIES[(at + 1) % len(COUNTRIES)]
        builder.add(country, "borders", neighbour)
        builder.add(neighbour, "borders", country)
        builder.add(f"Person {at}", "instance of", "person")
        builder.add(f"Person {at}", "child", f"Child {at}")
        builder.add(f"Person {at}", "child", f"Child {at + 1}")
        builder.add(f"Person {at + 10}", "instance of", "person")
    builder.add("Ardland", "language", "Borlandish")
    builder.write(tmp_path / "pack", name="pack")
    return tmp_path / "pack"


def kinds(pack: Pack, label: str) -> tuple[int, int]:
    relation = pack.relation_labels().index(label)
    return int(pack.relation_kinds[relation]), int(pack.relation_kinds[relation + pack.n_relations])


def test_one_end_all_ends_and_open_lists(path: Path) -> None:
    with Pack.open(path) as pack:
        assert kinds(pack, "capital") == (SINGLE | COMPLETE, SINGLE | COMPLETE)
        assert kinds(pack, "borders") == (COMPLETE, COMPLETE)
        assert kinds(pack, "language")[0] == COMPLETE  # two of Ardland: one in six is too many to be single
        assert kinds(pack, "child") == (0, 0)
    assert check_pack(path) == []


def test_they_are_listed(path: Path) -> None:
    learned = {
        row["label"]: row["learned"] for row in json.loads(kgask("pack", "info", str(path), "--relations", "-j").stdout)
    }
    assert learned["borders"] == "complete ^complete" and learned["child"] == ""


def test_a_pack_of_an_earlier_kgask_learns_them_when_asked(path: Path) -> None:
    with Pack.open(path) as pack:
        kept = np.array(pack.relation_kinds)
    manifest = json.loads((path / PACK_MANIFEST).read_text(encoding="utf-8"))
    del manifest["files"][f"{KINDS_ARRAY}.npy"]
    (path / f"{KINDS_ARRAY}.npy").unlink()
    (path / PACK_MANIFEST).write_bytes(dump_manifest(manifest))
    accept_hashes(path)
    with Pack.open(path) as pack:
        assert np.array_equal(pack.relation_kinds, kept)
    assert check_pack(path) == []


def test_what_does_not_follow_from_the_triples_is_found(path: Path) -> None:
    array = np.load(path / f"{KINDS_ARRAY}.npy")
    array[:] = SINGLE
    np.save(path / f"{KINDS_ARRAY}.npy", array)
    accept_hashes(path)
    assert any("relation_kinds.npy: not what the triples say" in problem for problem in check_pack(path))
