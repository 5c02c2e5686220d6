"""A number without a unit is in the unit of what it is compared with: ``value(<height>) > 100`` of heights in m."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from kgask.pack.quantities import NUMBER, WHEN
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.axes import relation_axis
from kgask.query.rewrite import replaced
from kgask.query.text import parse

SAMPLED = 50  # literals of a relation whose units are looked at


def read_query(text: str, pack: Pack) -> nodes.Query:
    """A query's text as :func:`kgask.query.text.parse` reads it, in the pack's units where it gives none."""
    return in_own_units(parse(text, pack), pack)


def in_own_units(query: nodes.Query, pack: Pack) -> nodes.Query:
    """The query with the units of the pack's relations where it gives none."""
    for node in query.walk():
        match node:
            case nodes.Where(by=nodes.ValueOf(path), value=nodes.Number() | nodes.Range() as limit):
                changed: Any = replace(node, value=_like(limit, path[-1], pack))
            case nodes.Compare(nodes.Values(relation=relation), _, nodes.Number() as limit):
                changed = replace(node, right=_like(limit, relation, pack))
            case _:
                continue
        if changed != node:
            query = replaced(query, node, changed)
    return query


def _like(limit: nodes.Constant, relation: int, pack: Pack) -> nodes.Constant:
    if relation >= pack.n_relations or relation_axis(pack, relation) in (None, *WHEN, NUMBER):
        return limit
    return in_unit(limit, usual_unit(pack, np.asarray(pack.out_object[pack.out_relation == relation]))) or limit


def usual_unit(pack: Pack, values: np.ndarray) -> str:
    """The commonest unit of literals by their ids; the empty text of plain numbers."""
    units = [one.unit for one in pack.literals(values[:SAMPLED].tolist()) if one is not None and one.unit]
    return max(sorted(set(units)), key=units.count) if units else ""


def in_unit(option: nodes.Constant, unit: str) -> nodes.Constant | None:
    """A number, or a range of two, that has no unit, in this one; None for anything else."""
    match option:
        case nodes.Number(number, ""):
            return nodes.Number(number, unit)
        case nodes.Range(nodes.Number(low, ""), nodes.Number(high, "")):
            return nodes.Range(nodes.Number(low, unit), nodes.Number(high, unit))
    return None
