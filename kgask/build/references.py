"""Values that name things of the same sources: in a column "lead" the "E-02" or "Ann Lee" of ``employees.csv``.

Rows with an id are told apart by it, so what others call by its mark or its name would be a second thing of that name.
Looked for in what is nothing but a value (nothing is said of it) and is called as one thing alone is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from kgask.build.property_graph import TYPE
from kgask.build.tables import readable, relation_of, singular
from kgask.build.writer import PackBuilder

MOST_TRIPLES = 100_000  # of somebody's own graph
_ENOUGH_MARKS = 0.9  # of a relation's values, that must be marks of things
_ENOUGH_NAMES = 0.3  # ... names: of the sires of dogs many are elsewhere
_LEAST_NAMES = 2
_CODE = re.compile(r"(?<=\w) (?:code|number)\Z")
_MARK = re.compile(r"\S*\d\S*")


@dataclass(slots=True)
class _Things:
    """What things with an id are called by."""

    by_name: dict[str, str | None] = field(default_factory=dict)  # their keys; None for a name of several
    by_number: dict[str, dict[str, str]] = field(default_factory=dict)  # of a space ("employee"): keys by number

    def add(self, key: str, name: str) -> None:
        if not name or name.isdecimal() or name == key:
            return
        self.by_name[name] = key if self.by_name.get(name, key) == key else None

    def number(self, key: str) -> None:
        space, _, number = key.partition("/")
        if number.isdecimal():
            self.by_number.setdefault(space, {})[number] = key


def refer(builder: PackBuilder, tell: Callable[[str], None]) -> None:
    """Let values that name a thing with an id lead to it, each relation for itself, and say so; none of a relation of
    which a mapping tells what its values are."""
    if builder.n_added > MOST_TRIPLES or not (things := _things(builder)).by_name and not things.by_number:
        return
    said = dict[str, set[str]]()
    subjects = set[str]()
    for subject, relation, value in builder.triples():
        subjects.add(subject)
        if isinstance(value, str) and relation != TYPE and relation not in builder.as_told:
            said.setdefault(relation, set()).add(value)
    meant = dict[tuple[str, str], str]()
    for relation, values in said.items():
        found = dict(_meant(relation, values - subjects, things))
        are_keys = len(values & subjects) >= _ENOUGH_MARKS * len(values) and all(map(_MARK.fullmatch, values))
        if found:
            tell(f"{readable(relation)}: {len(found):,} of {len(values):,} values name things by mark or name")
        meant |= {(relation, value): key for value, key in found.items()}
        named = _CODE.sub("", relation_of((relation,)))  # "client code" leads to clients
        if (found or are_keys) and readable(relation) != named:
            builder.relation(relation, named)
    if meant:
        builder.refer(meant)


def _things(builder: PackBuilder) -> _Things:
    things = _Things()
    for key, name in builder.names():
        things.add(key, name)
        things.add(key, key.partition("/")[2])
        things.number(key)
    return things


def _meant(relation: str, values: set[str], things: _Things) -> Iterator[tuple[str, str]]:
    """Each value that names a thing, with its key."""
    space = f"{singular(relation)}/"  # of an id that no file has
    names = {value: value.removeprefix(space) for value in values}
    numbers = {name for name in names.values() if name.isdecimal()}
    is_id = any(value.startswith(space) for value in values) or readable(relation).endswith(" id")
    if numbers and is_id and len(numbers) == len(values):
        every = [one for one in things.by_number.values() if numbers <= one.keys()]
        if len(every) == 1:
            yield from ((value, every[0][name]) for value, name in names.items())
        return
    found = {value: key for value, name in names.items() if (key := things.by_name.get(name)) is not None}
    are_marks = all(_MARK.fullmatch(names[value]) for value in found)
    enough = _ENOUGH_MARKS if are_marks else _ENOUGH_NAMES
    if len(found) >= min(len(values), _LEAST_NAMES) and len(found) >= enough * len(values):
        yield from found.items()
