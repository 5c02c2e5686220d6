"""SimpleQuestions over Wikidata: which directed relation does a question ask for?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from kgask.bench.metrics import macro
from kgask.errors import UsageError
from kgask.pack.records import RelationText
from kgask.plan.rigel_onnx import HopDistributions, mask_mention
from kgask.sets.files import open_text, read_json
from kgask.sets.topic_spans import Span, SpanModel, label_span, words_of
from kgask.types import directed

LABEL_FILES = ("wikidata_labels_union.json.gz", "kgconv/preferred_labels.json.gz")
SURE_LEAD = 1.0  # log-odds of the likeliest span over the next
BATCH = 64


class Planner(Protocol):
    """What is measured: the ONNX planner, or one on torch."""

    def relation_matrix(self, relations: Sequence[RelationText], relation_hash: str) -> np.ndarray: ...

    def plan(self, texts: list[str], directed: np.ndarray, first_mask: np.ndarray) -> HopDistributions: ...


@dataclass(frozen=True, slots=True)
class RelationQuestion:
    text: str  # lower case, the topic masked where it was found
    relation: str  # P19, or R19 from object to subject
    masked: str  # "label", "span", or "no"


@dataclass(frozen=True, slots=True)
class RelationSet:
    """Questions with the directed relations that they compete over."""

    questions: list[RelationQuestion]
    names: list[str]  # directed relations of the set
    texts: list[RelationText]


def simple_questions(path: Path, data: Path) -> RelationSet:
    """Questions of an annotated file; relations of all annotated files beside it, with Wikidata's labels.

    The topic is masked where its label stands in the text; where it has no
    label, a model of the wordings finds the name. The model is fitted to the
    texts of the files here and sees no relation.
    """
    rows = _rows(path)
    beside = [row for other in sorted(path.parent.glob("annotated_wd_data_*.txt*")) for row in _rows(other)]
    names = sorted({row[1] for row in rows + beside})
    labels = read_json(data / "wikidata_props" / "en1.json")
    keys = sorted({"P" + name[1:] for name in names})
    texts = [RelationText(key, labels.get(key, key)) for key in keys]
    return RelationSet(_masked(rows, beside, data), names, texts)


def _rows(path: Path) -> list[list[str]]:
    rows = [line.rstrip("\n").split("\t") for line in open_text(path)]
    for number, row in enumerate(rows, 1):
        if len(row) != 4 or row[1][:1] not in ("P", "R") or not row[1][1:].isdigit():
            raise UsageError(f"{path}:{number}: expected 'subject<TAB>P or R id<TAB>object<TAB>question'")
    if not rows:
        raise UsageError(f"{path}: empty")
    return rows


def _masked(rows: list[list[str]], beside: list[list[str]], data: Path) -> list[RelationQuestion]:
    labels: dict[str, str] = {}
    for name in LABEL_FILES:
        labels.update(read_json(data / name))
    texts = [row[3] for row in rows + beside]
    known = [label_span(row[3], labels.get(row[0])) for row in rows + beside]
    found = SpanModel(name for name in labels.values() if len(name) > 3).fit([("", text) for text in texts], known)
    return [_question(row, *guess, sure) for row, guess, sure in zip(rows, found, known, strict=False)]


def _question(row: list[str], span: Span | None, lead: float, sure: Span | None) -> RelationQuestion:
    text = row[3]
    if span is None or lead < SURE_LEAD:
        return RelationQuestion(text.lower(), row[1], "no")
    offsets = [at for _, at in words_of(text)]
    masked = mask_mention(text, (offsets[span[0]][0], offsets[span[1] - 1][1]))
    return RelationQuestion(masked, row[1], "label" if sure else "span")


def measure(planner: Planner, asked: RelationSet, report: Callable[[int], None]) -> dict[str, float]:
    """Top-1 among the set's directed relations at the first hop: over questions, and the mean over relations."""
    place = {text.key: i for i, text in enumerate(asked.texts)}
    columns = np.array([directed(place["P" + n[1:]], n[0] == "R", len(place)) for n in asked.names])
    matrix = planner.relation_matrix(asked.texts, "SimpleQuestions-Wikidata " + " ".join(place))
    top: list[str] = []
    for start in range(0, len(asked.questions), BATCH):
        texts = [question.text for question in asked.questions[start : start + BATCH]]
        everything = np.ones((len(texts), len(matrix)), np.float32)
        probs = planner.plan(texts, matrix, everything).relation_probs[:, 0, columns]
        top += [asked.names[i] for i in probs.argmax(axis=1)]
        report(len(top))
    gold = [question.relation for question in asked.questions]
    right = np.array([one == other for one, other in zip(top, gold, strict=True)], bool)
    kinds = np.array([question.masked for question in asked.questions])
    figures = {
        "questions": len(gold),
        "directed_relations": len(asked.names),
        "top_1": round(float(right.mean()), 4),
        "top_1_macro": round(macro(right, gold), 4),
    }
    for kind, name in (("label", "masked_by_label"), ("span", "masked_by_wording"), ("no", "unmasked")):
        figures[name] = int((kinds == kind).sum())
        figures[f"top_1_{name}"] = round(float(right[kinds == kind].mean()), 4) if (kinds == kind).any() else 0.0
    return figures
