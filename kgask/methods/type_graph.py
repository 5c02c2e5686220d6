"""Which relations the instances of a type have: KG-GPT's TypeDBpedia (appendix B.1) for any pack.

Computed when a type is first asked for, from the pack's own "instance of" relations, and kept in memory as long as the
method is; nothing is written. In a pack without such a relation no entity is a type.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kgask.pack.store import Pack
from kgask.retrieve.follow import Edges, concatenate, edges_of, relations_of
from kgask.types import EntityId

MAX_INSTANCES = 200  # looked at, those with the lowest ids: relations of a type repeat from instance to instance
_KEYS = ("/P31", "#type", "rdf:type")  # ends of keys; Wikidata's "instance of" and RDF's own
_LABELS = frozenset({"instance of", "is instance of", "type", "rdf type", "is a", "isa", "a", "class", "has type"})


def is_type_relation(key: str, label: str) -> bool:
    """Whether a relation leads from a thing to what kind of thing it is."""
    words = " ".join(label.replace("_", " ").lower().split())
    return words in _LABELS or key == "P31" or key.endswith(_KEYS)


class TypeGraph:
    """The types of one pack."""

    def __init__(self, pack: Pack):
        self._pack = pack
        texts = pack.relations()
        self._relations = [at for at, text in enumerate(texts) if is_type_relation(text.key, text.label)]
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
        every = np.unique(entities)
        found = concatenate([edges_of(self._pack, every, relation) for relation in self._relations])
        return np.isin(entities, found.sources[np.isin(found.targets, np.asarray(types, np.int64))])

    def relations_of(self, entity: EntityId) -> np.ndarray:
        """bool [R]: relations that instances of the type have, in either direction; their types themselves are not
        among them."""
        if entity not in self._present:
            n_relations = self._pack.n_relations
            either = relations_of(self._pack, self.instances(entity).targets).reshape(2, n_relations).any(axis=0)
            either[self._relations] = False
            self._present[entity] = either
        return self._present[entity]
