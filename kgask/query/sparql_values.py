"""Numbers, dates and lists of values as SPARQL: the part of :mod:`kgask.query.sparql` below the truths."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Literal, get_args

from kgask.errors import QueryError
from kgask.pack.quantities import DATE, SECONDS_A_DAY, WHEN
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.axes import value_axis
from kgask.query.base import BagNode, SetNode, ValueNode
from kgask.query.sparql_terms import (
    Calendar,
    Terms,
    block,
    calendar_of_date,
    calendar_of_day,
    date_time,
    double,
    on_axis,
    select,
)

Mode = Literal["certain", "possible"]


@dataclass(frozen=True, slots=True)
class Value:
    """The pattern of a value, and its bounds: variables of the pattern, or constants where there is none."""

    lines: list[str]
    low: str
    high: str
    earliest: str = ""  # the bounds of a date as xsd:dateTime; "" for the mean of dates
    latest: str = ""
    is_period: bool = False  # to be compared with as a whole (see kgask.query.nodes)


class ValueWriter(ABC):
    """Writes the patterns of values; each has variables of its own besides those that it is given."""

    def __init__(self, pack: Pack, terms: Terms) -> None:
        self._pack, self._terms, self._new = pack, terms, terms.variable

    @abstractmethod
    def members(self, node: SetNode, x: str, mode: Mode) -> list[str]:
        """A pattern that binds ``x`` to each member, once or more often, and can stand beside any other."""

    @abstractmethod
    def statements(self, node: nodes.Follow | nodes.Qualified, s: str, x: str, mode: Mode) -> list[str]:
        """Binds ``s`` to the statements of followed triples that satisfy every condition, ``x`` to where they lead."""

    @abstractmethod
    def decided(self, node: SetNode) -> bool:
        """Whether the set has the same certain and possible members on every graph."""

    # --- values ---------------------------------------------------------------------------------

    def bag(self, node: BagNode, value: str, mode: Mode) -> list[str]:
        """A pattern that binds ``value`` once for each value."""
        if isinstance(node, nodes.Values):
            x, lines = self._each(node.base, mode)
            return [*lines, self._terms.triple(x, node.relation, value)]
        if isinstance(node, nodes.QualifierOf):
            s, x = self._new("s"), self._new("x")
            lines = self.statements(node.base, s, x, mode)
            if node.ends is not None:
                lines += self.members(node.ends, x, mode)
            return [*select(f"DISTINCT {s}", lines), f"{s} {self._terms.qualifier(node.relation)} {value} ."]
        raise QueryError(f"{type(node).__name__} has no SPARQL")

    def one_value(self, node: ValueNode) -> list[str]:
        """The whole SELECT of a value."""
        value = self.value(node)
        if value is None:
            return block("SELECT ?low ?high WHERE {", ["FILTER(false)"])
        names, bounds = ("?low", "?high"), (value.low, value.high)
        if value.earliest:
            names, bounds = ("?earliest", "?latest"), (value.earliest, value.latest)
        binds = [f"BIND({bound} AS {name})" for bound, name in zip(bounds, names, strict=True)]
        return block(f"SELECT {' '.join(names)} WHERE {{", [*value.lines, *binds])

    def value(self, node: ValueNode) -> Value | None:
        """The pattern of a value, with one solution or none; None where no graph of this kind can give one."""
        match node:
            case nodes.Number() | nodes.Date() | nodes.Range():
                low, high, axis = node.quantity.low, node.quantity.high, node.quantity.axis
                dates = (date_time(low), date_time(high)) if axis == DATE else ("", "")
                return Value([], double(low), double(high), *dates, nodes.is_period(node))
            case nodes.Count(base):
                return self._count(base)
            case nodes.Values() | nodes.QualifierOf():
                return self._aggregate(node, "MIN", "MAX")
            case nodes.Min(values):
                return self._aggregate(values, "MIN", "MIN")
            case nodes.Max(values):
                return self._aggregate(values, "MAX", "MAX")
            case nodes.Mean(values):
                return self._aggregate(values, "AVG", "AVG")
            case nodes.Sum(values):
                if value_axis(values, self._pack) in WHEN:
                    raise QueryError("dates have no sum")
                return self._aggregate(values, "SUM", "SUM")
            case nodes.Difference(left, right):
                return self._difference(left, right)
            case nodes.Age(born, at):
                return self._age(born, at, by_years=isinstance(node, nodes.YearsBetween))
        raise QueryError(f"{type(node).__name__} has no SPARQL")

    def _count(self, base: SetNode) -> Value:
        counts, lines = [], []
        for mode in get_args(Mode)[: 1 if self.decided(base) else 2]:
            x, count = self._new("x"), self._new("count")
            counts.append(count)
            lines += select(f"(COUNT(DISTINCT {x}) AS {count})", self.members(base, x, mode))
        return Value(lines, counts[0], counts[-1])

    def _aggregate(self, node: BagNode, of_lows: str, of_highs: str) -> Value | None:
        axis = value_axis(node, self._pack)
        if axis is None:
            return None
        v, low, high = self._new("v"), self._new("low"), self._new("high")
        one = other = self._new("number" if axis != DATE else "low")
        if axis == DATE:
            other = self._new("high")
        lines = [*self.bag(node, v, "certain"), on_axis(v, axis, one, other)]
        words = [f"({of_lows}({one}) AS {low})", f"({of_highs}({other}) AS {high})"]
        dates = ("", "")
        if axis == DATE and of_lows != "AVG":
            e, u, dates = self._new("e"), self._new("u"), (self._new("earliest"), self._new("latest"))
            lines.append(f"{v} kg:earliest {e} ; kg:latest {u} .")
            words += [f"({of_lows}({e}) AS {dates[0]})", f"({of_highs}({u}) AS {dates[1]})"]
        lines = select(" ".join(words), lines, "HAVING (COUNT(*) > 0)")
        if not self._is_decided(node):
            lines += self._same_number(node)
        return Value(lines, low, high, *dates)

    def _is_decided(self, node: BagNode) -> bool:
        return all(self.decided(part) for part in node.parts if isinstance(part, SetNode))

    def _same_number(self, node: BagNode) -> list[str]:
        """What holds only where the certain values are all that are possible."""
        lines, counts = [], []
        for mode in get_args(Mode):
            v, count = self._new("v"), self._new("n")
            counts.append(count)
            lines += select(f"(COUNT({v}) AS {count})", self.bag(node, v, mode))
        return [*lines, f"FILTER({counts[0]} = {counts[1]})"]

    def _difference(self, left: ValueNode, right: ValueNode) -> Value | None:
        one, two = self.value(left), self.value(right)
        axis = value_axis(left, self._pack)
        if one is None or two is None or axis != value_axis(right, self._pack):
            return None
        scale = f" * {double(SECONDS_A_DAY)}" if axis == DATE else ""
        low, high = self._new("low"), self._new("high")
        binds = [f"BIND(({one.low} - {two.high}){scale} AS {low})", f"BIND(({one.high} - {two.low}){scale} AS {high})"]
        return Value([*one.lines, *two.lines, *binds], low, high)

    def _age(self, born: ValueNode, at: ValueNode, by_years: bool) -> Value | None:
        one, two = self.value(born), self.value(at)
        if one is None or two is None or {value_axis(born, self._pack), value_axis(at, self._pack)} != {DATE}:
            return None
        youngest, oldest = self._calendar(one.latest, one.high), self._calendar(one.earliest, one.low)
        first, last = self._calendar(two.earliest, two.low), self._calendar(two.latest, two.high)
        low, high = self._new("low"), self._new("high")
        lines = [*one.lines, *two.lines, *youngest.lines, *oldest.lines, *first.lines, *last.lines]
        since = Calendar.year_less if by_years else Calendar.years_since
        binds = [f"BIND({since(first, youngest)} AS {low})", f"BIND({since(last, oldest)} AS {high})"]
        return Value([*lines, *binds], low, high)

    def _calendar(self, date: str, day: str) -> Calendar:
        """The calendar day of an xsd:dateTime; without one, of a day number (of a mean: the day in which it falls)."""
        return calendar_of_date(date) if date else calendar_of_day(day, self._new)

    def _start(self, base: SetNode, mode: Mode) -> tuple[str, list[str]]:
        """A term for each member of a set, and its pattern: none for one entity."""
        if isinstance(base, nodes.Entities) and len(base.ids) == 1:
            return self._terms.entity(base.ids[0]), []
        x = self._new("x")
        return x, self.members(base, x, mode)

    def _each(self, base: SetNode, mode: Mode) -> tuple[str, list[str]]:
        """As :meth:`_start`, with each member once."""
        x, lines = self._start(base, mode)
        return x, block(f"{{ SELECT DISTINCT {x} WHERE {{", lines, "} }") if lines else []
