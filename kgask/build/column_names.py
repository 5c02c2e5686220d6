"""Where a table begins: below a title and notes stands the row with the names of its columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

LEAST_FULL: Final = 0.6  # of the columns, that have a name in the row of column names
MOST_ABOVE: Final = 20  # rows of title and notes above it


def head_of(rows: Sequence[Sequence[str]]) -> int:
    """Where the names of the columns stand, below a title and notes: the first row that is nearly as full as any."""
    filled = [sum(map(bool, row)) for row in rows[:MOST_ABOVE]]
    enough = LEAST_FULL * max(filled, default=0)
    return next((at for at, number in enumerate(filled) if number >= enough), 0)
