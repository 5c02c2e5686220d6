"""Questions with operators: every draw keeps to the grammar, points at the right words, and is repeatable."""

from __future__ import annotations

import random

import pytest

from kgask.corpus import operator_files
from kgask.corpus.operator_voices import with_predicates
from kgask.corpus.operators import OperatorComposer
from kgask.corpus.query_examples import Operand, QueryExample, check
from kgask.corpus.wordings import load_wordings
from kgask.errors import BuildError, QueryError

NAMES = ["Tom Hanks", "Jane Austen", "Peru"]


def composer(seed: int) -> OperatorComposer:
    return OperatorComposer(load_wordings(), {}, random.Random(seed), NAMES)


@pytest.mark.slow
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


def drawn(template: str, line: str, steps: str, letters: str, n: int = 60) -> list[QueryExample]:
    """Questions of one template alone, those with nothing said before them."""
    made = operator_files.Template(
        template, "intersection", 1, letters, tuple(steps.split()), [operator_files.Line(line)]
    )
    drawing = OperatorComposer(load_wordings(), {}, random.Random(3), NAMES, [made])
    first = line.partition(" ")[0]
    found = [drawing.draw() for _ in range(n)]
    return [example for example in found if first.startswith("{") or example.text.startswith(first)]


def test_a_class_word_that_names_what_a_relation_leads_to_anyway_is_no_step() -> None:
    examples = drawn("films", "{set}", "{set}", "F", 4000)
    plain = [example for example in examples if example.text.rstrip("?") == "films directed by [MASK]"]
    assert plain and all(("P57", True) in example.steps and "AND" not in example.steps for example in plain)
    narrowed = [e for e in examples if " directed by [MASK]" in e.text and not e.text.startswith(("films", "movies"))]
    assert any(e.steps == (0, 1, ("P57", True), "AND", "END") and e.operands[0].kind == "class" for e in narrowed)


def test_a_graph_without_types_has_no_class_to_point_at() -> None:
    examples = drawn("most", "which {class:one} is the {measure:most}", "{class} BY {measure} MOST", "C", 300)
    untyped = [example for example in examples if example.steps[0] == "THING"]
    assert 0.05 < len(untyped) / len(examples) < 0.3
    for example in untyped:
        has, by = example.steps[1], example.steps[3]
        assert isinstance(has, tuple) and has[1] and by == (has[0], False)  # whatever has what it is judged by
        assert not example.operands


def test_what_is_denied_is_taken_away() -> None:
    for example in drawn("not", "which {class} {branch:not}", "{class} {branch} MINUS", "F"):
        assert example.steps[-2:] == ("MINUS", "END")
        assert any(word in example.text for word in (" not ", "n't ")), example.text


def test_two_names_over_one_relation_are_both_either_or_one_only() -> None:
    operators = {"both": "AND", "either": "OR", "except": "MINUS", "neither": "MINUS"}
    for slot, operator in operators.items():
        for example in drawn(slot, f"list all {{{slot}}}", f"{{{slot}}}", "B"):
            assert operator in example.steps and example.text.count("[MASK]") == 2
            first, second = (number for number, operand in enumerate(example.operands) if operand.kind == "entity")
            assert example.steps.index(first) < example.steps.index(second)


def test_verbs_agree_with_one_and_with_several() -> None:
    forms = {"verb": ("were members of {x}", "won/win {x}", "border {x}", "have won {x}")}
    entry = with_predicates(operator_files.Entry((("P1", False),), "P", "", forms))
    assert entry.forms["verbone"] == ("was a member of {x}", "won {x}", "borders {x}", "has won {x}")
    assert entry.forms["notone"][1:] == ("did not win {x}", "does not border {x}", "has not won {x}")
    assert entry.forms["any"][0] == "were any {n} members of {x}"
    assert entry.forms["modnot"][2] == "who do not border {x}"


def test_articles_agree_with_the_word_that_comes() -> None:
    for example in drawn("is-a", "is {x} a {class:one}", "{x} {class} HOLDS", "C", 200):
        word = example.text[example.operands[1].start :]
        article = example.text[: example.operands[1].start].split()[-1]
        assert article == ("an" if word[0] in "aeio" else "a") or word.startswith(("u", "one", "eu")), example.text
