"""Places within places, where something is denied of the outer: who was born in Paris was born in France as well."""

from __future__ import annotations

import numpy as np

from kgask.query import nodes
from kgask.query.base import Node
from kgask.retrieve.places import climb, may_hold, place_relations
from kgask.retrieve.run import Runner
from kgask.types import opposite

MOST_LOOKED_AT = 50  # things whose places are looked at


def may_lie_in(node: nodes.Holds, runner: Runner) -> bool:
    """Whether a "no" is of a place in which what the graph states lies, or may lie.

    Who died in Ketchum may have died in Idaho, where other towns lie, unless the graph says which state Ketchum is in.
    """
    n = runner.pack.n_relations
    match node:
        case nodes.Holds(nodes.Entities((place,)), relation, nodes.Entities() as subject) if relation >= n:
            relation -= n
        case nodes.Holds(nodes.Entities() as subject, relation, nodes.Entities((place,))):
            pass
        case _:
            return False
    stated = runner.members(nodes.Follow(subject, relation)).certain[:MOST_LOOKED_AT]
    lies_in = place_relations(runner.pack)
    known = np.append(stated, subject.ids) if relation in lies_in else stated
    above, places = climb(runner, known).reached, np.array([place])
    if place in above or may_hold(runner, places, known):
        return True
    kinds = runner.types(places)
    if not len(stated) or not len(kinds) or np.isin(runner.types(above[:MOST_LOOKED_AT]), kinds).any():
        return False
    within = np.concatenate([runner.edges(places, opposite(one, n)).targets for one in lies_in] or [above[:0]])
    own = runner.types(stated)
    return len(within) > 0 and (not len(own) or bool(np.isin(runner.types(within[:MOST_LOOKED_AT]), own).any()))


def lets_in(node: Node, runner: Runner) -> bool:
    """Whether what is left of a set lies, by what the graph states, in the place that is taken away: of those "not born
    in France" some were born in Paris."""
    n = runner.pack.n_relations
    match node:
        case nodes.Minus(_, nodes.Follow(nodes.Entities((place,)), relation)) if relation >= n:
            left = tuple(runner.members(node).possible[:MOST_LOOKED_AT].tolist())
            stated = nodes.Follow(nodes.Entities(left), opposite(relation, n)) if left else None
            return stated is not None and place in climb(runner, runner.members(stated).certain).reached
    return False
