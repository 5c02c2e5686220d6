"""Mintaka's training part (Sen et al. 2022): what kind of answer a question wants.

Its questions count, compare and rank; no path is given, so they teach the
answer type and whether several entities narrow the answers.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from kgask.corpus.examples import MASK, PathExample, tidy
from kgask.sets import mintaka, registry
from kgask.sets.rows import in_data


def mintaka_questions(data: Path) -> Iterator[PathExample]:
    """One example for every entity mentioned, the text unmasked where none is."""
    for gold in registry.load("mintaka", in_data(data, mintaka.TRAINING)):
        if not gold.answer_type:
            continue
        spans = [topic.span for topic in gold.topics if topic.span]
        texts = [f"{gold.text[:start]} {MASK} {gold.text[end:]}" for start, end in spans] or [gold.text]
        constrained = gold.kind == "intersection"
        for text in texts:
            yield PathExample(tidy(text), None, "mintaka", answer_type=gold.answer_type, constrained=constrained)
