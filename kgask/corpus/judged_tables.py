"""People's questions over tables (WikiSQL), with columns as relations: any label that a table's maker thought of.

What a query comes to is made up from what the column has elsewhere: the tables themselves are not at hand.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from kgask.corpus.judged import JudgedQuery, JudgedQuestion
from kgask.query.relation_words import RelationWords, listed
from kgask.sets.rows import in_data
from kgask.sets.wikisql import TRAINING, Condition, TableQuestion, questions

SOURCE = "wikisql"
LACKING = 0.15  # share of the questions that no query answers
NAMED = 0.5  # share of the single conditions whose value stands for the row
OTHER_AGGREGATE, OTHER_COLUMN, FEWER, TURNED, ASIDE = 0.5, 0.4, 0.6, 0.6, 0.3  # shares that get such a wrong query
_COLUMN_CHARS, _VALUE_CHARS, _TEXT_CHARS = range(3, 40), 40, 160
_TOGETHER = {"MAX": "highest", "MIN": "lowest", "SUM": "total", "AVG": "average"}
_AGGREGATES = ("", "COUNT", *_TOGETHER)


class TableQueries:
    """Draws questions of WikiSQL's training part."""

    def __init__(self, data: Path, rng: random.Random) -> None:
        self._rng = rng
        self._every = list(questions(in_data(data, TRAINING)))
        self._columns: dict[str, dict[str, None]] = defaultdict(dict)
        self._values: dict[str, list[str]] = defaultdict(list)
        for one in self._every:
            for column in (one.column, *(condition.column for condition in one.conditions)):
                if _is_readable(column):
                    self._columns[one.table][column] = None
            for condition in one.conditions:
                self._values[condition.column].append(condition.value)

    def draw(self, n: int) -> Iterator[JudgedQuestion]:
        """At most ``n`` questions, none twice."""
        usable = [one for one in self._every if _is_usable(one)]
        for one in self._rng.sample(usable, min(n, len(usable))):
            queries = tuple(self._queries(one))
            if queries:
                text = one.question if self._rng.random() < 0.6 else one.question.lower().rstrip("?")
                yield JudgedQuestion(text, SOURCE, queries)

    def _queries(self, one: TableQuestion) -> Iterator[JudgedQuery]:
        rng, conditions = self._rng, list(one.conditions)
        named = len(conditions) == 1 and conditions[0].comparison == "=" and rng.random() < NAMED
        used = {one.column, *(condition.column for condition in conditions)}
        others = [column for column in self._columns[one.table] if column not in used]
        if rng.random() >= LACKING:
            yield self._query(one.aggregate, one.column, conditions, named, True)
        for other in rng.sample(others, min(len(others), rng.randint(1, 3))):
            yield self._query(one.aggregate, other, conditions, named)
        if rng.random() < OTHER_AGGREGATE:
            chosen = rng.choice([name for name in _AGGREGATES if name != one.aggregate])
            if {chosen, one.aggregate} != {"", "COUNT"}:  # annotators take one for the other
                yield self._query(chosen, one.column, conditions, named)
        if others and not named and rng.random() < OTHER_COLUMN:
            yield self._query(one.aggregate, one.column, self._moved(conditions, rng.choice(others)), False)
        if len(conditions) > 1 and rng.random() < FEWER:
            yield self._query(one.aggregate, one.column, rng.sample(conditions, len(conditions) - 1), False)
        if any(condition.comparison != "=" for condition in conditions) and rng.random() < TURNED:
            yield self._query(one.aggregate, one.column, _turned(conditions), False)
        if rng.random() < ASIDE:
            condition = rng.choice(conditions)
            yield self._query("", condition.column, [condition], condition.comparison == "=")

    def _moved(self, conditions: list[Condition], column: str) -> list[Condition]:
        at = self._rng.randrange(len(conditions))
        changed = Condition(column, conditions[at].comparison, conditions[at].value)
        return [*conditions[:at], changed, *conditions[at + 1 :]]

    def _query(
        self, aggregate: str, column: str, conditions: Sequence[Condition], named: bool, right: bool = False
    ) -> JudgedQuery:
        rng, relation = self._rng, RelationWords(column, False)
        base = conditions[0].value if named else f"those {' and '.join(map(_said, conditions))}"
        if aggregate == "COUNT":
            what = base if rng.random() < 0.5 else relation.of(base, True).removeprefix("the ")
            return JudgedQuery(f"the number of {what}", str(rng.randint(0, 30)), right)
        several = relation.of(base, True).removeprefix("the ")
        if aggregate in ("SUM", "AVG"):
            return JudgedQuery(f"the {_TOGETHER[aggregate]} {several}", str(rng.randint(1, 3000)), right)
        if aggregate:
            return JudgedQuery(f"the {_TOGETHER[aggregate]} {several}", self._outcome(column), right)
        return JudgedQuery(relation.of(base, not named and rng.random() < 0.5), self._outcome(column), right)

    def _outcome(self, column: str) -> str:
        known = self._values.get(column) or ["nothing"]
        return listed(self._rng.sample(known, min(len(known), self._rng.choice((1, 1, 1, 2, 3)))), "and")


def _said(condition: Condition) -> str:
    relation = RelationWords(condition.column, False)
    if condition.comparison == "=":
        return relation.that(condition.value)
    return f"whose {relation.noun} is {'more' if condition.comparison == '>' else 'less'} than {condition.value}"


def _turned(conditions: Sequence[Condition]) -> list[Condition]:
    """Each "more than" as "less than"."""
    other = {"<": ">", ">": "<"}
    return [Condition(one.column, other.get(one.comparison, one.comparison), one.value) for one in conditions]


def _is_readable(column: str) -> bool:
    return len(column) in _COLUMN_CHARS and any(map(str.isalpha, column))


def _is_usable(one: TableQuestion) -> bool:
    text = one.question.lower()
    said = all(
        _is_readable(condition.column) and len(condition.value) <= _VALUE_CHARS and condition.value.lower() in text
        for condition in one.conditions
    )
    return bool(one.conditions) and said and _is_readable(one.column) and len(text) <= _TEXT_CHARS
