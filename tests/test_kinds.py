"""What a "no" may overlook: a kind of things, another relation, things that could not be meant."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from piped import opened, piped

from kgask.answer.unsaid import unsaid
from kgask.methods.kinds import is_denied, of_kinds
from kgask.pack.store import Pack
from kgask.query.text import parse, to_text
from kgask.retrieve.frontier import Budget
from kgask.retrieve.run import Runner

PRIZES = """
Dylan | award | Prize in Literature
Curie | award | Prize in Physics
Curie | taught | Lycée
Curie | field | physics
Prize in Literature | type | prize
Prize in Physics | type | prize
physics | type | discipline
Dylan | type | person
Curie | type | person
"""


@pytest.fixture(scope="module")
def prizes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pack]:
    with opened(piped(PRIZES, set()), tmp_path_factory.mktemp("prizes")) as pack:
        yield pack


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("holds(<Dylan>, <award>, <prize>)", "some(and(class(<prize>), follow(<Dylan>, <award>)))"),
        ("some(and(follow(<Dylan>, <award>), <prize>))", "some(and(class(<prize>), follow(<Dylan>, <award>)))"),
        ("holds(<Dylan>, <award>, <Prize in Physics>)", None),
        ("holds(<Dylan>, <award>, <discipline>)", None),
        ("holds(<Dylan>, <award>, <Prize in Literature>)", None),
    ],
)
def test_a_kind_of_things_is_one_of_them(prizes: Pack, text: str, changed: str | None) -> None:
    runner = Runner(prizes, Budget(5.0))
    found = runner.result(parse(text, prizes))
    made = of_kinds(runner, found)
    assert made is found if changed is None else to_text(made.query, prizes) == to_text(parse(changed, prizes), prizes)
    assert changed is None or (found.truth is False and made.truth is True)


@pytest.mark.parametrize(
    ("text", "is_no"),
    [
        ("holds(<Curie>, <award>, <Prize in Literature>)", True),
        ("holds(<Curie>, <award>, <physics>)", False),  # no prize of hers, for it is none
        ("some(and(follow(<Curie>, <award>), <physics>))", False),
        ("some(and(follow(<Curie>, <award>), <Prize in Literature>))", True),
    ],
)
def test_no_is_said_of_what_it_could_be(prizes: Pack, text: str, is_no: bool) -> None:
    said = unsaid(Runner(prizes, Budget(5.0)).result(parse(text, prizes)))
    assert said is None if is_no else said is not None and "does not say" in said


@pytest.mark.parametrize(
    ("text", "denied"),
    [
        ("holds(<Curie>, <award>, <physics>)", True),
        ("holds(<physics>, ^<award>, <Curie>)", True),
        ("holds(<Dylan>, <award>, <physics>)", False),
        ("holds(<Curie>, <field>, <physics>)", False),
    ],
)
def test_another_relation_of_the_two_is_seen(prizes: Pack, text: str, denied: bool) -> None:
    assert is_denied(prizes, Runner(prizes, Budget(5.0)).result(parse(text, prizes))) is denied
