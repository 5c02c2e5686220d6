"""Questions with the queries that a planner takes them for, and with wrong neighbours of the right one."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from kgask.answer.choices import in_words
from kgask.answer.pipeline import Pipeline
from kgask.answer.readings import answers_in_words
from kgask.answer.request import AskOptions
from kgask.corpus.golds import is_gold, is_said, is_some
from kgask.corpus.judged import COMPOSED, JudgedQuery, JudgedQuestion, without_doubles
from kgask.corpus.pack_operators import PackQuestion
from kgask.errors import KgaskError, QueryError
from kgask.methods.protocol import Hypothesis
from kgask.methods.relation_facts import RelationFacts
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.base import By, Comparison, Node
from kgask.query.nodes import Query
from kgask.query.own_units import read_query
from kgask.query.rewrite import replaced
from kgask.query.words import verbalise
from kgask.retrieve.frontier import Budget
from kgask.retrieve.outcome import Result
from kgask.retrieve.run import Runner, run
from kgask.sets.everyday import EverydayQuestion
from kgask.sets.gold import Gold
from kgask.types import Question

MOST_CHANGED, CHANGES_TRIED, SECONDS = 3, 6, 0.5
OTHER_RELATION = 0.65  # share of the changes that put another relation into a query
EMPTY_KEPT = 0.4  # share of the changes that come to nothing which are kept
BY_CHANCE = 3  # of fewer members, or of a truth or number, another query may come to the same
_WALKING = nodes.Follow | nodes.Having | nodes.Values | nodes.Holds
_OTHER: dict[Comparison, Comparison] = {"<": ">", ">": "<", "<=": ">", ">=": "<"}


def composed(pipeline: Pipeline, questions: Iterable[PackQuestion], rng: random.Random) -> Iterator[JudgedQuestion]:
    """Questions with gold queries."""
    yield from _with_golds(pipeline, ((one.text, one.gold) for one in questions), rng, COMPOSED)


def everyday(
    pipeline: Pipeline, questions: Iterable[EverydayQuestion], rng: random.Random, source: str
) -> Iterator[JudgedQuestion]:
    """Questions that were worded for this pack; several in one are left out. QueryError for a gold that cannot run."""
    pack = pipeline.pack
    golds = ((one.text, run(read_query(one.golds[0], pack), pack) if one.golds else None) for one in questions)
    yield from _with_golds(pipeline, golds, rng, source)


def _with_golds(
    pipeline: Pipeline, questions: Iterable[tuple[str, Result | None]], rng: random.Random, source: str
) -> Iterator[JudgedQuestion]:
    """Those without a gold cannot be answered, and all that is read in them is wrong."""
    pack, changes = pipeline.pack, Changes(pipeline.pack, rng)
    for text, gold in questions:
        queries = [*_planned(pipeline, text, gold, partial(is_gold, pack, gold))]
        if gold is not None:
            queries += [JudgedQuery(verbalise(gold.query, pack), answers_in_words(gold, (), pack), True)]
            queries += changes.of(gold)
        if queries:
            yield JudgedQuestion(text, source, without_doubles(queries))


def peoples(pipeline: Pipeline, golds: Iterable[Gold]) -> Iterator[JudgedQuestion]:
    """Questions of a set with gold answers; the planner's first choice is believed where it comes to them."""
    for one in golds:
        queries = [*_planned(pipeline, one.text, None, partial(is_said, pipeline.pack, one))]
        if queries:
            yield JudgedQuestion(one.text, "kqapro", without_doubles(queries))


def _planned(
    pipeline: Pipeline, text: str, gold: Result | None, is_right: Callable[[Hypothesis], bool]
) -> Iterator[JudgedQuery]:
    """What the planner reads in a question, its first choice first."""
    found = pipeline.understand(Question(text), AskOptions())
    for at, one in enumerate(every for every in (found, *found.find_alternatives()) if every.hypotheses):
        said = in_words(one, pipeline.pack)
        if said is None:
            continue
        best = one.hypotheses[0]
        right = is_some(best) and is_right(best)
        doubtful = right and at > 0 and _may_be_chance(best, gold)
        yield JudgedQuery(*said, None if doubtful else right)


def _may_be_chance(found: Hypothesis, gold: Result | None) -> bool:
    """Whether a query that comes to what is right may ask for something else: it has other relations than the gold."""
    query = found.make_query()
    if len(found.answers) >= BY_CHANCE or query is None:
        return False
    return gold is None or _relations(query) != _relations(gold.query)


def _relations(query: Node) -> set[int]:
    """The relations that a query has to do with, in either direction as the node says."""
    return {relation for node in query.walk() for relation in _relations_of(node)}


def _relations_of(node: Node) -> tuple[int, ...]:
    if isinstance(node, By):
        return node.path
    return (node.relation,) if isinstance(node, _WALKING) else ()


class Changes:
    """Wrong neighbours of a query: another relation, the other end of a scale, another operator."""

    def __init__(self, pack: Pack, rng: random.Random) -> None:
        self._pack, self._rng, self._facts = pack, rng, RelationFacts(pack)
        walked = np.flatnonzero(self._facts.paths).tolist()
        is_value = {one: one < pack.n_relations and self._facts.of(one)[0] is not None for one in walked}
        self._alike = {kind: [one for one in walked if is_value[one] is kind] for kind in (True, False)}

    def of(self, gold: Result) -> Iterator[JudgedQuery]:
        """At most :data:`MOST_CHANGED`, each of which comes to something else."""
        pack = self._pack
        right, runner, made = answers_in_words(gold, (), pack), Runner(pack, Budget(SECONDS)), 0
        for _ in range(CHANGES_TRIED):
            changed = self._changed(gold.query)
            if changed is None or made == MOST_CHANGED:
                continue
            try:
                said, words = answers_in_words(runner.result(changed), (), pack), verbalise(changed, pack)
            except KgaskError:
                continue
            if said != right and (said != "nothing" or self._rng.random() < EMPTY_KEPT):
                made += 1
                yield JudgedQuery(words, said, False)

    def _changed(self, query: Query) -> Query | None:
        """The query with one of its nodes changed; None where the one that was drawn cannot be."""
        node = self._rng.choice([*query.walk()])
        new = self._other_relation(node) if self._rng.random() < OTHER_RELATION else self._turned(node)
        return None if new is None else _with(query, node, new)

    def _other_relation(self, node: Node) -> Node | None:
        relations = _relations_of(node)
        if not relations:
            return None
        last = relations[-1]
        is_value = last < self._pack.n_relations and self._facts.of(last)[0] is not None
        other = self._rng.choice(self._alike[is_value] or [last])
        if isinstance(node, By):
            return replace(node, path=(*relations[:-1], other))
        return replace(node, relation=other)  # type: ignore[type-var]  # those that are walked by have one

    def _turned(self, node: Node) -> Node | None:
        match node:
            case nodes.Best():
                return replace(node, most=not node.most)
            case nodes.Where(_, _, comparison) if comparison in _OTHER:
                return replace(node, comparison=_OTHER[comparison])
            case nodes.And(left, right):
                return self._rng.choice((nodes.Or, nodes.Minus))(left, right)
            case nodes.Or(left, right) | nodes.Minus(left, right):
                return nodes.And(left, right)
            case nodes.Count(base):
                return base
            case nodes.Sum(values):
                return nodes.Mean(values)
            case nodes.Mean(values):
                return nodes.Sum(values)
        return None


def _with(node: Node, old: Node, new: Node) -> Query | None:
    """A query with a node, wherever it stands, by another; None where the new one cannot stand there."""
    try:
        changed: Query = replaced(node, old, new)
    except QueryError:
        return None
    return changed
