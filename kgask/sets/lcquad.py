"""LC-QuAD 1 over DBpedia (Trivedi et al. 2017) and LC-QuAD 2 over Wikidata (Dubey et al. 2019).

Both are published with queries and mostly without answers; answers that a copy holds are read, in any of the forms
that copies give them in: texts, IRIs, or the result of a SPARQL endpoint.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kgask.sets.bindings import answers_of
from kgask.sets.gold import Gold, GoldTopic
from kgask.sets.keys import graph_key, readable_name
from kgask.sets.rows import fits, json_records, optional_text, stem, text_at
from kgask.sets.sparql import query_facts

_WORDINGS = ("question", "paraphrased_question", "NNQT_question")  # of LC-QuAD 2, best first


def load_lcquad1(path: Path, split: str | None) -> list[Gold]:
    """``train-data.json`` or the fully annotated file (with entity mappings), or the folder and ``split``."""
    return [_lcquad1(*record) for record in json_records(path, split)]


def _lcquad1(path: Path, where: str, number: int, row: dict[str, Any]) -> Gold:
    with fits(where):
        facts = query_facts(text_at(row, "sparql_query", "query"))
        mapped = [GoldTopic(optional_text(entity.get("label")), text_at(entity, "uri"))
                  for entity in row.get("entity mapping") or ()]  # fmt: skip
        ident = row.get("_id", row.get("SerialNumber"))
        template = row.get("sparql_template_id", row.get("id"))
        return Gold(
            id=str(ident) if ident is not None else f"{stem(path)}:{number}",
            text=text_at(row, "corrected_question", "question"),
            answers=answers_of(row.get("answers", row.get("answer"))),
            topics=tuple(mapped) or tuple(GoldTopic(readable_name(key), key) for key in facts.topics),
            relations=facts.relations,
            kind=f"template {template}" if template is not None else facts.form,
            hops=facts.hops,
            triples=facts.triples,
        )


def load_lcquad2(path: Path, split: str | None) -> list[Gold]:
    """``train.json`` or ``test.json``, or the folder and ``split``.

    A question without wording of its own is asked by its paraphrase, else by the machine's wording.
    """
    return [_lcquad2(where, row) for _, where, _, row in json_records(path, split)]


def _lcquad2(where: str, row: dict[str, Any]) -> Gold:
    with fits(where):
        facts = query_facts(text_at(row, "sparql_wikidata"))
        wordings = [name for name in _WORDINGS if _is_wording(row.get(name))]
        return Gold(
            id=str(row["uid"]),
            text=text_at(row, *wordings),
            answers=answers_of(row.get("answer", row.get("answers"))),
            topics=tuple(GoldTopic("", graph_key(key)) for key in facts.topics),
            relations=facts.relations,
            kind=optional_text(row.get("subgraph")) or facts.form,
            hops=facts.hops,
            triples=facts.triples,
        )


def _is_wording(value: object) -> bool:
    return optional_text(value).lower() not in ("", "n/a", "na", "none")
