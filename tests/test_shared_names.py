"""A part of a name that several have: who has what is asked is meant; where others have it too, it is asked back."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from piped import opened, piped

from kgask.answer.shared_names import shared_mentions
from kgask.link.linker import Linker
from kgask.methods.protocol import Hypothesis, Retrieved
from kgask.pack.records import Literal
from kgask.pack.store import Pack
from kgask.query.text import parse
from kgask.types import Question

FACTS = """
Bob Chen | manages | Mia Berg
Bob Chen | lives in | Bath
Tom Chen | lives in | Hull
Ada Wolf | plays | cello
Ida Wolf | plays | cello
"""
BORN = {"Bob Chen": 1970, "Tom Chen": 1980, "Ada Wolf": 1975}
WORDS = frozenset("who where does the of is live live in play older than was born before what or".split())


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pack]:
    builder = piped(FACTS)
    for name, year in BORN.items():
        builder.add(name, "age", Literal("number", str(2020 - year), 2020.0 - year))
    with opened(builder, tmp_path_factory.mktemp("people")) as pack:
        yield pack


@pytest.mark.parametrize(
    ("text", "name", "query", "shared"),
    [
        ("Who does Chen manage?", "Bob Chen", "follow(<Bob Chen>, <manages>)", 0),
        ("Where does Chen live?", "Bob Chen", "follow(<Bob Chen>, <lives in>)", 2),
        ("What does Wolf play?", "Ada Wolf", "follow(<Ada Wolf>, <plays>)", 0),  # the same, whoever is meant
        ("Does Chen manage Mia Berg?", "Bob Chen", "holds(<Bob Chen>, <manages>, <Mia Berg>)", 0),
        ("Is Chen older than Ada Wolf?", "Bob Chen", "compare(values(<Bob Chen>, <age>) > values(<Ada Wolf>, <age>))",
         2),
        ("Who is the oldest, Chen or Ada Wolf?", "Bob Chen",
         "best(entities(<Bob Chen>, <Ada Wolf>), value(<age>), most 1)", 2),
        ("Where does Bob Chen live?", "Bob Chen", "follow(<Bob Chen>, <lives in>)", 0),  # the whole name was said
    ],
)  # fmt: skip
def test_who_else_has_what_is_asked_is_told(people: Pack, text: str, name: str, query: str, shared: int) -> None:
    linked = tuple(Linker(people, WORDS).link(Question(text)))
    seeds = tuple(seed for one in linked for seed in one.seeds if people.labels([seed.entity]) == [name])
    asked = parse(query, people)
    best = Hypothesis(1.0, np.empty(0, np.int64), frozenset(), lambda _: [], lambda: asked)
    found = shared_mentions(Retrieved(seeds, (best,), 1.0, linked=linked), people)
    assert [one.n_same for one in found] == [shared] * bool(shared)
    assert all(people.labels([one.seeds[0].entity]) == [name] for one in found)


def test_nothing_is_shared_where_nothing_was_found(people: Pack) -> None:
    assert shared_mentions(Retrieved(), people) == []
