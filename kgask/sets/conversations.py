"""Conversations whose golds are queries over the pack: YAML, a list of ``{turns: [{q, kind, gold}, ...]}``.

``kind`` says what a turn refers by (``pronoun``, ``set``, ``ellipsis``, ``correction``, ``topic``; the first turn of a
conversation has none), ``gold`` is as in :mod:`kgask.sets.everyday`::

    - turns:
      - {q: "Who directed Jaws?", gold: "follow(<Q189505|Jaws>, <P57|director>)"}
      - {q: "Where was he born?", kind: pronoun, gold: "follow(<Q8877|Steven Spielberg>, <P19|place of birth>)"}
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kgask.errors import UsageError
from kgask.sets.everyday import EverydayQuestion, question_of, yaml_rows

FIRST, PRONOUN = "first", "pronoun"  # kinds: of the first turn, of one that refers by a pronoun


def load_conversations(path: Path) -> list[list[EverydayQuestion]]:
    """The turns of each conversation. Raises as :func:`kgask.sets.everyday.load` does."""
    return [_turns(row, f"{path}: conversation {number}") for number, row in enumerate(yaml_rows(path), 1)]


def _turns(row: Any, place: str) -> list[EverydayQuestion]:
    turns = row.get("turns") if isinstance(row, dict) else None
    if not isinstance(turns, list) or not turns or not all(isinstance(turn, dict) for turn in turns):
        raise UsageError(f"{place}: expected turns, a list of q, kind and gold")
    return [question_of({"kind": FIRST} | turn, f"{place}, turn {number}") for number, turn in enumerate(turns, 1)]
