"""A query as SPARQL 1.1 over the RDF view of its pack (:mod:`kgask.query.rdf`).

The semantics are exactly those of :mod:`kgask.query.nodes`. A set is asked for in one of two modes, its ``certain``
members or its ``possible`` ones; :class:`~kgask.query.nodes.Minus` and :class:`~kgask.query.nodes.Not` flip the mode
below them. A value is known as an interval or not at all: its pattern has one solution, or none where it is unknown.

Patterns are composed bottom-up: each set has variables of its own, what is taken away is taken by MINUS, and EXISTS is
never correlated, so that every SPARQL 1.1 engine gives the same answer.
"""

from __future__ import annotations

from dataclasses import dataclass

from kgask.errors import QueryError
from kgask.pack.quantities import DATE, DAYS_A_YEAR, NUMBER, SECONDS_A_DAY, YEAR_DAYS
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.axes import by_axis, relation_axis, value_axis
from kgask.query.base import PRECISION, BagNode, By, Comparison, Node, SetNode, TruthNode, ValueNode
from kgask.query.sparql_terms import (
    PERHAPS,
    PERHAPS_PERIOD,
    SURELY,
    SURELY_PERIOD,
    Terms,
    block,
    double,
    either,
    group,
    nothing,
    on_axis,
    select,
    ungrouped,
)
from kgask.query.sparql_values import Mode, Value, ValueWriter
from kgask.types import EntityId, undirected

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
        lines = block("SELECT DISTINCT ?x WHERE {", ungrouped(writer.members(query, "?x", mode)))
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
class _Rows:
    """The pattern of members, each once, with the bounds of what they are ordered by."""

    lines: list[str]
    low: str
    high: str


class _Writer(ValueWriter):
    """Writes the patterns of one query."""

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

    def _instances(self, kind: EntityId, x: str) -> list[str]:
        leading, wider = self._pack.type_relations, self._pack.subclass_relations
        if not leading:
            return nothing(x)
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
        if value is None or axis is None or (isinstance(node.by, nodes.SizeOf) and axis != NUMBER):
            return self.members(node.base, x, mode) if mode == "possible" else nothing(x)
        if isinstance(node.by, nodes.SizeOf):
            sizes = self._sizes(node.base, node.by, x, mode)
            return group([*sizes.lines, *self._compared(sizes.low, sizes.high, node.comparison, value, mode, True)])
        if isinstance(node.by, nodes.SpanOf | nodes.TotalOf) and axis != by_axis(self._pack, node.by):
            return self.members(node.base, x, mode) if mode == "possible" else nothing(x)
        found, low, high = self._judged(x, node.by, axis)
        found = found if mode == "certain" else block("OPTIONAL {", found)
        compared = self._compared(low, high, node.comparison, value, mode)
        return group([*self.members(node.base, x, mode), *found, *compared])

    @staticmethod
    def _compared(
        low: str, high: str, comparison: Comparison, value: Value, mode: Mode, known: bool = False
    ) -> list[str]:
        """The pattern of ``value``, and the filter that compares with it; bounds that are not bound are unknown.

        ``known``: low and high are always bound.
        """
        if value.is_period:
            words = SURELY_PERIOD if mode == "certain" else PERHAPS_PERIOD
        else:
            words = SURELY if mode == "certain" else PERHAPS
        condition = words[comparison].format(l=low, h=high, lo=value.low, hi=value.high)
        if comparison == "=" and low == high and value.low == value.high:
            condition = f"{low} = {value.low}"
        if mode == "certain":
            return [*value.lines, f"FILTER({condition})"]
        unknown = [f"!BOUND({bound})" for bound in (*(() if known else (low,)), *([value.low] if value.lines else []))]
        condition = f"({condition})" if unknown and "&&" in condition else condition
        pattern = block("OPTIONAL {", value.lines) if value.lines else []
        return [*pattern, f"FILTER({' || '.join([*unknown, condition])})"]

    def _sizes(self, base: SetNode, by: nodes.SizeOf, x: str, mode: Mode) -> _Rows:
        end, size = self._new("end"), self._new("size")
        counted = [f"{x} {self._terms.path(by.path)} {end} .", *self._among(by, end)]
        lines = [*self.members(base, x, mode), *block("OPTIONAL {", counted)]
        return _Rows(select(f"{x} (COUNT(DISTINCT {end}) AS {size})", lines, f"GROUP BY {x}"), size, size)

    def _among(self, by: nodes.SizeOf | nodes.TotalOf, x: str) -> list[str]:
        """That a thing surely is of what alone is counted or added up."""
        return [] if by.among is None else self.members(by.among, x, "certain")

    def _is_exact(self, by: By) -> bool:
        """Whether each value is known to a point: dates may be known to the year."""
        return isinstance(by, nodes.SizeOf) or relation_axis(self._pack, by.path[-1]) != DATE

    def _rows(self, node: nodes.Best, x: str, mode: Mode, axis: str) -> _Rows:
        """Those members of the base that take part, with the bounds of what they are ordered by."""
        if isinstance(node.by, nodes.SizeOf):
            return self._sizes(node.base, node.by, x, mode)
        found, one, other = self._judged(x, node.by, axis)
        best, lines = "MAX" if node.most else "MIN", [*self.members(node.base, x, mode), *found]
        low = high = self._new("best")
        words = f"{x} ({best}({one}) AS {low})"
        if one != other:
            high = self._new("best")
            words += f" ({best}({other}) AS {high})"
        return _Rows(select(words, lines, f"GROUP BY {x}"), low, high)

    def _each_value(self, node: nodes.Best, x: str, mode: Mode, axis: str) -> _Rows:
        """As :meth:`_rows`, one for each value of a member: enough to look for the highest of all."""
        if isinstance(node.by, nodes.SizeOf):
            return self._rows(node, x, mode, axis)
        found, low, high = self._judged(x, node.by, axis)
        return _Rows([*self.members(node.base, x, mode), *found], low, high)

    def _best(self, node: nodes.Best, x: str, mode: Mode) -> list[str]:
        axis = by_axis(self._pack, node.by)
        if axis is None:
            return nothing(x)
        if node.last == 1 and (mode == "possible" or self._is_exact(node.by)):
            return self._first(node, x, mode, axis)
        if node.last == 1:
            return self._surely_first(node, x)
        better, level = (">", ">=") if node.most else ("<", "<=")
        # Surely at rank `last` or above: fewer than that are better, whatever the values are within their bounds.
        lines = self._counting(node, x, mode, axis, better, mode == "certain", f"< {node.last}")
        if node.first > 1:  # and surely not above `first`: so many others are at least level
            lines += self._counting(node, x, mode, axis, level, mode == "possible", f">= {node.first - 1}")
        return lines

    def _first(self, node: nodes.Best, x: str, mode: Mode, axis: str) -> list[str]:
        """Rank 1, perhaps, or of numbers: none that surely takes part is better."""
        rows, others = self._each_value(node, x, mode, axis), self._each_value(node, self._new("x"), _OTHER[mode], axis)
        top = self._new("top")
        condition = f"{rows.high} >= {top}" if node.most else f"{rows.low} <= {top}"
        if mode == "possible" and not self.decided(node.base):
            condition = f"!BOUND({top}) || {condition}"
        highest = f"(MAX({others.low}) AS {top})" if node.most else f"(MIN({others.high}) AS {top})"
        return group([*select(highest, others.lines), *rows.lines, f"FILTER({condition})"])

    def _surely_first(self, node: nodes.Best, x: str) -> list[str]:
        """Rank 1 of dates: who may reach furthest of all, less those whom another may outdo."""
        other = self._new("x")
        may_outdo, rows = self._each_value(node, other, "possible", DATE), self._furthest(node, x)
        better = f"{may_outdo.high} > {rows.low}" if node.most else f"{may_outdo.low} < {rows.high}"
        outdone = [*rows.lines, *may_outdo.lines, f"FILTER({other} != {x} && {better})"]
        return group([*self._furthest(node, x).lines, *block("MINUS {", outdone)])

    def _furthest(self, node: nodes.Best, x: str) -> _Rows:
        rows, top = self._rows(node, x, "certain", DATE), self._new("top")
        others = self._each_value(node, self._new("x"), "possible", DATE)
        highest = f"(MAX({others.high}) AS {top})" if node.most else f"(MIN({others.low}) AS {top})"
        reaches = f"FILTER({rows.high if node.most else rows.low} = {top})"
        return _Rows([*select(highest, others.lines), *rows.lines, reaches], rows.low, rows.high)

    def _counting(
        self, node: nodes.Best, x: str, mode: Mode, axis: str, than: str, favoured: bool, how_many: str
    ) -> list[str]:
        """Members for whom so many others are so (``than``), at their best if ``favoured``, else at their worst."""
        mine, other = self._rows(node, x, mode, axis), self._new("x")
        others = self._rows(node, other, "possible" if favoured else "certain", axis)
        left, right = (others.high, mine.low) if favoured == node.most else (others.low, mine.high)
        condition = f"FILTER({other} != {x} && {left} {than} {right})"
        lines = [*mine.lines, *block("OPTIONAL {", [*others.lines, condition])]
        return select(x, lines, f"GROUP BY {x} HAVING (COUNT({other}) {how_many})")

    def decided(self, node: SetNode) -> bool:
        """Whether the set has the same certain and possible members on every graph."""
        match node:
            case nodes.Entities() | nodes.Class() | nodes.Having():
                return True
            case nodes.Where(base, nodes.SizeOf(), _, value):
                exact = isinstance(value, nodes.Number | nodes.Range) and value.quantity.axis == NUMBER
                return exact and self.decided(base)
            case nodes.Where(base, _, _, value):
                return isinstance(value, SetNode) and self.decided(base) and self.decided(value)
            case nodes.Best(base, by):
                return self._is_exact(by) and self.decided(base)
            case nodes.Qualified():
                return False
        return all(self.decided(part) for part in node.parts if isinstance(part, SetNode))

    def _judged(self, x: str, by: By, axis: str) -> tuple[list[str], str, str]:
        """As :meth:`_bounds`, for what a path leads to or what lies between two paths' ends."""
        if isinstance(by, nodes.TotalOf):
            return self._totals(x, by, axis)
        start = self._terms.path(by.path)
        if not isinstance(by, nodes.SpanOf):
            return self._bounds(x, start, axis)
        own = relation_axis(self._pack, by.path[-1]) or axis
        lines, low, high = self._bounds(x, start, own)
        more, until_low, until_high = self._bounds(x, self._terms.path(by.until), own)
        least, most = f"{until_low} - {high}", f"{until_high} - {low}"
        if own == DATE:
            year, day = double(DAYS_A_YEAR), double(SECONDS_A_DAY)
            is_year = " && ".join(
                f"{last} - {first} >= {double(YEAR_DAYS[0])} && {last} - {first} <= {double(YEAR_DAYS[1])}"
                for first, last in ((low, high), (until_low, until_high))
            )
            years = f"ROUND(({until_low} - {low}) / {year}) * {year}"
            least, most = (f"IF({is_year}, {years}, {one}) * {day}" for one in (least, most))
        if least == most:  # numbers are points
            between = self._new("number")
            return [*lines, *more, f"BIND({least} AS {between})"], between, between
        one, other = self._new("low"), self._new("high")
        return [*lines, *more, f"BIND({least} AS {one})", f"BIND({most} AS {other})"], one, other

    def _totals(self, x: str, by: nodes.TotalOf, axis: str) -> tuple[list[str], str, str]:
        """What the numbers add up to of everything before the last relation, each number of a thing once."""
        of, total = (self._new("of") if len(by.path) > 1 else x), self._new("total")
        lines = [f"{x} {self._terms.path(by.path[:-1])} {of} ."] if len(by.path) > 1 else []
        lines += self._among(by, of)
        end, number, whole = self._new("v"), self._new("number"), double(PRECISION)
        lines += [f"{of} {self._terms.path(by.path[-1:])} {end} .", on_axis(end, axis, number, number)]
        each = select(" ".join(dict.fromkeys(("DISTINCT", x, of, end, number))), lines)
        added = f"ROUND(SUM({number}) * {whole}) / {whole}"
        return select(f"{x} ({added} AS {total})", each, f"GROUP BY {x}"), total, total

    def _bounds(self, x: str, path: str, axis: str) -> tuple[list[str], str, str]:
        """The pattern of the values on an axis at the end of a path, and their bounds: one variable for numbers."""
        end = self._new("v")
        low = high = self._new("number" if axis != DATE else "low")
        if axis == DATE:
            high = self._new("high")
        return [f"{x} {path} {end} .", on_axis(end, axis, low, high)], low, high

    # --- statements -----------------------------------------------------------------------------

    def _qualified(self, node: nodes.Qualified, x: str, mode: Mode) -> list[str]:
        said = self.statements(node, self._new("s"), x, mode)
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

    def statements(self, node: nodes.Follow | nodes.Qualified, s: str, x: str, mode: Mode) -> list[str]:
        """Binds ``s`` to the statements of followed triples that satisfy every condition, ``x`` to where they lead."""
        if isinstance(node, nodes.Follow):
            start, lines = self._start(node.base, mode)
            return [*lines, self._statement_of(node, s, start, x)]
        said = self._terms.qualifier(node.relation)
        lines = self.statements(node.base, s, x, mode)
        if isinstance(node.value, SetNode):
            end, ends = self._start(node.value, mode)
            among = [f"{s} {said} {end} .", *ends]
            if mode == "certain":
                return [*lines, *among]
            of = f"{s} kg:relation {self._terms.relation(self._plain(node.follow))} ."
            return [*lines, *either(among, [of, *block("MINUS {", [f"{s} {said} {self._new('any')} ."])])]
        value, axis = self.value(node.value), value_axis(node.value, self._pack)
        if value is None or axis is None:
            return lines if mode == "possible" else nothing(x)
        found, low, high = self._bounds(s, said, axis)
        found = found if mode == "certain" else block("OPTIONAL {", found)
        return group([*lines, *found, *self._compared(low, high, node.comparison, value, mode)])

    def _plain(self, follow: nodes.Follow) -> int:
        return undirected(follow.relation, self._pack.n_relations)[0]

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
