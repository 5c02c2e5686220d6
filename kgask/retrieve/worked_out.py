"""What members of a set are judged by that no triple says: how long something was, what numbers add up to."""

from __future__ import annotations

import numpy as np

from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.axes import by_axis, relation_axis
from kgask.query.base import PRECISION
from kgask.retrieve.compare import spans
from kgask.retrieve.frontier import Budget, Found, paired, path_ends, values_on
from kgask.retrieve.outcome import NONE


def lengths(pack: Pack, ids: np.ndarray, by: nodes.SpanOf, axis: str | None, budget: Budget) -> Found:
    """What lies between each start and each end of members (int64, ascending); none on an ``axis`` not its own."""
    own, of_span = relation_axis(pack, by.path[-1]), by_axis(pack, by)
    if own is None or of_span is None or axis not in (None, of_span):
        return Found(NONE, np.empty(0), np.empty(0))
    start, end = (values_on(pack, *path_ends(pack, ids, path, budget), own) for path in (by.path, by.until))
    left, right = paired(start.member, end.member)
    low, high = spans((start.low[left], start.high[left]), (end.low[right], end.high[right]), own)
    return Found(start.member[left], low, high)


def totals(
    pack: Pack, ids: np.ndarray, by: nodes.TotalOf, axis: str | None, budget: Budget, among: np.ndarray | None = None
) -> Found:
    """The sums for members (int64, ascending) that have numbers on the path's own axis; none on another ``axis``.

    What lies before the last relation counts once, and only if it is ``among`` these; each of its different numbers
    once.
    """
    own = by_axis(pack, by)
    if own is None or axis not in (None, own):
        return Found(NONE, np.empty(0), np.empty(0))
    place, of = path_ends(pack, ids, by.path[:-1], budget) if len(by.path) > 1 else (np.arange(len(ids)), ids)
    if among is not None:
        counts = np.isin(of, among)
        place, of = place[counts], of[counts]
    every, at = np.unique(of, return_inverse=True)
    found = values_on(pack, *path_ends(pack, every, by.path[-1:], budget), own)
    added = np.bincount(found.member, weights=found.low, minlength=len(every))
    known = np.bincount(found.member, minlength=len(every)) > 0
    sums = np.bincount(place, weights=added[at], minlength=len(ids))
    members = np.flatnonzero(np.bincount(place, weights=known[at], minlength=len(ids)))
    rounded = np.floor(sums[members] * PRECISION + 0.5) / PRECISION
    return Found(members, rounded, rounded)
