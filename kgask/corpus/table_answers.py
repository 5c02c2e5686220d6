"""People's questions over tables with answers alone, as queries that give the answer (WikiTableQuestions, train).

A row is an entity that is called as one of its columns says; the others are its relations. A query is taken where its
words stand in the question (the column that members are judged by, a word for most or least), where it gives exactly
the answer, and where nothing that the table holds or counts is left over in the question. So a few hundred of the
questions come out, nearly all of them right.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from kgask.corpus.drafts import Draft, values_in, words_at
from kgask.corpus.fact_tree import Steps, Untold
from kgask.corpus.mentions import forms
from kgask.corpus.query_examples import QueryExample
from kgask.corpus.table_questions import MOST_OTHERS, VOCABULARY
from kgask.sets.wikitablequestions import Table, TableAnswer, answered, tables

_NUMBER = re.compile(r"[^\d+-]{0,2}([+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?|[+-]?\d+(?:\.\d+)?)\s*[^\d]{0,12}")
_FILLED = 0.8  # share of the rows that hold a number where a column is one of numbers
_WORD = re.compile(r"[a-z][a-z'’]+")
_MOST = re.compile(r"\b(most|more|highest|higher|largest|larger|longest|longer|biggest|bigger|greatest|greater|tallest|"
                   r"taller|heaviest|heavier|deepest|deeper|oldest|older|maximum|latest|newest|later)\b")  # fmt: skip
_LEAST = re.compile(r"\b(least|less|lowest|lower|fewest|fewer|smallest|smaller|shortest|shorter|lightest|lighter|"
                    r"youngest|younger|minimum|earliest|earlier)\b")  # fmt: skip
_IN_TIME = re.compile(r"\b(latest|newest|later|earliest|earlier)\b")
_ADJECTIVES = {
    "population": r"populat\w*|populous|inhabit\w*|largest|biggest|smallest", "attendance": r"attend\w*|crowd",
    "length": r"long\w*|short\w*|length", "duration": r"long\w*|short\w*", "distance": r"long\w*|short\w*|far\w*",
    "height": r"tall\w*|high\w*|short\w*", "elevation": r"high\w*|low\w*", "depth": r"deep\w*",
    "weight": r"heav\w*|light\w*",
    "area": r"large\w*|big\w*|small\w*|area", "capacity": r"large\w*|big\w*|small\w*|holds?|seats?",
    "age": r"old\w*|young\w*", "year": r"earl\w*|late\w*|new\w*", "wins": r"won|wins?", "losses": r"lost|loss\w*",
    "goals": r"scored?|goals?", "points": r"scored?|points?", "votes": r"votes?", "speed": r"fast\w*|slow\w*",
}  # fmt: skip
_UNFIT = re.compile(
    r"^(#|no\.?|number|rank|ranking|pos\.?|position|place|seed|pick|week|round|game|date|time|score|result)$"
)
_TOTAL, _MEAN = re.compile(r"\b(total|sum|combined|altogether)\b"), re.compile(r"\b(average|mean)\b")
_DIFFERENCE = re.compile(r"\bdifference\b|\bhow (?:many|much) (?:more|fewer|less)\b")
_MORE_THAN = ((re.compile(r"\b(?:more|greater|higher|larger) than|\bover\b|\babove\b"), "GT"),
              (re.compile(r"\b(?:less|fewer|lower|smaller) than|\bunder\b|\bbelow\b"), "LT"),
              (re.compile(r"\bat least\b"), "GE"), (re.compile(r"\bat most\b"), "LE"))  # fmt: skip
# Words that ask for what the table's order, other rows or a set of rows would have to say.
_BEYOND = re.compile(
    r"\b(first|last|next|previous|before|after|consecutive|besides|except|only|each|every|both|not|never|besides|"
    r"list(?:ed)?|chart|table|same|between|second|third|other|combined|top|consecutively|ago|until|since|row)\b"
)
_EMPTY = frozenset(
    "the a an of in on at to for by with and or is was were are be been has have had did does do which what who whom "
    "whose that this these those there from than how many much number amount total any all according as it its their "
    "his her they he she you name tell me most more least less one between during out up name highest lowest largest "
    "smallest longest shortest biggest greatest fewest fewer higher lower larger longer smaller shorter over under "
    "above below average mean sum difference who's what's when where total overall".split()
)
_MOST_UNKNOWN = 2  # words of a question that neither a column nor a name says


def answered_questions(data: Path) -> Iterator[QueryExample]:
    """Sources wtq_superlative, wtq_comparison, wtq_difference, wtq_count and wtq_value."""
    known = tables(data)
    for one in answered(data):
        table = known.get(one.table)
        if table is None or len(one.answers) != 1 or not table.rows or _BEYOND.search(one.question.lower()):
            continue
        for make in (_difference, _comparison, _superlative, _counted, _together):
            try:
                made = make(_Reading(one, table))
            except Untold:
                continue
            if made:
                yield made
                break


class _Reading:
    """A question beside its table: columns that it speaks of, cells that it names."""

    def __init__(self, one: TableAnswer, table: Table) -> None:
        self.one, self.table = one, table
        self.words = one.question.lower()
        self.answer = _plain(one.answers[0])
        self.draft = Draft(one.question)
        self.numbers = [_numbers(table, column) for column in range(len(table.columns))]

    def judged_by(self) -> int:
        """The column of numbers that the question is about: the one most of whose words it says."""
        scored = sorted(
            ((self._says(name), column) for column, name in enumerate(self.table.columns) if self.numbers[column]),
            reverse=True,
        )
        if not scored or not scored[0][0] or (len(scored) > 1 and scored[1][0] == scored[0][0]):
            raise Untold
        return scored[0][1]

    def _says(self, column: str) -> float:
        if _UNFIT.fullmatch(column) or not re.match(r"\D*[a-z]{3}", column):
            return 0.0
        words = _WORD.findall(column)
        said = sum(any(re.search(rf"\b{re.escape(form)}\b", self.words) for form in _near(word)) for word in words)
        implied = _ADJECTIVES.get(column) or _ADJECTIVES.get(words[0] if words else "")
        if not said and implied and re.search(rf"\b(?:{implied})\b", self.words):
            return 0.3
        return said / len(words) + 0.01 * said if words else 0.0

    def direction(self) -> bool:
        """Whether the most is asked for; a question that says both or neither is left out."""
        most, least = bool(_MOST.search(self.words)), bool(_LEAST.search(self.words))
        if most == least:
            raise Untold
        return most

    def named(self) -> list[tuple[int, int, int]]:
        """(row, column, operand) of the cells that the question names, pointed at, the longest first."""
        found = []
        cells = {cell.lower(): (row, column) for row, cells in reversed(list(enumerate(self.table.rows)))
                 for column, cell in enumerate(cells) if re.search(r"[^\W\d_]{3}", cell)}  # fmt: skip
        for cell in sorted(cells, key=lambda cell: -len(cell)):
            name = cell.strip("\"'“”")
            operand = self.draft.name(name, "entity") if name in self.words else None
            if operand is not None:
                found.append((*cells[cell], operand))
        return sorted(found, key=lambda cell: self.draft.start(cell[2]))

    def row_class(self, column: int) -> int | None:
        """The word that says what the rows are, where it is the column's name."""
        if not self.is_readable(column) or self.table.columns[column] == "name":
            return None
        for form in forms(self.table.columns[column]):
            for start, end in words_at(self.words, form):
                return self.draft.point(start, end, "class")
        return None

    def check(self, columns: Sequence[int]) -> None:
        """Refuses a question with words that neither these columns nor what is pointed at say."""
        covered = [(start, end) for start, end, _ in self.draft.spans]
        said = {
            form for column in columns for word in _WORD.findall(self.table.columns[column]) for form in _near(word)
        }
        unknown = [
            found[0]
            for found in _WORD.finditer(self.words)
            if not any(start <= found.start() < end for start, end in covered)
            and found[0] not in said | _EMPTY
            and not any(re.fullmatch(pattern, found[0]) for pattern in _ADJECTIVES.values())
        ]
        if len(unknown) > _MOST_UNKNOWN:
            raise Untold
        if any(kind in ("number", "date") and not any(s <= start < e for s, e in covered)
               for start, _, kind in values_in(self.one.question)):  # fmt: skip
            raise Untold

    def example(self, steps: Steps, columns: Sequence[int], kind: str, source: str) -> QueryExample | None:
        """With what else the table has as competing relations; of a column that names the rows none."""
        self.check(columns)
        used = {self.table.columns[column] for column in columns}
        others = [
            name for name in dict.fromkeys(self.table.columns) if name not in used and re.search("[a-z]{3}", name)
        ]
        return self.draft.example([*steps, "END"], kind, source, VOCABULARY, others[:MOST_OTHERS])

    def is_readable(self, column: int) -> bool:
        return bool(re.search("[a-z]{3}", self.table.columns[column]))

    def column(self, number: int) -> tuple[str, bool]:
        return self.table.columns[number], False


def _near(word: str) -> tuple[str, ...]:
    """A word of a column as a question may have it."""
    return word, f"{word}s", word.removesuffix("s"), word.removesuffix("es")


def _plain(text: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", text.lower()))


@lru_cache(4096)
def _numbers(table: Table, column: int) -> dict[int, float]:
    """Row -> its number; empty where the column holds other things."""
    found = {}
    for row, cells in enumerate(table.rows):
        match = _NUMBER.fullmatch(cells[column])
        if match:
            found[row] = float(match[1].replace(",", ""))
    return found if len(found) >= _FILLED * len(table.rows) and len(found) > 1 else {}


def _same_number(text: str, value: float) -> bool:
    match = _NUMBER.fullmatch(text)
    return bool(match) and abs(float(match[1].replace(",", "")) - value) < 1e-6 if match else False


def _superlative(read: _Reading) -> QueryExample | None:
    """The row with the most or least, perhaps of those that have one more thing; what the rows are called."""
    by, most = read.judged_by(), read.direction()
    cells = [cell for cell in read.named() if cell[1] != by]
    if len(cells) > 1:
        return None
    values = read.numbers[by]
    if cells:
        wanted = read.table.rows[cells[0][0]][cells[0][1]].lower()
        values = {row: value for row, value in values.items() if read.table.rows[row][cells[0][1]].lower() == wanted}
    best = _best(values, most)
    asked = [
        column for column, cell in enumerate(read.table.rows[best]) if _plain(cell) == read.answer and column != by
    ]
    named = next((column for column in asked if read.row_class(column) is not None), None)
    steps: Steps = [operand] if named is not None and (operand := read.row_class(named)) is not None else []
    if not asked or (cells and cells[0][1] in asked):
        return None
    if cells:
        steps += [cells[0][2], (read.table.columns[cells[0][1]], True), *(["AND"] if steps else [])]
    elif not steps:
        steps = ["THING", (read.table.columns[by], True)]
    steps += ["BY", read.column(by), "MOST" if most else "LEAST"]
    if named is None:
        steps.append(read.column(asked[0]))
    columns = [by, asked[0] if named is None else named, *(cell[1] for cell in cells)]
    return read.example(steps, columns, "superlative", "wtq_superlative")


def _best(values: dict[int, float], most: bool) -> int:
    """The one row with the highest or lowest value."""
    if len(values) < 2:
        raise Untold
    wanted = max(values.values()) if most else min(values.values())
    rows = [row for row, value in values.items() if value == wanted]
    if len(rows) > 1:
        raise Untold
    return rows[0]


def _pair(read: _Reading) -> tuple[int, list[int], list[int]]:
    """Two named rows of one column: (column, rows, operands)."""
    cells = read.named()
    if len(cells) != 2 or cells[0][1] != cells[1][1]:
        raise Untold
    column = cells[0][1]
    rows = [cell[0] for cell in cells]
    if any(sum(other[column] == read.table.rows[row][column] for other in read.table.rows) > 1 for row in rows):
        raise Untold
    return column, rows, [cell[2] for cell in cells]


def _comparison(read: _Reading) -> QueryExample | None:
    """Which of two has more."""
    if not re.search(r"\bor\b", read.words):
        return None
    by, most = read.judged_by(), read.direction()
    column, rows, operands = _pair(read)
    values = {row: read.numbers[by][row] for row in rows if row in read.numbers[by]}
    if _plain(read.table.rows[_best(values, most)][column]) != read.answer:
        return None
    steps: Steps = [*operands, "OR", "BY", read.column(by), "MOST" if most else "LEAST"]
    return read.example(steps, [by, column], "comparison", "wtq_comparison")


def _difference(read: _Reading) -> QueryExample | None:
    """How much more one of two has."""
    if not _DIFFERENCE.search(read.words.replace("between", "")):
        return None
    by = read.judged_by()
    column, rows, operands = _pair(read)
    values = [read.numbers[by].get(row) for row in rows]
    if None in values or not _same_number(read.one.answers[0], abs(values[0] - values[1])):  # type: ignore[operator]
        return None
    if re.search(r"\b(?:fewer|less)\b", read.words):  # the larger one first
        operands.reverse()
    steps: Steps = [operands[0], read.column(by), operands[1], read.column(by), "DIFF"]
    return read.example(steps, [by, column], "arithmetic", "wtq_difference")


def _counted(read: _Reading) -> QueryExample | None:
    """How many rows have more than so much."""
    wanted = [comparison for pattern, comparison in _MORE_THAN if pattern.search(read.words)]
    spans = [span for span in values_in(read.one.question) if span[2] == "number"]
    if not re.search(r"\bhow many\b|\bnumber of\b", read.words) or len(wanted) != 1 or len(spans) != 1:
        return None
    by = read.judged_by()
    match = _NUMBER.fullmatch(read.one.question[spans[0][0] : spans[0][1]])
    operand = read.draft.point(*spans[0])
    if match is None or operand is None or read.named():
        return None
    limit = float(match[1].replace(",", ""))
    n = sum({"GT": value > limit, "LT": value < limit, "GE": value >= limit, "LE": value <= limit}[wanted[0]]
            for value in read.numbers[by].values())  # fmt: skip
    if not _same_number(read.one.answers[0], n):
        return None
    named = next((column for column in range(len(read.table.columns))
                  if column != by and read.row_class(column) is not None), None)  # fmt: skip
    operand_of_rows = read.row_class(named) if named is not None else None
    rows: Steps = ["THING", (read.table.columns[by], True)] if operand_of_rows is None else [operand_of_rows]
    steps: Steps = [*rows, "BY", read.column(by), operand, wanted[0], "COUNT"]
    return read.example(steps, [by, *([] if named is None else [named])], "count", "wtq_count")


def _together(read: _Reading) -> QueryExample | None:
    """All values of a column together."""
    total, mean = bool(_TOTAL.search(read.words)), bool(_MEAN.search(read.words))
    if total == mean or read.named():
        return None
    by = read.judged_by()
    values = list(read.numbers[by].values())
    if not _same_number(read.one.answers[0], sum(values) if total else sum(values) / len(values)):
        return None
    steps: Steps = ["THING", (read.table.columns[by], True), read.column(by), "SUM" if total else "MEAN"]
    return read.example(steps, [by], "arithmetic", "wtq_value")
