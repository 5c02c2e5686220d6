"""Columns of "yes" and "no": what stands there is asked, not that something does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import kgask
from kgask.answer.pipeline import Pipeline
from kgask.build.recipe import Recipe, build
from kgask.methods.flags import flags_of
from kgask.methods.pointless import is_pointless
from kgask.methods.protocol import Hypothesis
from kgask.pack.store import Pack
from kgask.query.text import parse
from kgask.retrieve.run import run

LIGHTHOUSES = """
lighthouse,coast,keeper,height_m,open to visitors,painted,visitors_2023,visitors_2024
Sker Point,Wales,Meg Pryce,32,yes,white,4100,5200
Gull Stack,Cornwall,Tobias Hearn,21,no,red,,
Black Ness,Orkney,Inga Flett,44,yes,white,2300,1900
Holm of Ire,Orkney,Inga Flett,27,no,white,,
Pendean Head,Cornwall,Ruth Carne,38,yes,grey,8700,9100
"""


@pytest.fixture(scope="module")
def coast(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pipeline]:
    folder = tmp_path_factory.mktemp("coast")
    (folder / "lighthouses.csv").write_text(LIGHTHOUSES.lstrip())
    build(Recipe((str(folder / "lighthouses.csv"),), folder / "pack", recognise=True), tell=lambda line: None)
    with kgask.open(str(folder / "pack"), reader=None) as pipeline:
        yield pipeline


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Is Gull Stack open to visitors?", "no"),
        ("Is Black Ness open to visitors?", "yes"),
        ("Which lighthouses are open to visitors?", "Black Ness | Pendean Head | Sker Point"),
        ("how many lighthouses are open to visitors?", "3"),
        ("How many visitors did Black Ness have in 2023?", "2300"),
    ],
)
def test_what_stands_in_the_column_is_told(coast: Pipeline, text: str, said: str) -> None:
    assert coast.ask(text).text == said


def test_where_only_yes_stands_what_is_empty_is_not_so(tmp_path: Path) -> None:
    rows = [row.replace(",no,", ",,") for row in LIGHTHOUSES.strip().splitlines()]
    (tmp_path / "lighthouses.csv").write_text("\n".join(rows))
    build(Recipe((str(tmp_path / "lighthouses.csv"),), tmp_path / "pack", recognise=True), tell=lambda line: None)
    with Pack.open(tmp_path / "pack") as pack:
        query = parse("having(<open to visitors>)", pack)
        found = run(query, pack)
        one = Hypothesis(1.0, found.certain, frozenset(), lambda entities: [], lambda: query, found)
        assert len(found.certain) == 3 and not is_pointless(one, query, "Which are open to visitors?", pack)


def test_only_yes_and_no_are_flags(coast: Pipeline) -> None:
    pack = coast.pack
    places = {label: place for place, label in enumerate(pack.relation_labels())}
    found = flags_of(pack, places["open to visitors"])
    assert pack.labels([found[True], found[False]]) == ["yes", "no"]
    assert flags_of(pack, places["painted"]) == flags_of(pack, places["height m"]) == {}
