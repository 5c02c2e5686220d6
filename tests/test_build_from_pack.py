"""Packs as sources of packs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kgask.build.from_pack import add_pack
from kgask.build.recipe import Recipe, build
from kgask.build.writer import PackBuilder
from kgask.errors import BuildError
from kgask.pack.literals import parse_literal
from kgask.pack.store import Pack

DEMO = Path(__file__).parents[1] / "kg_packs" / "demo"


def _small() -> PackBuilder:
    builder = PackBuilder()
    builder.add("Q1", "P50", "Q2")
    builder.add("Q1", "P577", parse_literal("date", "1871"), [("P291", "Q84"), ("P1", parse_literal("number", "3"))])
    builder.add("Q1", "P577", parse_literal("date", "1871"), [("P291", "Q9")])
    builder.add("http://example.org/Lady%20Susan", "P50", "Q2")
    builder.add("plain name", "P2046", parse_literal("number", "357588", "km²"))
    builder.label("Q1", "Lady Susan")
    builder.label("Q84", "London")
    builder.alias("Q1", "Lady Susan Vernon")
    builder.description("Q1", "epistolary novel")
    builder.relation("P50", "author", aliases=["writer"], description="who wrote it", inverse_label="author of")
    builder.passage(["Q1", "Q2"], "Lady Susan is by Jane Austen.")
    return builder


def _hash_of(folder: Path) -> tuple[str, str, int]:
    with Pack.open(folder) as pack:
        return pack.content_hash, pack.relation_hash, len(pack.passages) if pack.passages is not None else 0


@pytest.mark.parametrize("shipped", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_a_pack_built_of_a_pack_is_the_same(tmp_path: Path, shipped: bool) -> None:
    if not shipped:
        _small().write(tmp_path / "small", licences=["CC0-1.0"])
    source = DEMO if shipped else tmp_path / "small"
    outcome = build(Recipe((str(source),), tmp_path / "again"), print)
    assert _hash_of(tmp_path / "again") == _hash_of(source)
    assert outcome.report.duplicates == 0
    with Pack.open(source) as pack:
        assert outcome.report.manifest["licences"] == pack.manifest["licences"]


def test_a_pack_grows_by_a_table(tmp_path: Path) -> None:
    _small().write(tmp_path / "small")
    (tmp_path / "more.tsv").write_text("Q1\tP921\tletters\nQ1\tP50\tQ2\n")
    build(Recipe((str(tmp_path / "small"), str(tmp_path / "more.tsv")), tmp_path / "grown"), print)
    with Pack.open(tmp_path / "small") as small, Pack.open(tmp_path / "grown") as grown:
        assert grown.n_triples == small.n_triples + 1
        assert grown.n_statements == small.n_statements
        lady = grown.find_key("Q1")
        assert lady is not None
        assert grown.labels([lady]) == ["Lady Susan"]
        assert grown.descriptions([lady]) == ["epistolary novel"]


def test_triples_are_left_out_with_what_nothing_names_then(tmp_path: Path) -> None:
    _small().write(tmp_path / "small")
    with Pack.open(tmp_path / "small") as pack:
        author = [text.key for text in pack.relations()].index("P50")
        builder = PackBuilder()
        add_pack(pack, builder, np.asarray(pack.out_relation) == author)
    builder.write(tmp_path / "less")
    with Pack.open(tmp_path / "less") as less:
        assert sorted(less.keys(range(less.n_entities))) == ["Q1", "Q2", "http://example.org/Lady%20Susan"]
        assert (less.n_triples, less.n_statements, less.n_literals) == (2, 0, 0)


def test_a_pack_is_not_built_into_itself(tmp_path: Path) -> None:
    _small().write(tmp_path / "small")
    with pytest.raises(BuildError, match="must stay as it is"):
        build(Recipe((str(tmp_path / "small"),), tmp_path / "small", force=True), print)
