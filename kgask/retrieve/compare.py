"""Comparing intervals: true for all that they may be, false for none, else unknown."""

from __future__ import annotations

from collections.abc import Iterable
from math import floor

import numpy as np

from kgask.pack.quantities import (
    DATE,
    DAYS_A_YEAR,
    NUMBER,
    SECONDS,
    SECONDS_A_DAY,
    WHEN,
    YEAR_DAYS,
    Quantity,
    date_of_day,
    whole_years,
)
from kgask.query.base import Comparison

Intervals = tuple[np.ndarray, np.ndarray]  # low and high, float64 [n] each


def compared(
    low: np.ndarray, high: np.ndarray, comparison: Comparison, other: Quantity, period: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """Where [low, high] surely compares so with ``other``, and where perhaps (bool [n] each; surely is perhaps too).

    ``period``: ``other`` is no point that is known to an interval but the whole interval, so that "before 1815" is
    before its first day.
    """
    begins, ends = (other.low, other.high) if period else (other.high, other.low)
    match comparison:
        case "<":
            return high < other.low, low < begins
        case "<=":
            return high <= ends, low <= other.high
        case ">":
            return low > other.high, high > ends
        case ">=":
            return low >= begins, high >= other.low
    meets = (high >= other.low) & (low <= other.high)
    if comparison == "in" or period:
        return (low >= other.low) & (high <= other.high), meets
    return (low == high) & (other.low == other.high) & (low == other.low), meets


def ranked(
    low: np.ndarray, high: np.ndarray, certain: np.ndarray, first: int, last: int
) -> tuple[np.ndarray, np.ndarray]:
    """Which of n members surely stand at the ranks ``first`` to ``last`` by highest value, and which perhaps.

    ``low``, ``high`` float64 [n], ``certain`` bool [n] says who surely takes part. Returns bool [n] twice.
    """
    if first == last == 1:
        return _highest(low, high, certain)
    lows, highs = np.sort(low[certain]), np.sort(high)
    maybe_better = _above(highs, low) - (high > low)
    surely_level = _at_least(lows, high) - (certain & (low >= high))
    surely_better = _above(lows, high)
    maybe_level = _at_least(highs, low) - 1  # itself
    surely = certain & (maybe_better < last) & (surely_level + 1 >= first)
    return surely, (surely_better < last) & (maybe_level + 1 >= first)


def _above(ascending: np.ndarray, bound: np.ndarray) -> np.ndarray:
    return len(ascending) - np.searchsorted(ascending, bound, "right")


def _at_least(ascending: np.ndarray, bound: np.ndarray) -> np.ndarray:
    return len(ascending) - np.searchsorted(ascending, bound, "left")


def _highest(low: np.ndarray, high: np.ndarray, certain: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """As :func:`ranked` for the first rank alone, without sorting."""
    if not len(low):
        return np.zeros(0, bool), np.zeros(0, bool)
    top = int(np.argmax(high))
    rest = np.delete(high, top)
    others = np.full(len(high), high[top])  # the highest that any other may be
    others[top] = rest.max() if len(rest) else -np.inf
    surely_least = low[certain].max() if certain.any() else -np.inf
    return certain & (others <= low), high >= surely_least


def highest_each(member: np.ndarray, low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of several values of one member the highest, bound by bound; members ascending."""
    if len(member) < 2 or bool((member[1:] > member[:-1]).all()):
        return member, low, high
    order = np.argsort(member, kind="stable")
    once, first = np.unique(member[order], return_index=True)
    return once, np.maximum.reduceat(low[order], first), np.maximum.reduceat(high[order], first)


def kleene(surely: bool, perhaps: bool) -> bool | None:
    """True, False, or None: unknown."""
    return True if surely else None if perhaps else False


def every(truths: Iterable[bool | None]) -> bool | None:
    """Whether all are true (Kleene's logic)."""
    found = list(truths)
    return False if False in found else None if None in found else True


def some(truths: Iterable[bool | None]) -> bool | None:
    """Whether one is true (Kleene's logic)."""
    found = list(truths)
    return True if True in found else None if None in found else False


def difference(left: Quantity | None, right: Quantity | None) -> Quantity | None:
    """The first less the second; of dates and times in seconds. None where one is unknown or their axes differ."""
    if left is None or right is None or left.axis != right.axis:
        return None
    scale = SECONDS_A_DAY if left.axis == DATE else 1.0
    axis = SECONDS if left.axis in WHEN else left.axis
    return Quantity(axis, scale * (left.low - right.high), scale * (left.high - right.low))


def spans(start: Intervals, end: Intervals, axis: str) -> Intervals:
    """How far ends lie behind starts (low and high, float64 [n] each); of dates and times in seconds.

    Between dates known to the year the years are counted, each as long as the unit "a".
    """
    (low, high), (until_low, until_high) = start, end
    least, most = until_low - high, until_high - low
    if axis != DATE:
        return least, most
    years = np.round((until_low - low) / DAYS_A_YEAR) * DAYS_A_YEAR
    are_years = _is_year(low, high) & _is_year(until_low, until_high)
    return (np.where(are_years, years, least) * SECONDS_A_DAY, np.where(are_years, years, most) * SECONDS_A_DAY)


def _is_year(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    return (high - low >= YEAR_DAYS[0]) & (high - low <= YEAR_DAYS[1])


def age(born: Quantity | None, at: Quantity | None) -> Quantity | None:
    """Whole years between two dates; None where one is unknown or no date."""
    if born is None or at is None or (born.axis, at.axis) != (DATE, DATE):
        return None
    # The mean of dates may lie within a day.
    low, high = (floor(born.high), floor(at.low)), (floor(born.low), floor(at.high))
    years = whole_years(*low), whole_years(*high)
    return Quantity(NUMBER, float(years[0]), float(years[1]))


def years_between(born: Quantity | None, at: Quantity | None) -> Quantity | None:
    """The difference of two dates' years; None where one is unknown or no date."""
    if born is None or at is None or (born.axis, at.axis) != (DATE, DATE):
        return None
    of_born, of_at = ([date_of_day(floor(day))[0] for day in (date.low, date.high)] for date in (born, at))
    return Quantity(NUMBER, float(of_at[0] - of_born[1]), float(of_at[1] - of_born[0]))
