"""Figures: by hand, against scikit-learn and scipy, and the same for any order of questions."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from predicted import evidence, gold_of, predicted, topic
from scipy.stats import binomtest
from scipy.stats import bootstrap as scipy_bootstrap
from sklearn.metrics import (
    brier_score_loss,
    label_ranking_average_precision_score,
    precision_recall_fscore_support,
    roc_auc_score,
)

from kgask.eval import metrics, resample, summary
from kgask.eval.metrics import auroc

IDS = st.lists(st.integers(0, 7), unique=True, max_size=6)
CONFIDENCES = st.lists(
    st.tuples(st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.5, 0.55, 0.7, 0.9, 1.0]), st.booleans()), min_size=1, max_size=40
)


def arrays(rows: list[tuple[float, bool]]) -> tuple[np.ndarray, np.ndarray]:
    return np.array([sure for sure, _ in rows]), np.array([right for _, right in rows], bool)


# --- answers by value ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("gold", "answer", "right"),
    [
        ("yes", "yes", True),
        ("no", "yes", False),
        ("1289153", "1,289,153", True),
        ("30 metre", "30 m", True),
        ("30 metre", "30", True),
        ("30 metre", "31 m", False),
        ("30 metre", "30 kg", False),
        ("1967", "1967-03-01", True),
        ("1967-03-01", "1967", False),
        ("2005-01-08", "2005-01-08", True),
        ("1999-99", "1999-99", False),
        ("Paris", "Paris", False),
    ],
)
def test_numbers_dates_and_truths_are_right_by_what_they_say(gold: str, answer: str, right: bool) -> None:
    found = predicted((), gold_of([], names=[[gold]]), answer=answer)
    figures = (metrics.hits_at_1, metrics.hit, metrics.f1, metrics.exact_set, metrics.reciprocal_rank)
    assert [figure(found) for figure in figures] == [float(right)] * 5


def test_a_value_is_not_right_by_a_name_that_has_a_key_or_in_a_text_that_is_written_freely() -> None:
    gold = gold_of([], names=[["yes"]])
    assert metrics.hits_at_1(predicted((), gold, answer="yes", written="yes")) == 0.0
    keyed = replace(gold, answers=(replace(gold.answers[0], key="Q3"),))
    assert metrics.hits_at_1(predicted((), keyed, answer="yes")) == 0.0


# --- answers by id ------------------------------------------------------------------------------


@settings(deadline=None)
@given(IDS, IDS)
def test_sets_agree_with_scikit_learn(answered: list[int], right: list[int]) -> None:
    found = predicted(answered, gold_of(*right))
    if not answered and not right:
        assert metrics.f1(found) == metrics.exact_set(found) == 1.0
        return
    rows = [[[one in ids for one in range(8)]] for ids in (right, answered)]
    wanted = precision_recall_fscore_support(*rows, average="samples", zero_division=0)[:3]
    measured = [metrics.precision(found), metrics.recall(found), metrics.f1(found)]
    assert measured == pytest.approx(wanted)
    assert metrics.exact_set(found) == (set(answered) == set(right))


@settings(deadline=None)
@given(st.permutations(range(8)), st.integers(0, 7))
def test_reciprocal_rank_agrees_with_scikit_learn(ranking: list[int], right: int) -> None:
    found = predicted(ranking, gold_of(right))
    scores = [[-ranking.index(one) for one in range(8)]]
    wanted = label_ranking_average_precision_score([[one == right for one in range(8)]], scores)
    assert metrics.reciprocal_rank(found) == pytest.approx(wanted)
    assert metrics.hits_at_1(found) == (ranking[0] == right)


@settings(deadline=None)
@given(IDS, IDS)
def test_hits_and_ranks_hang_together(answered: list[int], right: list[int]) -> None:
    found = predicted(answered, gold_of(*right))
    rank = metrics.reciprocal_rank(found)
    assert metrics.hits_at_1(found) == (rank == 1.0)
    assert metrics.hit(found) == (rank > 0) == bool(set(answered) & set(right))


def test_a_gold_answer_with_several_entities_counts_once() -> None:
    found = predicted([3, 9], gold_of([3, 4], 9, []))
    assert metrics.precision(found) == 1.0
    assert metrics.recall(found) == pytest.approx(2 / 3)  # the pack has no entity for the third: it is missed
    assert metrics.exact_set(found) == 0.0


def test_a_claim_is_judged_by_its_verdict_alone() -> None:
    claim = gold_of(label=False)
    right = predicted(gold=claim, written="Refuted: he was born in Ulm.", abstained=False)
    assert (metrics.claim_right(right), metrics.right(right)) == (1.0, True)
    assert (metrics.hits_at_1(right), metrics.f1(right)) == (None, None)
    assert metrics.claim_right(replace(right, written="Maybe not")) == 0.0
    assert metrics.claim_right(replace(right, written="")) == 0.0
    assert metrics.claim_right(predicted()) is None


# --- answers by text ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "plainly"),
    [("The  Moon, a Disc!", "moon disc"), ("U.S.A.", "usa"), ("!!!", "!!!"), ("A", "a"), ("Café“x”", "caféx")],
)
def test_text_is_made_plain_as_in_the_paper(text: str, plainly: str) -> None:
    assert metrics.plain(text) == plainly


@pytest.mark.parametrize(
    ("written", "hit"),
    [("It was the Beatles!", 1.0), ("It was The BEATLES.", 1.0), ("Fab four", 1.0), ("Beatlesque", 0.0), ("", 0.0)],
)
def test_answer_hit_finds_a_name_or_alias_as_whole_words(written: str, hit: float) -> None:
    found = predicted(gold=gold_of(1, names=[["The Beatles", "Fab Four", " "]]), written=written)
    assert metrics.answer_hit(found) == hit


def test_answer_hit_reads_each_label_by_itself() -> None:
    found = predicted([1, 2], gold_of(5, names=[["York New"]]), answer_labels=("New York", "New Haven"))
    assert metrics.answer_hit(found) == 0.0


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        ("Ann Ray and Bob Stone", (1, 1, 1.0)),
        ("only Robert Stone", (1, 0, 0.5)),
        ("ann ray", (0, 0, 0.0)),  # letter by letter, as the paper's str(e) in y
        ("", (0, 0, 0.0)),
    ],
)
def test_knowledge_matching_is_not_inverted(written: str, wanted: tuple[int, int, float]) -> None:
    gold = gold_of(1, 2, names=[["Ann Ray"], ["Bob Stone", "Robert Stone"]])
    found = predicted(gold=gold, written=written)
    assert (metrics.km(found), metrics.ekm(found), metrics.rkm(found)) == wanted


@settings(deadline=None)
@given(st.lists(st.booleans(), min_size=1, max_size=6))
def test_km_is_any_ekm_is_all_rkm_is_the_share(appear: list[bool]) -> None:
    names = [[f"<{at}>"] for at in range(len(appear))]
    text = " ".join(name[0] for name, there in zip(names, appear, strict=True) if there)
    found = predicted(gold=gold_of(*range(len(appear)), names=names), written=text)
    assert (metrics.km(found), metrics.ekm(found)) == (any(appear), all(appear))
    assert metrics.rkm(found) == pytest.approx(sum(appear) / len(appear))


def test_without_gold_words_texts_cannot_be_measured() -> None:
    assert metrics.km(predicted([1], gold_of(1))) is None


# --- retrieval ----------------------------------------------------------------------------------


def test_relations_pairs_and_support() -> None:
    gold = gold_of(
        9, topics=(topic(4, 5),), relations=("^director", "cast member", "unheard"),
        relation_keys=("^P57", "P161", None), triples=(7, 8, None, 11),
    )  # fmt: skip
    found = predicted(gold=gold, seeds=(5,), evidence=evidence((7, "^P57"), (11, "P57")))
    assert metrics.relation_recall(found) == pytest.approx(1 / 3)  # P161 is absent, and P57 forward is another relation
    assert metrics.pair_recall(found) == metrics.relation_recall_gold_entities(found) == pytest.approx(1 / 3)
    assert metrics.support_recall(found) == 0.5
    lost = replace(found, seeds=(6,))
    assert (metrics.topic_linked(lost), metrics.pair_recall(lost)) == (0.0, 0.0)
    assert metrics.relation_recall_gold_entities(lost) is None


def test_what_a_set_does_not_say_is_no_figure() -> None:
    found = predicted([1], gold_of(1))
    silent = ("topic_linked", "relation_recall", "pair_recall", "support_recall", "claim_right", "rkm")
    assert [metrics.PER_QUESTION[name](found) for name in silent] == [None] * len(silent)


READER = {"pack": "p", "reader": "r"}
GOLD = gold_of(9, topics=(topic(4),), relations=("a",), relation_keys=("A",))


@pytest.mark.parametrize(
    ("changes", "where"),
    [
        ({"answer_ids": (9,)}, ""),
        ({"seeds": (5,)}, "link"),
        ({"seeds": (), "died_at": "link"}, "link"),
        ({"gold_in_candidates": (True,), "hashes": READER}, "read"),
        ({"gold_in_candidates": (True,)}, "plan"),
        ({"gold_in_candidates": (True,), "died_at": "confidence"}, "confidence"),
        ({"evidence": evidence((1, "B"))}, "plan"),
        ({"evidence": evidence((1, "A"))}, "retrieve"),
        ({"died_at": "retrieve"}, "retrieve"),
        ({"gold": replace(GOLD, relation_keys=(None,))}, "retrieve"),
        ({"gold": replace(GOLD, answers=gold_of([]).answers)}, "retrieve"),
        ({"method": "none", "seeds": ()}, "read"),
    ],
)
def test_where_a_question_was_lost(changes: dict, where: str) -> None:
    assert metrics.lost(replace(predicted([3], GOLD, seeds=(4,)), **changes)) == where


def test_a_claim_whose_relations_were_found_was_lost_by_the_reader() -> None:
    gold = gold_of(label=True, relations=("a",), relation_keys=("A",))
    found = predicted(gold=gold, evidence=evidence((1, "A")), hashes=READER)
    assert metrics.lost(found) == "read"
    assert metrics.lost(replace(found, evidence=())) == "plan"


# --- confidence ---------------------------------------------------------------------------------


@settings(deadline=None)
@given(CONFIDENCES)
def test_brier_and_auroc_agree_with_scikit_learn(rows: list[tuple[float, bool]]) -> None:
    sure, right = arrays(rows)
    if right.any() and not right.all():
        assert auroc(sure, right) == pytest.approx(roc_auc_score(right, sure))
        assert metrics.brier(sure, right) == pytest.approx(brier_score_loss(right, sure))
    else:
        assert auroc(sure, right) is None


@settings(deadline=None)
@given(CONFIDENCES)
def test_calibration_error_is_the_mean_gap_of_bins(rows: list[tuple[float, bool]]) -> None:
    bins: dict[int, list[tuple[float, bool]]] = {}
    for sure, right in rows:
        bins.setdefault(max(0, math.ceil(round(sure * 10, 6)) - 1), []).append((sure, right))
    gap = sum(abs(sum(s for s, _ in each) - sum(r for _, r in each)) for each in bins.values()) / len(rows)
    assert metrics.calibration_error(*arrays(rows)) == pytest.approx(gap)


@settings(deadline=None)
@given(CONFIDENCES, st.randoms(use_true_random=False))
def test_the_risk_curve_is_that_of_each_threshold_in_any_order(rows: list[tuple[float, bool]], random: object) -> None:
    coverage, risk = metrics.risk_coverage(*arrays(rows))
    for at, threshold in enumerate(sorted({sure for sure, _ in rows}, reverse=True)):
        kept = [right for sure, right in rows if sure >= threshold]
        assert coverage[at] == pytest.approx(len(kept) / len(rows))
        assert risk[at] == pytest.approx(1 - sum(kept) / len(kept))
    mixed = list(rows)
    random.shuffle(mixed)
    assert metrics.area_under_risk(*arrays(mixed)) == pytest.approx(metrics.area_under_risk(*arrays(rows)))


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.sampled_from([0.2, 0.5, 0.8]), st.booleans()), min_size=1, max_size=5))
def test_the_area_is_the_mean_over_all_orders_of_ties(rows: list[tuple[float, bool]]) -> None:
    areas = []
    for order in itertools.permutations(rows):
        if all(a[0] >= b[0] for a, b in itertools.pairwise(order)):
            wrong = np.cumsum([not right for _, right in order])
            areas.append(np.mean(wrong / np.arange(1, len(rows) + 1)))
    assert metrics.area_under_risk(*arrays(rows)) == pytest.approx(np.mean(areas))


def test_a_threshold_keeps_what_is_surer_and_never_what_is_unanswered() -> None:
    sure, right = arrays([(0.9, True), (0.6, False), (0.0, False), (0.56, True)])
    assert metrics.at_threshold(sure, right, 0.56) == (0.75, pytest.approx(2 / 3))
    assert metrics.at_threshold(sure, right, 0.0)[0] == 0.75
    assert metrics.at_threshold(sure, right, 0.95) == (0.0, None)


def test_an_unanswered_question_has_no_confidence() -> None:
    assert metrics.confidence(predicted(confidence=0.4)) == 0.0
    assert metrics.confidence(predicted([1], confidence=0.4)) == 0.4


# --- intervals and tests ------------------------------------------------------------------------


def test_intervals_agree_with_scipys_percentile_bootstrap() -> None:
    values = np.random.default_rng(3).random(150)
    ours = resample.mean_interval(values[:, None], resamples=4000)[:, 0]
    theirs = scipy_bootstrap((values,), np.mean, n_resamples=4000, method="percentile", rng=1).confidence_interval
    assert ours == pytest.approx([theirs.low, theirs.high], abs=0.004)


@settings(deadline=None)
@given(st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=1, max_size=30), st.integers(0, 5))
def test_intervals_are_seeded_and_hold_what_was_seen(values: list[float], rng_seed: int) -> None:
    column = np.array(values)[:, None]
    low, high = resample.mean_interval(column, 200, rng_seed)[:, 0]
    assert min(values) <= low <= high <= max(values)
    assert (resample.mean_interval(column, 200, rng_seed) == resample.mean_interval(column, 200, rng_seed)).all()


def test_what_does_not_apply_does_not_count() -> None:
    column = np.array([1.0, np.nan, 1.0, np.nan])[:, None]
    assert resample.mean_interval(column, 100).tolist() == [[1.0], [1.0]]


def test_the_interval_of_a_mean_is_one_of_a_statistic() -> None:
    sure, right = arrays([(at / 50, at % 3 == 0) for at in range(50)])
    by_column = resample.mean_interval(((sure - right) ** 2)[:, None], 500, 7)[:, 0]
    assert resample.interval_of(metrics.brier, sure, right, 500, 7) == pytest.approx(tuple(by_column))
    assert resample.interval_of(auroc, sure, np.ones(50, bool)) is None


@settings(deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=60))
def test_mcnemar_is_the_exact_binomial_test(rows: list[tuple[bool, bool]]) -> None:
    first, second = (np.array([row[at] for row in rows]) for at in (0, 1))
    only_first, only_second = int((first & ~second).sum()), int((second & ~first).sum())
    wanted = binomtest(only_first, only_first + only_second).pvalue if only_first + only_second else 1.0
    assert resample.mcnemar(first, second) == pytest.approx(wanted)


def test_mcnemar_takes_many_questions() -> None:
    first, second = np.arange(20_000) % 2 == 0, np.arange(20_000) % 2 == 1
    assert resample.mcnemar(first, second) == 1.0


def test_a_paired_difference_is_that_of_the_pairs() -> None:
    rng = np.random.default_rng(0)
    first = rng.random(200)
    found = resample.paired_bootstrap(first, first + 0.1)  # every pair alike: no doubt is left
    assert (found.mean, found.low, found.high) == pytest.approx((0.1, 0.1, 0.1))
    assert found.p_value < 0.01
    nothing = resample.paired_bootstrap(first, first)
    assert (nothing.mean, nothing.p_value) == (0.0, 1.0)
    other_way = resample.paired_bootstrap(first + rng.normal(0, 1, 200), first)
    again = resample.paired_bootstrap(first + 5, first)
    assert again.p_value < other_way.p_value
    assert again.high < 0


# --- summaries ----------------------------------------------------------------------------------


def test_all_questions_stay_in_the_denominator() -> None:
    rows = [predicted([1], gold_of(1)), predicted([], gold_of(2)), predicted([3], gold_of([]))]
    found = summary.figures(rows, resamples=50)
    assert found["hits_at_1"].value == pytest.approx(1 / 3)
    assert (found["hits_at_1"].n, found["abstained"].value) == (3, pytest.approx(1 / 3))
    assert "relation_recall" not in found


def test_groups_are_in_a_natural_order() -> None:
    pairs = ((10, "b"), (2, "a"), (None, ""), (1, "a"))
    rows = [predicted([1], gold_of(1), hops=hops, kind=kind) for hops, kind in pairs]
    assert list(summary.broken_down(rows, "hops", resamples=20)) == ["1", "2", "10", "?"]
    by_kind = summary.broken_down(rows, "kind", resamples=20)
    assert {group: row["hits_at_1"].n for group, row in by_kind.items()} == {"a": 2, "b": 1, "?": 1}


def test_every_wrong_question_was_lost_somewhere() -> None:
    rows = [predicted([1], gold_of(1)), predicted([2], gold_of(1)), predicted([], gold_of([]), died_at="link")]
    counts = summary.counts_lost(rows)
    assert sum(counts.values()) == 3
    assert (counts["right"], counts["plan"], counts["link"]) == (1, 1, 1)
