"""Constraint on a real GGUF with random weights: every reply is possible, and all of them together are certain."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tiny_gguf import write_qwen2

from kgask.read.gguf.decode import decode_reply, score_reply
from kgask.read.gguf.engine import Engine
from kgask.read.gguf.replies import NameVocabulary, NumberVocabulary
from kgask.verbalise import Line

# A name that begins another, one that two lines share, yes and no, numbers of an operator, marks, other scripts.
NAMES = ["Ann", "Ann Lee", "Ann Lee Jr", "yes", "no", "7", "70", "1905-01-02", "in [10]", "Ünal", "東京"]
NAMES += ["I don't know him"]
PROMPT = "Which one? "


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    opened = Engine(write_qwen2(tmp_path_factory.mktemp("gguf") / "random.gguf", rng_seed=3), 1)
    yield opened
    opened.close()


def lines_of(names: Sequence[str]) -> list[Line]:
    return [Line("x", "is", name, 0, number, False, "is") for number, name in enumerate(names)]


def every_set(names: Sequence[str]) -> Iterator[list[int]]:
    """Line numbers of each set of different names, all lines of a name together."""
    kinds = list(dict.fromkeys(names))
    for size in range(len(kinds) + 1):
        for chosen in itertools.combinations(kinds, size):
            yield [number for number, name in enumerate(names, start=1) if name in chosen]


SLOW = settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@given(names=st.lists(st.sampled_from(NAMES), min_size=1, max_size=5))
@SLOW
def test_all_lists_of_names_sum_to_one_and_the_best_is_scored_as_decoded(engine: Engine, names: list[str]) -> None:
    prompt = engine.tokenize(PROMPT)
    possible = NameVocabulary(engine).replies(lines_of(names), range(1, len(names) + 1))
    replies = [score_reply(engine, prompt, possible, possible.keys_of(lines)) for lines in every_set(names)]
    assert sum(math.exp(reply.log_prob) for reply in replies) == pytest.approx(1.0, abs=1e-5)
    decoded = decode_reply(engine, prompt, possible)
    lines = decoded.lines
    assert list(lines) in list(every_set(names))
    again = score_reply(engine, prompt, possible, possible.keys_of(lines))
    assert decoded.log_prob == pytest.approx(again.log_prob, abs=1e-4)


@given(
    names=st.lists(st.sampled_from(NAMES), min_size=2, max_size=8),
    planned=st.sets(st.integers(1, 8), max_size=8),
)
@SLOW
def test_no_draft_changes_a_list_of_names(engine: Engine, names: list[str], planned: set[int]) -> None:
    prompt = engine.tokenize(PROMPT)
    possible = NameVocabulary(engine).replies(lines_of(names), range(1, len(names) + 1))
    plain = decode_reply(engine, prompt, possible)
    drafted = decode_reply(engine, prompt, possible, possible.keys_of(line for line in planned if line <= len(names)))
    assert drafted.lines == plain.lines
    assert drafted.log_prob == pytest.approx(plain.log_prob, abs=1e-4)


@given(citable=st.sets(st.integers(1, 60), min_size=1, max_size=6))
@SLOW
def test_all_sets_of_line_numbers_sum_to_one(engine: Engine, citable: set[int]) -> None:
    possible = NumberVocabulary(engine).replies([], sorted(citable))
    prompt = engine.tokenize(PROMPT)
    sets = itertools.chain.from_iterable(
        itertools.combinations(sorted(citable), size) for size in range(len(citable) + 1)
    )
    total = sum(math.exp(score_reply(engine, prompt, possible, lines).log_prob) for lines in sets)
    assert total == pytest.approx(1.0, abs=1e-5)


def test_one_label_of_two_candidates_names_both(engine: Engine) -> None:
    names = ["Paris", "Rome", "Paris"]
    possible = NameVocabulary(engine).replies(lines_of(names), [1, 2, 3])
    assert score_reply(engine, engine.tokenize(PROMPT), possible, possible.keys_of([3])).lines == (1, 3)


def test_the_end_decides_between_a_name_and_a_longer_one(engine: Engine) -> None:
    """ "Ann" and "Ann Lee" are told apart by what follows "Ann", and both can be the reply."""
    possible = NameVocabulary(engine).replies(lines_of(["Ann", "Ann Lee"]), [1, 2])
    prompt = engine.tokenize(PROMPT)
    probs = {lines: math.exp(score_reply(engine, prompt, possible, possible.keys_of(lines)).log_prob) for lines in
             [(), (1,), (2,), (1, 2)]}  # fmt: skip
    assert all(prob > 0 for prob in probs.values())
    assert sum(probs.values()) == pytest.approx(1.0, abs=1e-5)


def test_two_hundred_candidates_are_one_decision_a_token(engine: Engine) -> None:
    names = [f"name {number}" for number in range(200)]
    possible = NameVocabulary(engine).replies(lines_of(names), range(1, 201))
    decoded = decode_reply(engine, engine.tokenize(PROMPT), possible, possible.keys_of([5]))
    assert decoded.n_decisions <= len(possible.tokens_of(possible.keys_of(decoded.lines)))
