"""What a question means that says no relation: "is Nigeria in Africa?", "African countries".

Where nothing but names and classes is said, a "no" of one relation is no answer if another one is between them; an
adjective before a class word is of the place that things of that class lie in, whatever else is called so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

import numpy as np

from kgask.errors import BudgetError, QueryError
from kgask.link.spans import CandidateSpan
from kgask.methods.accounted import CARRY_NOTHING, OPERATOR_WORDS, is_within_any
from kgask.methods.doubts import place_of
from kgask.methods.query_readings import Reading
from kgask.methods.relation_facts import RelationFacts
from kgask.query import nodes
from kgask.query.base import Node, SetNode
from kgask.query.nodes import Query
from kgask.query.rewrite import replaced
from kgask.retrieve.run import Runner

MOST_SEEDS = 3  # whom a name may mean
_WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")
_SAYS_NOTHING = CARRY_NOTHING | OPERATOR_WORDS


def otherwise_meant(reading: Reading, text: str, facts: RelationFacts, runner: Runner) -> Reading:
    """A reading that comes to yes or no, by the relation that is meant where the question says none; else as it is."""
    outcome = reading.outcome
    if outcome is None or outcome.truth is None or not _says_no_relation(text, reading.spans):
        return reading
    for changed, truth in _by_others(outcome.query, outcome.truth, reading.spans, facts):
        try:
            found = runner.result(changed)
        except (QueryError, BudgetError):
            continue
        if found.truth is truth:
            return replace(reading, written=replace(reading.written, query=changed), outcome=found)
    return reading


def placed(spans: Sequence[CandidateSpan], text: str, facts: RelationFacts, runner: Runner) -> list[CandidateSpan]:
    """The spans of a question where an adjective right before a class word means the place that such things lie in.

    "African" of "African countries" may be the name of an ethnic group; countries are in one continent.
    """
    found = [*spans]
    for at, span in enumerate(spans):
        seed = place_of(span, text, facts.pack)
        kind = next((one for one in spans if one.kind == "class" and one.start >= span.end), None)
        if seed is None or seed is span.seeds[0] or kind is None or text[span.end : kind.start].strip():
            continue
        lying = lying_in(kind.nodes[0], seed.entity, facts, runner)
        if lying is not None:
            same = [place for place, one in enumerate(found) if one.kind == "class" and one.place == span.place]
            for of_class in same:
                found[of_class] = replace(found[of_class], nodes=(lying,), scores=found[of_class].scores[:1])
            found[at] = replace(span, seeds=(seed,))
    return found


def lying_in(kind: Node, place: int, facts: RelationFacts, runner: Runner) -> SetNode | None:
    """What lies in a place, by a relation that leads to one thing, if some of a class do; None where they do not."""
    n = facts.n_relations
    if not isinstance(kind, nodes.Class):
        return None
    into = [one for one in np.flatnonzero(facts.of_entity(place)[n:]).tolist() if facts.leads_to_one(one)]
    sets = [nodes.Follow(nodes.Entities((place,)), one + n) for one in into]
    return next((one for one in sets if len(runner.members(nodes.And(kind, one)).certain)), None)


def _says_no_relation(text: str, spans: Sequence[CandidateSpan]) -> bool:
    """Whether a question has no content word beside the names, classes and values in it."""
    places = [one.place for one in spans]
    words = (word for word in _WORD.finditer(text) if not is_within_any(word.span(), places))
    return all(word[0].lower() in _SAYS_NOTHING for word in words)


def _by_others(
    query: Query, truth: bool, spans: Sequence[CandidateSpan], facts: RelationFacts
) -> Iterator[tuple[Query, bool]]:
    """Queries like one of this truth, by other relations, with the truth that each must have to be meant instead.

    Of two names that is a relation which leads to one thing, as to a continent or class, where it holds. Where it does
    not, it is meant if the query takes an adjective ("African") for something else. Of a class any other is, for "no".
    """
    match query:
        case (
            nodes.Holds(nodes.Entities((one,)), _, nodes.Entities((other,)))
            | nodes.Some(nodes.And(nodes.Entities((one,)), nodes.Follow(nodes.Entities((other,)))))
            | nodes.Some(nodes.And(nodes.Follow(nodes.Entities((one,))), nodes.Entities((other,))))
            | nodes.Some(
                nodes.And(nodes.And(nodes.Class(), nodes.Follow(nodes.Entities((one,)))), nodes.Entities((other,)))
            )
        ):
            pairs = [*product((one,), _meant(other, spans)), *product((other,), _meant(one, spans))]
            yield from ((found, True) for first, second in pairs for found in _between(first, second, facts))
            others = [pair for pair in pairs if truth and not {*pair} <= {one, other}]
            yield from ((found, False) for first, second in others for found in _between(first, second, facts))
        case nodes.Some() if not truth:
            for node in query.walk():
                if isinstance(node, nodes.Follow) and isinstance(node.base, nodes.Entities):
                    for relation in np.flatnonzero(facts.of_entity(node.base.ids[0]) & facts.paths).tolist():
                        yield replaced(query, node, nodes.Follow(node.base, relation)), True


def _meant(entity: int, spans: Sequence[CandidateSpan]) -> list[int]:
    """Whom the name of an entity may mean: Africa, where "African" is taken for an ethnic group."""
    seeds = next((one.seeds for one in spans if any(seed.entity == entity for seed in one.seeds)), ())
    return [seed.entity for seed in seeds[:MOST_SEEDS]] or [entity]


def _between(one: int, other: int, facts: RelationFacts) -> Iterator[Query]:
    """That the other is what a relation leads to from it, of such as lead to one thing and lead to the other, too."""
    both = facts.of_entity(one) & np.roll(facts.of_entity(other), facts.n_relations) & facts.paths
    for relation in np.flatnonzero(both[: facts.n_relations]).tolist():
        if facts.leads_to_one(relation):
            yield nodes.Holds(nodes.Entities((one,)), relation, nodes.Entities((other,)))
