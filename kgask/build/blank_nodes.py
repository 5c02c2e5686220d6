"""Blank nodes of one RDF source: lists become their members, and what has no name is called by what is said of it."""

from __future__ import annotations

from collections.abc import Iterator

from kgask.build.terms import Value
from kgask.build.writer import PackBuilder
from kgask.pack.records import Literal

_RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
FIRST, REST, NIL, LIST = (f"{_RDF}{name}" for name in ("first", "rest", "nil", "List"))
MOST_HELD = 1_000_000  # triples that lead to blank nodes, and values of these; what comes after is taken as it stands
MOST_NAMING, MOST_CHARS = 4, 60  # values of a node that name it, and characters of each
_LAST = 1_000_000  # rank of such a name: any other is better


class BlankNodes:
    """Holds what leads to blank nodes until a source is read, for only then it is known which of them are lists."""

    def __init__(self, builder: PackBuilder) -> None:
        self._builder, self._n_held = builder, 0
        self._to = list[tuple[str, str, str]]()  # subject, relation, blank node
        self._first, self._rest = dict[str, Value](), dict[str, str]()
        self._said = dict[str, list[str]]()

    def leads_to(self, subject: str, relation: str, node: str) -> None:
        """A triple whose object is a blank node."""
        self._n_held += 1
        if self._n_held > MOST_HELD:
            self._builder.add(subject, relation, node)
        else:
            self._to.append((subject, relation, node))

    def element(self, node: str, predicate: str, value: Value) -> None:
        """``rdf:first`` or ``rdf:rest`` of a node."""
        if predicate == FIRST:
            self._first[node] = value
        elif isinstance(value, str):
            self._rest[node] = value

    def says(self, node: str, value: Value) -> None:
        """What a blank node has: literals name it where nothing else does."""
        if isinstance(value, Literal) and self._n_held < MOST_HELD:
            said = self._said.setdefault(node, [])
            self._n_held += 1
            if len(said) < MOST_NAMING:
                said.append(" ".join(value.text.split())[:MOST_CHARS])

    def settle(self) -> None:
        """Add what was held."""
        for subject, relation, node in self._to:
            for value in self._members(node) if node in self._first or node in self._rest else [node]:
                self._builder.add(subject, relation, value)
        for node, said in self._said.items():
            self._builder.label(node, ", ".join(said), _LAST)

    def _members(self, node: str) -> Iterator[Value]:
        """The members of a list, those of lists within it too; each node once."""
        waiting, seen = [node], set[str]()
        while waiting:
            at = waiting.pop()
            if at in seen or at == NIL:
                continue
            seen.add(at)
            if at in self._rest:
                waiting.append(self._rest[at])
            if (value := self._first.get(at)) is None:
                continue
            if isinstance(value, str) and value in self._first:
                waiting.append(value)
            else:
                yield value
