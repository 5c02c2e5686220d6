"""Questions with operators: every draw keeps to the grammar, points at the right words, and is repeatable."""

from __future__ import annotations

import random

import pytest

from kgask.corpus import operator_files
from kgask.corpus.operators import OperatorComposer
from kgask.corpus.query_examples import Operand, QueryExample, check
from kgask.corpus.wordings import load_wordings
from kgask.errors import BuildError, QueryError

NAMES = ["Tom Hanks", "Jane Austen", "Peru"]


def composer(seed: int) -> OperatorComposer:
    return OperatorComposer(load_wordings(), {}, random.Random(seed), NAMES)


def test_every_draw_of_every_template_is_a_query_whose_operands_stand_in_the_text() -> None:
    drawing = composer(1)
    kinds = set()
    for _ in range(4000):
        example = drawing.draw()
        check(example)
        kinds.add(example.kind)
        assert example.text == example.text.lower().replace("[mask]", "[MASK]")
        assert example.text.count("[MASK]") == sum(operand.kind == "entity" for operand in example.operands)
    assert kinds == {template.kind for template in drawing.templates}


def test_the_same_seed_draws_the_same_questions() -> None:
    one, other = composer(7), composer(7)
    assert [one.draw() for _ in range(50)] == [other.draw() for _ in range(50)]


@pytest.mark.parametrize(
    ("steps", "error"), [((0, "MOST", "END"), QueryError), ((1, "END"), BuildError), ((0, "LARGEST"), BuildError)]
)
def test_what_is_no_query_is_not_taken(steps: tuple[str | int, ...], error: type[Exception]) -> None:
    with pytest.raises(error):
        check(QueryExample("which river is longest", (Operand(6, 11, "class"),), steps, "superlative", "test"))


def test_templates_whose_wordings_lack_a_slot_are_refused() -> None:
    templates = [operator_files.Template("best", "superlative", 1, "", ("{class}", "BY", "{measure}", "MOST"))]
    with pytest.raises(BuildError, match=r"x.txt:3: the steps need \{measure\}"):
        operator_files._read_line("x.txt:3", "which {class:one} is it", templates)
