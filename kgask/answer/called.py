"""Asked again, with relations called as the question calls them: "when did it go live?" of a column "commissioned".

Planner and judge know few of the words that owners of tables use. What they are not sure of is asked of the same graph
under the names that :mod:`kgask.methods.lexicon` finds in the question; what comes of it is told in the graph's own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from kgask.answer.requeried import requeried
from kgask.answer.result import Answer
from kgask.methods.lexicon import called_in
from kgask.pack.labels import readable_relation
from kgask.pack.renamed import renamed
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.nodes import Query
from kgask.types import RelationId, Seed

if TYPE_CHECKING:
    from kgask.answer.pipeline import Pipeline
    from kgask.answer.request import AskOptions
    from kgask.methods.protocol import Request, Retrieved

BELIEVED = 0.95  # times the confidence in what is asked under other names
MOST_VIEWS = 16  # ways to call the relations of a pack that are kept ready
Names = frozenset[tuple[RelationId, str]]  # what some relations are called
NAMED = 0.5  # score from which on a mention is a name, and no word for a relation


def surely_named(seeds: Iterable[Seed]) -> list[Seed]:
    """Of what a text may name, what it surely does."""
    return [one for one in seeds if one.score >= NAMED]


def asked_as_called(
    pipeline: Pipeline, request: Request, found: Retrieved, answer: Answer, options: AskOptions
) -> Answer:
    """The answer, or, where that is not sure, a surer one over a pack whose relations are called as the question does.

    ``found`` is what the question was taken to ask. Who says which thing is meant, or how far away the answer is, asks
    no more than that.
    """
    pack, least = pipeline.pack, pipeline.min_confidence
    is_sure = answer.confidence >= least or request.entity is not None or bool(request.exact_hops)
    if is_sure or pack.is_renamed or not pipeline.judges:
        return answer
    labels = called_in(request.question.text, surely_named(seed for one in found.linked for seed in one.seeds), pack)
    if not labels:
        return answer
    other = as_called(pipeline, labels).ask_given(
        request.question, request.given, replace(options, min_confidence=least)
    )
    confidence = BELIEVED * other.confidence
    if not other or other.query is None or _is_whole_column(other.query) or confidence <= answer.confidence:
        return answer
    told = requeried(other, other.query, confidence, pack)
    if told.text != other.text:
        return answer
    return replace(told, notes=(*told.notes, *(_note(one, said, pack) for one, said in labels.items())))


def as_called(pipeline: Pipeline, labels: Mapping[RelationId, str]) -> Pipeline:
    """The same over a pack whose relations are called so, without a reader."""
    key, views = frozenset(labels.items()), pipeline.views
    if key not in views:
        while len(views) >= MOST_VIEWS:
            del views[next(iter(views))]
        views[key] = type(pipeline)(renamed(pipeline.pack, labels), pipeline.planner, None, judge=pipeline.judge)
    return views[key]


def _is_whole_column(query: Query) -> bool:
    """Whether it takes all that a relation leads to: "who was leading?" asks that of something that it does not say."""
    return isinstance(query, nodes.Follow) and isinstance(query.base, nodes.Having)


def _note(relation: RelationId, said: str, pack: Pack) -> str:
    return f"read '{said.removesuffix(' of')}' as '{readable_relation(pack.relation_labels()[relation])}'"
