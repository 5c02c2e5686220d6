"""Turns of conversations with the same as questions of their own (CANARD, CAsT, FollowUp, GECOR, CQR as JSON Lines)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from kgask.sets.rows import fits, json_lines


@dataclass(frozen=True, slots=True)
class RewritingPair:
    """A turn with what was said before it, by either side, and the ways in which people wrote it out."""

    history: tuple[str, ...]
    turn: str
    references: tuple[str, ...]


def pairs(path: Path) -> list[RewritingPair]:
    """Raises UsageError for what is no such file."""
    found = []
    for where, _, row in json_lines(path):
        with fits(where):
            references = (row["rewrite"], *row.get("more_rewrites", ()))
            found.append(RewritingPair(tuple(row["history"]), row["question"], references))
    return found
