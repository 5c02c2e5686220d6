"""Where the graph is silent: what follows only from the absence of triples is no answer.

A query is closed: what no triple says does not hold (:mod:`kgask.query.nodes`, as in SPARQL). Who asks a question wants
to know of the world, of which a graph knows a part. So "no" is said of a relation only where the graph says something
else about it (:func:`kgask.retrieve.derive.otherwise`), and that there is nothing, or 0 of them, only where there
was something to look among.
"""

from __future__ import annotations

import numpy as np

from kgask.methods.flags import flags_of
from kgask.query import nodes
from kgask.query.base import SetNode, TruthNode
from kgask.query.words import verbalise
from kgask.retrieve.compare import every, some
from kgask.retrieve.derive import otherwise
from kgask.retrieve.outcome import Result
from kgask.retrieve.run import Runner
from kgask.types import opposite

MOST_TYPED = 100  # of others, whose kinds are looked at


def unsaid(result: Result) -> str | None:
    """Why a truth or number that was computed is no answer; None where it is one."""
    query, runner = result.query, result.runner
    if isinstance(query, TruthNode) and result.truth is not None and open_truth(runner, query) is None:
        return f"the graph does not say {verbalise(query, runner.pack)}"
    if isinstance(query, nodes.Mean) and _is_one_value(runner, query):
        return f"the graph has one value only of what a mean is asked of: {verbalise(query.values, runner.pack)}"
    if isinstance(query, nodes.Count) and not _speaks_of(runner, query.base):
        return f"the graph says nothing about {verbalise(query.base, runner.pack)}"
    return None


def _is_one_value(runner: Runner, node: nodes.Mean) -> bool:
    values = node.values
    return isinstance(values, nodes.Values | nodes.QualifierOf) and len(runner.bag(values).certain) == 1


def open_truth(runner: Runner, node: TruthNode) -> bool | None:
    """The truth of ``node`` where silence is neither yes nor no."""
    match node:
        case nodes.Not(truth):
            said = open_truth(runner, truth)
            return None if said is None else not said
        case nodes.All(truths):
            return every(open_truth(runner, one) for one in truths)
        case nodes.Any(truths):
            return some(open_truth(runner, one) for one in truths)
    said = runner.truth(node)
    if said is not False:
        return said
    match node:
        case nodes.Some(nodes.And(nodes.Entities() as obj, nodes.Follow(base, relation))):
            node = nodes.Holds(base, relation, obj)
        case nodes.Some(nodes.And(nodes.Follow(_, relation), nodes.Entities() as obj)) if _has_no_flag(
            runner, relation, obj
        ):
            return None
        case nodes.Some(nodes.And(base, nodes.Entities() as obj)) if not isinstance(base, nodes.Class):
            among = runner.members(base).possible  # of nothing, it says nothing that this one is not there
            could_be = len(among) > 0 and _could_be(runner, runner.members(obj).possible, among)
            return False if could_be and _speaks_of(runner, node.base) else None
        case nodes.Some(base):
            return False if _speaks_of(runner, base) else None
    if isinstance(node, nodes.Holds):
        return False if _says_else(runner, node) else None
    return False


def _has_no_flag(runner: Runner, relation: int, one: nodes.Entities) -> bool:
    """Whether nothing stands in the column of "yes" and "no" that an inverse relation is."""
    plain = relation - runner.pack.n_relations
    is_flag = bool(flags_of(runner.pack, plain))
    return is_flag and not len(runner.edges(runner.members(one).possible, plain))


def _says_else(runner: Runner, node: nodes.Holds) -> bool:
    """Whether a graph that does not hold a triple says something else instead."""
    subjects, objects = runner.members(node.subject).possible, runner.members(node.object).possible
    if not len(subjects) or not len(objects):  # of what is not there nothing is said: "the wife of" somebody single
        return False
    if not len(otherwise(runner, node)) or _turned_round(runner, node):
        return False
    ends = runner.edges(subjects, node.relation).targets
    is_end = len(runner.edges(objects, opposite(node.relation, runner.pack.n_relations))) > 0
    return is_end or not isinstance(node.object, nodes.Entities) or _could_be(runner, objects, ends)


def _could_be(runner: Runner, entities: np.ndarray, others: np.ndarray) -> bool:
    """Whether entities are of the same kinds as others, as far as the graph says of what kind they are.

    That physics is none of her awards says nothing: it is no award.
    """
    kinds, other_kinds = runner.types(entities), runner.types(others[:MOST_TYPED])
    return not len(kinds) or not len(other_kinds) or bool(np.isin(kinds, other_kinds).any())


def _turned_round(runner: Runner, node: nodes.Holds) -> bool:
    """Whether the graph has the triple with its ends exchanged: of a spouse or neighbour that says the same."""
    back = runner.edges(runner.members(node.object).possible, node.relation)
    return bool(np.isin(back.targets, runner.members(node.subject).possible).any())


def _has_type(runner: Runner, node: nodes.Entities) -> bool:
    return len(runner.types(runner.members(node).certain)) > 0


def _speaks_of(runner: Runner, node: SetNode) -> bool:
    """Whether a set has members, or is empty only because none of those that it was chosen from is in it."""
    if len(runner.members(node).possible):
        return True
    match node:
        case nodes.And(nodes.Entities() as named, nodes.Class() as kind):
            return _speaks_of(runner, kind) and _has_type(runner, named)
        case nodes.And(left, right) | nodes.Or(left, right):
            return _speaks_of(runner, left) and _speaks_of(runner, right)
        case nodes.Minus(left, _):
            return _speaks_of(runner, left)
        case nodes.Where(base) | nodes.Best(base):
            return _speaks_of(runner, base)
        case nodes.Qualified():
            return _speaks_of(runner, node.follow)
    return False
