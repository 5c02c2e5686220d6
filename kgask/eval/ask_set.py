"""Asking a question set and counting what is right."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from kgask.answer.pipeline import Pipeline
from kgask.answer.request import AskOptions
from kgask.answer.result import Answer
from kgask.errors import UsageError
from kgask.eval.datasets import GoldQuestion
from kgask.eval.metrics import auroc


@dataclass(slots=True)
class Report:
    """Counts over a set; labels are compared where the set gives labels, keys where it gives keys."""

    n: int = 0
    hits: int = 0
    exact_sets: int = 0
    answered: int = 0
    answered_right: int = 0
    linked: int = 0
    confidences: list[float] = field(default_factory=list)  # 0 where there is no answer at all
    right: list[bool] = field(default_factory=list)
    spent_ms: list[float] = field(default_factory=list)
    misses: list[str] = field(default_factory=list)

    def figures(self) -> dict[str, float | None]:
        """Named figures, shares rounded to four places; None where a figure has no meaning."""
        n = max(1, self.n)
        ranking = auroc(np.array(self.confidences), np.array(self.right, bool))
        return {
            "questions": self.n,
            "hits_at_1": round(self.hits / n, 4),
            "exact_set": round(self.exact_sets / n, 4),
            "topic_linked": round(self.linked / n, 4),
            "auroc_of_confidence": None if ranking is None else round(ranking, 4),
            "answered_at_default_threshold": round(self.answered / n, 4),
            "right_of_answered": round(self.answered_right / max(1, self.answered), 4),
            "ms_per_question": round(sum(self.spent_ms) / n, 2),
            "ms_median": round(statistics.median(self.spent_ms), 2) if self.spent_ms else None,
        }

    def count(self, gold: GoldQuestion, answer: Answer, topic: str, threshold: float) -> None:
        named = [entity.key if gold.by_key else entity.label for entity in answer.entities]
        right = bool(named) and named[0] in gold.answers
        self.n += 1
        self.hits += right
        self.exact_sets += set(named) == gold.answers
        self.linked += topic == gold.topic
        self.confidences.append(answer.confidence if named else 0.0)
        self.right.append(right)
        if named and answer.confidence >= threshold:
            self.answered += 1
            self.answered_right += right
        if not right:
            shown = [entity.label for entity in answer.entities[:3]] or answer.reason
            self.misses.append(f"{gold.text} -> {shown} (topic read: {topic!r})")


def run(
    pipeline: Pipeline,
    questions: Sequence[GoldQuestion],
    given: bool,
    report: Callable[[int], None],
    batch: int = 1,
) -> Report:
    """Ask every question without a threshold; the default threshold is reported beside.

    ``batch`` questions are planned together where the topic is linked; a given
    topic is asked about one by one.
    """
    found = Report()
    threshold = pipeline.min_confidence
    size = 1 if given else batch
    for start in range(0, len(questions), size):
        golds = questions[start : start + size]
        began = time.perf_counter()
        answers = _ask(pipeline, golds, given)
        spent_ms = 1000 * (time.perf_counter() - began) / len(golds)
        for gold, answer in zip(golds, answers, strict=True):
            found.spent_ms.append(spent_ms)
            found.count(gold, answer, _topic(pipeline, answer, gold.by_key), threshold)
        report(start + len(golds))
    return found


def _topic(pipeline: Pipeline, answer: Answer, by_key: bool) -> str:
    """The topic that was read, in the form of the gold one; "" for none."""
    seeds = [seed.entity for seed in answer.seeds[:1]]
    return next(iter(pipeline.pack.keys(seeds) if by_key else pipeline.pack.labels(seeds)), "")


def _ask(pipeline: Pipeline, golds: Sequence[GoldQuestion], given: bool) -> list[Answer]:
    if not given:
        return pipeline.ask_many([gold.text for gold in golds], AskOptions(min_confidence=0.0))
    return [_ask_given(pipeline, gold) for gold in golds]


def _ask_given(pipeline: Pipeline, gold: GoldQuestion) -> Answer:
    try:
        return pipeline.ask(gold.text, AskOptions(min_confidence=0.0, entity=gold.topic))
    except UsageError as error:  # the pack does not have the given topic
        return Answer(gold.text, None, (), (), 0.0, abstained=True, reason=str(error))
