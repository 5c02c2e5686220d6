"""What calibration takes for right: composed questions by their golds, people's by their answers' words and keys."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("scipy")

import kgask
from kgask.config import shipped_root
from kgask.methods.protocol import Hypothesis
from kgask.pack.store import Pack
from kgask.query.text import parse
from kgask.retrieve.run import run
from kgask.sets import everyday
from kgask.sets.everyday import EverydayQuestion
from kgask.sets.gold import Gold, GoldAnswer
from kgask.train.calibrate_asked import PEOPLE, composed_questions, everyday_questions, peoples_questions


@pytest.fixture(scope="module")
def demo() -> Iterator[Pack]:
    with Pack.open(shipped_root("pack") / "demo") as pack:
        yield pack


def came_to(text: str, pack: Pack) -> Hypothesis:
    """A query as a retriever gives it."""
    outcome = run(parse(text, pack), pack)
    answers = outcome.members.certain if outcome.members is not None else np.empty(0, np.int64)
    return Hypothesis(0.9, answers, frozenset(), lambda _: [], outcome=outcome)


def path_to(text: str, pack: Pack) -> Hypothesis:
    """The same ends as a path has them."""
    return Hypothesis(0.9, run(parse(text, pack), pack).certain, frozenset(), lambda _: [])


GERMANY, FRANCE = "entities(<Q183>)", "entities(<Q142>)"
CAPITAL = f"follow({GERMANY}, <P36>)"


@pytest.mark.slow
def test_a_composed_question_is_right_by_its_own_gold_and_by_no_other(demo: Pack) -> None:
    asked = composed_questions(demo, 30, 5)
    golds = [one.is_right.args[1] for one in asked]  # type: ignore[attr-defined]
    assert any(gold is None for gold in golds) and sum(gold is not None for gold in golds) > 10
    shown = [
        None if gold is None
        else Hypothesis(0.5, gold.members.certain if gold.members else np.empty(0, np.int64), frozenset(),
                        lambda _: [], outcome=gold)
        for gold in golds
    ]  # fmt: skip
    nothing = Hypothesis(0.5, np.empty(0, np.int64), frozenset(), lambda _: [])
    for one, own in zip(asked, shown, strict=True):
        assert one.answerable is (own is not None) and not one.is_right(nothing)
        if own is not None:
            assert one.is_right(own), one.text
        else:
            assert not any(other is not None and one.is_right(other) for other in shown), one.text


@pytest.mark.parametrize(
    ("answers", "said", "right"),
    [
        ([GoldAnswer(("Berlin",))], CAPITAL, True),
        ([GoldAnswer((), "Q64")], CAPITAL, True),
        ([GoldAnswer(("Paris",))], CAPITAL, False),
        ([GoldAnswer(("yes",))], f"holds({GERMANY}, <P36>, entities(<Q64>))", True),
        ([GoldAnswer(("no",))], f"holds({GERMANY}, <P36>, entities(<Q64>))", False),
        ([GoldAnswer(("9",))], f"count(follow({GERMANY}, <P47>))", True),
        ([GoldAnswer(("8",))], f"count(follow({GERMANY}, <P47>))", False),
        ([GoldAnswer(("Berlin",))], f"count({CAPITAL})", False),
        ([GoldAnswer(("France",))], f"follow({GERMANY}, <P47>)", False),  # eight others are said, too
    ],
)
def test_peoples_golds_are_words_keys_truths_and_numbers(
    demo: Pack, answers: list[GoldAnswer], said: str, right: bool
) -> None:
    gold = Gold("1", "what?", tuple(answers), kind="kind")
    asked = peoples_questions(demo, [gold, Gold("2", "without?")])
    assert [(one.text, one.source, one.answerable) for one in asked] == [("what?", PEOPLE, True)]
    assert asked[0].is_right(came_to(said, demo)) is right
    if said.startswith("follow"):
        assert asked[0].is_right(path_to(said, demo)) is right


def test_questions_that_were_worded_for_a_pack_are_judged_by_their_gold_queries(demo: Pack) -> None:
    golds = [f"count(follow({GERMANY}, <P47>))"]
    asked = everyday_questions(
        demo,
        [
            EverydayQuestion("how many neighbours", "count", tuple(golds)),
            EverydayQuestion("what for", "none", ()),
            EverydayQuestion("two at once", "several", (*golds, *golds)),
        ],
    )
    assert [(one.text, one.source, one.answerable) for one in asked] == [
        ("how many neighbours", PEOPLE, True),
        ("what for", PEOPLE, False),
    ]
    assert asked[0].is_right(came_to(golds[0], demo)) and not asked[1].is_right(came_to(golds[0], demo))


def test_the_questions_that_confidence_is_calibrated_on_can_be_read() -> None:
    found = everyday.load(Path(kgask.__file__).parent / "corpus" / "asked")
    none = sum(not one.golds for one in found) / len(found)
    assert len(found) > 600 and 0.15 < none < 0.35  # weighed as a third: calibrate_asked.weights_of
    assert len({one.text for one in found}) == len(found)
