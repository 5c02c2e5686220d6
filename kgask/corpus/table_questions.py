"""People's questions over tables as queries: a row is an entity, a column its relation (WikiSQL, training part).

``value column^-1`` are the rows that have a value, ``rows column`` what they have. Half of the questions that say what
a row is ("which player", "how many teams") are told so: that column is then no relation, its word is a class.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from kgask.corpus.drafts import Draft, Steps, value_kind, values_in, values_like
from kgask.corpus.query_examples import QueryExample
from kgask.sets.rows import in_data
from kgask.sets.wikisql import TRAINING, Condition, TableQuestion, questions

VOCABULARY = "table"
MOST_OTHERS, MOST_BRANCHES, MOST_FILTERS = 8, 2, 1
_COLUMN_CHARS = 40
_OFTEN_A_QUANTITY = 0.3  # share of a column's uses that add, average or compare it
_AS_ENTITY = 4  # of so many questions with a number or date alone, one has it as something linked

_COMPARISONS = {">": "GT", "<": "LT", "=": "IN"}
_AGGREGATES = {"COUNT": "COUNT", "MAX": "MAX", "MIN": "MIN", "SUM": "SUM", "AVG": "MEAN"}
# An aggregate that nothing in the question asks for is the annotator's slip.
_ASKED = {
    "COUNT": re.compile(r"\b(how many|number of|count|amount of|total)\b"),
    "MAX": re.compile(r"\b(most|max|maximum|top|last|high|\w{2,}est)\b"),
    "MIN": re.compile(r"\b(least|min|minimum|first|low|\w{2,}est)\b"),
    "SUM": re.compile(r"\b(sum|combined|altogether|total(?! number))\b"),
    "AVG": re.compile(r"\b(average|avg|mean)\b"),
}
# Words that say another comparison than the SQL has: a "higher" rank is a smaller number to some annotators.
_SAID = {
    ">": re.compile(r"\b(less|smaller|below|under|before|prior|fewer|lower|earlier)\b"),
    "<": re.compile(r"\b(more|larger|over|above|after|greater|higher|bigger|later|exceed\w*)\b"),
}
_EQUAL_TOO = re.compile(r"\b(at least|at most|or (?:more|less|fewer|above|below|greater|higher|lower|earlier|later))\b")
_ROWS = frozenset(
    "player name driver team club school college country nation city film movie episode title artist song candidate "
    "incumbent party district constructor rider tournament stadium venue station network author director writer "
    "athlete county state town village airport airline ship book album single model company manufacturer engine "
    "chassis language race event character actor nominee senator governor president coach manager winner champion "
    "university institution building bridge mountain river lake island species planet satellite star product "
    "institute church museum newspaper magazine series game region province municipality division league".split()
)
_ASKS = r"\b(?:which|what|how many|name (?:the|all)|list (?:the|all)|number of|who are the)"


@dataclass(frozen=True, slots=True)
class _Part:
    """A condition whose value was found in the question."""

    column: str
    comparison: str
    operand: int
    is_value: bool  # a number or date, not something with a name


def wikisql_questions(data: Path) -> Iterator[QueryExample]:
    """Sources wikisql_path, wikisql_both (two branches), wikisql_filter, wikisql_count and wikisql_value."""
    every = list(questions(in_data(data, TRAINING)))
    quantities = _quantities(every)
    columns: dict[str, dict[str, None]] = {}
    for one in every:
        for column in _columns(one):
            if _is_readable(column):
                columns.setdefault(one.table, {})[column] = None
    for one in every:
        if _is_sound(one, quantities):
            example = _example(one, columns[one.table])
            if example:
                yield example


def _columns(one: TableQuestion) -> list[str]:
    return [one.column, *(condition.column for condition in one.conditions)]


def _is_readable(column: str) -> bool:
    return len(column) <= _COLUMN_CHARS and bool(re.search(r"[a-z]{3}", column)) and column.isascii()


def _quantities(every: Iterable[TableQuestion]) -> set[str]:
    """Columns that hold amounts: "how many points" asks for their value, whatever the SQL counts."""
    uses: Counter[str] = Counter()
    amounts: Counter[str] = Counter()
    for one in every:
        uses.update(_columns(one))
        amounts[one.column] += one.aggregate in ("SUM", "AVG")
        amounts.update(condition.column for condition in one.conditions if condition.comparison != "=")
    return {column for column, n in uses.items() if amounts[column] >= _OFTEN_A_QUANTITY * n} - _ROWS


def _is_sound(one: TableQuestion, quantities: set[str]) -> bool:
    if not all(map(_is_readable, _columns(one))) or len({c.column for c in one.conditions}) < len(one.conditions):
        return False
    if one.aggregate == "COUNT" and one.column in quantities:
        return False
    words = one.question.lower()
    if one.aggregate and not _ASKED[one.aggregate].search(words):
        return False
    compared = {condition.comparison for condition in one.conditions} - {"="}
    return not compared or (not _EQUAL_TOO.search(words) and not any(_SAID[which].search(words) for which in compared))


def _draw(one: TableQuestion, n: int) -> int:
    """A number below ``n``, always the same for a question."""
    return zlib.crc32(f"{one.table} {one.question}".encode()) % n


def _example(one: TableQuestion, columns: Iterable[str]) -> QueryExample | None:
    draft = Draft(one.question)
    rows = _row_class(draft, one) if _draw(one, 2) else None
    parts = _parts(draft, one)
    if parts is None or (not parts and not one.aggregate):
        return None
    branches = [part for part in parts if not part.is_value]
    filters = [part for part in parts if part.is_value]
    if len(branches) > MOST_BRANCHES or len(filters) > MOST_FILTERS or (rows is not None and not parts):
        return None
    draft.distract(values_in(one.question))
    steps = [*_rows(one, branches, filters, rows), *_asked(one, rows is not None), "END"]
    gone = {*_columns(one)}
    others = [column for column in columns if column not in gone][:MOST_OTHERS]
    return draft.example(steps, *_kind(one, branches, filters), VOCABULARY, others)


def _row_class(draft: Draft, one: TableQuestion) -> int | None:
    """The word that says what a row is, where the column that is asked for is called so."""
    if one.aggregate not in ("", "COUNT") or one.column.split()[-1] not in _ROWS:
        return None
    noun = re.escape(one.column)
    plural = rf"(?:{noun}s?|{noun[:-1]}ies)" if noun.endswith("y") else rf"{noun}(?:e?s)?"
    found = re.search(rf"{_ASKS} ({plural})\b", one.question, re.IGNORECASE)
    return draft.point(*found.span(1), "class") if found else None


def _parts(draft: Draft, one: TableQuestion) -> list[_Part] | None:
    """The conditions in the order of the text; None where a value is not found in it."""
    found = []
    linked = len(one.conditions) == 1 and one.conditions[0].comparison == "=" and _draw(one, _AS_ENTITY) == 0
    for condition in sorted(one.conditions, key=lambda condition: -len(condition.value)):
        kind = value_kind(condition.value)
        if kind is None and condition.comparison != "=":
            return None
        is_value = kind is not None and not linked
        operand = _operand(draft, condition, kind if kind and is_value else "entity")
        if operand is None:
            return None
        found.append(_Part(condition.column, condition.comparison, operand, is_value))
    return sorted(found, key=lambda part: draft.start(part.operand))


def _operand(draft: Draft, condition: Condition, kind: str) -> int | None:
    """Where the value stands in the question."""
    if kind == "entity":
        return draft.name(condition.value, kind)
    places = (draft.point(*span) for span in values_like(draft.question, condition.value))
    return next((number for number in places if number is not None), None)


def _rows(one: TableQuestion, branches: Sequence[_Part], filters: Sequence[_Part], rows: int | None) -> Steps:
    """Which rows: the first branch, or the class, or all that have what is compared; then what narrows them."""
    steps: list[str | tuple[str, bool] | int] = []
    for branch in branches:
        steps += [branch.operand, (branch.column, True), *(["AND"] if steps else [])]
    if not steps:
        base = filters[0].column if filters else one.column
        steps = [rows] if rows is not None else ["THING", (base, True)]
    for part in filters:
        steps += ["BY", (part.column, False), part.operand, _COMPARISONS[part.comparison]]
    return steps


def _asked(one: TableQuestion, is_class: bool) -> Steps:
    if one.aggregate == "COUNT":
        return ["COUNT"]
    if is_class:
        return []
    return [(one.column, False), *([_AGGREGATES[one.aggregate]] if one.aggregate else [])]


def _kind(one: TableQuestion, branches: Sequence[_Part], filters: Sequence[_Part]) -> tuple[str, str]:
    """Kind and source."""
    if one.aggregate:
        return ("count", "wikisql_count") if one.aggregate == "COUNT" else ("arithmetic", "wikisql_value")
    if filters:
        return "filter", "wikisql_filter"
    return ("intersection", "wikisql_both") if len(branches) > 1 else ("path", "wikisql_path")
