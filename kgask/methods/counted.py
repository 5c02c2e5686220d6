"""Numbers that are none of what a question counts: how many people work there, and a number of megawatts is found."""

from __future__ import annotations

import re

from kgask.link.units import own_units, unit_at
from kgask.methods.doubts import relations_in
from kgask.methods.protocol import Hypothesis
from kgask.pack.arrays import distinct
from kgask.pack.labels import relation_phrase
from kgask.pack.quantities import DATE, axis_of
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.axes import axis_codes, relation_axis
from kgask.types import undirected

_BASE = r"(?:kg|m|s|K|A|mol|cd)[²³⁴]?"
_PHYSICAL = re.compile(rf"{_BASE}(?:[·/]{_BASE})*")  # no axis of things that a graph counts ("seats")
_TOGETHER = re.compile(r"\b(?:total|combined|altogether|overall|in all|put together|sum)\b", re.IGNORECASE)
_PACE = re.compile(r"\b(?:(?P<fast>fastest|quickest|swiftest)|slowest)\b", re.IGNORECASE)
_TAKES = re.compile(
    r"\b(?:time|duration|days?|weeks?|hours?|minutes?|mins?|seconds?|secs?)\b(?!.*\bper\b)", re.IGNORECASE
)
_EACH = re.compile(r"\bper (?:capita|head|person|inhabitant|resident|citizen|square)\b", re.IGNORECASE)
_OF_EACH = re.compile(r"\bper\b|/|capita|head|densit|rate|ratio|mean|average|share", re.IGNORECASE)
_HOW_MANY = re.compile(r"\bhow many (?:more |fewer |less )?", re.IGNORECASE)


def measures_other(found: Hypothesis, question: str, pack: Pack) -> bool:
    """Whether a question counts what is no unit, or one of another dimension than what was found is measured in, or
    asks for a total where numbers were found one by one, for what falls to each where all of it was, or for what is
    the most by a measure where that is found."""
    others = (_is_not_added, _is_not_shared, _is_order, _is_slowest)
    if any(is_other(found, question, pack) for is_other in others):
        return True
    counted = _HOW_MANY.search(question)
    axis = _axis_of(found, pack) if counted is not None else None
    if counted is None or axis is None or not _PHYSICAL.fullmatch(axis):
        return False
    said = unit_at(question, counted.end(), False, own_units(pack.manifest.get("axes", ())))
    return said is None or axis_of(said[1]) != axis


def _is_not_added(found: Hypothesis, question: str, pack: Pack) -> bool:
    """Whether the numbers of several things are told where their sum is asked for; a relation may be called a total."""
    together, query = _TOGETHER.search(question), found.make_query()
    if together is None or not isinstance(query, nodes.Follow | nodes.Values) or len(found.answers) < 2:
        return False
    plain, inverse = undirected(query.relation, pack.n_relations)
    if inverse or together[0].lower() in pack.relations()[plain].label.lower():
        return False
    return relation_axis(pack, plain) not in (None, DATE)


def _is_not_shared(found: Hypothesis, question: str, pack: Pack) -> bool:
    """Whether what falls to each is asked for, and no relation is of that: the GDP for the "GDP per capita"."""
    query = found.make_query()
    if query is None or _EACH.search(question) is None:
        return False
    named = (name for one in relations_in(query) for name in pack.relations()[one % pack.n_relations].names)
    return not any(_OF_EACH.search(name) for name in named)


def _is_order(found: Hypothesis, question: str, pack: Pack) -> bool:
    """Whether by what something is chosen is found, and not what: the people of "the biggest city by population"."""
    match found.make_query():
        case nodes.Follow(nodes.Best(_, nodes.ValueOf((one,))), other) | nodes.Values(
            nodes.Best(_, nodes.ValueOf((one,))), other
        ) if one == other:
            said = "|".join(map(re.escape, relation_phrase(pack.relations()[one].label).split()))
            return re.search(rf"\b(?:by|in terms of|according to) (?:\w+ )?(?:{said})\b", question, re.I) is not None
    return False


def _is_slowest(found: Hypothesis, question: str, pack: Pack) -> bool:
    """Whether what takes longest is found where the fastest is asked for, or the other way round."""
    said = _PACE.search(question)
    if said is None:
        return False
    match found.make_query():
        case nodes.Best(_, nodes.ValueOf(path), most):
            named = relation_phrase(pack.relations()[undirected(path[-1], pack.n_relations)[0]].label)
            return (
                _TAKES.search(named) is not None and "per" not in named.split() and most is (said["fast"] is not None)
            )
    return False


def _axis_of(found: Hypothesis, pack: Pack) -> str | None:
    """On which axis what was found lies, where it is a value of the graph or made of such; None for the rest."""
    if found.outcome is None:
        codes = distinct(axis_codes(pack, found.answers))
        return pack.literal_values.axes[codes[0]] if len(codes) == 1 and codes[0] >= 0 else None
    if isinstance(found.outcome.query, nodes.Age | nodes.Difference) or found.outcome.quantity is None:
        return None
    return found.outcome.quantity.axis
