"""Ids as words: the triples of a proof, relations, literals; all labels of one kind in one batch."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from kgask.answer.result import SupportTriple, number_value, when_value
from kgask.pack.quantities import date_quantity
from kgask.pack.store import Pack
from kgask.types import DirectedRelationId, EntityId, ScoredTriple, undirected
from kgask.verbalise import statements_in_words

_WHICH_YEAR = re.compile(
    r"\W*(?:and |so )?(?:(?:for|in|at|from|since|of|until|by|during) )?(?:which|what) years?\b", re.IGNORECASE
)
_DAY = re.compile(r"(-?\d{1,5})-\d\d(?:-\d\d)?")


def relation_name(pack: Pack, directed_relation: DirectedRelationId) -> str:
    """The relation's label, after ``<inv>-`` when followed from object to subject."""
    relation, inverse = undirected(directed_relation, pack.n_relations)
    label = pack.relations()[relation].label
    return f"<inv>-{label}" if inverse else label


def support_in_words(pack: Pack, triples: Sequence[ScoredTriple]) -> tuple[SupportTriple, ...]:
    """The triples with labels and what their statements say, all labels fetched in one batch."""
    if not triples:
        return ()
    subjects, relations, objects = pack.triples(np.array([t.triple for t in triples]))
    ends = pack.labels(np.concatenate([subjects, objects]).tolist())
    names = [text.label for text in pack.relations()]
    said = statements_in_words(pack, (t.triple for t in triples), names)
    rows = zip(triples, ends[: len(triples)], relations.tolist(), ends[len(triples) :], strict=True)
    return tuple(
        SupportTriple(
            t.triple, subject, names[relation], obj, t.hop, round(t.score, 4), t.inverse,
            sum(said.get(t.triple, ()), ()),
        )
        for t, subject, relation, obj in rows
    )  # fmt: skip


def literal_value(pack: Pack, entity: EntityId) -> dict[str, Any] | None:
    """The number or date that a literal is; None for text and for entities."""
    literal = pack.literals([entity])[0] if entity >= pack.n_entities - pack.n_literals else None
    if literal is not None and literal.kind == "number" and literal.value is not None:
        return number_value(literal.value, literal.value, literal.unit)
    if literal is not None and literal.kind == "date":
        return when_value(date_quantity(literal.text))
    return None


def years_asked(question: str, text: str | None) -> str | None:
    """What is told, or only the years of days and months, where a question asks for those.

    >>> years_asked("In which year did Peru become independent?", "1821-07-28"), years_asked("When?", "1821-07-28")
    ('1821', '1821-07-28')
    """
    days = [_DAY.fullmatch(one) for one in (text or "").split(" | ")] if _WHICH_YEAR.match(question) else []
    years = [one[1] for one in days if one is not None]
    return " | ".join(dict.fromkeys(years)) if years and len(years) == len(days) else text


def relation_in_words(pack: Pack, directed_relation: int) -> str:
    """The label of a relation, or of its inverse."""
    relation, inverse = undirected(directed_relation, pack.n_relations)
    words = pack.relations()[relation]
    return words.inverse_label or f"inverse of {words.label}" if inverse else words.label
