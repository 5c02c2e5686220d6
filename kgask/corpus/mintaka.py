"""Mintaka's training part (Sen et al. 2022): what kind of answer a question wants.

Its questions count, compare and rank; no path is given, so they teach the
answer type and whether several entities narrow the answers.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from kgask.corpus.examples import MASK, PathExample, tidy
from kgask.sets.files import read_json

_TYPES = {"entity": "entity", "numerical": "number", "date": "date", "boolean": "yesno"}


def mintaka_questions(data: Path) -> Iterator[PathExample]:
    """One example for every entity mentioned, the text unmasked where none is."""
    for row in read_json(data / "mintaka" / "mintaka_train_500.json"):
        kind = _TYPES.get(row["answer"]["answerType"])
        if row["complexityType"] == "count":  # the answer lists what was counted
            kind = "number"
        if kind is None:
            continue
        question = row["question"]
        spans = [e["span"] for e in row["questionEntity"] if e["entityType"] == "entity" and e["span"]]
        texts = [f"{question[:start]} {MASK} {question[end:]}" for start, end in spans] or [question]
        constrained = row["complexityType"] == "intersection"
        for text in texts:
            yield PathExample(tidy(text), None, "mintaka", answer_type=kind, constrained=constrained)
