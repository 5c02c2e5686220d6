"""Queries with one of their nodes by another, and without their relations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields, replace
from typing import Any

from kgask.query.base import Node, SetNode
from kgask.query.nodes import Follow
from kgask.types import DirectedRelationId


def replaced(node: Node, old: Node, new: Node) -> Any:
    """The query with a node, wherever it stands, by another. QueryError where that cannot stand there."""
    if node == old:
        return new
    changed: dict[str, Any] = {}
    for field in fields(node):  # type: ignore[arg-type]  # every node is a dataclass
        value = getattr(node, field.name)
        if isinstance(value, Node):
            changed[field.name] = replaced(value, old, new)
        elif isinstance(value, tuple) and value and isinstance(value[0], Node):
            changed[field.name] = tuple(replaced(one, old, new) for one in value)
    return replace(node, **changed)  # type: ignore[type-var]


def replaced_once(node: Node, old: Node, new: Node) -> Iterator[Any]:
    """The query with one occurrence of a node by another, for each place where it stands directly in a node."""
    if node == old:
        yield new
        return
    for field in fields(node):  # type: ignore[arg-type]  # every node is a dataclass
        value = getattr(node, field.name)
        if isinstance(value, Node):
            for changed in replaced_once(value, old, new):
                yield replace(node, **{field.name: changed})  # type: ignore[type-var]


def along(base: SetNode, path: Iterable[DirectedRelationId]) -> SetNode:
    """What a path of relations leads to from a set."""
    for relation in path:
        base = Follow(base, relation)
    return base


def form(node: Node) -> tuple[object, ...]:
    """A query without its relations: equal for those that ask the same of others."""
    shown = (getattr(node, field.name) for field in fields(node) if "RelationId" not in str(field.type))  # type: ignore[arg-type]
    return type(node), *(_form_of(value) for value in shown)


def _form_of(value: object) -> object:
    if isinstance(value, tuple):
        return tuple(map(_form_of, value))
    return form(value) if isinstance(value, Node) else value
