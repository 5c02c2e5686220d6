"""What decides whether an adapted planner is kept: exact paired tests, and wordings that training does not use."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

from kgask.corpus.pack_wordings import in_voice, is_held_voice  # noqa: E402
from kgask.corpus.wordings import load_wordings  # noqa: E402
from kgask.train.planner.judge import Paired, general_questions, judge  # noqa: E402


def pair(gained: int, lost: int, same: int = 100) -> Paired:
    """Questions of which so many are right only after, only before, or both."""
    before = (False,) * gained + (True,) * lost + (True,) * same
    after = (True,) * gained + (False,) * lost + (True,) * same
    return Paired(before, after)


LIKE = pair(2, 2)


def test_the_p_value_is_that_of_a_fair_coin() -> None:
    assert pair(5, 0).p_gain == pytest.approx(1 / 32) and pair(5, 0).p_loss == 1.0
    assert pair(0, 0).p_gain == 1.0
    assert pair(3, 1).p_gain == pytest.approx(5 / 16)


@pytest.mark.parametrize(
    ("pack", "general", "own", "kept", "why"),
    [
        (pair(30, 5), LIKE, None, True, "it is better (77.8% before, 96.3% now, p = 1.1e-05)"),
        (pair(12, 8), LIKE, None, False, "within noise"),
        (pair(3, 20), LIKE, None, False, "it is worse"),
        (pair(60, 0), pair(1, 20), None, False, "it has unlearned general questions (99.2% before, 83.5% now)"),
        (pair(4, 3), LIKE, pair(20, 0, 0), True, "it answers more of your questions"),
        (pair(4, 3), LIKE, pair(1, 1), False, "within noise"),
        (pair(1, 12), LIKE, pair(20, 0), False, "it is worse"),
    ],
)
def test_the_adapted_planner_is_kept_where_it_is_better_by_more_than_chance(
    pack: Paired, general: Paired, own: Paired | None, kept: bool, why: str
) -> None:
    verdict = judge(pack, general, own)
    assert verdict.kept is kept and why in verdict.why


def test_a_wording_is_on_one_side() -> None:
    wordings = load_wordings()
    held, rest = in_voice(wordings, True), in_voice(wordings, False)
    n_held = n = 0
    for key, wording in wordings.items():
        for way, texts in wording.questions.items():
            assert sorted([*held[key].questions[way], *rest[key].questions[way]]) == sorted(texts)
            assert all(map(is_held_voice, held[key].questions[way]))
            n_held, n = n_held + len(held[key].questions[way]), n + len(texts)
    assert 0.2 < n_held / n < 0.3


def test_general_questions_are_of_all_lengths() -> None:
    questions = general_questions(1)
    assert {len(question.path or ()) for question in questions} == {1, 2, 3}
    assert questions == general_questions(1) != general_questions(2)
