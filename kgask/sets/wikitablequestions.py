"""WikiTableQuestions (Pasupat and Liang 2015): questions over one Wikipedia table each, with answers, no programs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kgask.sets.rows import fits, in_data, json_lines, text_at

FOLDER = Path("wikitablequestions")
TRAINING, DEV, TABLES = FOLDER / "train.jsonl.gz", FOLDER / "dev.jsonl.gz", FOLDER / "tables.jsonl.gz"


@dataclass(frozen=True, slots=True)
class Table:
    columns: tuple[str, ...]  # in lower case, line ends as spaces
    rows: tuple[tuple[str, ...], ...]  # each as long as ``columns``


@dataclass(frozen=True, slots=True)
class TableAnswer:
    question: str
    table: str
    answers: tuple[str, ...]


def answered(data: Path, part: Path = TRAINING) -> Iterator[TableAnswer]:
    """Every question of a part, in the order of the file."""
    for where, _, row in json_lines(in_data(data, part)):
        with fits(where):
            answers = tuple(str(answer) for answer in row["answers"])
            yield TableAnswer(text_at(row, "question"), text_at(row, "table"), answers)


def tables(data: Path) -> dict[str, Table]:
    """Id -> table; its first row names the columns."""
    found = {}
    for where, _, row in json_lines(in_data(data, TABLES)):
        with fits(where):
            head, *body = row["rows"]
            columns = tuple(" ".join(name.lower().split()) for name in head)
            rows = tuple(tuple(" ".join(cell.split()) for cell in cells) for cells in body if len(cells) == len(head))
            found[text_at(row, "table")] = Table(columns, rows)
    return found
