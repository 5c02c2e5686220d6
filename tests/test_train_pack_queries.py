"""Questions with operators composed over one pack: they teach queries over its own relations and classes."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from films import build_films

from kgask.corpus.measures import measure_named
from kgask.corpus.pack_queries import PACK, PackQueries
from kgask.corpus.pack_wordings import word_pack
from kgask.corpus.query_examples import QueryExample, check
from kgask.corpus.wordings import load_wordings
from kgask.pack.store import Pack


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory) -> Pack:
    return Pack.open(build_films(tmp_path_factory.mktemp("films") / "pack"))


def drawn(pack: Pack, n: int, held: bool = False) -> list[QueryExample]:
    questions = PackQueries(pack, word_pack(pack, load_wordings(), random.Random(1)), random.Random(1), held)
    rng = random.Random(2)
    return [questions.draw(rng) for _ in range(n)]


@pytest.mark.slow
def test_they_are_over_the_packs_relations_and_of_all_kinds(pack: Pack) -> None:
    keys = {relation.key for relation in pack.relations()}
    examples = drawn(pack, 300)
    for example in examples:
        check(example)
        assert set(example.keys) <= keys and example.vocabulary == PACK
    assert {"count", "superlative", "comparison", "filter", "yesno", "difference"} <= {e.kind for e in examples}
    assert {"director", "cast member", "publication year"} <= {key for e in examples for key in e.keys}
    assert examples == drawn(pack, 300)


def test_wordings_that_are_held_out_are_not_drawn(pack: Pack) -> None:
    seen = {example.text for example in drawn(pack, 300)}
    assert not seen & {example.text for example in drawn(pack, 100, held=True) if len(example.operands) > 1}


def test_a_measure_is_spoken_of_by_its_label() -> None:
    number = measure_named((("mileage", False),), "number", "mileage", "X")
    assert "highest mileage" in number.forms["hasmost"] and number.path == (("mileage", False),)
    assert "whose mileage is more than {v}" in number.forms["above"]
    date = measure_named((("d", False),), "date", "date of sale", "X")
    assert "latest date of sale" in date.forms["hasmost"] and "whose date of sale is before {d}" in date.forms["before"]


def test_several_measures_of_things_that_no_file_has_them_of(tmp_path: Path) -> None:
    """Population is said of places, zest of nothing; here both are of films."""
    from kgask.build.recipe import Recipe, build

    rows = "".join(
        f'Film {n}\tdirector\tMaker {n % 3}\nFilm {n}\tpopulation\t"{n}"^^number\n'
        f'Film {n}\tzest\t"{n * 2}"^^number\nFilm {n}\tpublication date\t"19{n + 50}"^^date\n'
        for n in range(12)
    )
    (tmp_path / "t.tsv").write_text(rows, encoding="utf-8")
    build(Recipe(sources=(str(tmp_path / "t.tsv"),), target=tmp_path / "pack"), tell=lambda _: None)
    examples = drawn(Pack.open(tmp_path / "pack"), 1500)
    assert {"population", "zest", "publication date"} <= {key for example in examples for key in example.keys}


def test_a_pack_of_one_relation_has_some(tmp_path: Path) -> None:
    from kgask.build.recipe import Recipe, build

    (tmp_path / "t.tsv").write_text("a1\tzorbs\tb1\na2\tzorbs\tb1\n", encoding="utf-8")
    build(Recipe(sources=(str(tmp_path / "t.tsv"),), target=tmp_path / "pack"), tell=lambda _: None)
    examples = drawn(Pack.open(tmp_path / "pack"), 20)
    assert {key for example in examples for key in example.keys} <= {"zorbs"}
