"""What a "no" may overlook: a kind of things is named ("has she got a Nobel Prize?"), another relation is meant."""

from __future__ import annotations

import numpy as np

from kgask.pack.labels import relation_phrase
from kgask.pack.normalise import normalise
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.axes import relation_axis
from kgask.query.base import Node, SetNode
from kgask.retrieve.follow import are_related, neighbours, relations_of
from kgask.retrieve.outcome import Result
from kgask.retrieve.run import Runner
from kgask.types import opposite

MOST_STATED = 50  # ends whose names are looked at


def of_kinds(runner: Runner, found: Result) -> Result:
    """A "no" as a "yes" where one of what is looked among is an instance of what is named; else as it is."""
    if found.truth is not False:
        return found
    match found.query:
        case nodes.Holds(base, relation, nodes.Entities((kind,))):
            among: SetNode = nodes.Follow(base, relation)
        case nodes.Some(nodes.And(among, nodes.Entities((kind,)))) | nodes.Some(
            nodes.And(nodes.Entities((kind,)), among)
        ):
            pass
        case _:
            return found
    changed = runner.result(nodes.Some(nodes.And(nodes.Class(kind), among)))
    return changed if changed.truth else found


def is_denied(pack: Pack, outcome: Result | None) -> bool:
    """Whether a relation is said not to hold between two things that are in another: that may be the one meant."""
    if outcome is None or outcome.truth is not False:
        return False
    match outcome.query:
        case nodes.Holds(nodes.Entities((one,)), _, nodes.Entities((other,))):
            return are_related(pack, one, other)
    return False


def is_had_otherwise(outcome: Result | None) -> bool:
    """Whether nothing of a class is said to be in a relation to somebody who has such in another: prizes that she is no
    winner of, and an award that she received."""
    if outcome is None or outcome.truth is not False:
        return False
    match outcome.query:
        case nodes.Some(nodes.And(nodes.Class() as kind, nodes.Follow(nodes.Entities((one,)), _))):
            pack, members = outcome.runner.pack, outcome.runner.members(kind).possible
            ends = ([*neighbours(pack, [one], inverse)] for inverse in (False, True))
            return any(bool(np.isin(found, members).any()) for found in ends)
    return False


def is_named_in_part(node: nodes.Holds, runner: Runner) -> bool:
    """Whether a "no" is of one whose name is a part of what the graph states: her son Titus is Titus van Rijn."""
    match node:
        case nodes.Holds(nodes.Entities((one,)) as subject, relation, nodes.Entities((other,)) as obj):
            ends = ((other, subject, relation), (one, obj, opposite(relation, runner.pack.n_relations)))
        case _:
            return False
    for denied, start, leads in ends:
        stated = runner.members(nodes.Follow(start, leads)).certain[:MOST_STATED].tolist()
        said, *others = ({*normalise(label).split()} for label in runner.pack.labels([denied, *stated]))
        if any(said < known for known in others):
            return True
    return False


def is_value_of_another(node: nodes.Holds, question: str, runner: Runner) -> bool:
    """Whether a "no" is of what only other relations lead to, and the question does not say what this one is called: no
    city is the brand of a filter."""
    match node:
        case nodes.Holds(nodes.Entities((_,)), relation, nodes.Entities((value,))) if (
            relation < runner.pack.n_relations
        ):
            pass
        case _:
            return False
    n, text = runner.pack.n_relations, normalise(question)
    others = (np.flatnonzero(relations_of(runner.pack, np.array([value]))[n:]) + n).tolist()
    words = normalise(relation_phrase(runner.pack.relation_labels()[relation])).split()
    if not others or relation + n in others or any(word in text for word in words):
        return False
    ends = runner.members(nodes.Having(relation + n)).certain
    return not any(np.isin(runner.members(nodes.Having(other)).certain, ends).any() for other in others)


def is_what_it_has(node: Node, pack: Pack) -> bool:
    """Whether it is asked if what a thing has is what it has, or if an area is a capital."""
    match node:
        case nodes.Holds(one, relation, nodes.Follow(other, said)):
            is_value, is_other = (relation_axis(pack, at) is not None for at in (relation, said))
            return (relation == said and one == other) or is_value is not is_other
    return False
