"""Things that are called by a noun and a number are of that kind: "Flat 1" to "Flat 6" are flats, as is "Flat GF-A"."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from kgask.build.property_graph import TYPE
from kgask.build.terms import Value
from kgask.build.writer import PackBuilder
from kgask.pack.types import is_type_relation

LEAST = 3  # things that are called alike
MOST_TRIPLES = 100_000  # of somebody's own graph
_NUMBERED = re.compile(r"(?P<noun>[^\W\d_]{3,}(?:[ -][^\W\d_]{3,})?)[ -](?:#|no\.? ?|nr\.? ?)?\d{1,3}[a-z]?", re.I)
_LETTERED = re.compile(r"(?P<noun>[^\W\d_]{3,}(?:[ -][^\W\d_]{3,})?) [A-Z]{1,3}(?:-?[A-Z\d]{1,3})?")


def type_numbered(builder: PackBuilder, tell: Callable[[str], None]) -> None:
    """Say of things what they are that are called so, where nothing says that one of them is something else.

    Only of what something is said of: "Room 3" may be no more than a value.
    """
    if builder.n_added > MOST_TRIPLES:
        return
    kinds: dict[str, set[Value]] = {}
    for subject, relation, value in builder.triples():
        known = kinds.setdefault(subject, set())
        if is_type_relation(relation, relation):
            known.add(value)
    lettered = _called(kinds, _LETTERED)
    for noun, numbered in _called(kinds, _NUMBERED).items():
        things = [*numbered, *lettered.get(noun, ())]
        new = [one for one in things if not kinds[one]]
        if len(numbered) >= LEAST and new and all(kinds[one] <= {noun} for one in things):
            for one in new:
                builder.add(one, TYPE, noun)
            tell(f"{len(new):,} things called {noun!r} and a number are taken for such; --text prevents it")


def _called(subjects: Iterable[str], pattern: re.Pattern[str]) -> dict[str, list[str]]:
    """Things by the noun, in lower case, that a pattern finds their names to begin with."""
    found: dict[str, list[str]] = {}
    for subject in subjects:
        if match := pattern.fullmatch(subject):
            found.setdefault(match["noun"].lower(), []).append(subject)
    return found
