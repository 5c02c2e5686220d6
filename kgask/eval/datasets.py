"""Question sets as questions with gold answers by label or by key."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from kgask.sets import registry
from kgask.sets.gold import Gold, sample
from kgask.sets.webquestions import OverFreebase, answerable

REWORDED = "entityquestions_reworded.tsv"


@dataclass(frozen=True, slots=True)
class GoldQuestion:
    text: str  # without brackets
    topic: str  # label, or key
    answers: frozenset[str]  # labels, or keys; any of them right on top
    by_key: bool = False  # topic and answers are keys of the pack


def _of(gold: Gold) -> GoldQuestion:
    topic = gold.topics[0] if gold.topics else None
    answers = frozenset(answer.key or answer.names[0] for answer in gold.answers)
    by_key = topic is not None and topic.key is not None
    return GoldQuestion(gold.text, (topic.key or topic.name) if topic else "", answers, by_key)


def bracketed(path: Path, limit: int | None = None) -> list[GoldQuestion]:
    """MetaQA's form."""
    return [_of(gold) for gold in sample(registry.load("metaqa", path), limit)]


def entity_questions(path: Path, limit: int | None = None) -> list[GoldQuestion]:
    """A folder of EntityQuestions' files, or lines of ``text<TAB>topic<TAB>answer|answer``."""
    name = "entityquestions" if path.is_dir() else "tsv"
    return [_of(gold) for gold in sample(registry.load(name, path), limit)]


def reworded(limit: int | None = None) -> list[GoldQuestion]:
    """200 questions of EntityQuestions' dev part in words of our own."""
    with resources.as_file(resources.files("kgask.eval") / REWORDED) as path:
        return entity_questions(path, limit)


def webquestions(data: Path, splits: tuple[str, ...]) -> OverFreebase:
    """As :func:`kgask.sets.webquestions.answerable`."""
    return answerable(data, splits)
