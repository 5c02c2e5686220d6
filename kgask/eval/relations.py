"""SimpleQuestions over Wikidata: which directed relation does a question ask for?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from kgask.errors import UsageError
from kgask.eval.metrics import macro
from kgask.pack.records import RelationText
from kgask.plan.rigel_onnx import HopDistributions, mask_mention
from kgask.sets.files import open_text, read_json
from kgask.sets.topic_spans import label_span, words_of
from kgask.types import directed

LABEL_FILES = ("wikidata_labels_union.json.gz", "kgconv/preferred_labels.json.gz")
BATCH = 64


class Planner(Protocol):
    """What is measured: the ONNX planner, or one on torch."""

    def relation_matrix(self, relations: Sequence[RelationText]) -> np.ndarray: ...

    def plan(self, texts: list[str], directed: np.ndarray, first_mask: np.ndarray) -> HopDistributions: ...


@dataclass(frozen=True, slots=True)
class RelationQuestion:
    text: str  # lower case, the topic masked where its label is known and stands in the text
    relation: str  # P19, or R19 from object to subject
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
    rows = _rows(path)
    beside = [row for other in sorted(path.parent.glob("annotated_wd_data_*.txt*")) for row in _rows(other)]
    names = sorted({row[1] for row in rows + beside})
    labels = read_json(data / "wikidata_props" / "en1.json")
    keys = sorted({"P" + name[1:] for name in names})
    texts = [RelationText(key, labels.get(key, key)) for key in keys]
    return RelationSet(_questions(rows, data), names, texts)


def _rows(path: Path) -> list[list[str]]:
    rows = [line.rstrip("\n").split("\t") for line in open_text(path)]
    for number, row in enumerate(rows, 1):
        if len(row) != 4 or row[1][:1] not in ("P", "R") or not row[1][1:].isdigit():
            raise UsageError(f"{path}:{number}: expected 'subject<TAB>P or R id<TAB>object<TAB>question'")
    if not rows:
        raise UsageError(f"{path}: empty")
    return rows


def _questions(rows: list[list[str]], data: Path) -> list[RelationQuestion]:
    labels: dict[str, str] = {}
    for name in LABEL_FILES:
        labels.update(read_json(data / name))
    return [_question(relation, text, labels.get(subject)) for subject, relation, _, text in rows]


def _question(relation: str, text: str, label: str | None) -> RelationQuestion:
    span = label_span(text, label)
    if span is None:
        return RelationQuestion(text.lower(), relation, False)
    offsets = [at for _, at in words_of(text)]
    return RelationQuestion(mask_mention(text, (offsets[span[0]][0], offsets[span[1] - 1][1])), relation, True)


def measure(planner: Planner, asked: RelationSet, report: Callable[[int], None]) -> dict[str, float]:
    """Top-1 among the set's directed relations at the first hop: over questions, and the mean over relations."""
    place = {text.key: i for i, text in enumerate(asked.texts)}
    columns = np.array([directed(place["P" + n[1:]], n[0] == "R", len(place)) for n in asked.names])
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
