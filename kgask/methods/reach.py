"""Whether a number is one that a relation leads to, or a thousand times as much: millions in a column of millions."""

from __future__ import annotations

import re
from math import isclose

from kgask.link.values import value_spans
from kgask.pack.quantities import is_unit, to_base
from kgask.query import nodes
from kgask.query.nodes import Query
from kgask.retrieve.run import Runner
from kgask.types import DirectedRelationId

_WORD = re.compile(r"[^\W\d_]{2}")
FAR_IN_UNIT = 3.0  # times what a column has, beyond which a number with a unit is not in that of the column


def is_of_other_scale(query: Query, text: str, runner: Runner) -> bool:
    """Whether a text says a number with a unit, and the query compares it with numbers of no unit that are far from it:
    "over 9 minutes" with durations of some hundred seconds."""
    options = (option for span in value_spans(text) for option in span.options)
    said = {one.number for one in options if isinstance(one, nodes.Number) and one.unit}
    for node in query.walk() if said else ():
        match node:
            case nodes.Where(_, nodes.ValueOf((*_, relation)), _, nodes.Number(number, "") as limit):
                pass
            case nodes.Compare(nodes.Values(_, relation), _, nodes.Number(number, "") as limit):
                pass
            case _:
                continue
        if number in said and not is_in_reach(runner, relation, limit, FAR_IN_UNIT):
            return True
    return False


def is_in_other_unit(query: Query, text: str) -> bool:
    """Whether a number that a text says in one unit is taken for as many of another: 3 hours for 3 km."""
    limits = [node for node in query.walk() if isinstance(node, nodes.Number) and is_unit(node.unit)]
    spans = value_spans(text) if limits else []
    # "5 m" may be millions
    options = [span.options if _WORD.search(text, span.start, span.end) else span.options[-1:] for span in spans]
    for limit in limits:
        said = [
            [to_base(one.number, one.unit) for one in ones if isinstance(one, nodes.Number) and is_unit(one.unit)]
            for ones in options
            if any(isinstance(one, nodes.Number) and one.number == limit.number for one in ones)
        ]
        axis, number = to_base(limit.number, limit.unit)
        if all(said) and said and not any(axis == on and isclose(number, at) for ones in said for on, at in ones):
            return True
    return False


def is_in_reach(runner: Runner, relation: DirectedRelationId, said: nodes.Number, far: float) -> bool:
    """Whether a number is within ``far`` times what a relation leads to at all: no source is 6650 km high."""
    quantity, owners = runner.quantity(said), runner.members(nodes.Having(relation)).certain
    found = runner.judged(owners, nodes.ValueOf((relation,)), quantity.axis if quantity is not None else None)
    known = found.high[found.high > 0]
    if quantity is None or quantity.low <= 0 or not len(known):
        return True
    return bool(known.min() / far <= quantity.low <= known.max() * far)
