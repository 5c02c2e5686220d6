"""Asking a question set and counting what is right."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from kgask.bench.datasets import GoldQuestion
from kgask.errors import UsageError
from kgask.pipeline import AskOptions, Pipeline
from kgask.types import Answer


@dataclass(slots=True)
class Report:
    """Counts over a set; ``hits_at_1`` compares labels, because that is how such sets give answers."""

    n: int = 0
    hits: int = 0
    exact_sets: int = 0
    answered: int = 0
    answered_right: int = 0
    linked: int = 0
    spent_s: float = 0.0
    misses: list[str] = field(default_factory=list)

    def figures(self) -> dict[str, float]:
        """Named figures, shares rounded to four places."""
        n = max(1, self.n)
        return {
            "questions": self.n,
            "hits_at_1": round(self.hits / n, 4),
            "exact_set": round(self.exact_sets / n, 4),
            "topic_linked": round(self.linked / n, 4),
            "answered_at_default_threshold": round(self.answered / n, 4),
            "right_of_answered": round(self.answered_right / max(1, self.answered), 4),
            "ms_per_question": round(1000 * self.spent_s / n, 2),
        }

    def count(self, gold: GoldQuestion, answer: Answer, topic: str, threshold: float) -> None:
        labels = [entity.label for entity in answer.entities]
        right = bool(labels) and labels[0] in gold.answers
        self.n += 1
        self.hits += right
        self.exact_sets += set(labels) == gold.answers
        self.linked += topic == gold.topic
        if labels and answer.confidence >= threshold:
            self.answered += 1
            self.answered_right += right
        if not right:
            self.misses.append(f"{gold.text} -> {labels[:3] or answer.reason} (topic read: {topic!r})")


def run(
    pipeline: Pipeline, questions: Sequence[GoldQuestion], given: bool, report: Callable[[int], None]
) -> Report:
    """Ask every question without a threshold; the default threshold is reported beside."""
    found = Report()
    threshold = AskOptions().min_confidence
    began = time.perf_counter()
    for done, gold in enumerate(questions, 1):
        answer = _ask(pipeline, gold, given)
        topic = pipeline.pack.labels([seed.entity for seed in answer.seeds])
        found.count(gold, answer, topic[0] if topic else "", threshold)
        report(done)
    found.spent_s = time.perf_counter() - began
    return found


def _ask(pipeline: Pipeline, gold: GoldQuestion, given: bool) -> Answer:
    options = AskOptions(min_confidence=0.0, entity=gold.topic if given else None)
    try:
        return pipeline.ask(gold.text, options)
    except UsageError as error:  # the pack does not have the given topic
        return Answer(gold.text, None, (), (), 0.0, abstained=True, reason=str(error))
