"""Whether something has a thing, where what is named is a kind of things: "has she got a Nobel Prize?"."""

from __future__ import annotations

from kgask.query import nodes
from kgask.query.base import SetNode
from kgask.retrieve.outcome import Result
from kgask.retrieve.run import Runner


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
