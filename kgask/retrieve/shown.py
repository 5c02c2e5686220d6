"""A value as people read it: in the pack's own unit, dates as precisely as they are known."""

from __future__ import annotations

import math

from kgask.pack.literals import clock_text
from kgask.pack.quantities import (
    CLOCK,
    DATE,
    DAYS_A_YEAR,
    NUMBER,
    SECONDS,
    SECONDS_A_DAY,
    Quantity,
    axis_of,
    date_of_day,
    day_number,
    from_base,
)
from kgask.query import nodes
from kgask.query.axes import value_axis
from kgask.query.base import Node
from kgask.retrieve.run import Runner

LOOKED_AT = 50  # literals whose units are looked at
_A_YEAR = 364, 366  # days from the first to the last of one, and from the first to its next
DAYS, YEARS, MINUTES = "days", "years", "min"
_LASTING = ((DAYS_A_YEAR * SECONDS_A_DAY, YEARS), (SECONDS_A_DAY, DAYS), (3600.0, "h"), (60.0, MINUTES), (1.0, "s"))


def unit_of(runner: Runner, node: Node, axis: str) -> str:
    """The unit that a value is shown in: of the literals or numbers that it comes from, else the base unit."""
    for part in node.walk():
        if isinstance(part, nodes.Age):
            return YEARS
        if isinstance(part, nodes.Number) and axis_of(part.unit) == axis:
            return part.unit
        if isinstance(part, nodes.Values | nodes.QualifierOf):
            for literal in runner.pack.literals(runner.bag(part).certain[:LOOKED_AT].tolist()):
                if literal is not None and literal.kind == "number" and axis_of(literal.unit) == axis:
                    return literal.unit
    if axis == SECONDS:
        is_within_day = any(
            value_axis(part, runner.pack) == CLOCK for part in node.walk() if isinstance(part, nodes.Values)
        )
        return MINUTES if is_within_day else DAYS
    return axis


def in_unit(quantity: Quantity, unit: str) -> tuple[float, float]:
    """The bounds of a number in a unit; those of dates are days since 1970-01-01, of times of day seconds."""
    if quantity.axis in (DATE, CLOCK, NUMBER):
        return quantity.low, quantity.high
    return from_base(quantity.low, unit), from_base(quantity.high, unit)


def value_text(quantity: Quantity, query: Node, unit: str = "", bare: bool = False) -> str:
    """What a query comes to: as :func:`quantity_text`, but the mean of years is a year."""
    width = quantity.high - quantity.low
    if isinstance(query, nodes.Mean) and quantity.axis == DATE and _A_YEAR[0] <= width <= _A_YEAR[1]:
        return _year(date_of_day(int((quantity.low + quantity.high) // 2))[0])
    return quantity_text(quantity, unit, bare)


def quantity_text(quantity: Quantity, unit: str = "", bare: bool = False) -> str:
    """``12 850 km`` style without separators: ``12850 km``, ``41 or 42 years``, ``1775``, ``2 to 5``.

    ``bare``: in that unit, which is not written.

    >>> quantity_text(Quantity("m", 12850000.0, 12850000.0), "km"), quantity_text(Quantity("", 41.0, 42.0), "years")
    ('12850 km', '41 or 42 years')
    """
    if quantity.axis == DATE:
        return _period(int(quantity.low), int(quantity.high))
    if quantity.axis == CLOCK:
        return " to ".join(dict.fromkeys(clock_text(round(one)) for one in (quantity.low, quantity.high)))
    low, high = in_unit(quantity, unit)
    between = "or" if high - low == 1 and low.is_integer() else "to"
    shown = number_text(low) if low == high else f"{number_text(low)} {between} {number_text(high)}"
    return f"{shown} {unit}" if unit and not bare else shown


def lasting(quantity: Quantity) -> str:
    """How long something lasted, in the largest unit that it is twice as long as, to one digit behind the point.

    >>> year = 31557600.0
    >>> lasting(Quantity("s", 27 * year, 27 * year)), lasting(Quantity("s", 70.2 * year, 71.1 * year))
    ('27 years', '70.2 to 71.1 years')
    >>> lasting(Quantity("s", 5400.0, 5400.0)), lasting(Quantity("s", 86400.0, 86400.0))
    ('90 min', '24 h')
    """
    longest = max(abs(quantity.low), abs(quantity.high))
    seconds, unit = next((one for one in _LASTING if longest >= 2 * one[0]), _LASTING[-1])
    low, high = (round(one / seconds, 1) for one in (quantity.low, quantity.high))
    shown = number_text(low) if low == high else f"{number_text(low)} to {number_text(high)}"
    return f"{shown} {unit}"


def number_text(number: float) -> str:
    """Without an exponent where it is short, at most 12 digits."""
    if math.isfinite(number) and number.is_integer() and abs(number) < 1e15:
        return str(int(number))
    return f"{number:.12g}"


def _period(low: int, high: int) -> str:
    first, last = date_of_day(low), date_of_day(high)
    if low == high:
        return _date(*first)
    if first[1:] == (1, 1) and last == (first[0], 12, 31):
        return _year(first[0])
    following = (first[0] + 1, 1) if first[1] == 12 else (first[0], first[1] + 1)
    if first[2] == 1 and high == day_number(*following, 1) - 1:
        return f"{_year(first[0])}-{first[1]:02}"
    return f"{_date(*first)} to {_date(*last)}"


def _date(year: int, month: int, day: int) -> str:
    return f"{_year(year)}-{month:02}-{day:02}"


def _year(year: int) -> str:
    return f"-{-year:04}" if year < 0 else f"{year:04}"
