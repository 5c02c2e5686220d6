"""QALD (Usbeck et al.): one JSON form for DBpedia and Wikidata, questions in many languages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kgask.sets.bindings import answers_of
from kgask.sets.gold import Gold, GoldTopic
from kgask.sets.keys import readable_name
from kgask.sets.rows import fits, json_records, optional_text, text_at
from kgask.sets.sparql import query_facts

LANGUAGE = "en"


def load(path: Path, split: str | None) -> list[Gold]:
    """``qald_9_plus_train_wikidata.json`` or its like, or the folder and ``split``.

    The English wording is asked; a question that has none is asked in the first language that it has.
    """
    return [_gold(where, number, row) for _, where, number, row in json_records(path, split, "questions")]


def _gold(where: str, number: int, row: dict[str, Any]) -> Gold:
    with fits(where):
        query = row.get("query")
        facts = query_facts(optional_text(query.get("sparql") if isinstance(query, dict) else query))
        return Gold(
            id=str(row.get("id", number)),
            text=_wording(row["question"]),
            answers=answers_of(row.get("answers") or []),
            topics=tuple(GoldTopic(readable_name(key), key) for key in facts.topics),
            relations=facts.relations,
            kind=optional_text(row.get("answertype")) or facts.form,
            hops=facts.hops,
            triples=facts.triples,
        )


def _wording(wordings: Any) -> str:
    if isinstance(wordings, str):
        return text_at({"question": wordings}, "question")
    written = [wording for wording in wordings if optional_text(wording.get("string"))]
    if not written:
        raise ValueError("no wording of the question")
    return text_at(next((one for one in written if one.get("language") == LANGUAGE), written[0]), "string")
