"""All kin of a kind, asked of a graph that says fathers and mothers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from piped import opened, piped

import kgask
from kgask.methods.whole_kin import whole_kin
from kgask.pack.store import Pack
from kgask.query.text import parse

FAMILY = """
Ann Lund | mother | Eva Moe
Ann Lund | father | Per Moe
Bo Lund | mother | Eva Moe
Bo Lund | father | Per Moe
Per Moe | mother | Liv Moe
Tor Dahl | mother | Liv Moe
Kai Dahl | father | Tor Dahl
Ann Lund | occupation | carpenter
Eva Moe | occupation | teacher
"""
CHILDREN = "or(follow(<{0}>, ^<father>), follow(<{0}>, ^<mother>))"


@pytest.fixture(scope="module")
def family(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pack]:
    with opened(piped(FAMILY, set()), tmp_path_factory.mktemp("family")) as pack:
        yield pack


@pytest.mark.parametrize(
    ("text", "name", "query"),
    [
        ("Who are Ann Lund's parents?", "Ann Lund", "or(follow(<Ann Lund>, <father>), follow(<Ann Lund>, <mother>))"),
        ("list the children of Liv Moe", "Liv Moe", CHILDREN.format("Liv Moe")),
        ("how many kids does Eva Moe have?", "Eva Moe", f"count({CHILDREN.format('Eva Moe')})"),
        ("Who is Ann Lund's grandmother?", "Ann Lund",
         "follow(or(follow(<Ann Lund>, <father>), follow(<Ann Lund>, <mother>)), <mother>)"),
        ("Who is Ann Lund's mother?", "Ann Lund", None),
        ("Who is the oldest child of Liv Moe?", "Liv Moe", None),
        ("What is the occupation of Ann Lund's parents?", "Ann Lund", None),
        ("Who is Ann Lund's aunt?", "Ann Lund", None),
    ],
)  # fmt: skip
def test_what_is_asked_for_takes_all_relations_of_its_kind(
    family: Pack, text: str, name: str, query: str | None
) -> None:
    start = text.index(name)
    entity = family.find_key(name)
    assert entity is not None
    found = whole_kin(text, start, start + len(name), entity, family)
    assert found == (parse(query, family) if query else None)


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        ("Who are Bo Lund's siblings?", ["Ann Lund"]),
        ("Who are the grandchildren of Liv Moe?", ["Ann Lund", "Bo Lund", "Kai Dahl"]),
        ("Who are the cousins of Kai Dahl?", ["Ann Lund", "Bo Lund"]),
    ],
)
def test_it_is_answered_whole(tmp_path: Path, text: str, answers: list[str]) -> None:
    piped(FAMILY, set()).write(tmp_path / "pack")
    with kgask.open(str(tmp_path / "pack"), reader=None, settings={}) as asked:
        said = asked.ask(text)
    assert sorted(one.label for one in said.entities) == answers
    assert said.confidence > 0.8 and {one.relation for one in said.support} == {"mother", "father"}
