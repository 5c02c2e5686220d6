"""Many texts, some of which may be no questions, answered in order."""

from __future__ import annotations

from collections.abc import Sequence

from kgask.answer.pipeline import Pipeline
from kgask.answer.request import AskOptions, checked_question
from kgask.answer.result import Answer
from kgask.errors import UsageError


def answer_lines(pipeline: Pipeline, lines: Sequence[str], options: AskOptions) -> list[Answer]:
    """One answer a line, in order; a line that is no question is answered with the reason.

    Raises :class:`UsageError` for what is wrong with all of them: an ``entity`` that the pack does not have.
    """
    reasons = [_why_no_question(line) for line in lines]
    questions = [line for line, reason in zip(lines, reasons, strict=True) if reason is None]
    found = iter(pipeline.ask_many(questions, options))
    return [
        next(found) if reason is None else pipeline.refused(line.strip(), reason)
        for line, reason in zip(lines, reasons, strict=True)
    ]


def _why_no_question(line: str) -> str | None:
    try:
        checked_question(line)
    except UsageError as error:
        return str(error)
    return None
