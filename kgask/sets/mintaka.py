"""Mintaka (Sen et al. 2022): complex questions of nine kinds with Wikidata ids."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kgask.sets.gold import Gold, GoldAnswer, GoldTopic
from kgask.sets.rows import fits, json_records, optional_text, text_at

FOLDER = Path("mintaka")
TRAINING = FOLDER / "mintaka_train_500.json"
_TYPES = {"entity": "entity", "numerical": "number", "date": "date", "boolean": "yesno"}


def load(path: Path, split: str | None) -> list[Gold]:
    """``mintaka_dev.json``, or the folder and ``split``.

    A question that counts is answered by the number, not by what is counted; yes and no are words; where no id is
    given, the answer is the annotator's words. Numbers, dates and places in an order are no topics.
    """
    return [_gold(where, row) for _, where, _, row in json_records(path, split)]


def _gold(where: str, row: dict[str, Any]) -> Gold:
    with fits(where):
        kind = text_at(row, "complexityType")
        return Gold(
            id=text_at(row, "id"),
            text=text_at(row, "question"),
            answers=_answers(row["answer"], kind),
            topics=tuple(_topic(entity) for entity in row["questionEntity"] if entity["entityType"] == "entity"),
            kind=kind,
            answer_type="number" if kind == "count" else _TYPES.get(row["answer"].get("answerType"), ""),
        )


def _topic(entity: dict[str, Any]) -> GoldTopic:
    key, span = entity.get("name"), entity.get("span")
    name = _label(entity.get("label")) or text_at(entity, "mention")
    return GoldTopic(name, key if isinstance(key, str) else None, (span[0], span[1]) if span else None)


def _answers(answer: dict[str, Any], kind: str) -> tuple[GoldAnswer, ...]:
    if kind == "count" and answer.get("answerNum") is not None:
        return (GoldAnswer((str(answer["answerNum"]),)),)
    found = answer["answer"]
    if found is None:
        mention = optional_text(answer.get("mention"))
        return (GoldAnswer((mention,)),) if mention else ()
    return tuple(dict.fromkeys(_answer(value) for value in found))


def _answer(value: object) -> GoldAnswer:
    if isinstance(value, bool):
        return GoldAnswer(("yes" if value else "no",))
    if isinstance(value, dict):
        label = _label(value.get("label"))
        return GoldAnswer((label,) if label else (), text_at(value, "name"))
    return GoldAnswer((str(value),))


def _label(label: object) -> str:
    """The published file has a label per language, samples of it the English one alone."""
    return optional_text(label.get("en") if isinstance(label, dict) else label)
