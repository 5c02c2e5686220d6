"""Worded questions as steps: what the query decoder is taught of questions whose golds are queries."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import pytest
from piped import opened, piped

from kgask.corpus.query_examples import QueryExample
from kgask.corpus.worded_queries import all_worded, worded_queries
from kgask.link.linker import Linker
from kgask.pack.store import Pack
from kgask.sets.everyday import EverydayQuestion

HORSES = """
Duchess | foal | Comet
Duchess | foal | Dusk
Comet | height | 148
Dusk | height | 152
Comet | lives at | Oakfield
Dusk | lives at | Oakfield
Oakfield | owner | Ruth
Comet | type | horse
Dusk | type | horse
Duchess | type | horse
Oakfield | type | yard
"""
WORDS = frozenset("which what how many are of the than is who whose".split())


@pytest.fixture(scope="module")
def horses(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pack]:
    with opened(piped(HORSES, {"height"}), tmp_path_factory.mktemp("horses")) as pack:
        yield pack


def taught(pack: Pack, text: str, gold: str, kind: str = "path1") -> QueryExample | None:
    found = list(worded_queries(pack, Linker(pack, WORDS), [EverydayQuestion(text, kind, (gold,))]))
    return found[0] if found else None


@pytest.mark.parametrize(
    ("text", "gold", "masked", "steps"),
    [
        ("Where is Dusk stabled?", "follow(<Dusk>, <lives at>)", "where is [MASK] stabled?",
         (0, ("lives at", False), "END")),
        ("whose yard is Comet in", "follow(follow(<Comet>, <lives at>), <owner>)", "whose yard is [MASK] in",
         (1, ("lives at", False), ("owner", False), "END")),
        ("number of horses over 150", "count(where(class(<horse>), value(<height>) > 150))",
         "number of horses over 150", (0, "BY", ("height", False), 1, "GT", "COUNT", "END")),
        ("the biggest at Oakfield",
         "best(and(class(<horse>), follow(<Oakfield>, ^<lives at>)), value(<height>), most 1)",
         "the biggest at [MASK]", (0, ("lives at", True), "BY", ("height", False), "MOST", "END")),
        ("do Comet and Oakfield go together?", "holds(<Comet>, <lives at>, <Oakfield>)",
         "do [MASK] and [MASK] go together?", (0, ("lives at", False), 1, "HOLDS", "END")),
    ],
)  # fmt: skip
def test_a_gold_query_is_taught_over_what_the_question_says(
    horses: Pack, text: str, gold: str, masked: str, steps: tuple[object, ...]
) -> None:
    found = taught(horses, text, gold)
    assert found is not None
    assert (found.text, found.steps) == (masked, steps)
    assert set(found.others) == {"foal", "height", "lives at", "owner", "type"} - set(found.keys)


@pytest.mark.parametrize(
    ("text", "gold"),
    [
        ("who owns the place?", "follow(<Oakfield>, <owner>)"),  # nothing says Oakfield
        ("horses above a hand", "where(class(<horse>), value(<height>) > 150)"),  # nothing says 150
        ("the biggest", "best(class(<horse>), value(<height>), most 1)"),  # nothing says horse, and foals are others
    ],
)
def test_what_the_question_does_not_say_is_not_taught(horses: Pack, text: str, gold: str) -> None:
    assert taught(horses, text, gold) is None


@pytest.mark.slow
def test_what_was_worded_is_taught() -> None:
    from kgask import config

    found = list(islice(all_worded(config.shipped_root("model") / "rigel"), 1000))  # of the demo and what comes first
    assert len({one.text for one in found}) > 900
    assert {"difference", "union", "ordinal", "qualifier", "yesno"} <= {one.kind for one in found}
