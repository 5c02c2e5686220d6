"""SimpleQuestions over Wikidata: which directed relation does a question ask for?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from kgask.eval.metrics import macro
from kgask.pack.records import RelationText
from kgask.plan.rigel_onnx import HopDistributions, mask_mention
from kgask.sets import registry
from kgask.sets.gold import INVERSE
from kgask.sets.topic_spans import label_span, words_of
from kgask.sets.wikidata import entity_labels, property_labels
from kgask.types import directed

BATCH = 64


class Planner(Protocol):
    """What is measured: the ONNX planner, or one on torch."""

    def relation_matrix(self, relations: Sequence[RelationText], keep: bool = True) -> np.ndarray: ...

    def plan(self, texts: list[str], directed: np.ndarray, first_mask: np.ndarray) -> HopDistributions: ...


@dataclass(frozen=True, slots=True)
class RelationQuestion:
    text: str  # lower case, the topic masked where its label is known and stands in the text
    relation: str  # P19, or ^P19 from object to subject
    is_masked: bool


@dataclass(frozen=True, slots=True)
class RelationSet:
    """Questions with the directed relations that they compete over."""

    questions: list[RelationQuestion]
    names: list[str]  # directed relations of the set
    texts: list[RelationText]


def simple_questions(path: Path, data: Path) -> RelationSet:
    """Questions of an annotated file; relations of all annotated files beside it, with Wikidata's labels.

    The topic is masked where its label stands in the text. Other questions are
    planned as they were asked: names guessed from the wordings take too much
    ("what [MASK]"), which cost 3.4 points.
    """
    golds = registry.load("simplequestions", path)
    beside = sorted(path.parent.glob("annotated_wd_data_*.txt*"))
    names = sorted({gold.relations[0] for file in (path, *beside) for gold in registry.load("simplequestions", file)})
    labels = property_labels(data)
    texts = [RelationText(key, labels.get(key, key)) for key in sorted({name.removeprefix(INVERSE) for name in names})]
    called = entity_labels(data)
    questions = [_question(gold.relations[0], gold.text, called.get(gold.topics[0].key or "")) for gold in golds]
    return RelationSet(questions, names, texts)


def _question(relation: str, text: str, label: str | None) -> RelationQuestion:
    span = label_span(text, label)
    if span is None:
        return RelationQuestion(text.lower(), relation, False)
    offsets = [at for _, at in words_of(text)]
    return RelationQuestion(mask_mention(text, (offsets[span[0]][0], offsets[span[1] - 1][1])), relation, True)


def measure(planner: Planner, asked: RelationSet, report: Callable[[int], None]) -> dict[str, float]:
    """Top-1 among the set's directed relations at the first hop: over questions, and the mean over relations."""
    place = {text.key: i for i, text in enumerate(asked.texts)}
    columns = np.array(
        [directed(place[n.removeprefix(INVERSE)], n.startswith(INVERSE), len(place)) for n in asked.names]
    )
    matrix = planner.relation_matrix(asked.texts)
    top: list[str] = []
    for start in range(0, len(asked.questions), BATCH):
        texts = [question.text for question in asked.questions[start : start + BATCH]]
        everything = np.ones((len(texts), len(matrix)), np.float32)
        probs = planner.plan(texts, matrix, everything).relation_probs[:, 0, columns]
        top += [asked.names[i] for i in probs.argmax(axis=1)]
        report(len(top))
    gold = [question.relation for question in asked.questions]
    right = np.array([one == other for one, other in zip(top, gold, strict=True)], bool)
    is_masked = np.array([question.is_masked for question in asked.questions], bool)
    figures = {
        "questions": len(gold),
        "directed_relations": len(asked.names),
        "top_1": round(float(right.mean()), 4),
        "top_1_macro": round(macro(right, gold), 4),
    }
    for part, name in ((is_masked, "masked_by_label"), (~is_masked, "as_asked")):
        figures[name] = int(part.sum())
        figures[f"top_1_{name}"] = round(float(right[part].mean()), 4) if part.any() else 0.0
    return figures
