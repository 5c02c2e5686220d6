"""What things are and one value of them, with no other word: the relation need not be said where there is but one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import kgask
from kgask.build.recipe import Recipe, build
from kgask.opened import Opened

RECIPES = """recipe,minutes,tags,course,made by
Lentil Dal,35,vegan; gluten-free,main,Anna
Guacamole,10,vegan; quick,starter,Bo
Pad Thai,25,quick; nutty,main,Cy
Ratatouille,50,vegan; slow,main,Anna
Brownie,40,sweet; slow,dessert,Bo
Flan,60,sweet; gluten-free,dessert,Vegan
"""


@pytest.fixture(scope="module")
def recipes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    path = tmp_path_factory.mktemp("recipes") / "recipes.csv"
    path.write_text(RECIPES)
    build(Recipe((str(path),), path.parent / "pack", recognise=True), tell=lambda line: None)
    with kgask.open(str(path.parent / "pack"), reader=None) as opened:
        yield opened


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("sweet recipes", "Brownie | Flan"),
        ("Which recipes are sweet?", "Brownie | Flan"),
        ("What sweet recipes are there?", "Brownie | Flan"),
        ("How many slow recipes are there?", "2"),
        ("Is the Brownie sweet?", "yes"),
        ("list all gluten-free recipes, please", "Flan | Lentil Dal"),
    ],
)
def test_a_value_and_what_has_it(recipes: Opened, question: str, answer: str) -> None:
    assert recipes.ask(question).text == answer


@pytest.mark.parametrize("question", ["Is the Brownie sweet enough?", "Which cheap recipes are sweet?"])
def test_another_word_is_not_passed_over(recipes: Opened, question: str) -> None:
    assert recipes.ask(question).confidence != 0.9
