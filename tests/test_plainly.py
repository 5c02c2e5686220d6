"""What a question plainly says by what a relation is called: a column of yes and no, or that nothing is given."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

import kgask
from kgask.build.recipe import Recipe, build
from kgask.methods.kinds import is_value_of_another
from kgask.methods.plainly import is_plainly_asked, says_contrary
from kgask.opened import Opened
from kgask.query import nodes
from kgask.query.text import parse
from kgask.retrieve.frontier import Budget
from kgask.retrieve.run import Runner

ANIMALS = """animal,species,insured,date of loss,vet
Odin,dog,false,,Dr Lind
Biscuit,dog,true,2021-03-04,Dr Lind
Rufus,dog,false,2022-05-06,
Mochi,cat,true,,Dr Voigt
Juno,cat,true,,Dr Voigt
"""


@pytest.fixture(scope="module")
def vet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    folder = tmp_path_factory.mktemp("vet")
    (folder / "animals.csv").write_text(ANIMALS, encoding="utf-8")
    build(Recipe((str(folder / "animals.csv"),), folder / "pack", recognise=True), tell=lambda line: None)
    with kgask.open(str(folder / "pack"), reader=None) as opened:
        yield opened


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Which animals are not insured?", {"Odin", "Rufus"}),
        ("uninsured animals", {"Odin", "Rufus"}),
        ("which animals aren't insured?", {"Odin", "Rufus"}),
        ("Which animals are insured?", {"Biscuit", "Mochi", "Juno"}),
        ("For which animals is no date of loss given?", {"Odin", "Mochi", "Juno"}),
        ("animals without a vet", {"Rufus"}),
        ("Which animal has no vet at the moment?", {"Rufus"}),
        ("Which animals with Dr Lind are insured?", {"Biscuit"}),
        ("Which animals with Dr Lind are not insured?", {"Odin"}),
    ],
)
def test_sets(vet: Opened, text: str, said: set[str]) -> None:
    assert {one.label for one in vet.ask(text).entities} == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Is Odin insured?", "no"),
        ("Is Odin uninsured?", "yes"),
        ("Is Biscuit insured?", "yes"),
        ("Is Juno uninsured?", "no"),
        ("How many animals are insured?", "3"),
        ("How many animals aren't insured?", "2"),
        ("Are there any uninsured animals?", "yes"),
    ],
)
def test_truths(vet: Opened, text: str, said: str) -> None:
    assert vet.ask(text).text == said


def test_what_is_denied_of_a_name_is_not_denied_of_a_flag(vet: Opened) -> None:
    answer = vet.ask("Which animals not with Dr Lind are insured?")
    assert not answer or {one.label for one in answer.entities} == {"Mochi", "Juno"}


def test_nobody_asks_whether_a_value_is_another(vet: Opened) -> None:
    query = parse("holds(<Odin>, <vet>, <dog>)", vet.pack)
    assert isinstance(query, nodes.Holds)
    runner = Runner(vet.pack, Budget(5))
    assert is_value_of_another(query, "has anyone with a dog seen Odin?", runner)
    assert not is_value_of_another(query, "is the vet of Odin a dog?", runner)


def test_a_flag_is_no_answer_to_what_something_is_for(vet: Opened) -> None:
    assert vet.ask("What is Odin insured for?").text not in ("no", "false", "yes", "true")


def test_only_what_is_all_that_is_asked(vet: Opened) -> None:
    query = parse("and(class(<animal>), follow(<false>, ^<insured>))", vet.pack)
    words = "animals whose insured is false"
    assert is_plainly_asked(query, "Which animals are not insured?", words, vet.pack)
    assert not is_plainly_asked(query, "Which animals are insured?", words, vet.pack)
    assert not is_plainly_asked(query, "Which old animals are not insured?", words, vet.pack)
    holds = parse("holds(<Odin>, <insured>, <true>)", vet.pack)
    assert says_contrary(holds, "Is Odin uninsured?", vet.pack) and not says_contrary(
        holds, "Is Odin insured?", vet.pack
    )


def test_ids_in_text_are_names(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("issues")
    people = (("jdube", "Jerome Dube", "Lyon"), ("tess", "Tessa Moreau", "Ulm"), ("nils", "Nils Aas", "Bergen"))
    users = [{"login": login, "name": name, "city": city} for login, name, city in people]
    issues = [
        {"key": f"LRD-{100 + at}", "title": title, "assignee": who, "votes": votes}
        for at, (title, who, votes) in enumerate(
            [
                ("Scanner crash", "jdube", 31),
                ("Dark mode", "tess", 12),
                ("Slow start", "jdube", 5),
                ("Export", "nils", 9),
            ]
        )
    ]
    for name, listed in (("users.json", users), ("issues.json", issues)):
        (folder / name).write_text(json.dumps(listed), encoding="utf-8")
    sources = (str(folder / "issues.json"), str(folder / "users.json"))
    build(Recipe(sources, folder / "pack", recognise=True), tell=lambda line: None)
    with kgask.open(str(folder / "pack"), reader=None) as opened:
        assert opened.ask("Who is the assignee of LRD-101?").text == "Tessa Moreau"
        assert opened.ask("In which city is the assignee of Scanner crash?").text == "Lyon"
