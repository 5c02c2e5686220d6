"""Literals as intervals on axes, so that values of different precision and unit can be compared.

A number is the interval [x, x] in the base unit of its dimension (``km²`` -> ``m²``; pint knows the units, and a unit
that it does not know is an axis of its own). A date is the interval from its earliest to its latest day, counted from
1970-01-01 in the proleptic Gregorian calendar: 1775 and 1775-12-16 overlap, so neither is before the other. A time of
day lies on an axis of its own, in seconds from midnight. Text has no place on an axis.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from kgask.pack.literals import date_parts, time_of_day
from kgask.pack.records import Literal

if TYPE_CHECKING:
    from pint import UnitRegistry

DATE = "date"
CLOCK = "time of day"
WHEN = (DATE, CLOCK)  # the axes on which less is earlier
NUMBER = ""  # numbers without a unit
SECONDS = "s"  # of differences between dates
SECONDS_A_DAY = 86_400.0
DAYS_A_YEAR = 365.25  # of the unit "a"
YEAR_DAYS = 364.0, 365.0  # from the first to the last of a year
VALUE_ARRAYS = ("literal_low", "literal_high", "literal_axis")  # of a pack; the names of the axes are in its manifest
AXES_COUNT = "axes"  # how many, in the manifest's counts
_DAYS_BEFORE_1970 = 719_468  # since 0000-03-01
_NO_AXIS = -1
# What pint's expression parser is given: words with small powers, their products and quotients; nothing that computes.
_WORD = r"[°%]?+[^\W\d¹²³]++"
_TERM = rf"\(?+{_WORD}(?:\^?+-?+[1-4](?!\d)|⁻?+[¹²³])?+\)?+"
_PLAIN_UNIT = re.compile(rf"{_TERM}(?: ?+[·*/]?+ ?+{_TERM})*+")
_BARE_POWER = re.compile(r"(?<=[^\W\d])(?=[1-4])")  # km2, which pint would read as a name
_MAX_UNIT_CHARS = 60
_BASE_UNITS = frozenset("m kg s K A m² m³".split())  # of which a conversion changes nothing
_DIGITS = 12  # kept of a converted number


@dataclass(frozen=True, slots=True, order=True)
class Quantity:
    """An interval [low, high] on an axis: ``date`` (days since 1970-01-01), ``time of day`` (seconds since midnight), a
    base unit, or "" for plain numbers."""

    axis: str
    low: float
    high: float


@dataclass(frozen=True, slots=True, eq=False)
class LiteralValues:
    """The quantities of a pack's literals, by place (entity id minus ``n_entities - n_literals``); L of them."""

    low: np.ndarray  # float64 [L]
    high: np.ndarray  # float64 [L]
    axis: np.ndarray  # int16 (or wider) [L], place in ``axes``; -1 for text
    axes: tuple[str, ...]

    @classmethod
    def of(cls, literals: Iterable[Literal | None]) -> LiteralValues:
        """The quantities of literals in their order; text (and None) has none."""
        axes: dict[str, int] = {}
        rows: list[tuple[float, float, int]] = []
        for literal in literals:
            found = quantity(literal) if literal is not None else None
            if found is None:
                rows.append((math.nan, math.nan, _NO_AXIS))
            else:
                rows.append((found.low, found.high, axes.setdefault(found.axis, len(axes))))
        table = np.array(rows, np.float64).reshape(-1, 3)
        return cls(table[:, 0].copy(), table[:, 1].copy(), table[:, 2].astype(np.int16), tuple(axes))

    @property
    def arrays(self) -> dict[str, np.ndarray]:
        """As a pack stores them."""
        return dict(zip(VALUE_ARRAYS, (self.low, self.high, self.axis), strict=True))

    def problem(self) -> str | None:
        """What is wrong with stored values; None where they are sound."""
        on_axis = self.axis >= 0
        if len(self.axis) and (self.axis.min() < _NO_AXIS or self.axis.max() >= len(self.axes)):
            return "literal_axis.npy: an axis that the pack does not name"
        if not (np.isfinite(self.low[on_axis]) & (self.low[on_axis] <= self.high[on_axis])).all():
            return "literal_low.npy, literal_high.npy: bounds that are no interval"
        return None


def quantity(literal: Literal) -> Quantity | None:
    """Where a literal lies on which axis; None for text."""
    if literal.kind == "number":
        assert literal.value is not None
        axis, value = to_base(literal.value, literal.unit)
        return Quantity(axis, value, value)
    return date_quantity(literal.text) if literal.kind == "date" else None


def date_quantity(text: str) -> Quantity:
    """The days that a date may mean, or a time of day. Raises ValueError, with the reason, for any other text."""
    if (seconds := time_of_day(text)) is not None:
        return Quantity(CLOCK, float(seconds), float(seconds))
    year, month, day = date_parts(text)
    first, last = (year, month or 1, day or 1), (year, month or 12, day or 31)
    if not day:  # the day before the first of the next month
        following = (last[0] + 1, 1, 1) if last[1] == 12 else (last[0], last[1] + 1, 1)
        return Quantity(DATE, float(day_number(*first)), float(day_number(*following) - 1))
    return Quantity(DATE, float(day_number(*first)), float(day_number(*last)))


def day_number(year: int, month: int, day: int) -> int:
    """Days from 1970-01-01 to a date of the proleptic Gregorian calendar (astronomical year).

    >>> day_number(1970, 1, 1), day_number(1969, 12, 31), day_number(2000, 3, 1)
    (0, -1, 11017)
    """
    year -= month <= 2  # years begin in March, so that the leap day is the last one
    since_march = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    return 365 * year + year // 4 - year // 100 + year // 400 + since_march - _DAYS_BEFORE_1970


def date_of_day(number: int) -> tuple[int, int, int]:
    """Year, month and day: the inverse of :func:`day_number`.

    >>> date_of_day(11016), date_of_day(-719529)
    ((2000, 2, 29), (-1, 12, 31))
    """
    cycle, of_cycle = divmod(number + _DAYS_BEFORE_1970, 146_097)
    of_year = of_cycle - of_cycle // 1_460 + of_cycle // 36_524 - of_cycle // 146_096
    year = of_year // 365
    since_march = of_cycle - (365 * year + year // 4 - year // 100)
    shifted = (5 * since_march + 2) // 153
    month = shifted + 3 if shifted < 10 else shifted - 9
    return year + 400 * cycle + (month <= 2), month, since_march - (153 * shifted + 2) // 5 + 1


def whole_years(born: int, at: int) -> int:
    """Birthdays between two day numbers (an age); negative where ``at`` is earlier."""
    year, month, day = date_of_day(born)
    at_year, at_month, at_day = date_of_day(at)
    return at_year - year - ((at_month, at_day) < (month, day))


def to_base(value: float, unit: str) -> tuple[str, float]:
    """The axis of a unit and the value on it: ``(3, "km")`` -> ``("m", 3000.0)``; an unknown unit is its own axis."""
    axis, scale, offset = _conversion(unit)
    if (scale, offset) == (1.0, 0.0):
        return axis, value
    return axis, float(f"{value * scale + offset:.{_DIGITS}g}")  # 2 g/cm³ and 2000 kg/m³ meet


def from_base(value: float, unit: str) -> float:
    """A value on the axis of ``unit``, in that unit."""
    _, scale, offset = _conversion(unit)
    return value if (scale, offset) == (1.0, 0.0) else float(f"{(value - offset) / scale:.{_DIGITS}g}")


def axis_of(unit: str) -> str:
    """The axis that numbers of a unit lie on."""
    return _conversion(unit)[0]


def is_unit(unit: str) -> bool:
    """Whether numbers of this unit can be converted to another."""
    axis, scale, _ = _conversion(unit)
    return (axis, scale) != (unit, 1.0) or unit in _BASE_UNITS


@lru_cache(maxsize=4096)
def _conversion(unit: str) -> tuple[str, float, float]:
    """Axis, scale and offset of a unit."""
    if not unit:
        return NUMBER, 1.0, 0.0
    if len(unit) > _MAX_UNIT_CHARS or not _PLAIN_UNIT.fullmatch(unit):
        return unit, 1.0, 0.0
    registry = _registry()
    try:
        parsed = registry.parse_units(_BARE_POWER.sub("^", unit))
        none = registry.Quantity(0.0, parsed).to_base_units()
        one = registry.Quantity(1.0, parsed).to_base_units()
    except Exception:  # pint raises its own family, and what Python's tokenizer makes of odd text
        return unit, 1.0, 0.0
    offset, scale = float(none.magnitude), float(one.magnitude) - float(none.magnitude)
    if not (math.isfinite(scale) and math.isfinite(offset) and scale > 0):
        return unit, 1.0, 0.0
    return f"{one.units:~P}", scale, offset


@cache
def _registry() -> UnitRegistry:
    from pint import UnitRegistry  # 0.4 s: only where a value has a unit

    return UnitRegistry(cache_folder=None)
