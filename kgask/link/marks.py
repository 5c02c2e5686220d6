"""Mentions that the user marks: ``who wrote [Lady Susan]?``."""

from __future__ import annotations

import re

from kgask.types import Question

# One pair of brackets around something; brackets inside brackets are the text's own.
_MARK = re.compile(r"\[\s*([^\[\]]*[^\[\]\s])\s*\]")


def read_marks(text: str) -> Question:
    """The question without its brackets, and where they stood."""
    plain, marks, end = "", [], 0
    for match in _MARK.finditer(text):
        plain += text[end : match.start()]
        marks.append((len(plain), len(plain) + len(match[1])))
        plain += match[1]
        end = match.end()
    return Question(plain + text[end:], marks=tuple(marks), asked=text)
