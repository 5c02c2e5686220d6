"""Where a table begins: below a title and notes stands the row with the names of its columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

LEAST_FULL: Final = 0.6  # of the columns, that have a name in the row of column names
LEAST_JOINED: Final = 0.2  # of the rows, whose first cell is joined with one above
MOST_ABOVE: Final = 20  # rows of title and notes above it


# What tables of results shorten, where several of these stand side by side.
_LEAGUE = {"p": "matches played", "pl": "matches played", "pld": "matches played", "mp": "matches played",
           "gp": "games played", "w": "matches won", "d": "matches drawn", "l": "matches lost",
           "gf": "goals for (scored)", "ga": "goals against (let in)",
           "gd": "goal difference", "pts": "points", "pos": "position"}  # fmt: skip
LEAST_OF_LEAGUE: Final = 4


def of_league(names: Sequence[str]) -> dict[str, str]:
    """What the columns of a table of results are called, each by its name; none of another table.

    >>> of_league(["Club", "W", "D", "L", "Pts"])
    {'W': 'matches won', 'D': 'matches drawn', 'L': 'matches lost', 'Pts': 'points'}
    >>> of_league(["Name", "W", "D"])
    {}
    """
    found = {name: _LEAGUE[name.lower().strip(". ")] for name in names if name.lower().strip(". ") in _LEAGUE}
    return found if len(found) >= LEAST_OF_LEAGUE else {}


def head_of(rows: Sequence[Sequence[str]]) -> int:
    """Where the names of the columns stand, below a title and notes: the first row that is nearly as full as any."""
    filled = [sum(map(bool, row)) for row in rows[:MOST_ABOVE]]
    enough = LEAST_FULL * max(filled, default=0)
    return next((at for at, number in enumerate(filled) if number >= enough), 0)


def filled_down(rows: list[list[str]]) -> list[list[str]]:
    """Rows with what their first cell leaves out: cells that are joined in Excel say it in the first row of several.

    Where the first row has it and many do not, though they are otherwise full.
    """
    below = rows[1:]
    are_bare = [bool(row) and not row[0] and sum(map(bool, row)) >= LEAST_FULL * len(row) for row in below]
    if not below or not below[0] or not below[0][0] or sum(are_bare) < LEAST_JOINED * len(below):
        return rows
    last, filled = "", []
    for row, is_bare in zip(below, are_bare, strict=True):
        last = row[0] if row and row[0] else last
        filled.append([last, *row[1:]] if is_bare else row)
    return [rows[0], *filled]
