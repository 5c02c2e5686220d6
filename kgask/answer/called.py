"""Asked again, with relations called as the question calls them: "when did it go live?" of a column "commissioned".

Planner and judge know few of the words that owners of tables use. What they are not sure of is asked of the same graph
under the names that :mod:`kgask.methods.lexicon` finds in the question; what comes of it is told in the graph's own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from kgask.answer.requeried import requeried
from kgask.answer.result import Answer
from kgask.pack.labels import readable_relation
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.nodes import Query
from kgask.types import RelationId, Seed

BELIEVED = 0.95  # times the confidence in what is asked under other names
NAMED = 0.5  # score from which on a mention is a name, and no word for a relation


def surely_named(seeds: Iterable[Seed]) -> list[Seed]:
    """Of what a text may name, what it surely does."""
    return [one for one in seeds if one.score >= NAMED]


def asked_as_called(answer: Answer, other: Answer, labels: Mapping[RelationId, str], pack: Pack) -> Answer:
    """The answer, or the ``other``, where relations are called so, if that is surer."""
    confidence = BELIEVED * other.confidence
    if not other or other.query is None or _is_whole_column(other.query) or confidence <= answer.confidence:
        return answer
    told = requeried(other, other.query, confidence, pack)
    if told.text != other.text:
        return answer
    return replace(told, notes=(*told.notes, *(_note(one, said, pack) for one, said in labels.items())))


def _is_whole_column(query: Query) -> bool:
    """Whether it takes all that a relation leads to: "who was leading?" asks that of something that it does not say."""
    return isinstance(query, nodes.Follow) and isinstance(query.base, nodes.Having)


def _note(relation: RelationId, said: str, pack: Pack) -> str:
    return f"read '{said.removesuffix(' of')}' as '{readable_relation(pack.relation_labels()[relation])}'"
