"""Constrained decoding on a made-up language model: sound, exact, and cheap."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgask.read.cross_encoder.prompt import PromptLine, ways
from kgask.read.cross_encoder.verdicts import Judged, Verdicts, Weights, judge_lines, line_log_odds, pooled
from kgask.read.gguf.decode import decode_reply, score_reply
from kgask.read.gguf.replies import Replies

N_VOCAB = 40


class HashedModel:
    """Logits that depend on every token before; counts what it is asked."""

    def __init__(self, rng_seed: int):
        self.rng_seed, self.asked, self.drafts = rng_seed, 0, []

    def logits_after(self, tokens: Sequence[int], draft: Sequence[int] = ()) -> np.ndarray:
        self.asked += 1
        self.drafts.append(tuple(draft))
        return np.random.default_rng([self.rng_seed, *tokens]).normal(0, 2, N_VOCAB).astype(np.float32)


def one_token_grammar(citable: Sequence[int]) -> Replies:
    numbers = {line: (line,) for line in range(1, 30)}
    return Replies(citable, numbers, numbers, (30,), (31,))


def spelled_grammar(citable: Sequence[int]) -> Replies:
    """Numbers of several tokens: [ 1 2 ], with a leading space when later."""
    digits = {line: tuple(int(digit) for digit in str(line)) for line in range(1, 30)}
    first = {line: (32, *spelled, 33) for line, spelled in digits.items()}
    later = {line: (34, 32, *spelled, 33) for line, spelled in digits.items()}
    return Replies(citable, first, later, (35, 36), (37, 38, 39))


GRAMMARS = [one_token_grammar, spelled_grammar]


@pytest.mark.parametrize("make", GRAMMARS)
@given(citable=st.sets(st.integers(1, 25), min_size=1, max_size=6), rng_seed=st.integers(0, 2**20))
@settings(max_examples=30, deadline=None)
def test_the_probabilities_of_all_replies_sum_to_one(make, citable: set[int], rng_seed: int) -> None:
    model, grammar = HashedModel(rng_seed), make(sorted(citable))
    replies = itertools.chain.from_iterable(
        itertools.combinations(sorted(citable), size) for size in range(len(citable) + 1)
    )
    total = sum(math.exp(score_reply(model, [7], grammar, lines).log_prob) for lines in replies)
    assert total == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("make", GRAMMARS)
@given(
    citable=st.sets(st.integers(1, 25), min_size=1, max_size=10),
    draft=st.sets(st.integers(1, 29), max_size=10),
    rng_seed=st.integers(0, 2**20),
)
@settings(max_examples=40, deadline=None)
def test_a_reply_is_possible_and_no_draft_changes_it(make, citable: set[int], draft: set[int], rng_seed: int) -> None:
    grammar = make(sorted(citable))
    plain = decode_reply(HashedModel(rng_seed), [3, 5], grammar)
    drafted = decode_reply(HashedModel(rng_seed), [3, 5], grammar, draft)
    assert plain == drafted
    assert set(plain.lines) <= citable and list(plain.lines) == sorted(set(plain.lines))
    scored = score_reply(HashedModel(rng_seed), [3, 5], grammar, plain.lines)
    assert scored.log_prob == pytest.approx(plain.log_prob) and scored.n_decisions == plain.n_decisions


def test_forced_tokens_are_not_evaluated() -> None:
    model = HashedModel(1)
    reply = decode_reply(model, [3], spelled_grammar([12]))
    # "[" or "I don't know" is one decision; after line 12 only the end is left, and nothing is asked.
    assert model.asked == reply.n_decisions == 1


def test_the_draft_is_the_plans_reply_from_here_on() -> None:
    model = HashedModel(2)
    decode_reply(model, [3], one_token_grammar([4, 6, 9]), [4, 9, 17])
    assert model.drafts[0] == (4, 9, 30)


def test_logits_that_are_not_numbers_still_give_a_possible_reply() -> None:
    class Broken:
        def logits_after(self, tokens: Sequence[int], draft: Sequence[int] = ()) -> np.ndarray:
            return np.full(N_VOCAB, np.nan, np.float32)

    reply = decode_reply(Broken(), [1], spelled_grammar([2, 11]))
    assert set(reply.lines) <= {2, 11} and math.isfinite(reply.log_prob)


# --- judging lines (our own reader) -----------------------------------------------------------


@given(
    odds=st.lists(st.floats(-30, 30, width=32), min_size=1, max_size=7),
    scene=st.floats(-30, 30),
    bias=st.floats(-3, 3),
)
@settings(max_examples=50, deadline=None)
def test_verdicts_make_a_distribution_over_replies_and_the_best_is_chosen(
    odds: list[float], scene: float, bias: float
) -> None:
    first = dict(enumerate(odds, start=1))
    verdicts = judge_lines(Judged(first, scene), Weights(0.7, 0.4, bias))
    replies = [
        verdicts.score(lines) for size in range(len(first) + 1) for lines in itertools.combinations(sorted(first), size)
    ]
    assert sum(math.exp(reply.log_prob) for reply in replies) == pytest.approx(1.0, abs=1e-6)
    best = verdicts.reply()
    assert best.log_prob == pytest.approx(max(reply.log_prob for reply in replies))
    assert best.n_decisions == len(first)


def test_both_verdicts_and_the_bias_count_by_their_weights() -> None:
    judged = Judged({1: line_log_odds(np.log([0.1, 0.1, 0.8]))}, 0.0)
    assert judge_lines(judged, Weights(1.0, 1.0, 0.0)).cite_probs[1] == pytest.approx(0.8)
    assert judge_lines(judged, Weights(0.0, 1.0, 0.0)).cite_probs[1] == pytest.approx(0.5)
    assert judge_lines(judged, Weights(0.0, 0.0, -30.0)).cite_probs[1] < 1e-9
    assert judge_lines(Judged({1: 0.0}, 2.0), Weights(1.0, 1.0, 0.0)).cite_probs[1] > 0.8


def test_lines_that_differ_in_entities_only_stand_or_fall_together() -> None:
    lines = [
        PromptLine("Ann", "child", "Bob", 1, 0.9, 1.0),
        PromptLine("Ann", "child", "Cy", 1, 0.9, 1.0),
        PromptLine("Ann", "spouse", "Dan", 1, 0.1, 0.1),
        PromptLine("Bob", "job", "cook", 2, 0.5, 0.5),
        PromptLine("Cy", "job", "smith", 2, 0.5, 0.5),
        PromptLine("Dan", "job", "clerk", 2, 0.1, 0.1),
        PromptLine("Eve", "job", "judge", 2, 0.1, 0.1),  # nothing shown leads to her
        PromptLine("Fay", "job", "nurse", 2, 0.1, 0.1),
    ]
    found = ways(lines)
    assert found[0] == found[1] != found[2] and found[3] == found[4] != found[5]
    assert len({found[5], found[6], found[7]}) == 3
    together = pooled(Judged({1: 2.0, 2: -1.0, 3: -4.0, 5: 1.0}, 0.25), found)
    assert together == Judged({1: 0.5, 2: 0.5, 3: -4.0, 5: 1.0}, 0.25)
    assert judge_lines(together, Weights(1.0, 0.0)).reply().lines == (1, 2, 5)


def test_a_certain_verdict_leaves_a_finite_probability() -> None:
    assert math.isfinite(Verdicts({1: 1.0, 2: 0.0}).score([2]).log_prob)
