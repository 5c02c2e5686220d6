"""Operator questions composed over a real pack: what they ask for is what their words say, and comes to something."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kgask.config import shipped_root
from kgask.corpus.pack_operators import ANSWERABLE, PackOperators, PackQuestion
from kgask.corpus.query_sources import templates
from kgask.methods.query_readings import is_void
from kgask.pack.store import Pack
from kgask.query.text import entity_ids, parse, to_text
from kgask.retrieve.run import run


@pytest.fixture(scope="module")
def demo() -> Iterator[Pack]:
    with Pack.open(shipped_root("pack") / "demo") as pack:
        yield pack


@pytest.fixture(scope="module")
def drawn(demo: Pack) -> list[PackQuestion]:
    return list(PackOperators(demo, templates(held=True), 3).draw(120))


@pytest.mark.slow
def test_the_same_seed_draws_the_same_questions(demo: Pack, drawn: list[PackQuestion]) -> None:
    again, other = (list(PackOperators(demo, templates(held=True), seed).draw(120)) for seed in (3, 4))
    assert [one.text for one in again] == [one.text for one in drawn]
    assert [one.text for one in other] != [one.text for one in drawn]


@pytest.mark.slow
def test_golds_come_to_something_that_their_query_says(demo: Pack, drawn: list[PackQuestion]) -> None:
    answerable = [one for one in drawn if one.gold is not None]
    assert len(answerable) > 50 and len({one.kind for one in answerable}) >= 8
    for one in answerable:
        assert one.gold is not None and not is_void(one.gold)
        text = to_text(one.gold.query, demo)
        again = run(parse(text, demo), demo)
        assert again.certain.tolist() == one.gold.certain.tolist()
        assert (again.quantity, again.truth) == (one.gold.quantity, one.gold.truth)


def test_a_question_names_what_its_query_is_about(demo: Pack, drawn: list[PackQuestion]) -> None:
    for one in drawn:
        assert "[MASK]" not in one.text and "{" not in one.text
        for label in demo.labels(entity_ids(one.gold.query)) if one.gold else ():
            words = {label.lower(), label.lower() + "s", label.lower()[:-1] + "ies", "people"}
            assert any(word in one.text.lower() for word in words), (one.text, label)


def test_a_third_at_least_cannot_be_answered(drawn: list[PackQuestion]) -> None:
    share = sum(one.gold is None for one in drawn) / len(drawn)
    assert share >= 1 / 3 and abs(share - (1 - ANSWERABLE)) < 0.15


def test_only_held_out_wordings_are_used(drawn: list[PackQuestion]) -> None:
    held = {line.text for template in templates(held=True) for line in template.lines}
    others = {line.text for template in templates(held=False) for line in template.lines}
    assert {one.wording for one in drawn} <= held and not held & others
