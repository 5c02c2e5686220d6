"""The planner's hint at the kind of answer, held against what the routes end in."""

from __future__ import annotations

import numpy as np

from kgask.pack.store import Pack
from kgask.retrieve.walk import Route
from kgask.types import ANSWER_TYPES

LIFT = 1.5  # how much a route of the hinted kind gains
LEAST_HINT = 0.5  # a hint below says nothing
SURE_HINT = 0.8  # from here on the user is told what kgask cannot do yet
LIFTED = 6  # routes that are looked at
_KIND = {"string": "entity"}


def by_kind(pack: Pack, routes: list[Route], answer_types: np.ndarray | None) -> list[Route]:
    """Most probable first, once those that end in the hinted kind are lifted a little."""
    hinted = hinted_type(answer_types, LEAST_HINT)
    if hinted is None or len(routes) < 2:
        return routes
    kinds = _kinds(pack, routes[:LIFTED])
    lifted = [LIFT if kind == hinted else 1.0 for kind in kinds] + [1.0] * (len(routes) - len(kinds))
    order = sorted(range(len(routes)), key=lambda i: -routes[i].prob * lifted[i])
    return [routes[i] for i in order]


def beyond_entities(pack: Pack, routes: list[Route], answer_types: np.ndarray | None) -> str | None:
    """The kind that is surely asked for and that following relations does not give: 'yes/no', 'number'."""
    hinted = hinted_type(answer_types, SURE_HINT)
    if hinted == "yes/no":
        return hinted
    counts = hinted == "number" and bool(routes) and _kinds(pack, routes[:1]) != ["number"]
    return hinted if counts else None


def hinted_type(answer_types: np.ndarray | None, least: float) -> str | None:
    if answer_types is None:
        return None
    best = int(answer_types.argmax())
    return ANSWER_TYPES[best] if answer_types[best] > least else None


def _kinds(pack: Pack, routes: list[Route]) -> list[str]:
    """Of each route's first end: a relation's objects are nearly always of one kind."""
    kinds = pack.kinds([int(route.answers[0]) for route in routes])
    return [_KIND.get(kind, kind) for kind in kinds]
