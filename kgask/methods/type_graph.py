"""Types and their instances: KG-GPT's TypeDBpedia (appendix B.1) for any pack.

Which relations the instances of a type have is in the pack since it was built (:mod:`kgask.pack.types`); for a pack
of an earlier kgask it is looked up when a type is first asked for. In a pack without an "instance of" relation no
entity is a type.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kgask.pack.arrays import distinct
from kgask.pack.store import Pack
from kgask.retrieve.follow import Edges, concatenate, edges_of, relations_of
from kgask.types import EntityId

MAX_INSTANCES = 200  # looked at, those with the lowest ids: relations of a type repeat from instance to instance


class TypeGraph:
    """The types of one pack."""

    def __init__(self, pack: Pack):
        self._pack = pack
        self._relations = pack.type_relations
        self._instances: dict[EntityId, Edges] = {}
        self._present: dict[EntityId, np.ndarray] = {}

    def instances(self, entity: EntityId) -> Edges:
        """Edges from a type to its instances, at most 200 a relation; none when it is no type."""
        if entity not in self._instances:
            pack, one = self._pack, np.array([entity])
            found = [edges_of(pack, one, relation + pack.n_relations) for relation in self._relations]
            first = [edges.where(np.arange(len(edges)) < MAX_INSTANCES) for edges in found]
            self._instances[entity] = concatenate(first)
        return self._instances[entity]

    def is_type(self, entity: EntityId) -> bool:
        return len(self.instances(entity)) > 0

    def are(self, entities: np.ndarray, types: Sequence[EntityId]) -> np.ndarray:
        """bool [n]: which entities are instances of one of the types."""
        every = distinct(entities)
        found = concatenate([edges_of(self._pack, every, relation) for relation in self._relations])
        return np.isin(entities, found.sources[np.isin(found.targets, np.asarray(types, np.int64))])

    def relations_of(self, entity: EntityId) -> np.ndarray:
        """bool [R]: relations that instances of the type have, in either direction; their types themselves are not
        among them."""
        if entity not in self._present:
            types = self._pack.types
            self._present[entity] = self._looked_up(entity) if types is None else self._listed(types, entity)
        return self._present[entity]

    def _listed(self, types: np.ndarray, entity: EntityId) -> np.ndarray:
        first, last = np.searchsorted(types[:, 0], [entity, entity + 1])
        present = np.zeros(self._pack.n_relations, bool)
        present[types[first:last, 1]] = True
        return present

    def _looked_up(self, entity: EntityId) -> np.ndarray:
        """From at most 200 instances."""
        instances = self.instances(entity).targets
        forward, inverse = relations_of(self._pack, instances).reshape(2, self._pack.n_relations)
        either = forward | inverse
        either[self._relations] = False
        return either
