"""The statements of a connected graph: those that were fetched, and those of the folder's sample where none were."""

from __future__ import annotations

import re
from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from kgask.build.statements import as_precise
from kgask.build.terms import Value
from kgask.pack.arrays import spans
from kgask.pack.csr import Csr, places_of
from kgask.pack.qualifiers import Qualifiers, build_qualifiers
from kgask.pack.records import Literal
from kgask.remote.endpoint import Row
from kgask.remote.wanted import Known


@dataclass(frozen=True, slots=True, eq=False)
class Stated:
    """Statements as int64 columns: subject, relation, object [3, S], how many qualifiers each has [S], these [2, Q]."""

    triples: np.ndarray
    lengths: np.ndarray
    qualifiers: np.ndarray

    def where(self, keep: np.ndarray) -> Stated:
        places = spans((np.cumsum(self.lengths) - self.lengths)[keep], self.lengths[keep])
        return Stated(self.triples[:, keep], self.lengths[keep], self.qualifiers[:, places])

    def of(self, csr: Csr, n_entities: int, n_relations: int) -> Qualifiers:
        """Those of triples that are there, as a pack holds them."""
        places = places_of(csr, *self.triples)
        own, n_triples = self.where(places >= 0), len(csr.out_relation)
        relations, values = own.qualifiers
        return build_qualifiers(places[places >= 0], own.lengths, relations, values, n_triples, n_entities, n_relations)


class MetStatements:
    """What was fetched, a statement by the node that stands for it, or by its triple."""

    def __init__(self, sample: Stated) -> None:
        self._sample, self._n_answers = sample, 0
        self._met: dict[Hashable, tuple[tuple[int, int, int], set[tuple[int, int]]]] = {}

    def begin(self) -> None:
        """Blank nodes of an answer are no others' than its own."""
        self._n_answers += 1

    def take(self, row: Row, triple: tuple[int, int, int], qualifier: tuple[int, int]) -> None:
        node = row.get("st")
        name: Hashable = None if node is None else (node["value"], self._n_answers * (node["type"] == "bnode"))
        self._met.setdefault((triple, name), (triple, set()))[1].add(qualifier)

    def forget(self) -> None:
        self._met = {}

    def known(self, known: Known) -> Stated:
        """All, without the sample's of triples whose statements were fetched."""
        is_stale = known.covers_statements(self._sample.triples[0], self._sample.triples[1])
        rest, met = self._sample.where(~is_stale), [*self._met.values()]
        said = [pair for _, pairs in met for pair in pairs]
        return Stated(
            np.hstack([rest.triples, np.array([triple for triple, _ in met], np.int64).reshape(-1, 3).T]),
            np.concatenate([rest.lengths, np.array([len(pairs) for _, pairs in met], np.int64)]),
            np.hstack([rest.qualifiers, np.array(said, np.int64).reshape(-1, 2).T]),
        )


def exactly(value: Value, row: Row) -> Value:
    """A date as precise as its value node says it is; anything else as it is."""
    precision = row.get("precision", {}).get("value", "")
    if not isinstance(value, Literal) or value.kind != "date" or not re.fullmatch("[0-9]{1,2}", precision):
        return value
    return as_precise(value, int(precision))
