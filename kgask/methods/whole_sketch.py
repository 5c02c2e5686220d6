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
from kgask.methods.column_measures import CURRENCIES, MONEY, PART_OF, QUANTITY, adds_up, measures_of
from kgask.methods.deeds import deeds_of, is_of_people
from kgask.methods.over_records import RECORD
from kgask.methods.relation_facts import is_small, leads_to_one
from kgask.pack.label_units import unit_of_label
from kgask.pack.labels import relation_phrase
from kgask.pack.normalise import normalise
from kgask.pack.quantities import DATE, WHEN
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.axes import by_axis, relation_axis
from kgask.query.base import By, SetNode
from kgask.query.nodes import Query
from kgask.retrieve.follow import relations_of

_SUMS = re.compile(
    r"\bhow (?:much|many)\b|\b(?:totals?|sum|altogether|in all|overall|combined|together)\b|"
    r"\bwhat (?:did|have|has|do|does) (?:\w+ ){1,3}?(?:earn|earned|spend|spent|turnover)\b",
    re.IGNORECASE,
)
# Of a whole table these may be some of its rows only: what went out of all that came in and went out.
_SPENDS = re.compile(r"\b(?:spen[dt]|earn|earned|made|make|turnover|income|paid|pay)\b", re.IGNORECASE)
_OF_ALL = re.compile(r"\b(?:totals?|altogether|in all|overall|all|average|mean|together)\b", re.IGNORECASE)
_TOTAL = re.compile(r"\btotal\b", re.IGNORECASE)
_AMOUNT = re.compile(r"\bhow much\b|\btotal\b", re.IGNORECASE)  # of whatever there is to add up
_TURNOVER = re.compile(r"\b(?:turn(?:s|ed)? over|br(?:ing|ings|ought) in|(?:took|takes?) in)\b", re.IGNORECASE)
_EARNS = re.compile(r"\b(?:earn|made|make|get|got|paid|pay)(?:s|ed)?\b", re.IGNORECASE)  # of somebody, that is a wage
_OURS = re.compile(r"\b(?:we|us|our)\b", re.IGNORECASE)
_ANY_OF = re.compile(r"\b(?:an?|any|some) ([\w-]+)", re.IGNORECASE)
_HOW_MANY = re.compile(r"\bhow many ((?:[\w-]+ ){1,2})", re.IGNORECASE)
_IS_SO_MUCH = re.compile(r"\b(?:was|is|were|are) _\W*\Z", re.IGNORECASE)  # of one row, by whoever's name
_COUNTS_NAMED = re.compile(r"\bhow many _(?!\w)", re.IGNORECASE)  # names stand in the rows that are counted
_AVERAGE = re.compile(r"\b(?:average|mean|typically)\b", re.IGNORECASE)
_MOST = re.compile(r"\b(?:most|more|highest|biggest|largest|greatest|best|top)\b", re.IGNORECASE)
_OF_TWO = re.compile(r"_['\u2019]?s?,? (?:or|vs\.?|versus|and) _", re.IGNORECASE)
_THAN = re.compile(r"\bthan\b", re.IGNORECASE)
_PLACES = ("second", "third", "fourth", "fifth")
_LEAST = re.compile(r"\b(?:least|fewest|less|fewer|lowest|smallest)\b", re.IGNORECASE)
_OFTEN = re.compile(r"\b(?:(?:most|least) (?:often|frequently)|(?:more|most|fewest|fewer) times)\b", re.IGNORECASE)
_FIRST = re.compile(r"\b(?:first|earliest)\b", re.IGNORECASE)
_LAST = re.compile(r"\b(?:last|latest|most recent(?:ly)?)\b", re.IGNORECASE)
_WHEN = re.compile(r"\b(?:when|what date|which date|what day|which day|date|day)\b", re.IGNORECASE)
_DENIES = re.compile(r"\b(?:never|not|no|without)\b|n['\u2019]t\b", re.IGNORECASE)
_WHETHER = re.compile(r"\W*(?:and |so )?(?:did|does|do|has|have|had|was|were|is|are)\b", re.IGNORECASE)
_TWO = re.compile(r"\b(?:both|and|as well as|plus)\b", re.IGNORECASE)
_ASKS_MORE = re.compile(
    r"\b(?:all|every|each|only|just|than|first|last|second|third|or|difference|if|why|alone|same|other|others|"
    r"more|most|less|least|fewest|average|per|back|still|"
    r"(?!(?:guest|forest|west|rest|test|harvest)\b)[a-z]{3,}est)\b|\bhow (?:long|often|far)\b",
    re.IGNORECASE,
)
_OR = re.compile(r"\b(?:or|either)\b", re.IGNORECASE)
_LISTS = re.compile(
    r"\W*(?:(?:which|what)(?: of _['\u2019]?s?)? (?P<noun>[\w-]+)|(?:list|show|name|give|find|tell)\b(?! _))", re.I
)
_TAKEN_OUT = re.compile(r"\b(?:takes?|took|taken|taking|lent|lend|borrowed) out\b", re.IGNORECASE)
_IS_THERE = re.compile(r"\b(?:was|were|is|are|been) there\b", re.IGNORECASE)
_POINTS_BACK = re.compile(
    r"\b(?:that(?! (?:went|was|were|is|are|has|have|had|did|came|[a-z]{3,}ed)\b)|those|these|this|them|they|it|its|he|"
    r"she|his|her|hers|their|then|there)\b",
    re.IGNORECASE,
)
_WHICH = re.compile(r"\b(?:which|what|whose)(?: of (?:our|my|the))? (?P<noun>[\w-]+(?: [\w-]+)?)", re.IGNORECASE)
# Whoever did something at a place; with a thing alone ("who fired it?") once may be meant.
_WHERE = re.compile(r"\b(?:in|at|on|from|for|with|to|by) _", re.IGNORECASE)
_WHO = re.compile(r"\b(?:who|everybody|everyone)\b", re.IGNORECASE)
_BUYERS = re.compile(r"\b(?:customer|client|buyer|guest|member|household|department|who|name|person|shopper|patron)\b")
_DONE = "work works worked working put log logged record recorded total come comes do done ever any anything anyone add"
_DONE += " up who which never not everybody everyone altogether"
_ORDERS = (
    "most least more less fewer fewest often times second third fourth fifth highest biggest largest greatest best"
)
_ORDERS += " top lowest smallest total"
_DONE += " deal dealt about something someone somebody"
LOOKED_AT = 20  # rows, whose labels and columns are looked at
_BUYS = "spend spent buy bought order ordered purchase purchased"
_SELLS = "sell sold sale sales earn earned made make turn turned revenue turnover income takings bring brought"


def is_sketch(query: Query) -> bool:
    """Whether a query is of a form that :func:`is_whole_sketch` knows."""
    match query:
        case nodes.Sum(nodes.Values()) | nodes.Mean(nodes.Values()) | nodes.Best(_, nodes.TotalOf() | nodes.SizeOf()):
            return True
        case nodes.Count(nodes.And() | nodes.Where()) | nodes.Some(nodes.And() | nodes.Where()):
            return True
        case nodes.Follow(nodes.And() | nodes.Where() | nodes.Best() | nodes.Follow(nodes.Entities())):
            return True
        case nodes.And() | nodes.Where():
            return True
        case nodes.Minus(nodes.Having() | nodes.Class(), nodes.Follow()):
            return True
    return False


def is_whole_sketch(query: Query, text: str, words: str, pack: Pack) -> bool:
    """Whether a query over rows says all that a question does; ``words`` are those of the query and of what it comes
    to. In ``text`` the names and values that the query has are masked; that it leaves none out is for the caller."""
    text = _TAKEN_OUT.sub("take", text)
    text = _IS_THERE.sub("was", _TURNOVER.sub("turnover", text))
    if not is_small(pack) or _POINTS_BACK.search(text):
        return False
    sketch = _Sketch(query, text, pack)
    return sketch.is_asked() and not sketch.is_said_of_names() and not sketch.leaves_words(words)


class _Sketch:
    def __init__(self, query: Query, text: str, pack: Pack) -> None:
        self._query, self._text, self._pack, self._n = query, text, pack, pack.n_relations
        self._labels = [relation_phrase(label) for label in pack.relation_labels()]

    def is_asked(self) -> bool:
        """Whether the operator, what it works on, and whose rows are compared are those that the question says."""
        match self._query:
            case nodes.Sum(nodes.Values(rows, amount)) | nodes.Mean(nodes.Values(rows, amount)):
                is_whole = not isinstance(rows, nodes.Class | nodes.Having) or (
                    _OF_ALL.search(self._text) is not None and not _SPENDS.search(self._text)
                )
                return is_whole and self._are_rows(rows) and self._is_added_up(amount)
            case nodes.Best(base, by, most, first, last) if isinstance(by, nodes.TotalOf | nodes.SizeOf):
                return first == last == self._rank() and self._is_most(base, by, most)
            case nodes.Count(rows):
                return isinstance(rows, SetNode) and self._are_rows(rows) and self._is_plain() and self._counts_named()
            case nodes.Some(rows):
                is_of_several = len([*_constraints(rows)]) > 1
                return self._are_rows(rows) and is_of_several and bool(_WHETHER.match(self._text)) and self._is_plain()
            case nodes.Minus(_, nodes.Follow(rows, end)):
                denies = _DENIES.search(self._text) and not _ASKS_MORE.search(self._text)
                return bool(denies) and self._are_rows(rows) and self._is_owner(end)
            case nodes.And(nodes.Follow(one, end), nodes.Follow(other, same)) if end == same < self._n:
                is_two = _TWO.search(self._text) is not None and self._is_plain()
                return is_two and self._are_rows(one, other) and self._is_owner(end)
            case nodes.Follow(nodes.Best(rows, nodes.ValueOf((date,)), most, 1, 1), told):
                return date == told and self._are_rows(rows) and self._asks_when(date, most)
            case nodes.Follow(rows, end) if self._are_rows(rows):
                is_narrowed = not isinstance(rows, nodes.Follow)
                is_whole = is_narrowed or _WHERE.search(self._text) is not None
                return is_whole and self._has_right_or(rows) and self._is_owner(end, or_alone=is_narrowed)
            case nodes.And() | nodes.Where() as rows if self._are_rows(rows):
                return self._lists(rows) and self._has_right_or(rows)
        return False

    def is_said_of_names(self) -> bool:
        """Whether a name has itself what is asked of its rows: how much a tiger weighs is not what its cubs do."""
        named = [node.ids for node in self._query.walk() if isinstance(node, nodes.Entities)]
        asked = {*self._columns(), *(node.relation for node in self._query.walk() if isinstance(node, nodes.Values))}
        had = relations_of(self._pack, np.array([one for ids in named for one in ids], dtype=np.int64))
        return any(had[one] for one in asked if one not in self._pack.type_relations)

    def leaves_words(self, words: str) -> list[str]:
        """The words of the question that say more than the query, what it measures, and whose rows it is about."""
        return unsaid_words(re.sub(r"n['\u2019]t\b", " not", self._text), f"{words} {self._said()}")

    def _said(self) -> str:
        columns = [*self._columns()]
        buys = any(_BUYERS.search(self._labels[one]) for one in columns)
        measures = (word for node in self._query.walk() for word in self._of(node))
        deeds = (deed for one in columns for deed in deeds_of(self._labels[one]))
        any_of = (one[1] for one in _ANY_OF.finditer(self._text))  # "first hire a boat": whichever
        other = (noun for noun in any_of if not {noun.lower(), *singulars(noun.lower())}.isdisjoint(self._labels))
        return " ".join((_DONE, self._said_of_order(), _BUYS if buys else _SELLS, *measures, *deeds, *other))

    def _said_of_order(self) -> str:
        match self._query:
            case nodes.Best():
                return _ORDERS
            case nodes.Follow(nodes.Best()):
                return "first earliest last latest most recent date day"
        return ""

    def _of(self, node: object) -> Iterator[str]:
        match node:
            case nodes.Values(_, amount) | nodes.TotalOf((_, amount)):
                yield from self._measures(amount)

    # --- rows, and whose they are ----------------------------------------------------------------

    def _are_rows(self, *sets: SetNode) -> bool:
        """Whether sets are chosen by nothing but what stands in a row."""
        ways = [one.relation for rows in sets[:1] for one in _constraints(rows) if isinstance(one, nodes.Follow)]
        if len(set(ways)) < len(ways):  # of two that stand in one column
            return False
        return all(
            isinstance(one, nodes.Class)
            or (isinstance(one, nodes.Having) and one.relation < self._n)
            or (isinstance(one, nodes.Where) and one.comparison == "=" and self._is_dated(one.by))
            or (isinstance(one, nodes.Or) and _is_of_one_column(one) and self._are_rows(one.left, one.right))
            or (isinstance(one, nodes.Follow) and self._is_cell(one))
            for rows in sets
            for one in _constraints(rows)
        )

    def _is_dated(self, by: By) -> bool:
        """Whether it is by a date or time, and the rows have no other, unless the question says which."""
        axis, column = by_axis(self._pack, by), by.path[-1]
        if axis not in WHEN:
            return False
        said = {*normalise(self._text).split()} - {"date", "day", "time", "on", "of", "at"}
        called = {*self._labels[column].split(), *deeds_of(f"{self._labels[column].removesuffix(' on')} by")}
        return self._numbers(column, among=(axis,)) == [column] or bool(said & called)

    def _is_cell(self, one: nodes.Follow) -> bool:
        """Whether a name stands in a column that has one value a row: of a list in a cell nothing is sure."""
        relation = one.relation - self._n
        first_literal = self._pack.n_entities - self._pack.n_literals
        if not isinstance(one.base, nodes.Entities) or relation < 0 or max(one.base.ids) >= first_literal:
            return False
        return leads_to_one(self._pack, relation) or relation in self._pack.type_relations

    def _are_unnamed(self, column: int) -> bool:
        """Whether rows that have a column are called by a number or a code alone: nobody asks for these as "who"."""
        return all(map(RECORD.fullmatch, self._pack.labels(self._some_rows(column).tolist())))

    def _some_rows(self, column: int) -> np.ndarray:
        """Rows that have a column, int64."""
        at = np.flatnonzero(np.asarray(self._pack.out_relation) == column)[:LOOKED_AT]
        return np.searchsorted(self._pack.out_indptr, at.astype(self._pack.out_indptr.dtype), side="right") - 1

    def _columns(self) -> Iterator[int]:
        """The columns by which rows are chosen, and those in whose names they are told or compared."""
        for node in self._query.walk():
            match node:
                case nodes.Follow(_, way) | nodes.TotalOf((way, _)) | nodes.SizeOf((way,)):
                    yield way % self._n

    def _is_owner(self, column: int, or_alone: bool = True) -> bool:
        """Whether those in a column are asked for: by its name, by what they do, or (``or_alone``) as "who" where no
        other column is of people."""
        if column >= self._n or relation_axis(self._pack, column) is not None:
            return False
        said = {*normalise(self._text).split()}
        people = [one for one in range(self._n) if is_of_people(self._labels[one])]
        doing = [one for one in people if said & deeds_of(self._labels[one])]
        if found := _WHICH.search(self._text):
            first, *_ = words = normalise(found["noun"]).split()
            called = {form for noun in (first, " ".join(words)) for form in (noun, *singulars(noun))}
            doers = {one for one in deeds_of(self._labels[column]) if one.endswith("er")}
            return self._labels[column] in called or bool(called & doers)
        people = (
            [one for one in people if self._labels[one] == "who"]
            or doing
            or (people if or_alone and self._are_unnamed(column) else [])
        )
        return _WHO.search(self._text) is not None and people == [column]

    def _is_plain(self, text: str = "") -> bool:
        return _ASKS_MORE.search(text or self._text) is None and not _DENIES.search(self._text)

    def _has_right_or(self, rows: SetNode) -> bool:
        is_either = any(isinstance(node, nodes.Or) for node in rows.walk())
        return is_either is bool(_OR.search(self._text)) and self._is_plain(_OR.sub("", self._text))

    def _lists(self, rows: SetNode) -> bool:
        """Whether the rows themselves are asked for, as what they are: "which of Hal's tasks", "list the claims"."""
        found = _LISTS.match(self._text)
        kinds = [node.type for node in rows.walk() if isinstance(node, nodes.Class)]
        called = {normalise(label) for label in self._pack.labels(kinds)}
        noun = (found["noun"] or "").lower() if found else ""
        return found is not None and (not found["noun"] or not called.isdisjoint(singulars(noun)))

    def _counts_named(self) -> bool:
        """Whether rows are counted in which a name stands: not where they say how many of it there are."""
        at = next((column for column in self._columns() if column < self._n), None)
        is_told = at is not None and any(QUANTITY.search(self._labels[one]) for one in self._numbers(at))
        return _COUNTS_NAMED.search(self._text) is not None and not is_told

    def _asks_when(self, date: int, most: bool) -> bool:
        """Whether the first or the last day of something is asked for."""
        text = self._text
        wanted, other = (_LAST, _FIRST) if most else (_FIRST, _LAST)
        if not wanted.search(text) or other.search(text) or _WHEN.search(text) is None or _DENIES.search(text):
            return False
        whens = [one for one in self._numbers(date, among=(DATE,)) if one != date]
        return relation_axis(self._pack, date) in WHEN and not whens and not _ASKS_MORE.search(wanted.sub("", text))

    # --- what is measured ------------------------------------------------------------------------

    def _is_added_up(self, amount: int) -> bool:
        text = self._text
        if _DENIES.search(text) or PART_OF.search(text) or (_EARNS.search(text) and not _OURS.search(text)):
            return False
        if isinstance(self._query, nodes.Mean):
            rest = _AVERAGE.sub("", text).replace(" per ", " ")
            return rest != text and not _ASKS_MORE.search(rest) and self._is_measured(amount, or_alone=True)
        if not _SUMS.search(text) or _AVERAGE.search(text) or _ASKS_MORE.search(text.replace("in all", "")):
            return False
        return self._is_counted(amount) and self._is_measured(amount, or_alone=_AMOUNT.search(text) is not None)

    def _is_most(self, base: SetNode, by: nodes.TotalOf | nodes.SizeOf, most: bool) -> bool:
        """Whether the question says so of those of one column: by what their rows add up to, or by how many."""
        text, way = self._text, by.path[0]
        wanted, other = (_MOST, _LEAST) if most else (_LEAST, _MOST)
        if way < self._n or not wanted.search(text) or other.search(text) or _DENIES.search(text):
            return False
        if isinstance(base, nodes.Entities):
            if _OF_TWO.search(text) is None or _THAN.search(text) is not None:
                return False
        elif not self._is_owner(way - self._n):
            return False
        if isinstance(by, nodes.TotalOf):
            return len(by.path) == 2 and self._is_measured(by.path[1])
        return len(by.path) == 1 and _OFTEN.search(text) is not None

    def _rank(self) -> int:
        """The place in the order that is asked for."""
        said = normalise(self._text).split()
        return next((at for at, word in enumerate(_PLACES, 2) if word in said), 1)

    def _measures(self, amount: int) -> frozenset[str]:
        """What a column of numbers is called, and what it measures."""
        return measures_of(self._labels[amount])

    def _is_measured(self, amount: int, or_alone: bool = False) -> bool:
        """Whether the question says what one column of numbers is of, and no other of these rows; ``or_alone``: or no
        other can be added up, and none is said."""
        if not self._adds_up(amount) and not isinstance(self._query, nodes.Mean):
            return False
        said = {form for word in normalise(self._text).split() for form in (word, *singulars(word))}
        beside = (one for one in self._numbers(amount) if one != amount)
        rivals = [one for one in beside if self._adds_up(one)]
        if QUANTITY.search(self._labels[amount]) and _COUNTS_NAMED.search(self._text):
            return True
        if said & self._measures(amount):
            return not any(said & self._measures(one) for one in rivals)
        is_said = unit_of_label(self._labels[amount]) in CURRENCIES or not said.isdisjoint(
            deed for one in self._columns() for deed in deeds_of(self._labels[one])
        )
        is_said = is_said or _TOTAL.search(self._text) is not None or _AVERAGE.search(self._text) is not None
        return or_alone and is_said and not rivals and self._adds_up(amount)

    def _adds_up(self, amount: int) -> bool:
        return adds_up(self._pack.relation_labels()[amount])

    def _is_counted(self, amount: int) -> bool:
        """Whether "how many" is followed by what the column is of: "how many hours", not "how many shifts"."""
        found = _HOW_MANY.search(f"{self._text} ")
        if found is None:
            return True
        if found[1].startswith("_ "):  # "how many pretzels": of what stands in the rows
            return QUANTITY.search(self._labels[amount]) is not None
        said = {form for word in normalise(found[1]).split() for form in (word, *singulars(word))}
        unit = unit_of_label(self._labels[amount])
        measured = MONEY if unit in CURRENCIES else self._measures(amount)  # no number of invoices
        return bool(said & measured) and not _IS_SO_MUCH.search(self._text)

    def _numbers(self, column: int, among: tuple[str, ...] = ()) -> list[int]:
        """The columns of numbers of rows that have this one; those of dates, where these are asked for."""
        had = np.flatnonzero(relations_of(self._pack, self._some_rows(column))[: self._n]).tolist()
        axes = {one: relation_axis(self._pack, one) for one in had}
        return [one for one, axis in axes.items() if (axis in among if among else axis not in (None, *WHEN))]


def _is_of_one_column(either: nodes.Or) -> bool:
    """Whether one or the other stands in the same column."""
    match either:
        case nodes.Or(nodes.Follow(_, one), nodes.Follow(_, other)):
            return one == other
        case nodes.Or(nodes.Where(one_base, one_by), nodes.Where(other_base, other_by)):
            return one_base == other_base and one_by == other_by
    return False


def _constraints(rows: SetNode) -> Iterator[SetNode]:
    """What rows are chosen by, one by one."""
    match rows:
        case nodes.And(left, right):
            yield from (*_constraints(left), *_constraints(right))
        case nodes.Where(base, nodes.ValueOf()):
            yield from _constraints(base)
            yield rows
        case _:
            yield rows
