"""What makes no sense on a pack is said before a query is run; what makes sense is let through."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kgask.build.writer import PackBuilder
from kgask.pack.literals import parse_typed
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.check import check
from kgask.query.text import parse

TRIPLES = """
river|subclass of|stream
Nile|instance of|river
Nile|length|"6650"^^number[km]
Nile|age|"30"^^number
Nile|motto|"ever on"^^string
Nile|first seen|"1850"^^date
Nile|mouth|sea
"""
GOOD = (
    "class(<stream>)",
    "best(class(<river>), value(<length>), most 1)",
    "best(class(<river>), size(<mouth>), most 1)",
    "where(class(<river>), value(<length>) > 5000000[mm])",
    "where(class(<river>), size(<mouth>) > 1)",
    "where(class(<river>), value(<mouth>) in <sea>)",
    "where(class(<river>), value(<first seen>) < date(1900))",
    "sum(values(class(<river>), <length>))",
    "age(values(<Nile>, <first seen>), date(1900))",
    "qualified(follow(<Nile>, <mouth>), <in> = date(1900))",
    "qualified(follow(<Nile>, <mouth>), <by> in <Speke>)",
    "qualifier(follow(<Nile>, <mouth>), <by>)",
    "compare(values(<Nile>, <length>) > 5[mi])",
    "values(<Nile>, <mouth>)",
)
BAD = {
    "class(<sea>)": "Nothing in this graph is an instance of sea.",
    "best(class(<river>), value(<mouth>), most 1)": (
        "'mouth' leads to no numbers or dates, so nothing can be ordered by it."
    ),
    "best(class(<river>), value(<length>), most 99)": "There is no rank 99: the graph has ",
    "where(class(<river>), value(<length>) > 5[s])": (
        "'length' leads to numbers in m, which cannot be compared with numbers in s."
    ),
    "where(class(<river>), value(<first seen>) > 1900)": (
        "'first seen' leads to dates, which cannot be compared with numbers without a unit."
    ),
    "where(class(<river>), value(<motto>) > 1)": "'motto' leads to no numbers or dates, so it cannot be compared.",
    "where(class(<river>), value(^<mouth>) > 1)": "'mouth' (inverse) leads to no numbers or dates",
    "where(class(<river>), size(<mouth>) > 1[km])": "A number of members cannot be compared with numbers in m.",
    "sum(values(class(<river>), <first seen>))": "Dates have no sum.",
    "mean(values(class(<river>), <mouth>))": "'mouth' leads to no numbers or dates.",
    "age(values(<Nile>, <age>), date(1900))": "An age is counted between dates, not numbers without a unit.",
    "difference(values(<Nile>, <age>), date(1900))": "Numbers without a unit cannot be compared with dates.",
    "compare(values(<Nile>, <length>) > values(<Nile>, <age>))": (
        "Numbers in m cannot be compared with numbers without a unit."
    ),
    "compare(qualifier(follow(<Nile>, <mouth>), <by>) > 1)": (
        "'by' says no numbers or dates in this graph's statements."
    ),
    "qualified(follow(<Nile>, <mouth>), <length> > 1[km])": "'length' qualifies no statement of this graph.",
    "qualified(follow(<Nile>, <mouth>), <in> > 1[km])": (
        "'in' leads to dates, which cannot be compared with numbers in m."
    ),
}


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pack]:
    target: Path = tmp_path_factory.mktemp("check") / "pack"
    builder = PackBuilder()
    for line in TRIPLES.strip().splitlines():
        subject, relation, obj = line.split("|")
        builder.add(subject, relation, parse_typed(obj) or obj)
    date = parse_typed('"1900"^^date')
    assert date is not None
    builder.add("Nile", "mouth", "sea", [("in", date), ("by", "Speke")])
    builder.write(target, name="check")
    with Pack.open(target) as opened:
        yield opened


@pytest.mark.parametrize("text", GOOD)
def test_what_makes_sense(pack: Pack, text: str) -> None:
    assert check(parse(text, pack), pack) == []


@pytest.mark.parametrize("text", BAD)
def test_what_does_not(pack: Pack, text: str) -> None:
    (problem,) = check(parse(text, pack), pack)
    assert problem.startswith(BAD[text])


def test_ids_that_are_not_there(pack: Pack) -> None:
    query = nodes.Follow(nodes.Entities((10_000,)), 9_999)
    assert check(query, pack) == ["There is no entity 10000 in this graph.", "There is no relation 9999 in this graph."]


def test_a_graph_without_types(tmp_path: Path) -> None:
    builder = PackBuilder()
    builder.add("a", "knows", "b")
    builder.write(tmp_path / "pack")
    with Pack.open(tmp_path / "pack") as opened:
        (problem,) = check(nodes.Class(0), opened)
    assert problem.startswith("This graph does not say what kind of thing anything is")
