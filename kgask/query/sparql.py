"""A query as SPARQL 1.1 over the RDF view of its pack (:mod:`kgask.query.rdf`).

The semantics are exactly those of :mod:`kgask.query.nodes`. A set is asked for in one of two modes, its ``certain``
members or its ``possible`` ones; :class:`~kgask.query.nodes.Minus` and :class:`~kgask.query.nodes.Not` flip the mode
below them. A value is known as an interval or not at all: its pattern has one solution, or none where it is unknown.

Patterns are composed bottom-up: each set has variables of its own, what is taken away is taken by MINUS, and EXISTS is
never correlated, so that every SPARQL 1.1 engine gives the same answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from kgask.errors import QueryError
from kgask.pack.quantities import DATE, NUMBER, SECONDS_A_DAY
from kgask.pack.store import Pack
from kgask.pack.types import subclass_relations, type_relations
from kgask.query import nodes
from kgask.query.axes import relation_axis, value_axis
from kgask.query.base import BagNode, Comparison, Node, SetNode, TruthNode, ValueNode
from kgask.query.rdf import unit_text
from kgask.query.sparql_terms import (
    PERHAPS,
    SURELY,
    Calendar,
    Terms,
    block,
    calendar_of_date,
    calendar_of_day,
    date_time,
    double,
    either,
    group,
)
from kgask.types import EntityId, undirected

Mode = Literal["certain", "possible"]
_OTHER: dict[Mode, Mode] = {"certain": "possible", "possible": "certain"}


def to_sparql(query: Node, pack: Pack, mode: Mode = "certain") -> str:
    """The query as SPARQL: SELECT DISTINCT ?x for a set, ASK for a truth, else SELECT.

    A value has one row ``?low ?high``, a date ``?earliest ?latest``, and none where it is unknown; several values have
    a row ``?x`` each. ASK says for ``certain`` whether the truth is yes, for ``possible`` whether it is not no.

    Raises :class:`~kgask.errors.QueryError` for ids that the pack does not have, sums of dates, and a query that would
    become too long.
    """
    if mode not in _OTHER:
        raise QueryError(f"a query is asked for in the mode certain or possible, not {mode!r}")
    terms = Terms(query, pack)
    writer = _Writer(pack, terms)
    if isinstance(query, SetNode):
        lines = block("SELECT DISTINCT ?x WHERE {", writer.members(query, "?x", mode))
    elif isinstance(query, TruthNode):
        lines = block("ASK {", writer.truth(query, mode))
    elif isinstance(query, BagNode):
        lines = block("SELECT ?x WHERE {", writer.bag(query, "?x", mode))
    elif isinstance(query, ValueNode):
        lines = writer.one_value(query)
    else:
        raise QueryError("a way to judge is no query by itself: put it into Where or Best")
    return "\n".join([*terms.header(lines), *lines]) + "\n"


@dataclass(frozen=True, slots=True)
class _Value:
    """The pattern of a value, and its bounds: variables of the pattern, or constants where there is none."""

    lines: list[str]
    low: str
    high: str
    earliest: str = ""  # the bounds of a date as xsd:dateTime; "" for the mean of dates
    latest: str = ""


@dataclass(frozen=True, slots=True)
class _Rows:
    """The pattern of members, each once, with the bounds of what they are ordered by."""

    lines: list[str]
    x: str
    low: str
    high: str


class _Writer:
    """Writes the patterns of one query; each has variables of its own besides those that it is given."""

    def __init__(self, pack: Pack, terms: Terms) -> None:
        self._pack, self._terms, self._new = pack, terms, terms.variable

    # --- sets -----------------------------------------------------------------------------------

    def members(self, node: SetNode, x: str, mode: Mode) -> list[str]:
        """A pattern that binds ``x`` to each member, once or more often, and can stand beside any other."""
        match node:
            case nodes.Entities(ids):
                return [f"VALUES {x} {{ {' '.join(map(self._terms.entity, ids))} }}"]
            case nodes.Class(kind):
                return self._instances(kind, x)
            case nodes.Having(relation):
                return [self._terms.triple(x, relation, self._new("any"))]
            case nodes.Follow(base, relation):
                start, lines = self._start(base, mode)
                return [*lines, self._terms.triple(start, relation, x)]
            case nodes.And(left, right):
                return [*self.members(left, x, mode), *self.members(right, x, mode)]
            case nodes.Or(left, right):
                return either(self.members(left, x, mode), self.members(right, x, mode))
            case nodes.Minus(left, right):
                taken = block("MINUS {", self.members(right, x, _OTHER[mode]))
                return group([*self.members(left, x, mode), *taken])
            case nodes.Where():
                return self._where(node, x, mode)
            case nodes.Best():
                return self._best(node, x, mode)
            case nodes.Qualified():
                return self._qualified(node, x, mode)
        raise QueryError(f"{type(node).__name__} has no SPARQL")

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

    def _instances(self, kind: EntityId, x: str) -> list[str]:
        relations = self._pack.relations()
        leading, wider = type_relations(relations), subclass_relations(relations)
        if not leading:
            return _nothing(x)
        path = "|".join(self._terms.path([relation]) for relation in leading)
        if wider:
            path = f"({path})" if len(leading) > 1 else path
            path += f"/({'|'.join(self._terms.path([relation]) for relation in wider)})*"
        return [f"{x} {path} {self._terms.entity(kind)} ."]

    # --- members that are judged ----------------------------------------------------------------

    def _where(self, node: nodes.Where, x: str, mode: Mode) -> list[str]:
        path = self._terms.path(node.by.path)
        if isinstance(node.value, SetNode):
            end, ends = self._start(node.value, mode)
            return [*self.members(node.base, x, mode), f"{x} {path} {end} .", *ends]
        value, axis = self.value(node.value), value_axis(node.value, self._pack)
        counts = isinstance(node.by, nodes.SizeOf)
        if value is None or axis is None or (counts and axis != NUMBER):
            return self.members(node.base, x, mode) if mode == "possible" else _nothing(x)
        if counts:
            sizes = self._sizes(node.base, path, x, mode)
            return group([*sizes.lines, *self._compared(sizes.low, sizes.high, node.comparison, value, mode, True)])
        end, low, high = self._new("v"), self._new("low"), self._new("high")
        found = [f"{x} {path} {end} .", _on_axis(end, axis, low, high)]
        found = found if mode == "certain" else block("OPTIONAL {", found)
        compared = self._compared(low, high, node.comparison, value, mode)
        return group([*self.members(node.base, x, mode), *found, *compared])

    @staticmethod
    def _compared(
        low: str, high: str, comparison: Comparison, value: _Value, mode: Mode, known: bool = False
    ) -> list[str]:
        """The pattern of ``value``, and the filter that compares with it; bounds that are not bound are unknown.

        ``known``: low and high are always bound.
        """
        words = SURELY if mode == "certain" else PERHAPS
        condition = words[comparison].format(l=low, h=high, lo=value.low, hi=value.high)
        if mode == "certain":
            return [*value.lines, f"FILTER({condition})"]
        unknown = [f"!BOUND({bound})" for bound in (*(() if known else (low,)), *([value.low] if value.lines else []))]
        condition = f"({condition})" if unknown and "&&" in condition else condition
        pattern = block("OPTIONAL {", value.lines) if value.lines else []
        return [*pattern, f"FILTER({' || '.join([*unknown, condition])})"]

    def _sizes(self, base: SetNode, path: str, x: str, mode: Mode) -> _Rows:
        end, size = self._new("end"), self._new("size")
        lines = [*self.members(base, x, mode), *block("OPTIONAL {", [f"{x} {path} {end} ."])]
        return _Rows(_select(f"{x} (COUNT(DISTINCT {end}) AS {size})", lines, f"GROUP BY {x}"), x, size, size)

    def _rows(self, node: nodes.Best, x: str, mode: Mode) -> _Rows:
        """Those members of the base that take part, with the bounds of what they are ordered by."""
        path = self._terms.path(node.by.path)
        if isinstance(node.by, nodes.SizeOf):
            return self._sizes(node.base, path, x, mode)
        axis = relation_axis(self._pack, node.by.path[-1])
        if axis is None:
            return _Rows(_nothing(x), x, "0", "0")
        end, low, high, one, other = (self._new(stem) for stem in ("v", "low", "high", "l", "h"))
        lines = [*self.members(node.base, x, mode), f"{x} {path} {end} .", _on_axis(end, axis, one, other)]
        best = "MAX" if node.most else "MIN"
        if axis != DATE:  # numbers are points
            return _Rows(_select(f"{x} ({best}({one}) AS {low})", lines, f"GROUP BY {x}"), x, low, low)
        bounds = f"{x} ({best}({one}) AS {low}) ({best}({other}) AS {high})"
        return _Rows(_select(bounds, lines, f"GROUP BY {x}"), x, low, high)

    def _best(self, node: nodes.Best, x: str, mode: Mode) -> list[str]:
        rows = self._rows(node, x, mode)
        if rows is None:
            return _nothing(x)
        if node.last == 1 and (mode == "possible" or rows.low == rows.high):
            return self._first(node, rows, mode)
        better, level = (">", ">=") if node.most else ("<", "<=")
        lines = self._with_fewer(node, x, mode, better, "<", node.last)
        if node.first > 1:
            lines += self._with_fewer(node, x, mode, level, ">=", node.first - 1)
        return lines

    def _first(self, node: nodes.Best, rows: _Rows, mode: Mode) -> list[str]:
        """Rank 1, perhaps, or among exact values: none that surely takes part is better."""
        others, top = self._rows(node, self._new("x"), _OTHER[mode]), self._new("top")
        bound, best = (others.low, "MAX") if node.most else (others.high, "MIN")
        own, at_least = (rows.high, ">=") if node.most else (rows.low, "<=")
        condition = f"{own} {at_least} {top}"
        if mode == "possible" and not self._decided(node.base):
            condition = f"!BOUND({top}) || {condition}"
        return group([*_select(f"({best}({bound}) AS {top})", others.lines), *rows.lines, f"FILTER({condition})"])

    def _with_fewer(self, node: nodes.Best, x: str, mode: Mode, than: str, how: str, number: int) -> list[str]:
        """Members for whom the number of others that are so (``than``) compares so (``how``) with ``number``.

        Surely of rank ``last`` or better: fewer than that are perhaps better. Surely of ``first`` or worse: at least
        so many less one are surely level. Perhaps: the other way round.
        """
        mine, yours = self._rows(node, x, mode), self._new("y")
        against_me = (mode == "certain") == (how == "<")  # the others as good, and x as bad, as they may be
        others = self._rows(node, yours, "possible" if against_me else "certain")
        up = against_me == node.most
        left, right = (others.high, mine.low) if up else (others.low, mine.high)
        condition = f"FILTER({yours} != {x} && {left} {than} {right})"
        lines = [*mine.lines, *block("OPTIONAL {", [*others.lines, condition])]
        return _select(x, lines, f"GROUP BY {x} HAVING (COUNT({yours}) {how} {number})")

    def _decided(self, node: SetNode) -> bool:
        """Whether the set has the same certain and possible members on every graph."""
        match node:
            case nodes.Entities() | nodes.Class() | nodes.Having():
                return True
            case nodes.Where(base, nodes.SizeOf(), comparison, value):
                if isinstance(value, nodes.Number) or (isinstance(value, nodes.Range) and comparison == "in"):
                    return value.quantity.axis == NUMBER and self._decided(base)
                return False
            case nodes.Where(base, _, _, value):
                return isinstance(value, SetNode) and self._decided(base) and self._decided(value)
            case nodes.Best(base, by):
                exact = isinstance(by, nodes.SizeOf) or relation_axis(self._pack, by.path[-1]) != DATE
                return exact and self._decided(base)
            case nodes.Qualified():
                return False
        return all(self._decided(part) for part in node.parts if isinstance(part, SetNode))

    # --- statements -----------------------------------------------------------------------------

    def _qualified(self, node: nodes.Qualified, x: str, mode: Mode) -> list[str]:
        said = self._statements(node, self._new("s"), x, mode)
        if mode == "certain":
            return said
        start, lines = self._start(node.follow.base, mode)
        of = self._statement_of(node.follow, self._new("s"), start, x)
        unsaid = [*lines, self._terms.triple(start, node.follow.relation, x), *block("MINUS {", [of])]
        return either(unsaid, said)

    def _statement_of(self, follow: nodes.Follow, s: str, start: str, x: str) -> str:
        relation, inverse = undirected(follow.relation, self._pack.n_relations)
        subject, obj = (x, start) if inverse else (start, x)
        return f"{s} kg:subject {subject} ; kg:relation {self._terms.relation(relation)} ; kg:object {obj} ."

    def _statements(self, node: nodes.Follow | nodes.Qualified, s: str, x: str, mode: Mode) -> list[str]:
        """Binds ``s`` to the statements of followed triples that satisfy every condition, ``x`` to where they lead."""
        if isinstance(node, nodes.Follow):
            start, lines = self._start(node.base, mode)
            return [*lines, self._statement_of(node, s, start, x)]
        said = self._terms.qualifier(node.relation)
        lines = self._statements(node.base, s, x, mode)
        if isinstance(node.value, SetNode):
            end, ends = self._start(node.value, mode)
            among = [f"{s} {said} {end} .", *ends]
            if mode == "certain":
                return [*lines, *among]
            of = f"{s} kg:relation {self._terms.relation(self._plain(node.follow))} ."
            return [*lines, *either(among, [of, *block("MINUS {", [f"{s} {said} {self._new('any')} ."])])]
        value, axis = self.value(node.value), value_axis(node.value, self._pack)
        if value is None or axis is None:
            return lines if mode == "possible" else _nothing(x)
        end, low, high = self._new("v"), self._new("low"), self._new("high")
        found = [f"{s} {said} {end} .", _on_axis(end, axis, low, high)]
        found = found if mode == "certain" else block("OPTIONAL {", found)
        return group([*lines, *found, *self._compared(low, high, node.comparison, value, mode)])

    def _plain(self, follow: nodes.Follow) -> int:
        return undirected(follow.relation, self._pack.n_relations)[0]

    # --- values ---------------------------------------------------------------------------------

    def bag(self, node: BagNode, value: str, mode: Mode) -> list[str]:
        """A pattern that binds ``value`` once for each value."""
        if isinstance(node, nodes.Values):
            x, lines = self._each(node.base, mode)
            return [*lines, self._terms.triple(x, node.relation, value)]
        if isinstance(node, nodes.QualifierOf):
            s = self._new("s")
            lines = self._statements(node.base, s, self._new("x"), mode)
            return [*_select(f"DISTINCT {s}", lines), f"{s} {self._terms.qualifier(node.relation)} {value} ."]
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

    def value(self, node: ValueNode) -> _Value | None:
        """The pattern of a value, with one solution or none; None where no graph of this kind can give one."""
        match node:
            case nodes.Number() | nodes.Date() | nodes.Range():
                low, high, axis = node.quantity.low, node.quantity.high, node.quantity.axis
                dates = (date_time(low), date_time(high)) if axis == DATE else ("", "")
                return _Value([], double(low), double(high), *dates)
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
                if value_axis(values, self._pack) == DATE:
                    raise QueryError("dates have no sum")
                return self._aggregate(values, "SUM", "SUM")
            case nodes.Difference(left, right):
                return self._difference(left, right)
            case nodes.Age(born, at):
                return self._age(born, at)
        raise QueryError(f"{type(node).__name__} has no SPARQL")

    def _count(self, base: SetNode) -> _Value:
        counts, lines = [], []
        for mode in get_args(Mode)[: 1 if self._decided(base) else 2]:
            x, count = self._new("x"), self._new("count")
            counts.append(count)
            lines += _select(f"(COUNT(DISTINCT {x}) AS {count})", self.members(base, x, mode))
        return _Value(lines, counts[0], counts[-1])

    def _aggregate(self, node: BagNode, of_lows: str, of_highs: str) -> _Value | None:
        axis = value_axis(node, self._pack)
        if axis is None:
            return None
        v, one, other, low, high = (self._new(stem) for stem in ("v", "l", "h", "low", "high"))
        lines = [*self.bag(node, v, "certain"), _on_axis(v, axis, one, other)]
        words = [f"({of_lows}({one}) AS {low})", f"({of_highs}({other}) AS {high})"]
        dates = ("", "")
        if axis == DATE and of_lows != "AVG":
            e, u, dates = self._new("e"), self._new("u"), (self._new("earliest"), self._new("latest"))
            lines.append(f"{v} kg:earliest {e} ; kg:latest {u} .")
            words += [f"({of_lows}({e}) AS {dates[0]})", f"({of_highs}({u}) AS {dates[1]})"]
        lines = _select(" ".join(words), lines, "HAVING (COUNT(*) > 0)")
        if not self._is_decided(node):
            lines += self._same_number(node)
        return _Value(lines, low, high, *dates)

    def _is_decided(self, node: BagNode) -> bool:
        return all(self._decided(part) for part in node.parts if isinstance(part, SetNode))

    def _same_number(self, node: BagNode) -> list[str]:
        """What holds only where the certain values are all that are possible."""
        lines, counts = [], []
        for mode in get_args(Mode):
            v, count = self._new("v"), self._new("n")
            counts.append(count)
            lines += _select(f"(COUNT({v}) AS {count})", self.bag(node, v, mode))
        return [*lines, f"FILTER({counts[0]} = {counts[1]})"]

    def _difference(self, left: ValueNode, right: ValueNode) -> _Value | None:
        one, two = self.value(left), self.value(right)
        axis = value_axis(left, self._pack)
        if one is None or two is None or axis != value_axis(right, self._pack):
            return None
        scale = f" * {double(SECONDS_A_DAY)}" if axis == DATE else ""
        low, high = self._new("low"), self._new("high")
        binds = [f"BIND(({one.low} - {two.high}){scale} AS {low})", f"BIND(({one.high} - {two.low}){scale} AS {high})"]
        return _Value([*one.lines, *two.lines, *binds], low, high)

    def _age(self, born: ValueNode, at: ValueNode) -> _Value | None:
        one, two = self.value(born), self.value(at)
        if one is None or two is None or {value_axis(born, self._pack), value_axis(at, self._pack)} != {DATE}:
            return None
        youngest, oldest = self._calendar(one.latest, one.high), self._calendar(one.earliest, one.low)
        first, last = self._calendar(two.earliest, two.low), self._calendar(two.latest, two.high)
        low, high = self._new("low"), self._new("high")
        lines = [*one.lines, *two.lines, *youngest.lines, *oldest.lines, *first.lines, *last.lines]
        binds = [f"BIND({first.years_since(youngest)} AS {low})", f"BIND({last.years_since(oldest)} AS {high})"]
        return _Value([*lines, *binds], low, high)

    def _calendar(self, date: str, day: str) -> Calendar:
        """The calendar day of an xsd:dateTime; without one, of a day number (of a mean: the day in which it falls)."""
        return calendar_of_date(date) if date else calendar_of_day(day, self._new)

    # --- truths ---------------------------------------------------------------------------------

    def truth(self, node: TruthNode, mode: Mode) -> list[str]:
        """A group that has a solution where the truth is yes (certain), or is not no (possible)."""
        match node:
            case nodes.Some(base):
                return self.members(base, self._new("x"), mode)
            case nodes.Holds(subject, relation, obj):
                start, lines = self._start(subject, mode)
                end, ends = self._start(obj, mode)
                return [*lines, self._terms.triple(start, relation, end), *ends]
            case nodes.Compare(left, comparison, right):
                return self._compare(left, comparison, right, mode)
            case nodes.Not(truth):
                return block("FILTER NOT EXISTS {", self.truth(truth, _OTHER[mode]))
            case nodes.All(truths):
                return [line for one in truths for line in self._needed(one, mode)]
            case nodes.Any(truths):
                return either(*(self.truth(one, mode) for one in truths))
        raise QueryError(f"{type(node).__name__} has no SPARQL")

    def _needed(self, node: TruthNode, mode: Mode) -> list[str]:
        lines = self.truth(node, mode)
        return lines if isinstance(node, nodes.Not) else block("FILTER EXISTS {", lines)

    def _compare(self, left: ValueNode, comparison: Comparison, right: ValueNode, mode: Mode) -> list[str]:
        one, two = self.value(left), self.value(right)
        if one is None or two is None or value_axis(left, self._pack) != value_axis(right, self._pack):
            return ["FILTER(false)"] if mode == "certain" else []
        known = not one.lines
        pattern = block("OPTIONAL {", one.lines) if one.lines and mode == "possible" else one.lines
        return [*pattern, *self._compared(one.low, one.high, comparison, two, mode, known)]


def _on_axis(value: str, axis: str, low: str, high: str) -> str:
    return f'{value} kg:unit "{unit_text(axis)}" ; kg:low {low} ; kg:high {high} .'


def _select(words: str, lines: list[str], after: str = "") -> list[str]:
    return block(f"{{ SELECT {words} WHERE {{", lines, f"}} {after} }}" if after else "} }")


def _nothing(x: str) -> list[str]:
    return [f"VALUES {x} {{ }}"]
