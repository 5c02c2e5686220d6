from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from kgask.build.writer import PackBuilder
from kgask.pack.names_blocks import BlockNames
from kgask.pack.store import Pack

NAMES = [
    "Lady Susan", "Jane Austen", "Albert Einstein", "Einstein", "New York", "Star Wars", "The Lord of the Rings",
    "Austin", "Suzan Lake", "Victoria", "Wall-E", "1811", "1812", "Ann", "Anna Karenina", "Nazi Party", "Ulm",
    "Université de Montréal", "Война и мир", "The Big Lebowski", "Victor Hugo", "Lady Jane",
]  # fmt: skip


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pack]:
    builder = PackBuilder()
    for name in NAMES:
        builder.add(name, "next to", "Austin")
    path = tmp_path_factory.mktemp("fuzzy") / "pack"
    builder.write(path)
    with Pack.open(path) as opened:
        yield opened


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("lady suzan", "Lady Susan"),  # "suzan" is a word of another name
        ("jane austin", "Jane Austen"),  # so is "austin"
        ("einstien", "Einstein"),  # swapped
        ("albert enstein", "Albert Einstein"),  # missing
        ("albert einsstein", "Albert Einstein"),  # extra
        ("olbert einstein", "Albert Einstein"),  # first letter
        ("albert einsteins", "Albert Einstein"),
        ("newyork", "New York"),
        ("newzyork", "New York"),
        ("star wras", "Star Wars"),
        ("naz iparty", "Nazi Party"),
        ("lord of the ring", "The Lord of the Rings"),
        ("universite de montral", "Université de Montréal"),
        ("воина и мер", "Война и мир"),
        ("jane asuten", "Jane Austen"),
        ("victr hugo", "Victor Hugo"),
        ("ullm", "Ulm"),
    ],
)
def test_typos(pack: Pack, typed: str, meant: str) -> None:
    hits = pack.fuzzy(typed)
    assert hits and hits[0].name == meant
    assert 0.7 <= hits[0].similarity < 1


@pytest.mark.parametrize("typed", ["1813", "", " ", "xqzwv", "a", "!!!", "x" * 10_000, "word " * 40, '"', "* OR ("])
def test_nothing_is_close(pack: Pack, typed: str) -> None:
    assert pack.fuzzy(typed) == []


def test_one_hit_an_entity_best_first(pack: Pack) -> None:
    hits = pack.fuzzy("lady janes", limit=3)
    assert hits[0].name == "Lady Jane"
    assert len({hit.entity for hit in hits}) == len(hits) <= 3
    assert [hit.similarity for hit in hits] == sorted((hit.similarity for hit in hits), reverse=True)


def test_common_words_are_counted_up_to_a_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    builder = PackBuilder()
    for number in range(30):
        builder.add(f"street {number}", "in", "old town")
    builder.write(tmp_path / "pack")
    monkeypatch.setattr("kgask.pack.names.MOST_COUNTED", 10)
    with closing(BlockNames(tmp_path / "pack" / "names.sqlite", 31, 0)) as names:
        counts = names.word_counts({"street", "town", "none", "a.b", 'x"', ""})
    assert counts == {"street": 10, "town": 1}
