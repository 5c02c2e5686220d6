"""What a question puts side by side: of what it names, and what is asked of all of it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from linked import linked_by
from piped import opened, piped

from kgask.link.linker import Linker
from kgask.link.values import value_spans
from kgask.methods.coordinated import Group, groups, spread
from kgask.pack.store import Pack
from kgask.query.text import parse, to_text
from kgask.retrieve.frontier import Budget
from kgask.retrieve.run import Runner

BOOKS = """
Orlando | author | Woolf
Flush | author | Woolf
Salome | author | Wilde
Beerbohm | influenced by | Wilde
Welty | influenced by | Woolf
Durrell | influenced by | Woolf
Durrell | influenced by | Wilde
Orlando | year | 1928
Flush | year | 1933
Salome | year | 1891
"""


@pytest.fixture(scope="module")
def books(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pack]:
    with opened(piped(BOOKS, {"year"}), tmp_path_factory.mktemp("books")) as pack:
        yield pack


def side_by_side(pack: Pack, text: str) -> list[Group]:
    linker = Linker(pack, frozenset("who what which or and not but by in".split()))
    return groups(text, [one.mention for one in linked_by(pack, linker, text)], value_spans(text))


def asked_of_all(pack: Pack, text: str, query: str) -> list[str]:
    runner, read = Runner(pack, Budget(5.0)), parse(query, pack)
    found = (one for group in side_by_side(pack, text) for one, _ in spread(read, group, runner))
    return [to_text(one, pack) for one in found]


@pytest.mark.parametrize(
    ("text", "joined", "words"),
    [
        ("what is by Woolf or by Wilde?", "or", ["Woolf", "Wilde"]),
        ("books of Woolf, Wilde and Welty", "and", ["Woolf", "Wilde", "Welty"]),
        ("who was influenced by Woolf but not by Wilde?", "not", ["Woolf", "Wilde"]),
        ("books from 1928 or from 1933", "or", ["1928", "1933"]),
    ],
)
def test_what_stands_side_by_side_is_a_group(books: Pack, text: str, joined: str, words: list[str]) -> None:
    found = [(one.joined, [text[at.start : at.end] for at in one.operands]) for one in side_by_side(books, text)]
    assert set(map(str, found)) == {str((joined, words))}  # years are names of literals here, and values


@pytest.mark.parametrize("text", ["did Woolf influence Welty?", "Woolf, whom Wilde read", "books by Woolf"])
def test_what_is_not_joined_is_none(books: Pack, text: str) -> None:
    assert side_by_side(books, text) == []


@pytest.mark.parametrize(
    ("text", "query", "wanted"),
    [
        (
            "who was influenced by Woolf or Wilde?", "follow(<Wilde>, ^<influenced by>)",
            ["or(follow(<Wilde>, ^<influenced by>), follow(<Woolf>, ^<influenced by>))"],
        ),
        (
            "who was influenced by Woolf and Wilde?", "follow(<Woolf>, ^<influenced by>)",
            ["or(follow(<Woolf>, ^<influenced by>), follow(<Wilde>, ^<influenced by>))",
             "and(follow(<Woolf>, ^<influenced by>), follow(<Wilde>, ^<influenced by>))"],
        ),
        (
            "who was influenced by Woolf but not by Wilde?", "count(follow(<Woolf>, ^<influenced by>))",
            ["count(minus(follow(<Woolf>, ^<influenced by>), follow(<Wilde>, ^<influenced by>)))"],
        ),
        (
            "the books from 1928 or from 1933", "where(having(<year>), value(<year>) = 1928)",
            ["or(where(having(<year>), value(<year>) = 1928), where(having(<year>), value(<year>) = 1933))"],
        ),
        (
            "the last book by Woolf or Wilde", "best(follow(<Woolf>, ^<author>), value(<year>), most 1)",
            ["best(or(follow(<Woolf>, ^<author>), follow(<Wilde>, ^<author>)), value(<year>), most 1)"],
        ),
    ],
)  # fmt: skip
def test_what_was_read_of_one_is_asked_of_all(books: Pack, text: str, query: str, wanted: list[str]) -> None:
    assert asked_of_all(books, text, query) == wanted


@pytest.mark.parametrize(
    "query",
    [
        "and(follow(<Woolf>, ^<influenced by>), follow(<Wilde>, ^<influenced by>))",  # it has both already
        "follow(<Orlando>, <author>)",  # it has neither
        "holds(<Durrell>, <influenced by>, <Woolf>)",  # no set of any
    ],
)
def test_what_is_about_none_or_all_stays(books: Pack, query: str) -> None:
    assert asked_of_all(books, "Woolf or Wilde?", query) == []
