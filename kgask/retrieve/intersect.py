"""Answers that several topics share (Sen et al. 2021): every branch is walked, their ends are intersected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from kgask.retrieve.walk import Route, Walk

TRIED_ROUTES = 6  # of each branch, most probable first
KEPT = 12  # combinations carried to the next branch


@dataclass(frozen=True, slots=True, eq=False)
class Shared:
    """One route of each branch, and what all of them reach."""

    route: Route  # the walks of every branch, cut to the shared answers; its prob is the parts' geometric mean
    parts: tuple[Route, ...]  # whole, one a branch


@dataclass(frozen=True, slots=True, eq=False)
class _Partial:
    parts: tuple[Route, ...]
    answers: np.ndarray
    prob: float


def intersections(branches: Sequence[Sequence[Route]]) -> list[Shared]:
    """Combinations of one route a branch whose ends meet, most probable first, one for each answer set.

    The geometric mean makes two branches comparable with a reading that has one.
    """
    partials = [_Partial((route,), route.answers, route.prob) for route in branches[0][:TRIED_ROUTES]]
    for routes in branches[1:]:
        longer = []
        for partial in partials:
            for route in routes[:TRIED_ROUTES]:
                common = np.intersect1d(partial.answers, route.answers, assume_unique=True)
                if len(common):
                    longer.append(_Partial((*partial.parts, route), common, partial.prob * route.prob))
        partials = sorted(longer, key=lambda partial: -partial.prob)[:KEPT]
    best: dict[bytes, _Partial] = {}
    for partial in partials:
        best.setdefault(partial.answers.tobytes(), partial)
    return [_shared(partial) for partial in best.values()]


def _shared(partial: _Partial) -> Shared:
    """Each branch's walks get an equal part of the whole, so that none is lost in the other's shadow."""
    mean = partial.prob ** (1 / len(partial.parts))
    walks = []
    for part in partial.parts:
        scale = mean / (len(partial.parts) * part.prob)
        walks += [_cut(walk, partial.answers, scale) for walk in part.walks]
    return Shared(Route(tuple(sorted(walks, key=lambda walk: -walk.prob))), partial.parts)


def _cut(walk: Walk, answers: np.ndarray, scale: float) -> Walk:
    last = walk.edges[-1]
    return replace(
        walk,
        prob=walk.prob * scale,
        frontiers=(*walk.frontiers[:-1], answers),
        edges=(*walk.edges[:-1], last.where(np.isin(last.targets, answers))),
    )
