"""Claims of how far two things are apart, decided by what they differ by."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

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


FAMILY = "subject,predicate,object\n" + "".join(
    f"{child},hasFather,{father}\n{child},hasMother,{mother}\n"
    for child, father, mother in (
        ("Luke Byrne", "Pat Byrne", "Fran Marti"), ("Anna Byrne", "Pat Byrne", "Fran Marti"),
        ("Nora Byrne", "Luke Byrne", "Helga Brandt"), ("Fran Marti", "Luigi Marti", "Assunta Greco"),
        ("Carlo Marti", "Luigi Marti", "Assunta Greco"), ("Tosin Marti", "Carlo Marti", "Ruth Obi"),
    )
)  # fmt: skip


def test_kin_more_than_a_step_away_is_shown_and_never_refuted_by_silence(tmp_path: Path) -> None:
    (tmp_path / "family.csv").write_text(FAMILY, encoding="utf-8")
    build(Recipe((str(tmp_path / "family.csv"),), tmp_path / "pack", recognise=True), tell=lambda line: None)
    with kgask.open(str(tmp_path / "pack"), reader=None) as family:
        said = {
            "Nora Byrne is one of Pat Byrne's grandchildren.": "supported",
            "Luke Byrne is a cousin of Tosin Marti.": "supported",
            "Luke Byrne is not a cousin of Tosin Marti.": "refuted",
            "Nora Byrne is a grandchild of Carlo Marti.": "not enough information",
        }
        assert {claim: family.verify(claim).verdict for claim in said} == said


def test_a_number_beside_a_shared_name_says_which_is_meant_and_is_no_value(tmp_path: Path) -> None:
    (tmp_path / "parts.csv").write_text(
        "part,price (EUR),supplier\nBattery Pack 500,210,Novacell\nBattery Pack 750,289.9,Orbex\n", encoding="utf-8"
    )
    build(Recipe((str(tmp_path / "parts.csv"),), tmp_path / "pack", recognise=True), tell=lambda line: None)
    with kgask.open(str(tmp_path / "pack"), reader=None) as parts:
        assert parts.verify("A 750 battery pack costs less than 250 euros").verdict == "refuted"
        assert "289.9" in (parts.ask("What does the 750 battery pack cost?").text or "")


def test_more_than_another_is_not_decided_by_what_else_is_claimed(tmp_path: Path) -> None:
    (tmp_path / "wed.csv").write_text("subject,predicate,object\nAnn Holm,spouse,Bob Voss\n", encoding="utf-8")
    build(Recipe((str(tmp_path / "wed.csv"),), tmp_path / "pack", recognise=True), tell=lambda line: None)
    with kgask.open(str(tmp_path / "pack"), reader=None) as wed:
        verdict = wed.verify("Ann Holm outlasted her spouse Bob Voss")
        assert verdict.verdict == "not enough information" and "outlasted" in str(verdict.reason)


PLACES = "subject,predicate,object\n" + "".join(
    f"{name},is a,{kind}\n{name},located in,{where}\n"
    for name, kind, where in (
        ("Tarn Water", "lake", "Fenwater"), ("Mere Water", "lake", "Brae"), ("Ache", "river", "Fenwater"),
        ("Dunn", "river", "Brae"), ("Wick", "town", "Brae"),
    )
)  # fmt: skip


def test_a_kind_that_a_claim_says_beside_something_else_is_not_passed_over(tmp_path: Path) -> None:
    (tmp_path / "places.csv").write_text(PLACES, encoding="utf-8")
    build(Recipe((str(tmp_path / "places.csv"),), tmp_path / "pack", recognise=True), tell=lambda line: None)
    with kgask.open(str(tmp_path / "pack"), reader=None) as places:
        assert places.verify("Tarn Water is a lake in Fenwater").verdict == "supported"
        assert places.verify("Tarn Water is a river in Fenwater").verdict != "supported"
        assert places.verify("Tarn Water is a river").verdict == "refuted"
        assert places.ask("Is Tarn Water a lake in Fenwater?").text == "yes"
        assert places.ask("Is Tarn Water a river in Fenwater?").text in ("no", None)


def test_a_claim_that_is_read_in_more_words_is_decided_or_not() -> None:
    with kgask.open("demo", reader=None) as demo:
        assert demo.verify("None of the 1993 peace laureates was South African").verdict != "supported"
        assert demo.verify("Lake Titicaca is shared between Peru and Bolivia.").verdict == "supported"
        assert demo.verify("Lake Titicaca is a river in Peru.").verdict == "not enough information"
        assert demo.ask("Is London a country in Europe?").text in ("no", None)
