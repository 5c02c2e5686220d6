"""WikiWebQuestions (Xu et al. 2023): WebQuestions with SPARQL over Wikidata; published without answers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from kgask.sets.gold import Gold, GoldTopic
from kgask.sets.rows import fits, json_records, text_at
from kgask.sets.sparql import query_facts

TRAINING = Path("wikiwebquestions") / "train.json.gz"


def load(path: Path, split: str | None) -> list[Gold]:
    """``train.json``, or the folder and ``split``; topics and relations are read from the query."""
    found = []
    for ident, text, sparql in rows(path, split):
        facts = query_facts(sparql)
        topics = tuple(GoldTopic("", key) for key in facts.topics)
        found.append(Gold(ident, text, (), topics, facts.relations, facts.form, facts.hops, facts.triples))
    return found


def rows(path: Path, split: str | None = None) -> Iterator[tuple[str, str, str]]:
    """(id, question, SPARQL)"""
    for _, where, _, row in json_records(path, split):
        with fits(where):
            fields = text_at(row, "id"), text_at(row, "utterance"), text_at(row, "sparql")
        yield fields
