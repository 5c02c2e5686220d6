"""What is called by a name that the graph holds as a thing: "Red Horse" is the title of INV-005, and means INV-005.

Whoever keeps a list by numbers writes what each is called in a column of its own, and asks by that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kgask.pack.labels import relation_phrase
from kgask.pack.records import NameHit
from kgask.pack.store import Pack
from kgask.types import EntityId

_NAMING = frozenset(
    ("name", "title", "label", "full name", "display name", "called", "is called", "named", "titled", "known as")
)


@dataclass(frozen=True, slots=True)
class TitledHit(NameHit):
    """The one thing that has what the question says as its name or title."""


class Titles:
    """Looks up what one pack's names and titles are those of."""

    def __init__(self, pack: Pack) -> None:
        self._pack = pack

    def with_titled(self, hits: Sequence[NameHit]) -> list[NameHit]:
        """The hits, each that is nothing but a name behind what it is the name of; without those that are the number of
        another hit. Of a graph elsewhere as they are: there each look would be a request.
        """
        if self._pack.source is not None:
            return [*hits]
        entities = {hit.entity for hit in hits}
        own = [hit for hit in hits if len(entities) == 1 or self._owner(hit.entity) not in entities]
        return [found for hit in own for found in self._meant(hit)] if self._relations else own

    @cached_property
    def _relations(self) -> frozenset[int]:
        """Those that say what something is called."""
        labels = enumerate(self._pack.relations())
        return frozenset(at for at, text in labels if relation_phrase(text.label).lower() in _NAMING)

    def _meant(self, hit: NameHit) -> Iterator[NameHit]:
        titled = self._titled(hit.entity)
        if titled is not None:
            yield TitledHit(titled, hit.name, False, hit.similarity)
        yield hit

    def _titled(self, entity: EntityId) -> EntityId | None:
        """What an entity is the name of, where it is nothing else, and the only name of that one thing."""
        pack, titled = self._pack, self._owner(entity)
        relation = int(pack.in_relation[int(pack.in_indptr[entity])]) if titled is not None else -1
        if titled is None or relation not in self._relations:
            return None
        row = pack.out_relation[int(pack.out_indptr[titled]) : int(pack.out_indptr[titled + 1])]
        return titled if np.count_nonzero(row == relation) == 1 else None

    def _owner(self, entity: EntityId) -> EntityId | None:
        """The subject of the one triple that an entity is in, as its object."""
        start, end = (int(one) for one in self._pack.in_indptr[entity : entity + 2])
        is_value = end - start == 1 and int(self._pack.degree([entity])[0]) == 1
        return int(self._pack.in_subject[start]) if is_value else None
