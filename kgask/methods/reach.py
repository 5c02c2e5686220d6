"""Whether a number is one that a relation leads to, or a thousand times as much: millions in a column of millions."""

from __future__ import annotations

from kgask.query import nodes
from kgask.retrieve.run import Runner
from kgask.types import DirectedRelationId


def is_in_reach(runner: Runner, relation: DirectedRelationId, said: nodes.Number, far: float) -> bool:
    """Whether a number is within ``far`` times what a relation leads to at all: no source is 6650 km high."""
    quantity, owners = runner.quantity(said), runner.members(nodes.Having(relation)).certain
    found = runner.judged(owners, nodes.ValueOf((relation,)), quantity.axis if quantity is not None else None)
    known = found.high[found.high > 0]
    if quantity is None or quantity.low <= 0 or not len(known):
        return True
    return bool(known.min() / far <= quantity.low <= known.max() * far)
