"""Nodes and edges with properties (Neo4j, GraphML) as triples, literals and qualifiers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from kgask.build.plain_values import bare_value
from kgask.build.tables import names_of, readable
from kgask.build.terms import Value
from kgask.build.writer import PackBuilder
from kgask.errors import BuildError

TYPE = "instance of"
RELATED = "related to"  # an edge of no kind
_NAMED_BY = ("name", "title", "label", "full name", "display name", "pref label")
MOST_VALUES = 10_000  # of one property

Properties = Mapping[str, object]


class PropertyGraph:
    """Gives a builder what nodes and edges say. Every method raises :class:`BuildError`."""

    def __init__(self, builder: PackBuilder) -> None:
        self._builder = builder

    def node(self, key: str, types: Sequence[str], properties: Properties) -> None:
        """A node, its types, and its properties as relations; one of them names it."""
        said = {readable(name): value for name, value in properties.items()}
        names = dict.fromkeys((*_NAMED_BY, *(name for kind in types for name in names_of(readable(kind)))))
        named = next((name for name in names if isinstance(said.get(name), str) and said[name]), "")
        for kind in types:
            self._builder.add(key, TYPE, readable(kind))
        for relation, value in self._said({name: value for name, value in said.items() if name != named}):
            self._builder.add(key, relation, value)
        if named and (name := str(said[named]).strip()):
            self._builder.label(key, name)

    def edge(self, start: str, kind: str, end: str, properties: Properties) -> None:
        """An edge as a triple, its properties as qualifiers."""
        said = [*self._said({readable(name): value for name, value in properties.items()})]
        self._builder.add(start, readable(kind) if kind else RELATED, end, said)

    @staticmethod
    def _said(properties: Properties) -> Iterator[tuple[str, Value]]:
        """(relation, value) of everything; a list says each of its values."""
        for relation, value in properties.items():
            values = value if isinstance(value, list) else [value]
            if len(values) > MOST_VALUES:
                raise BuildError(f"{len(values)} values of {relation!r}; at most {MOST_VALUES} are read")
            for one in values:
                if isinstance(one, dict | list):
                    raise BuildError(f"a value of {relation!r} is no text, number or list of these")
                if (found := bare_value(relation, one)) is not None:
                    yield relation, found


def types_of(text: str) -> list[str]:
    """The labels of a node as APOC writes them.

    >>> types_of(":Person:Actor")
    ['Person', 'Actor']
    """
    return [part.strip() for part in text.split(":") if part.strip()]
