"""The nodes of a query: immutable, compared by value, their types checked when they are built.

Three kinds. A **set** node stands for entities (literals among them), a **value** node for one number or date, a
**truth** node for yes, no or unknown. Entities and relations are ids of one pack; a relation is directed
(:func:`kgask.types.directed`). What a node means, exactly, where values are uncertain or missing:

*Values are intervals* (:mod:`kgask.pack.quantities`): 1775 is any day of that year. A comparison of intervals is true
where it holds for all that both may be, false where it holds for none, else unknown.

A :class:`Date` or :class:`Range` on the right of a comparison is no such value but a *period*: "before 1815" is before
its first day, "after 1815" after its last, ``<=`` not after its last, ``>=`` not before its first, ``=`` within it.

*Sets are pairs.* ``certain`` members surely belong, ``possible`` ones surely or perhaps: who has no known value, or one
that cannot be compared, is a possible member of :class:`Where` and not a certain one (a path that leads nowhere meets
no set, though). So a difference never claims what the graph does not know. Several values of one member: one that
satisfies is enough.

*Several values where one is asked for* (:class:`Compare`, :class:`Difference`, :class:`Age`) are read as the
interval that spans them.
"""

from __future__ import annotations

import datetime
import math
from dataclasses import dataclass

from kgask.errors import QueryError
from kgask.pack.literals import parse_literal
from kgask.pack.quantities import CLOCK, Quantity, date_quantity, to_base
from kgask.query.base import KINDS, BagNode, By, Comparison, Node, SetNode, TruthNode, ValueNode
from kgask.query.by import SizeOf, SpanOf, TotalOf
from kgask.query.by import ValueOf as ValueOf
from kgask.types import DirectedRelationId, EntityId, RelationId

# --- sets ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Entities(SetNode):
    """These entities."""

    ids: tuple[EntityId, ...]

    def __post_init__(self) -> None:
        Node.__post_init__(self)
        object.__setattr__(self, "ids", tuple(sorted(set(self.ids))))


@dataclass(frozen=True, slots=True)
class Class(SetNode):
    """The instances of a type, by the pack's "instance of" relations, and those of its subclasses."""

    type: EntityId


@dataclass(frozen=True, slots=True)
class Having(SetNode):
    """Whatever the directed relation leaves: the domain of a relation, or its range where it is inverse."""

    relation: DirectedRelationId


@dataclass(frozen=True, slots=True)
class Follow(SetNode):
    """What a directed relation leads to from any member (Cohen et al. 2020: one hop)."""

    base: SetNode
    relation: DirectedRelationId


@dataclass(frozen=True, slots=True)
class And(SetNode):
    """Members of both."""

    left: SetNode
    right: SetNode


@dataclass(frozen=True, slots=True)
class Or(SetNode):
    """Members of either."""

    left: SetNode
    right: SetNode


@dataclass(frozen=True, slots=True)
class Minus(SetNode):
    """Members of the first that are not, even perhaps, of the second."""

    left: SetNode
    right: SetNode


@dataclass(frozen=True, slots=True)
class Where(SetNode):
    """Members whose value, or whose number of ends, compares so with a value; ``in`` a set: whose ends meet it.

    A path that leads nowhere meets no set; of a value, who has none may perhaps compare so.
    """

    base: SetNode
    by: By
    comparison: Comparison
    value: ValueNode | SetNode

    def __post_init__(self) -> None:
        Node.__post_init__(self)
        _check_operand(self.comparison, self.value, countable=isinstance(self.by, SizeOf))
        if isinstance(self.by, SpanOf | TotalOf) and isinstance(self.value, SetNode):
            raise QueryError("what lies between two values meets no set")


@dataclass(frozen=True, slots=True)
class Best(SetNode):
    """Members at the ranks ``first`` to ``last`` (from 1) when ordered by what they are judged by.

    Of several values the highest counts where ``most``, else the lowest. Members with equal values share their ranks,
    so a tie gives more members than ranks. Members without a value take no part. Certain: at such a rank whatever the
    uncertain values are.
    """

    base: SetNode
    by: By
    most: bool = True
    first: int = 1
    last: int = 1

    def __post_init__(self) -> None:
        Node.__post_init__(self)
        if not 1 <= self.first <= self.last:
            raise QueryError("ranks count from 1, the first before the last")


@dataclass(frozen=True, slots=True)
class Qualified(SetNode):
    """As the :class:`Follow` within, by triples that have a statement which says so.

    Nested, all conditions must hold of one statement. A statement that lacks the qualifier, and a triple without
    statements, may perhaps hold.
    """

    base: Follow | Qualified
    relation: RelationId
    comparison: Comparison
    value: ValueNode | SetNode

    def __post_init__(self) -> None:
        Node.__post_init__(self)
        _check_operand(self.comparison, self.value)

    @property
    def follow(self) -> Follow:
        """The relation that is followed."""
        return self.base.follow if isinstance(self.base, Qualified) else self.base


def _check_operand(comparison: Comparison, value: ValueNode | SetNode, countable: bool = False) -> None:
    if isinstance(value, SetNode) and (comparison != "in" or countable):
        raise QueryError("a set can only be compared by 'in', and only with values")


# --- values --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Number(ValueNode):
    """A number, in a unit."""

    number: float
    unit: str = ""

    def __post_init__(self) -> None:
        Node.__post_init__(self)
        if not math.isfinite(self.number):
            raise QueryError(f"not a number: {self.number!r}")
        object.__setattr__(self, "number", float(self.number))
        try:
            parse_literal("number", "0", self.unit)
        except ValueError as error:
            raise QueryError(str(error)) from None

    @property
    def quantity(self) -> Quantity:
        axis, value = to_base(self.number, self.unit)
        return Quantity(axis, value, value)


@dataclass(frozen=True, slots=True)
class Date(ValueNode):
    """A year, month, day or time of day, as text (:mod:`kgask.pack.literals`)."""

    text: str

    def __post_init__(self) -> None:
        Node.__post_init__(self)
        try:
            object.__setattr__(self, "text", parse_literal("date", self.text).text)
        except ValueError as error:
            raise QueryError(str(error)) from None

    @property
    def quantity(self) -> Quantity:
        return date_quantity(self.text)

    @property
    def preposition(self) -> str:
        """What stands before it in a sentence."""
        if self.quantity.axis == CLOCK:
            return "at"
        return "on" if self.text.count("-") - self.text.startswith("-") == 2 else "in"


@dataclass(frozen=True, slots=True)
class Range(ValueNode):
    """Everything from one number or date to another, both ends included."""

    low: Number | Date
    high: Number | Date

    def __post_init__(self) -> None:
        Node.__post_init__(self)
        low, high = self.low, self.high
        if isinstance(low, Number) and isinstance(high, Number) and low.unit == high.unit:
            ordered = low.number <= high.number  # without the library of units
        else:
            ordered = low.quantity.axis == high.quantity.axis and low.quantity.low <= high.quantity.high
        if not ordered:
            raise QueryError("Range takes two values of one kind, the lower one first")

    @property
    def quantity(self) -> Quantity:
        low, high = self.low.quantity, self.high.quantity
        return Quantity(low.axis, low.low, high.high)


Constant = Number | Date | Range


def today() -> Date:
    """The day on which this is asked, by the machine's clock."""
    return Date(datetime.date.today().isoformat())


def is_period(value: Node) -> bool:
    """Whether a value to compare with is a period (see above)."""
    return isinstance(value, Date | Range)


@dataclass(frozen=True, slots=True)
class Count(ValueNode):
    """How many members: from the certain ones to the possible ones."""

    base: SetNode


@dataclass(frozen=True, slots=True)
class Values(BagNode):
    """The numbers or dates that a directed relation leads to from the members, one for each triple."""

    base: SetNode
    relation: DirectedRelationId


@dataclass(frozen=True, slots=True)
class QualifierOf(BagNode):
    """What the statements that were followed say: entities, numbers or dates; with ``ends`` those that lead there."""

    base: Follow | Qualified
    relation: RelationId
    ends: SetNode | None = None


@dataclass(frozen=True, slots=True)
class _Aggregate(ValueNode):
    values: BagNode


@dataclass(frozen=True, slots=True)
class Sum(_Aggregate):
    """All values together; 0 where there are none is never said: it is unknown."""


@dataclass(frozen=True, slots=True)
class Mean(_Aggregate):
    """The arithmetic mean."""


@dataclass(frozen=True, slots=True)
class Min(_Aggregate):
    """The lowest value."""


@dataclass(frozen=True, slots=True)
class Max(_Aggregate):
    """The highest value."""


@dataclass(frozen=True, slots=True)
class Difference(ValueNode):
    """The first less the second; of dates a time (in seconds, shown in days)."""

    left: ValueNode
    right: ValueNode


@dataclass(frozen=True, slots=True)
class Age(ValueNode):
    """Whole years from one date to another: birthdays."""

    born: ValueNode
    at: ValueNode


@dataclass(frozen=True, slots=True)
class YearsBetween(Age):
    """The year of the one date less that of the other, as people reckon where no more than the years is known."""


# --- truths --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Some(TruthNode):
    """Whether the set has a member."""

    base: SetNode


@dataclass(frozen=True, slots=True)
class Holds(TruthNode):
    """Whether a directed relation leads from a member of the first to one of the second."""

    subject: SetNode
    relation: DirectedRelationId
    object: SetNode


@dataclass(frozen=True, slots=True)
class Compare(TruthNode):
    """Whether two values compare so; unknown where one is missing or of another kind."""

    left: ValueNode
    comparison: Comparison
    right: ValueNode


@dataclass(frozen=True, slots=True)
class Not(TruthNode):
    """The other truth; unknown stays unknown."""

    truth: TruthNode


@dataclass(frozen=True, slots=True)
class _Several(TruthNode):
    truths: tuple[TruthNode, ...]


@dataclass(frozen=True, slots=True)
class All(_Several):
    """Whether every one is true (Kleene's logic)."""


@dataclass(frozen=True, slots=True)
class Any(_Several):
    """Whether one is true (Kleene's logic)."""


Query = SetNode | ValueNode | TruthNode

KINDS["Follow | Qualified"] = (Follow | Qualified, "a followed relation")
KINDS["Number | Date"] = (Number | Date, "a number or a date")
