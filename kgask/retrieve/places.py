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
from kgask.types import TripleId, opposite

_KEYS = ("P17", "P131", "P30", "P361", "P276", "P706")  # Wikidata's
_LABELS = frozenset(
    {
        "country", "located in", "location", "continent", "part of", "within", "is in", "in", "state", "region",
        "contained by", "located in the administrative territorial entity", "is part of", "lies in",
        "located on island", "world region", "county", "province", "district", "municipality",
    }
)  # fmt: skip
_AROUND = ("country", "located on island")  # of which more is so than of "located in"
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
    frontier, lies_in = [*ways], place_relations(runner.pack)
    for _ in range(MOST_STEPS):
        found = [runner.edges(np.array(frontier, np.int64), relation) for relation in lies_in]
        within, frontier = _within(runner, distinct(np.concatenate([one.targets for one in found] or [ids[:0]]))), []
        for relation, edges in zip(lies_in, found, strict=True):
            triples = triple_ids(runner.pack, edges).tolist()
            for source, target, triple in zip(edges.sources.tolist(), edges.targets.tolist(), triples, strict=True):
                is_around = (target, source) in within[_is_sure(relation, runner)]  # no country lies in its cities
                if target not in ways and len(ways) < MOST_PLACES and not is_around:
                    ways[target] = (*ways[source], triple)
                    frontier.append(target)
        if not frontier:
            break
    return Above(np.array(sorted(ways), np.int64), ways)


def _within(runner: Runner, places: np.ndarray) -> dict[bool, set[tuple[int, int]]]:
    """Places with what the graph says that they lie in: of all relations, and (True) of those that are surely so."""
    found: dict[bool, set[tuple[int, int]]] = {False: set(), True: set()}
    for relation in place_relations(runner.pack):
        edges = runner.edges(places, relation)
        pairs = set(zip(edges.sources.tolist(), edges.targets.tolist(), strict=True))
        found[False] |= pairs
        found[True] |= pairs if _is_sure(relation, runner) else set()
    return found


def _is_sure(relation: int, runner: Runner) -> bool:
    return runner.pack.relation_labels()[relation].lower() in _AROUND


def may_hold(runner: Runner, places: np.ndarray, stated: np.ndarray) -> bool:
    """Whether what is stated may lie in other places too, as far as the graph tells.

    Liverpool may be in England, which lies in the United Kingdom as well and holds other towns, unless the graph says
    of Liverpool itself, or of what it lies in and England does not, that it is of England's kind.
    """
    around, kinds = np.setdiff1d(climb(runner, places).reached, places), runner.types(places)
    lies_in = place_relations(runner.pack)
    nearest = [runner.edges(stated, one).targets for one in lies_in if not _is_continent(one, runner)]
    if not len(kinds) or not np.isin(np.concatenate(nearest or [stated[:0]]), around).any():
        return False
    if np.isin(runner.types(np.setdiff1d(climb(runner, stated).reached, around)), kinds).any():
        return False
    back = (opposite(one, runner.pack.n_relations) for one in lies_in)
    return any(len(runner.edges(places, one)) for one in back)


def _is_continent(relation: int, runner: Runner) -> bool:
    return runner.pack.relations()[relation].label.lower() == "continent"


def place_relations(pack: Pack) -> list[int]:
    """The relations that lead from a place to one that it lies in; looked for once in a pack."""
    if pack not in _KNOWN:
        _KNOWN[pack] = [
            at
            for at, text in enumerate(pack.relations())
            if text.key.rsplit("/", 1)[-1] in _KEYS or relation_phrase(text.label).lower() in _LABELS
        ]
    return _KNOWN[pack]
