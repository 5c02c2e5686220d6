"""Whether a query over the rows of a table says all that a question does, so that nothing else can be meant.

"How many hours did Callum work in March?": the name and the month stand in one column each, "hours" is what one column
of numbers is of and no other, and no word is left that carries anything. The judge of queries has met few of the labels
that such columns have ("hours (incl. o/t)"), and is less sure than that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from kgask.link.plurals import singulars
from kgask.methods.accounted import unsaid_words
from kgask.methods.relation_facts import is_small
from kgask.pack.label_units import unit_of_label
from kgask.pack.labels import relation_phrase
from kgask.pack.normalise import normalise
from kgask.pack.quantities import WHEN
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.axes import relation_axis
from kgask.query.base import SetNode
from kgask.query.nodes import Query
from kgask.retrieve.follow import relations_of

_MONEY = (
    "money euro euros dollars pounds francs revenue turnover income takings cost costs spend spent spending earn earned"
)
_CALLED = {  # what is measured in a unit is called in a question
    "h": "hour hours", "min": "minute minutes", "kg": "kilo kilos kilogram kilograms kgs weight", "g": "grams",
    "t": "tonnes tons", "km": "kilometres kilometers kms distance", "m": "metres meters", "l": "litres liters",
    "mi": "miles", "ha": "hectares", "kWh": "energy",
    **dict.fromkeys(("EUR", "USD", "GBP", "CHF"), _MONEY),
}  # fmt: skip
NEVER_ADDS_UP = re.compile(r"\bper\b|\brate\b|\baverage\b|\bavg\b|%|\bpercent|°|/wk|\bph\b|\bage\b|\bscore\b|\bgrade\b")
_SUMS = re.compile(
    r"\bhow (?:much|many)\b|\b(?:totals?|sum|altogether|in all|overall|combined|together|what (?:did|have|has|do|does)"
    r" (?:\w+ ){1,3}?(?:earn|earned|spend|spent|turnover))\b",
    re.IGNORECASE,
)
_TURNOVER = re.compile(r"\b(?:turn(?:s|ed)? over|br(?:ing|ings|ought) in|(?:took|takes?) in)\b", re.IGNORECASE)
_HOW_MANY = re.compile(r"\bhow many ((?:[\w-]+ ){1,2})", re.IGNORECASE)
_COUNTS_NAMED = re.compile(r"\bhow many _(?!\w)", re.IGNORECASE)  # names stand in the rows that are counted
_AVERAGE = re.compile(r"\b(?:average|mean|typically)\b", re.IGNORECASE)
_MOST = re.compile(r"\b(?:most|more|highest|biggest|largest|greatest)\b", re.IGNORECASE)
_LEAST = re.compile(r"\b(?:least|fewest|less|fewer|lowest|smallest)\b", re.IGNORECASE)
_DENIES = re.compile(r"\b(?:never|not|no|without)\b|n['\u2019]t\b", re.IGNORECASE)
_WHETHER = re.compile(r"\W*(?:and |so )?(?:did|does|do|has|have|had|was|were|is|are)\b", re.IGNORECASE)
_TWO = re.compile(r"\b(?:both|and|as well as|plus)\b", re.IGNORECASE)
_ASKS_MORE = re.compile(
    r"\b(?:all|every|each|only|just|than|first|last|second|third|or|difference|if|why|alone|same|other|others|"
    r"more|most|less|least|fewest|average)\b|\bhow (?:long|often|far)\b",
    re.IGNORECASE,
)
_POINTS_BACK = re.compile(r"\b(?:that|those|these|this|them|they|it|its|he|she|his|her|hers|their|then|there)\b", re.I)
_WHICH = re.compile(r"\b(?:which|what|whose)(?: of (?:our|my|the))? (?P<noun>[\w-]+(?: [\w-]+)?)", re.IGNORECASE)
_WHO = re.compile(r"\bwho\b", re.IGNORECASE)
_PERSONS = re.compile(
    r"\A(?:who|name|person|member|employee|staff|worker|volunteer|driver|seller|player|student|guide|teacher|assignee|"
    r"assigned to|operator|nurse|doctor|coach|rider|runner|agent|helper|participant)\Z|\bby\Z"
)
_BUYERS = re.compile(r"\b(?:customer|client|buyer|guest|member|household|department|who|name|person|shopper|patron)\b")
_DONE = (
    "work works worked working put log logged record recorded total come comes do done ever any anything anyone add up"
)
_BUYS = "spend spent buy bought order ordered purchase purchased"
_SELLS = "sell sold sale sales earn earned make made turn turned revenue turnover income takings bring brought"


def is_whole_sketch(query: Query, text: str, words: str, pack: Pack) -> bool:
    """Whether a query over rows says all that a question does; ``words`` are those of the query and of what it comes
    to. In ``text`` the names and values that the query has are masked; that it leaves none out is for the caller."""
    if not is_small(pack) or _POINTS_BACK.search(text):
        return False
    sketch = _Sketch(query, _TURNOVER.sub("turnover", text), pack)
    return sketch.is_asked() and not sketch.leaves_words(words)


class _Sketch:
    def __init__(self, query: Query, text: str, pack: Pack) -> None:
        self._query, self._text, self._pack, self._n = query, text, pack, pack.n_relations
        self._labels = [relation_phrase(label) for label in pack.relation_labels()]

    def is_asked(self) -> bool:
        """Whether the operator, what it works on, and whose rows are compared are those that the question says."""
        text = self._text
        match self._query:
            case nodes.Sum(nodes.Values(rows, amount)) if self._are_rows(rows):
                asked = _SUMS.search(text) is not None and not _AVERAGE.search(text) and not _ASKS_MORE.search(text)
                return asked and self._is_counted(amount) and self._is_measured(amount)
            case nodes.Mean(nodes.Values(rows, amount)) if self._are_rows(rows):
                rest = _AVERAGE.sub("", text)
                return rest != text and not _ASKS_MORE.search(rest) and self._is_measured(amount)
            case nodes.Best(base, nodes.TotalOf((way, amount), _), most, 1, 1) if way >= self._n:
                right = _MOST if most else _LEAST
                is_so = right.search(text) is not None and not (_LEAST if most else _MOST).search(text)
                of = isinstance(base, nodes.Entities) or self._is_owner(way - self._n)
                return is_so and of and not _DENIES.search(text) and self._is_measured(amount)
            case nodes.Count(nodes.And() | nodes.Where() as rows) if self._are_rows(rows) and self._is_plain():
                return _COUNTS_NAMED.search(text) is not None and not _DENIES.search(text)
            case nodes.Follow(nodes.And() | nodes.Where() as rows, end) if self._are_rows(rows) and self._is_plain():
                return not _DENIES.search(text) and self._is_owner(end)
            case nodes.Minus(nodes.Having() | nodes.Class(), nodes.Follow(rows, end)) if self._are_rows(rows):
                return _DENIES.search(text) is not None and self._is_plain() and self._is_owner(end)
            case nodes.And(nodes.Follow(one, end), nodes.Follow(other, same)) if end == same < self._n:
                is_two = _TWO.search(text) is not None and not _DENIES.search(text)
                return is_two and self._are_rows(one, other) and self._is_plain() and self._is_owner(end)
            case nodes.Some(nodes.And() | nodes.Where() as rows) if (
                self._are_rows(rows) and len([*_constraints(rows)]) > 1
            ):
                return _WHETHER.match(text) is not None and not _DENIES.search(text) and self._is_plain()
        return False

    def leaves_words(self, words: str) -> list[str]:
        """The words of the question that say more than the query, what it measures, and whose rows it is about."""
        return unsaid_words(re.sub(r"n['\u2019]t\b", " not", self._text), f"{words} {self._said()}")

    def _said(self) -> str:
        columns = [*self._columns()]
        buys = any(_BUYERS.search(self._labels[one]) for one in columns)
        measures = (word for node in self._query.walk() for word in self._of(node))
        return " ".join((_DONE, _BUYS if buys else _SELLS, *measures, "which who never not most least more less fewer"))

    def _of(self, node: object) -> Iterator[str]:
        match node:
            case nodes.Values(_, amount) | nodes.TotalOf((_, amount)):
                yield from self._measures(amount)

    def _are_rows(self, *sets: SetNode) -> bool:
        """Whether sets are chosen by nothing but what stands in a row."""
        return all(
            isinstance(one, nodes.Class | nodes.Having | nodes.Where)
            or (isinstance(one, nodes.Follow) and isinstance(one.base, nodes.Entities) and one.relation >= self._n)
            for rows in sets
            for one in _constraints(rows)
        )

    def _is_plain(self) -> bool:
        return _ASKS_MORE.search(self._text) is None

    def _measures(self, amount: int) -> set[str]:
        """What a column of numbers is called, and what it measures."""
        label = self._labels[amount]
        words = {*normalise(label).split()} - {"of", "which", "in", "the", "incl", "and"}
        return words | {*_CALLED.get(unit_of_label(label), "").split()}

    def _is_measured(self, amount: int) -> bool:
        """Whether the question says what one column of numbers is of, and no other of these rows."""
        if NEVER_ADDS_UP.search(self._labels[amount]) and not isinstance(self._query, nodes.Mean):
            return False
        said = {form for word in normalise(self._text).split() for form in (word, *singulars(word))}
        beside = (one for one in self._numbers(amount) if one != amount)
        rivals = [one for one in beside if not NEVER_ADDS_UP.search(self._labels[one]) and said & self._measures(one)]
        return bool(said & self._measures(amount)) and not rivals

    def _is_counted(self, amount: int) -> bool:
        """Whether "how many" is followed by what the column is of: "how many hours", not "how many shifts"."""
        found = _HOW_MANY.search(f"{self._text} ")
        if found is None:
            return True
        said = {form for word in normalise(found[1]).split() for form in (word, *singulars(word))}
        return bool(said & self._measures(amount))

    def _numbers(self, amount: int) -> list[int]:
        """The columns of numbers of rows that have this one."""
        at = np.flatnonzero(np.asarray(self._pack.out_relation) == amount)[:1]
        row = np.searchsorted(self._pack.out_indptr, at.astype(self._pack.out_indptr.dtype), side="right") - 1
        had = np.flatnonzero(relations_of(self._pack, row)[: self._n]).tolist()
        return [one for one in had if relation_axis(self._pack, one) not in (None, *WHEN)]

    def _is_owner(self, column: int) -> bool:
        """Whether those in a column are asked for: by its name, or as "who" where no other column is of people."""
        if found := _WHICH.search(self._text):
            first, *_ = words = normalise(found["noun"]).split()
            said = {form for noun in (first, " ".join(words)) for form in (noun, *singulars(noun))}
            label = self._labels[column]
            return label in said or (label.endswith(" by") and not unsaid_words(first.removesuffix("s"), label))
        people = [one for one in range(self._n) if _PERSONS.search(self._labels[one])]
        people = [one for one in people if self._labels[one] == "who"] or people
        return _WHO.search(self._text) is not None and people == [column]

    def _columns(self) -> Iterator[int]:
        """The columns by which rows are chosen."""
        for node in self._query.walk():
            match node:
                case nodes.Follow(nodes.Entities(), way) if way >= self._n:
                    yield way - self._n
                case nodes.TotalOf((way, _)) if way >= self._n:
                    yield way - self._n


def _constraints(rows: SetNode) -> Iterator[SetNode]:
    """What rows are chosen by, one by one."""
    match rows:
        case nodes.And(left, right):
            yield from (*_constraints(left), *_constraints(right))
        case nodes.Where(base, nodes.ValueOf()):
            yield from (*_constraints(base), rows)
        case _:
            yield rows
