"""An answer as one line of JSON; :meth:`kgask.answer.result.Answer.to_dict` says what is in it."""

from __future__ import annotations

import json

from kgask.answer.result import Answer


def answer_json(answer: Answer) -> str:
    """One line; characters that a terminal would act on are escaped as JSON allows."""
    line = json.dumps(answer.to_dict(), ensure_ascii=False)
    return line if line.isprintable() else "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in line)
