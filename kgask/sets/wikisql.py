"""WikiSQL (Zhong, Xiong, Socher 2017): questions over one table each, with SQL. The tables are not at hand.

A line: question, SQL, id of the table. Columns are written ``HOME_TEAM_FIELD``, values bare or quoted; ``var1`` stands
for a value that the publisher did not place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kgask.errors import UsageError
from kgask.sets.rows import lines_of

TRAINING = Path("wikisql/train.tsv.gz")
_SQL = re.compile(r"SELECT (?:(COUNT|MAX|MIN|SUM|AVG) )?(.+?)_FIELD FROM TABLE(?: WHERE (.*))?", re.IGNORECASE)
_AND = re.compile(r" AND (?=\S+_FIELD [=<>] )")
_CONDITION = re.compile(r"(\S+)_FIELD ([=<>]) (.*)")
_PLACEHOLDER = re.compile(r"var\d+")


@dataclass(frozen=True, slots=True)
class Condition:
    column: str
    comparison: str  # "=", "<" or ">"
    value: str


@dataclass(frozen=True, slots=True)
class TableQuestion:
    """``aggregate`` is "" where the rows' values themselves are asked for; conditions hold together."""

    question: str
    table: str
    aggregate: str  # "", "COUNT", "MAX", "MIN", "SUM" or "AVG"
    column: str  # that is selected
    conditions: tuple[Condition, ...]


def questions(path: Path) -> Iterator[TableQuestion]:
    """Every question whose SQL is of the form above, without placeholders; columns as lower-case words."""
    for number, line in lines_of(path):
        fields = line.split("\t")
        if len(fields) != 3:
            raise UsageError(f"{path}:{number}: {len(fields)} fields, 3 expected (question, SQL, table)")
        question, sql, table = fields
        found = _SQL.fullmatch(sql)
        conditions = [_condition(part) for part in _AND.split(found[3])] if found and found[3] else []
        known = tuple(condition for condition in conditions if condition)
        if found and len(known) == len(conditions):
            yield TableQuestion(question, table, (found[1] or "").upper(), column_words(found[2]), known)


def column_words(column: str) -> str:
    """ "FLEET_SERIES_(QUANTITY)" as "fleet series (quantity)"."""
    return " ".join(column.replace("_", " ").lower().split())


def _condition(part: str) -> Condition | None:
    found = _CONDITION.fullmatch(part)
    value = found[3].strip().strip('"').strip() if found else ""
    return Condition(column_words(found[1]), found[2], value) if found and not _unplaced(value) else None


def _unplaced(value: str) -> bool:
    return not value or bool(_PLACEHOLDER.fullmatch(value))
