"""What ``--format`` prints of each answer: a line, a line an answer, a row of a table, or a JSON object."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Literal, get_args

from kgask.answer.result import Answer
from kgask.cli.render import clean

Format = Literal["plain", "lines", "csv", "json"]
FORMATS: tuple[Format, ...] = get_args(Format)
JSON: Format = "json"
COLUMNS = ("line", "question", "answer", "confidence", "keys", "reason", "notes")
_FORMULA = ("=", "+", "-", "@")  # with these a spreadsheet begins a formula

Formatted = Callable[[Answer, int | None], str]  # an answer and the number of its line, None where it was asked alone


def formatted(form: Format, as_sparql: bool = False) -> Formatted:
    """What prints an answer in this form, with its line end; in plain text ``as_sparql`` the query that answered.

    That is empty where there is no query.
    """
    if form == JSON:
        return lambda answer, _line: f"{json_line(answer.to_dict())}\n"
    if as_sparql:
        return lambda answer, _line: f"{answer.sparql or ''}\n"
    if form == "csv":
        return _Table().row
    return _lines if form == "lines" else lambda answer, _line: f"{clean(answer.text or '')}\n"


def _lines(answer: Answer, line: int | None) -> str:
    """A line an answer; of several questions, an empty line ends the answers of each."""
    listed = [clean(label) for one in answer.parts or (answer,) if one for label in _labels(one)]
    return "".join(f"{text}\n" for text in listed) + "\n" * (line is not None)


def _labels(answer: Answer) -> list[str]:
    return [entity.label for entity in answer.entities] or [answer.text or ""]


def json_line(content: dict[str, Any]) -> str:
    """JSON on one line; characters that a terminal would act on are escaped as JSON allows."""
    line = json.dumps(content, ensure_ascii=False)
    return line if line.isprintable() else "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in line)


class _Table:
    """Rows for a spreadsheet, under one header."""

    def __init__(self) -> None:
        self._begun = False

    def row(self, answer: Answer, line: int | None) -> str:
        import csv
        import io

        text = io.StringIO()
        table = csv.writer(text, lineterminator="\n")
        if not self._begun:
            table.writerow(COLUMNS)
            self._begun = True
        keys = " | ".join(entity.key for entity in answer.entities)
        said = (answer.question, answer.text, f"{answer.confidence:.4f}", keys, answer.reason, "; ".join(answer.notes))
        table.writerow([line or 1, *map(_cell, said)])
        return text.getvalue()


def _cell(value: str | None) -> str:
    """Text that no spreadsheet takes for a formula; a number stays one."""
    text = clean(value or "")
    if not text.lstrip().startswith(_FORMULA):
        return text
    try:
        float(text)
    except ValueError:
        return f"'{text}"
    return text
