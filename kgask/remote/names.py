"""Names of a connected graph: those that its folder holds, and of what was met since.

Ids stay what they are as long as the pack is open: entities that the folder does not name get the ids after its own, up
to :data:`RESERVED` of them, and all literals have the last ids, as in every pack.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np

from kgask.errors import RemoteError
from kgask.pack import schema
from kgask.pack.literals import literal_key, literal_label
from kgask.pack.names_blocks import BlockNames
from kgask.pack.records import Literal, NameHit

RESERVED = 1 << 18  # entities that may be met beside those of the folder
Given = TypeVar("Given")


class ConnectedNames(BlockNames):
    """``asked`` gets the ids whose labels are wanted and not known yet."""

    def __init__(
        self,
        path: Path,
        n_entities: int,
        n_literals: int,
        sums: np.ndarray | None,
        asked: Callable[[list[int]], None],
    ) -> None:
        super().__init__(path, n_entities, n_literals, sums)
        self._asked = asked
        self._n_own = self.first_literal  # entities of the folder
        self._numbers: dict[str | Literal, int | None] = {}  # ids of keys and literals that were looked up
        self._keys: list[str] = []
        self._met_labels: dict[int, str] = {}
        self._literals: list[Literal] = []

    @property
    def n_all(self) -> int:
        """Ids that may be in use, those reserved among them."""
        return self.n_entities + RESERVED + len(self._literals)

    @property
    def n_all_literals(self) -> int:
        return self.n_entities - self._n_own + len(self._literals)

    @property
    def met_literals(self) -> Sequence[Literal]:
        """The literals that the folder does not have, in the order of their ids."""
        return self._literals

    def outer(self, number: int) -> int:
        """The id of what has this number in the folder."""
        return number if number < self._n_own else number + RESERVED

    # --- ids of what is met -----------------------------------------------------------------------

    def ids_of_keys(self, keys: Sequence[str]) -> list[int]:
        """The ids of entities; those that are new get one."""
        fresh = [key for key in dict.fromkeys(keys) if key not in self._numbers]
        self._numbers |= self._own(fresh)
        for key in fresh:
            if self._numbers[key] is None:
                if len(self._keys) == RESERVED:
                    raise RemoteError(f"more than {RESERVED:,} entities were met that have no name here; start again")
                self._numbers[key] = self._n_own + len(self._keys)
                self._keys.append(key)
        return [number for key in keys if (number := self._numbers[key]) is not None]

    def id_of_literal(self, literal: Literal) -> int:
        number = self._numbers.get(literal)
        if number is None:
            own = self._find_literal(literal)
            if own is None:
                own = self.n_entities + len(self._literals)
                self._literals.append(literal)
            number = self._numbers[literal] = self.outer(own)
        return number

    def name(self, entity: int, label: str) -> None:
        """What an entity that was met is called."""
        self._met_labels[entity] = label

    def _own(self, keys: list[str]) -> dict[str | Literal, int | None]:
        """The numbers of keys in the folder (None: not there), by one bisection for all."""
        wanted = {key: schema.key_order(key) for key in keys}
        places = dict.fromkeys(keys, (0, self._n_own))
        found: dict[str | Literal, int | None] = {}
        while places:
            middles = {key: (low + high) // 2 for key, (low, high) in places.items() if low < high}
            found |= dict.fromkeys(places.keys() - middles.keys())
            numbers = sorted(set(middles.values()))
            there = dict(zip(numbers, super().keys(numbers), strict=True))
            following = {}
            for key, middle in middles.items():
                low, high = places[key]
                if there[middle] == key:
                    found[key] = middle
                elif schema.key_order(there[middle]) < wanted[key]:
                    following[key] = (middle + 1, high)
                else:
                    following[key] = (low, middle)
            places = following
        return found

    # --- Names --------------------------------------------------------------------------------------

    def labels(self, ids: Iterable[int]) -> list[str]:
        ids = list(map(int, ids))
        unnamed = [i for i in ids if self._is_met(i) and i not in self._met_labels]
        if unnamed:
            self._asked(unnamed)
        return self._mixed(ids, super().labels, lambda i: self._met_labels.get(i, self._key_of(i)), literal_label)

    def keys(self, ids: Iterable[int]) -> list[str]:
        return self._mixed(list(map(int, ids)), super().keys, self._key_of, literal_key)

    def descriptions(self, ids: Iterable[int]) -> list[str]:
        return self._mixed(list(map(int, ids)), super().descriptions, lambda _: "", lambda _: "")

    def literals(self, ids: Iterable[int]) -> list[Literal | None]:
        return self._mixed(list(map(int, ids)), super().literals, lambda _: None, lambda literal: literal)

    def hits(self, refs: Iterable[int]) -> dict[int, NameHit]:
        found = super().hits(refs)
        return {ref: NameHit(self.outer(hit.entity), hit.name, hit.is_alias) for ref, hit in found.items()}

    def entities_of(self, refs: Iterable[int]) -> list[int]:
        return list(map(self.outer, super().entities_of(refs)))

    def find_key(self, key: str) -> int | None:
        if not key.startswith('"'):
            return self._own([key])[key]
        found = super().find_key(key)
        return None if found is None else self.outer(found)

    def _find_literal(self, literal: Literal) -> int | None:
        key = literal_key(literal)
        refs = self._refs([self.code(norm) for norm in _norms(literal)])
        ids = sorted({ref for ref, _ in refs if self.first_literal <= ref < self.n_entities})
        return next((i for i, found in zip(ids, super().keys(ids), strict=True) if found == key), None)

    def _mixed(
        self,
        ids: list[int],
        own: Callable[[Iterable[int]], list[Given]],
        met: Callable[[int], Given],
        of_literal: Callable[[Literal], Given],
    ) -> list[Given]:
        """What the folder says of its own, and what is known of the others."""
        numbers = {i: n for i in ids if (n := self._number(i)) is not None}
        known = dict(zip(numbers, own(numbers.values()), strict=True))
        first = self.n_entities + RESERVED
        return [
            known[i] if i in known else of_literal(self._literals[i - first]) if i >= first else met(i) for i in ids
        ]

    def _number(self, entity: int) -> int | None:
        """The number of an id in the folder; None for what was met."""
        if entity < self._n_own:
            return entity
        return entity - RESERVED if self._n_own + RESERVED <= entity < self.n_entities + RESERVED else None

    def _is_met(self, entity: int) -> bool:
        return self._n_own <= entity < self._n_own + RESERVED

    def _key_of(self, entity: int) -> str:
        at = entity - self._n_own
        if at >= len(self._keys):
            raise RemoteError(f"no entity {entity} in this graph")
        return self._keys[at]


def _norms(literal: Literal) -> list[str]:
    from kgask.pack.normalise import normalise

    return list({normalise(literal.text), normalise(literal_label(literal))})
