"""A pack read back into a builder, whole or some of its triples."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kgask.build.readable import entity_label
from kgask.build.terms import Value
from kgask.build.writer import PackBuilder
from kgask.pack.arrays import distinct
from kgask.pack.store import Pack

_BLOCK = 1 << 16  # triples or entities at a time


def add_pack(pack: Pack, builder: PackBuilder, keep: np.ndarray | None = None, rank: int = 0) -> None:
    """Give the builder the triples of a pack with their qualifiers, and all its texts.

    ``keep`` (bool [T]) leaves triples out; texts of what no triple names then are dropped when the builder writes.
    A pack that is built of one pack alone has its content hash. Raises PackError for a damaged pack.
    """
    names = _Keys(pack)
    relations = [text.key for text in pack.relations()]
    kept = np.arange(pack.n_triples) if keep is None else np.flatnonzero(keep)
    for start in range(0, len(kept), _BLOCK):
        _add_triples(pack, builder, kept[start : start + _BLOCK], relations, names)
    _add_texts(pack, builder, names, rank)
    add_sitelinks(pack, builder)


def add_sitelinks(pack: Pack, builder: PackBuilder) -> None:
    """Give the builder how many pages there are about each entity of a pack, where they were counted."""
    if pack.sitelinks is None:
        return
    counted = np.flatnonzero(pack.sitelinks > 0)
    for start in range(0, len(counted), _BLOCK):
        ids = counted[start : start + _BLOCK].tolist()
        for key, pages in zip(pack.keys(ids), pack.sitelinks[ids].tolist(), strict=True):
            builder.sitelinks(key, pages)


class _Keys:
    """Keys of entities and literals by id, a block at a time."""

    def __init__(self, pack: Pack) -> None:
        self._pack = pack
        self._first_literal = pack.n_entities - pack.n_literals

    def values(self, ids: np.ndarray) -> dict[int, Value]:
        """Each entity's key, and each literal itself."""
        wanted = distinct(ids)
        things = wanted[wanted < self._first_literal].tolist()
        literals = wanted[wanted >= self._first_literal].tolist()
        found: dict[int, Value] = dict(zip(things, self._pack.keys(things), strict=True))
        told = zip(literals, self._pack.literals(literals), strict=True)
        return found | {number: literal for number, literal in told if literal is not None}

    def keys(self, ids: list[int]) -> dict[int, str]:
        return dict(zip(ids, self._pack.keys(ids), strict=True))

    def blocks(self) -> Iterator[list[int]]:
        """The ids of all entities that are no literals."""
        for start in range(0, self._first_literal, _BLOCK):
            yield list(range(start, min(start + _BLOCK, self._first_literal)))


def _add_triples(pack: Pack, builder: PackBuilder, ids: np.ndarray, relations: list[str], names: _Keys) -> None:
    subjects, paths, objects = pack.triples(ids)
    said = pack.statements(ids.tolist())
    spoken = [value for statements in said.values() for statement in statements for _, value in statement]
    values = names.values(np.concatenate([subjects, objects, np.array(spoken, np.int64)]))
    rows = zip(ids.tolist(), subjects.tolist(), paths.tolist(), objects.tolist(), strict=True)
    for triple, subject, relation, obj in rows:
        for statement in said.get(triple, ((),)):
            qualifiers = [(relations[path], values[value]) for path, value in statement]
            builder.add(str(values[subject]), relations[relation], values[obj], qualifiers)


def _add_texts(pack: Pack, builder: PackBuilder, names: _Keys, rank: int) -> None:
    for ids in names.blocks():
        keys = names.keys(ids)
        for number, label, description in zip(ids, pack.labels(ids), pack.descriptions(ids), strict=True):
            if label != entity_label(keys[number]):
                builder.label(keys[number], label, rank)
            if description:
                builder.description(keys[number], description, rank)
        for number, alias in pack.names.aliases_between(ids[0], ids[-1]):
            builder.alias(keys[number], alias)
    for text in pack.relations():
        builder.relation(text.key, text.label, text.aliases, text.description, text.inverse_label, rank)
    if pack.passages is not None:
        for passage in pack.passages.every():
            builder.passage(pack.keys(passage.entities), passage.text)
