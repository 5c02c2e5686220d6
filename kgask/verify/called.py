"""Claims read again, with relations called as the claim calls them (:mod:`kgask.answer.called`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from kgask.answer.called import BELIEVED, as_called, surely_named
from kgask.answer.pipeline import Pipeline
from kgask.answer.result import SupportTriple
from kgask.link.naming import seeds_in
from kgask.methods.lexicon import called_in
from kgask.pack.store import Pack
from kgask.query.text import parse, to_text
from kgask.types import RelationId
from kgask.verify.verdict import UNKNOWN, Verdict


def verified_as_called(verdict: Verdict, pipeline: Pipeline, judge: Callable[[Pipeline], Verdict]) -> Verdict:
    """The verdict, or, where it is open, what ``judge`` has over the graph under the names that the claim has for
    relations, told in the graph's own."""
    if verdict.verdict != UNKNOWN:
        return verdict
    labels = called_in(verdict.claim, surely_named(seeds_in(pipeline.linker, verdict.claim)), pipeline.pack)
    if not labels:
        return verdict
    other = as_called(pipeline, labels)
    said = judge(other)
    return verdict if said.verdict == UNKNOWN else _told(said, labels, other.pack, pipeline.pack)


def _told(verdict: Verdict, labels: Mapping[RelationId, str], other: Pack, pack: Pack) -> Verdict:
    """A verdict over a pack whose relations are called otherwise, in the words of the pack itself."""
    own = {said: pack.relation_labels()[relation] for relation, said in labels.items()}
    return replace(
        verdict,
        confidence=round(BELIEVED * verdict.confidence, 4),
        query=to_text(parse(verdict.query, other), pack) if verdict.query is not None else None,
        support=tuple(_renamed(one, own) for one in verdict.support),
        counter=tuple(_renamed(one, own) for one in verdict.counter),
        parts=tuple(_told(one, labels, other, pack) for one in verdict.parts),
    )


def _renamed(triple: SupportTriple, own: Mapping[str, str]) -> SupportTriple:
    return replace(triple, relation=own.get(triple.relation, triple.relation))
