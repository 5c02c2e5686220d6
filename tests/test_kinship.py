"""Kin that a question asks for, and kin that a query goes to."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from piped import opened, piped

from kgask.methods.demands import unmet
from kgask.methods.kinship import is_other_kin, kin_of
from kgask.pack.store import Pack
from kgask.query.text import parse
from kgask.types import opposite

FAMILY = """
Ann | child | Bob
Bob | child of | Ann
Bob | father | Carl
Bob | wife | Dora
Dora | mother of | Eve
Bob | godfather | Finn
"""


@pytest.fixture(scope="module")
def family(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pack]:
    with opened(piped(FAMILY, set()), tmp_path_factory.mktemp("family")) as pack:
        yield pack


@pytest.mark.parametrize(
    ("label", "forward", "back"),
    [
        ("child", "child", "parent"),
        ("child of", "parent", "child"),
        ("father", "parent", "child"),
        ("mother of", "child", "parent"),
        ("wife", "spouse", "spouse"),
        ("godfather", None, None),
    ],
)
def test_what_kin_a_relation_leads_to(family: Pack, label: str, forward: str | None, back: str | None) -> None:
    relation = family.relation_labels().index(label)
    assert kin_of(label, relation, family) == forward
    assert kin_of(label, opposite(relation, family.n_relations), family) == back


@pytest.mark.parametrize(
    ("text", "query", "is_other"),
    [
        ("who is [MASK]'s father?", "follow(<Bob>, <father>)", False),
        ("who is [MASK]'s father?", "follow(<Bob>, <child of>)", False),
        ("who is [MASK]'s father?", "follow(<Ann>, ^<child of>)", True),
        ("who is the mother of [MASK]?", "follow(<Ann>, <child>)", True),
        ("whose father is [MASK]?", "follow(<Carl>, ^<father>)", False),
        ("[MASK] is the mother of whom?", "follow(<Dora>, <mother of>)", False),
        ("the children of [MASK]", "follow(<Carl>, ^<father>)", False),
        ("[MASK]'s grandchildren", "follow(<Ann>, <child>)", True),
        ("[MASK]'s grandchildren", "follow(follow(<Ann>, <child>), ^<father>)", False),
        ("name the father-in-law of [MASK]", "follow(<Ann>, <child>)", True),
        ("name the mother-in-law of [MASK]", "follow(follow(<Bob>, <wife>), ^<mother of>)", False),
        ("who is [MASK]'s father?", "follow(<Bob>, <godfather>)", False),  # no kin, as far as is known
        ("is [MASK] the father of [MASK]?", "holds(<Carl>, ^<father>, <Bob>)", False),
    ],
)
def test_other_kin_than_is_asked_for(family: Pack, text: str, query: str, is_other: bool) -> None:
    assert is_other_kin(parse(query, family), text, family) is is_other


@pytest.mark.parametrize(
    ("text", "demanded"),
    [
        ("which treaty brought the war to an end?", True),
        ("in what city is the customer who opened it?", True),
        ("how much was the deposit?", True),
        ("in which year was it?", False),
        ("what is the birthday of [MASK]?", False),
        ("what birthday has [MASK]?", False),
    ],
)
def test_a_date_is_no_thing_and_no_amount(text: str, demanded: bool) -> None:
    assert bool(unmet(text, (), "date")) is demanded
