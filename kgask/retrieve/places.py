"""Where a place lies: Warsaw in Poland, so that "born in Poland" is no contradiction of "born in Warsaw"."""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from kgask.pack.arrays import distinct
from kgask.pack.labels import relation_phrase
from kgask.pack.store import Pack
from kgask.retrieve.run import Runner
from kgask.retrieve.trace import triple_ids
from kgask.types import TripleId

_KEYS = ("P17", "P131", "P30", "P361", "P276", "P706")  # Wikidata's
_LABELS = frozenset(
    {
        "country", "located in", "location", "continent", "part of", "within", "is in", "in", "state", "region",
        "contained by", "located in the administrative territorial entity", "is part of", "lies in",
        "located on island", "world region", "county", "province", "district", "municipality",
    }
)  # fmt: skip
_KNOWN: WeakKeyDictionary[Pack, list[int]] = WeakKeyDictionary()
MOST_STEPS = 3
MOST_PLACES = 200


@dataclass(frozen=True, slots=True, eq=False)
class Above:
    """Things and the places that they lie in."""

    reached: np.ndarray  # entity ids, int64
    ways: dict[int, tuple[TripleId, ...]]  # from one of the things to each of them

    def way_to(self, ends: np.ndarray) -> tuple[TripleId, ...]:
        """The triples from a thing to the first of ``ends`` that is reached."""
        return next((self.ways[end] for end in ends.tolist() if end in self.ways), ())


def climb(runner: Runner, ids: np.ndarray) -> Above:
    """Entities and what they lie in, up to :data:`MOST_STEPS` steps; entities alone where the pack says none."""
    ways: dict[int, tuple[TripleId, ...]] = dict.fromkeys(distinct(ids).tolist(), ())
    frontier = [*ways]
    for _ in range(MOST_STEPS):
        nearer, frontier = frontier, []
        for relation in place_relations(runner.pack):
            edges = runner.edges(np.array(nearer, np.int64), relation)
            triples = triple_ids(runner.pack, edges).tolist()
            for source, target, triple in zip(edges.sources.tolist(), edges.targets.tolist(), triples, strict=True):
                if target not in ways and len(ways) < MOST_PLACES:
                    ways[target] = (*ways[source], triple)
                    frontier.append(target)
        if not frontier:
            break
    return Above(np.array(sorted(ways), np.int64), ways)


def place_relations(pack: Pack) -> list[int]:
    """The relations that lead from a place to one that it lies in; looked for once in a pack."""
    if pack not in _KNOWN:
        _KNOWN[pack] = [
            at
            for at, text in enumerate(pack.relations())
            if text.key.rsplit("/", 1)[-1] in _KEYS or relation_phrase(text.label).lower() in _LABELS
        ]
    return _KNOWN[pack]
