"""Lines of a file of claims, each with a verdict."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from kgask.answer.request import checked_question
from kgask.errors import UsageError
from kgask.verify.form import bare
from kgask.verify.verdict import UNKNOWN, Verdict

Judge = Callable[[Sequence[str]], list[Verdict]]


def of_lines(judge: Judge, lines: Sequence[str], hashes: Mapping[str, str]) -> list[Verdict]:
    """What ``judge`` says of each; a line that is no claim is judged with the reason."""
    reasons = [_why_no_claim(line) for line in lines]
    found = iter(judge([line for line, reason in zip(lines, reasons, strict=True) if reason is None]))
    return [
        next(found) if reason is None else Verdict(line.strip(), UNKNOWN, 0.0, reason=reason, hashes=hashes)
        for line, reason in zip(lines, reasons, strict=True)
    ]


def _why_no_claim(line: str) -> str | None:
    try:
        checked_question(bare(line), "claim")
    except UsageError as error:
        return str(error)
    if "\ufffd" in line:
        return "the claim is not UTF-8"
    return None if any(char.isalnum() for char in line) else "the claim says nothing"
