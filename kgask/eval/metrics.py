"""Figures of one prediction, and of confidences against what was right: pure functions.

A figure of a prediction is 0 to 1, or None where its set says nothing that it could be measured by (no gold
relations, no reference triples). A question that was not answered counts as wrong; none is left out. A question
without any gold answer is right as a set when nothing is answered, and never a hit.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from functools import wraps

import numpy as np

from kgask.eval.records import Prediction
from kgask.sets.said import NO, YES, says

ARTICLES = frozenset(("a", "an", "the"))
BINS = 10


# --- answers by id ------------------------------------------------------------------------------


def gold_ids(prediction: Prediction) -> set[int]:
    """Every entity of the pack that is a gold answer."""
    return {entity for answer in prediction.gold.answers for entity in answer.ids}


Measure = Callable[[Prediction], float | None]


def _of_entities(figure: Callable[[Prediction], float]) -> Measure:
    """None for a claim, whose set gives no answers."""

    @wraps(figure)
    def asked(prediction: Prediction) -> float | None:
        is_claim = prediction.gold.label is not None and not prediction.gold.answers
        return None if is_claim else figure(prediction)

    return asked


def value_right(prediction: Prediction) -> bool:
    """Whether the answer is the number, date, yes or no that a gold answer without a key is in words."""
    answer = None if prediction.written is not None else prediction.answer
    golds = (name for gold in prediction.gold.answers if gold.key is None for name in gold.names)
    return answer is not None and any(says(name, answer) for name in golds)


@_of_entities
def hits_at_1(prediction: Prediction) -> float:
    """1 when the best answer is a gold answer, by id; a number, a date, yes or no by what it says."""
    best = bool(prediction.answer_ids) and prediction.answer_ids[0] in gold_ids(prediction)
    return float(best or value_right(prediction))


@_of_entities
def hit(prediction: Prediction) -> float:
    """1 when any answer is a gold answer."""
    return float(not gold_ids(prediction).isdisjoint(prediction.answer_ids) or value_right(prediction))


@_of_entities
def precision(prediction: Prediction) -> float:
    """Share of the answers that are gold; 1 when there are neither answers nor gold ones."""
    if value_right(prediction):
        return 1.0
    if not prediction.answer_ids:
        return float(not prediction.gold.answers)
    gold = gold_ids(prediction)
    return sum(entity in gold for entity in prediction.answer_ids) / len(prediction.answer_ids)


@_of_entities
def recall(prediction: Prediction) -> float:
    """Share of the gold answers that are answers, those that the pack lacks counted as missed."""
    if not prediction.gold.answers:
        return float(not prediction.answer_ids)
    if value_right(prediction):
        return 1 / len(prediction.gold.answers)
    answered = set(prediction.answer_ids)
    return sum(not answered.isdisjoint(gold.ids) for gold in prediction.gold.answers) / len(prediction.gold.answers)


def f1(prediction: Prediction) -> float | None:
    """Harmonic mean of the question's :func:`precision` and :func:`recall`."""
    right, found = precision(prediction), recall(prediction)
    if right is None or found is None:
        return None
    return 2 * right * found / (right + found) if right + found else 0.0


@_of_entities
def exact_set(prediction: Prediction) -> float:
    """1 when the answers are the gold answers, no more and no less."""
    return float(precision(prediction) == recall(prediction) == 1.0)


@_of_entities
def reciprocal_rank(prediction: Prediction) -> float:
    """1 / place of the first gold answer; 0 without one. Its mean is MRR."""
    if value_right(prediction):
        return 1.0
    gold = gold_ids(prediction)
    return next((1 / place for place, entity in enumerate(prediction.answer_ids, 1) if entity in gold), 0.0)


# --- answers by text ----------------------------------------------------------------------------


def plain(text: str) -> str:
    """Lower case without punctuation, articles and extra blanks (Rigel + LM, section 4.4).

    Kept as it is where nothing would be left.
    """
    lowered = text.lower()
    kept = "".join(char for char in lowered if unicodedata.category(char)[0] not in "PS")
    return " ".join(word for word in kept.split() if word not in ARTICLES) or lowered.strip()


def texts_of(prediction: Prediction) -> tuple[str, ...]:
    """What was answered in words: the whole text of a free reader, else each answer's label."""
    if prediction.written is not None:
        return (prediction.written,)
    return prediction.answer_labels


@_of_entities
def answer_hit(prediction: Prediction) -> float:
    """1 when any name or alias of a gold answer stands in the answer (Rigel + LM, section 4.4).

    Names are whole words here, so that "art" is not found in "Bart".
    """
    texts = [f" {plain(text)} " for text in texts_of(prediction)]
    names = {plain(name) for gold in prediction.gold.answers for name in gold.names if name.strip()}
    return float(any(f" {name} " in text for name in names for text in texts))


def appearing(prediction: Prediction) -> list[bool]:
    """Of each gold answer that has a name: whether one of its names is a part of the text, letter by letter."""
    text = prediction.written if prediction.written is not None else prediction.answer or ""
    named = [[name for name in gold.names if name] for gold in prediction.gold.answers]
    return [any(name in text for name in names) for names in named if names]


def km(prediction: Prediction) -> float | None:
    """Knowledge matching: 1 when any gold answer appears (LTGen, section 5.2; its equation 1 is printed inverted)."""
    found = appearing(prediction)
    return float(any(found)) if found else None


def ekm(prediction: Prediction) -> float | None:
    """Exact knowledge matching: 1 when all gold answers appear (LTGen, section 5.2; equation 2 is printed inverted)."""
    found = appearing(prediction)
    return float(all(found)) if found else None


def rkm(prediction: Prediction) -> float | None:
    """Ratio knowledge matching: share of the gold answers that appear (LTGen, section 5.2, equation 3)."""
    found = appearing(prediction)
    return sum(found) / len(found) if found else None


def verdict(prediction: Prediction) -> bool | None:
    """What the answer says of a claim, by its first word; None when that is no verdict."""
    words = plain(next(iter(texts_of(prediction)), "")).split()
    if not words or words[0] not in YES | NO:
        return None
    return words[0] in YES


def claim_right(prediction: Prediction) -> float | None:
    """1 when the answer says of a claim what its label says."""
    if prediction.gold.label is None:
        return None
    return float(verdict(prediction) is prediction.gold.label)


# --- retrieval ----------------------------------------------------------------------------------


def topic_linked(prediction: Prediction) -> float | None:
    """1 when a gold topic is among the seeds."""
    if not prediction.gold.topics:
        return None
    seeds = set(prediction.seeds)
    return float(any(not seeds.isdisjoint(topic.ids) for topic in prediction.gold.topics))


def relation_recall(prediction: Prediction) -> float | None:
    """Share of the gold relations (with their direction) among those of the evidence, whatever the entities."""
    wanted = set(zip(prediction.gold.relations, prediction.gold.relation_keys, strict=True))
    if not wanted:
        return None
    seen = {triple.relation for triple in prediction.evidence}
    return sum(key in seen for _, key in wanted) / len(wanted)


def pair_recall(prediction: Prediction) -> float | None:
    """Recall of (entity, relation) pairs (LTGen, section 5.2): a gold relation counts when a gold topic was linked."""
    found, linked = relation_recall(prediction), topic_linked(prediction)
    return None if found is None or linked is None else found * linked


def relation_recall_gold_entities(prediction: Prediction) -> float | None:
    """:func:`relation_recall` where a gold topic is among the seeds (LTGen's oracle column; ``--given`` has all)."""
    return relation_recall(prediction) if topic_linked(prediction) else None


def support_recall(prediction: Prediction) -> float | None:
    """Share of the reference triples among the evidence, those that the pack lacks counted as missed."""
    wanted = prediction.gold.triples
    if not wanted:
        return None
    seen = {triple.id for triple in prediction.evidence}
    return sum(triple in seen for triple in wanted) / len(wanted)


def retrieved(prediction: Prediction) -> float | None:
    """1 when a gold answer ends a triple of the evidence: what KAPING calls a correct retrieval."""
    return float(any(prediction.gold_in_evidence)) if prediction.gold.answers else None


# --- right, refused, lost -----------------------------------------------------------------------


def right(prediction: Prediction) -> bool:
    """The one word on a question: Hits@1, or the verdict on a claim."""
    found = hits_at_1(prediction)
    return bool(claim_right(prediction) if found is None else found)


def abstained(prediction: Prediction) -> float:
    return float(prediction.abstained)


def confidence(prediction: Prediction) -> float:
    """That the answer is right; 0 where there is none."""
    return 0.0 if prediction.abstained else prediction.confidence


LOST = ("link", "plan", "retrieve", "confidence", "read")


def lost(prediction: Prediction) -> str:
    """Where a wrong question was lost, one of :data:`LOST`; "" for a right one.

    No gold topic among the seeds: link. No gold answer to choose from: retrieve when the pack lacks the answer or a
    gold relation, or when every gold relation was followed; else plan. A gold answer was there: confidence when the
    threshold refused it, plan when there is no reader to choose, else read. Without knowledge all is the reader's.
    """
    if right(prediction):
        return ""
    if prediction.method == "none":
        return "read"
    found = _answer_was_there(prediction)
    if topic_linked(prediction) == 0.0 or (prediction.died_at == "link" and not found):
        return "link"
    if found and prediction.died_at == "confidence":
        return "confidence"
    if found:
        return "read" if "reader" in prediction.hashes else "plan"
    lacking = bool(prediction.gold.answers) and not gold_ids(prediction)
    if lacking or None in prediction.gold.relation_keys or relation_recall(prediction) == 1.0:
        return "retrieve"
    return "retrieve" if prediction.died_at == "retrieve" else "plan"


def _answer_was_there(prediction: Prediction) -> bool:
    """A claim has no answer to find: there its reference triples or relations are what is needed."""
    if prediction.gold.answers:
        return any(prediction.gold_in_candidates)
    return support_recall(prediction) == 1.0 or relation_recall(prediction) == 1.0


PER_QUESTION: dict[str, Measure] = {
    "hits_at_1": hits_at_1,
    "hit": hit,
    "precision": precision,
    "recall": recall,
    "f1": f1,
    "exact_set": exact_set,
    "mrr": reciprocal_rank,
    "answer_hit": answer_hit,
    "km": km,
    "ekm": ekm,
    "rkm": rkm,
    "claim_right": claim_right,
    "topic_linked": topic_linked,
    "answer_retrieved": retrieved,
    "relation_recall": relation_recall,
    "pair_recall": pair_recall,
    "relation_recall_gold_entities": relation_recall_gold_entities,
    "support_recall": support_recall,
    "abstained": abstained,
}


# --- confidence ---------------------------------------------------------------------------------


def calibration_error(confidences: np.ndarray, is_right: np.ndarray, bins: int = BINS) -> float:
    """Expected calibration error over bins of equal width: mean distance of confidence and accuracy, by questions.

    ``confidences`` float [n] in 0..1, ``is_right`` bool [n], n > 0. A bin holds its upper edge.
    """
    places = np.clip(np.digitize(confidences, np.linspace(0, 1, bins + 1), right=True) - 1, 0, bins - 1)
    gaps = np.bincount(places, confidences - is_right, minlength=bins)
    return float(np.abs(gaps).sum() / len(confidences))


def brier(confidences: np.ndarray, is_right: np.ndarray) -> float:
    """Mean squared distance of confidence and right (1) or wrong (0)."""
    return float(np.mean((confidences - is_right) ** 2))


def risk_coverage(confidences: np.ndarray, is_right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Coverage and risk (share of wrong answers among those covered) at every threshold, surest first.

    Float [distinct confidences] each; equal confidences are covered together, so the curve depends on no order.
    """
    values, places, counts = np.unique(-confidences, return_inverse=True, return_counts=True)
    wrong = np.bincount(places, ~is_right, minlength=len(values))
    covered = counts.cumsum()
    return covered / len(confidences), wrong.cumsum() / covered


def area_under_risk(confidences: np.ndarray, is_right: np.ndarray) -> float:
    """Mean risk of the k surest answers over k = 1..n; equal confidences count as in random order."""
    values, places, counts = np.unique(-confidences, return_inverse=True, return_counts=True)
    wrong_share = np.bincount(places, ~is_right, minlength=len(values)) / counts
    expected_wrong = np.repeat(wrong_share, counts).cumsum()
    return float(np.mean(expected_wrong / np.arange(1, len(confidences) + 1)))


def confidences_and_right(predictions: Sequence[Prediction]) -> tuple[np.ndarray, np.ndarray]:
    """Float [n] and bool [n]."""
    sure = np.array([confidence(prediction) for prediction in predictions])
    return sure, np.array([right(prediction) for prediction in predictions], bool)


def at_threshold(confidences: np.ndarray, is_right: np.ndarray, threshold: float) -> tuple[float, float | None]:
    """Coverage, and accuracy of what is covered (None when nothing is), when less confidence is refused."""
    kept = (confidences >= threshold) & (confidences > 0)
    return float(np.mean(kept)), float(is_right[kept].mean()) if kept.any() else None


def auroc(scores: np.ndarray, right: np.ndarray) -> float | None:
    """Chance that a right answer has a higher score than a wrong one, ties half; None without both kinds.

    Mann-Whitney's U over ranks; ``scores`` float [n], ``right`` bool [n].
    """
    n_right = int(right.sum())
    n_wrong = len(right) - n_right
    if n_right == 0 or n_wrong == 0:
        return None
    _, place, counts = np.unique(scores, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    ranks = (last - (counts - 1) / 2)[place]  # mean rank of equal scores, from 1
    return float((ranks[right].sum() - n_right * (n_right + 1) / 2) / (n_right * n_wrong))


def macro(right: np.ndarray, groups: list[str]) -> float:
    """Mean over groups of the share that is right; ``right`` bool [n]."""
    names = np.asarray(groups)
    return float(np.mean([right[names == name].mean() for name in sorted(set(groups))]))
