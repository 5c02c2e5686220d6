"""What the reader adds to the plan: the same questions with it and without it, side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from kgask.answer.pipeline import Pipeline
from kgask.answer.request import AskOptions
from kgask.answer.result import Answer
from kgask.eval import datasets
from kgask.eval.datasets import GoldQuestion
from kgask.sets.fb15k237 import f1

BATCH = 64
MOST_LOST = 0.005  # of Hits@1 and of F1: the bar


@dataclass(slots=True)
class Side:
    """One way to answer, summed over the questions."""

    hits: int = 0
    f1: float = 0.0
    answered: int = 0  # at the default threshold
    answered_right: int = 0


@dataclass(slots=True)
class Comparison:
    """Hits@1 and F1 count every question, without a threshold; a refusal is a miss."""

    n: int = 0
    reader: Side = field(default_factory=Side)
    plan: Side = field(default_factory=Side)
    repaired: list[str] = field(default_factory=list)  # questions that only the reader's answer hits
    spoiled: list[str] = field(default_factory=list)
    better_sets: int = 0  # questions whose answer set the reader brought closer to the gold one
    worse_sets: int = 0

    def figures(self) -> dict[str, float | int | bool]:
        """Shares of the questions, and whether the reader loses nothing that counts."""
        n = max(1, self.n)
        hits = (self.reader.hits - self.plan.hits) / n
        sets = (self.reader.f1 - self.plan.f1) / n
        return {
            "questions": self.n,
            "hits_at_1_reader": round(self.reader.hits / n, 4),
            "hits_at_1_plan": round(self.plan.hits / n, 4),
            "f1_reader": round(self.reader.f1 / n, 4),
            "f1_plan": round(self.plan.f1 / n, 4),
            "repaired": len(self.repaired),
            "spoiled": len(self.spoiled),
            "better_sets": self.better_sets,
            "worse_sets": self.worse_sets,
            "answered_reader": round(self.reader.answered / n, 4),
            "answered_plan": round(self.plan.answered / n, 4),
            "right_of_answered_reader": round(self.reader.answered_right / max(1, self.reader.answered), 4),
            "right_of_answered_plan": round(self.plan.answered_right / max(1, self.plan.answered), 4),
            "holds": hits >= -MOST_LOST and sets >= -MOST_LOST,
        }

    def count(self, gold: GoldQuestion, reader: Answer, plan: Answer, thresholds: tuple[float, float]) -> None:
        """One question; ``thresholds`` are the defaults with and without the reader."""
        self.n += 1
        first, first_f1 = _count(self.reader, gold, reader, thresholds[0])
        second, second_f1 = _count(self.plan, gold, plan, thresholds[1])
        self.better_sets += first_f1 > second_f1
        self.worse_sets += first_f1 < second_f1
        if first != second:
            line = f"{gold.text} -> reader {_shown(reader)}, plan {_shown(plan)}"
            (self.repaired if first else self.spoiled).append(line)


def _count(side: Side, gold: GoldQuestion, answer: Answer, threshold: float) -> tuple[bool, float]:
    named = [entity.key if gold.by_key else entity.label for entity in answer.entities]
    right = bool(named) and named[0] in gold.answers
    fit = f1(set(named), set(gold.answers))
    side.hits += right
    side.f1 += fit
    if named and answer.confidence >= threshold:
        side.answered += 1
        side.answered_right += right
    return right, fit


def _shown(answer: Answer) -> str:
    labels = [entity.label for entity in answer.entities]
    more = f" and {len(labels) - 3} more" if len(labels) > 3 else ""
    return f"{' | '.join(labels[:3]) or answer.reason}{more} ({answer.confidence:.2f})"


def compare(
    pipeline: Pipeline, questions: Sequence[GoldQuestion], report: Callable[[int], None] = lambda done: None
) -> Comparison:
    """Ask every question twice; ``pipeline`` has a reader."""
    found, plain = Comparison(), Pipeline(pipeline.pack, pipeline.planner, None)
    thresholds = pipeline.min_confidence, plain.min_confidence
    options = AskOptions(min_confidence=0.0)
    for start in range(0, len(questions), BATCH):
        golds = questions[start : start + BATCH]
        texts = [gold.text for gold in golds]
        answers = zip(pipeline.ask_many(texts, options), plain.ask_many(texts, options), strict=True)
        for gold, (with_reader, without) in zip(golds, answers, strict=True):
            found.count(gold, with_reader, without, thresholds)
        report(start + len(golds))
    return found


def public_sets(data: Path, limit: int | None) -> Iterator[tuple[str, str, Callable[[], list[GoldQuestion]]]]:
    """(name, pack, questions) of the sets of the bar that are in ``data``."""
    for hop in (1, 2, 3):
        path = data / "metaqa" / f"{hop}-hop" / "qa_dev_kbexact.txt.gz"
        yield f"MetaQA dev {hop}-hop", "metaqa", lambda path=path: datasets.bracketed(path, limit)
    folder = data / "entityquestions" / "dev"
    yield "EntityQuestions dev", "entityquestions", lambda: datasets.entity_questions(folder, limit)
