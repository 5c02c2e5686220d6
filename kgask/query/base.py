"""What every node of a query is: its kind, its parts, and the check of its fields when it is built."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cache
from types import UnionType
from typing import Literal, get_args

from kgask.errors import QueryError
from kgask.types import DirectedRelationId

Comparison = Literal["<", "<=", "=", ">=", ">", "in"]
COMPARISONS: tuple[Comparison, ...] = get_args(Comparison)
PRECISION = 1e6  # totals are rounded to that part of one, for the order of adding changes the last digits
MAX_PATH = 3  # relations of a path to a value or to what is counted


class Node:
    """Any part of a query.

    Raises :class:`~kgask.errors.QueryError` when it is built from parts of the wrong kind.
    """

    __slots__ = ()

    def __post_init__(self) -> None:
        for name, annotation in _annotations(type(self)):  # type: ignore[arg-type]  # classes are hashable
            _check(self, annotation, getattr(self, name))

    @property
    def parts(self) -> tuple[Node, ...]:
        """The nodes directly below, in the order of the fields."""
        found: list[Node] = []
        for name in _of_nodes(type(self)):  # type: ignore[arg-type]  # classes are hashable
            value = getattr(self, name)
            if isinstance(value, Node):
                found.append(value)
            elif isinstance(value, tuple):
                found += [part for part in value if isinstance(part, Node)]
        return tuple(found)

    def walk(self) -> Iterator[Node]:
        """This node and all below, each before its parts."""
        waiting: list[Node] = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting += node.parts[::-1]


class SetNode(Node):
    """Stands for entities of the pack."""

    __slots__ = ()


class ValueNode(Node):
    """Stands for one number or date, known to an interval; or for none where the graph says nothing."""

    __slots__ = ()


class BagNode(ValueNode):
    """Stands for several values, repeats kept; where one is asked for, the interval that spans them."""

    __slots__ = ()


class TruthNode(Node):
    """Stands for yes, no, or unknown."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class By(Node):
    """What members of a set are judged by: where a path of one to three directed relations leads from each."""

    path: tuple[DirectedRelationId, ...]

    def __post_init__(self) -> None:
        Node.__post_init__(self)
        if len(self.path) > MAX_PATH:
            raise QueryError(f"a path has one to {MAX_PATH} relations")


KINDS: dict[str, tuple[type | UnionType, str]] = {
    "SetNode": (SetNode, "a set"),
    "ValueNode": (ValueNode, "a value"),
    "BagNode": (BagNode, "a list of values"),
    "TruthNode": (TruthNode, "a truth"),
    "By": (By, "a way to judge"),
    "ValueNode | SetNode": (ValueNode | SetNode, "a value or a set"),
    "SetNode | None": (SetNode | None, "a set or nothing"),
    "bool": (bool, "most or least"),
    "str": (str, "a text"),
    "float": (int | float, "a number"),
}
_IDS = ("EntityId", "RelationId", "DirectedRelationId", "int")


@cache
def _annotations(kind: type) -> tuple[tuple[str, str], ...]:
    """Names of a node's fields with their types as they are written here."""
    return tuple((field.name, str(field.type)) for field in fields(kind))


@cache
def _of_nodes(kind: type) -> tuple[str, ...]:
    """Names of a node's fields that may hold nodes: ids, numbers and texts are none."""
    plain = {*_IDS, *(f"tuple[{one}, ...]" for one in _IDS), "Comparison", "bool", "str", "float"}
    return tuple(name for name, annotation in _annotations(kind) if annotation not in plain)


def _check(node: Node, annotation: str, value: object) -> None:
    name = type(node).__name__
    if annotation.startswith("tuple["):
        if not isinstance(value, tuple) or not value:
            raise QueryError(f"{name} takes a tuple with at least one member")
        for member in value:
            _check(node, annotation.removeprefix("tuple[").removesuffix(", ...]"), member)
    elif annotation == "Comparison":
        if value not in COMPARISONS:
            raise QueryError(f"{name} compares by {' '.join(COMPARISONS)}, not {value!r}")
    elif annotation in _IDS:
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise QueryError(f"{name} takes an id or a rank, not {value!r}")
    elif not isinstance(value, KINDS[annotation][0]) or (annotation == "float" and isinstance(value, bool)):
        raise QueryError(f"{name} takes {KINDS[annotation][1]}, not {_called(value)}")


def _called(value: object) -> str:
    kinds = (SetNode, "SetNode"), (ValueNode, "ValueNode"), (TruthNode, "TruthNode"), (By, "By")
    return next((KINDS[name][1] for kind, name in kinds if isinstance(value, kind)), repr(value))
