"""Claims of how far two things are apart, decided by what they differ by."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import kgask
from kgask.build.recipe import Recipe, build
from kgask.opened import Opened
from kgask.verify.apart import apart

GRAPH = "subject,predicate,object\n" + "".join(
    f"{name},{relation},{value}\n"
    for name, born, cores in (("Dov Paks", 1952, 32), ("Mirre Paks", 1948, 16), ("Ivo Dreth", 1919, 8))
    for relation, value in (("birth year", born), ("machine", f"{name.split()[0].lower()}-box"))
)
MACHINES = "".join(f"{name},cores,{n}\n" for name, n in (("dov-box", 32), ("mirre-box", 16), ("ivo-box", 12)))


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    folder = tmp_path_factory.mktemp("apart")
    (folder / "people.csv").write_text(GRAPH + MACHINES, encoding="utf-8")
    build(Recipe((str(folder / "people.csv"),), folder / "pack", recognise=True), tell=lambda line: None)
    with kgask.open(str(folder / "pack"), reader=None) as opened:
        yield opened


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("Dov Paks is four years younger than Mirre Paks.", "supported"),
        ("Dov Paks is three years younger than Mirre Paks.", "refuted"),
        ("Mirre Paks is four years younger than Dov Paks.", "refuted"),
        ("Dov Paks isn't four years younger than Mirre Paks.", "refuted"),
        ("dov-box has twice as many cores as mirre-box.", "supported"),
        ("mirre-box has half as many cores as dov-box.", "supported"),
        ("dov-box has three times as many cores as mirre-box.", "refuted"),
    ],
)
def test_by_how_much_two_things_differ_decides(people: Opened, claim: str, verdict: str) -> None:
    assert people.verify(claim).verdict == verdict


@pytest.mark.parametrize(
    "claim", ["Ann is younger than Bob", "Ann is 40 years old", "Ann has some more cores than Bob"]
)
def test_other_claims_are_none_of_these(claim: str) -> None:
    assert apart(claim) is None
