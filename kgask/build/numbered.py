"""Things that are called by a noun and a number are of that kind: "Flat 1" to "Flat 6" are flats."""

from __future__ import annotations

import re
from collections.abc import Callable

from kgask.build.property_graph import TYPE
from kgask.build.terms import Value
from kgask.build.writer import PackBuilder
from kgask.pack.types import is_type_relation

LEAST = 3  # things that are called alike
MOST_TRIPLES = 100_000  # of somebody's own graph
_NUMBERED = re.compile(r"(?P<noun>[^\W\d_]{3,}(?:[ -][^\W\d_]{3,})?)[ -](?:#|no\.? ?|nr\.? ?)?\d{1,3}[a-z]?", re.I)


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
    called: dict[str, list[str]] = {}
    for subject in kinds:
        if found := _NUMBERED.fullmatch(subject):
            called.setdefault(found["noun"].lower(), []).append(subject)
    for noun, things in called.items():
        new = [one for one in things if not kinds[one]]
        if len(things) >= LEAST and new and all(kinds[one] <= {noun} for one in things):
            for one in new:
                builder.add(one, TYPE, noun)
            tell(f"{len(new):,} things called {noun!r} and a number are taken for such; --text prevents it")
