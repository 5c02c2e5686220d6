"""Statements: what a triple is said with (point in time, role, series ordinal), beside the triple itself.

A triple may have several statements (an office held twice), each with at least one qualifier; a triple that nothing
more is said of has none. Statements stand in the order of their triples, those of one triple in the order of their
qualifiers; the qualifiers of a statement in the order of (relation, value). None is there twice.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from kgask.pack.arrays import distinct, distinct_rows, id_type, relation_type, row_pointers, spans
from kgask.types import Statement, TripleId

QUALIFIER_ARRAYS = ("statement_triple", "qualifier_indptr", "qualifier_relation", "qualifier_value")
STATEMENTS_COUNT, QUALIFIERS_COUNT = "statements", "qualifiers"  # S and Q, in the manifest's counts


def _none() -> np.ndarray:
    return np.zeros(0, dtype="<i4")


@dataclass(eq=False, kw_only=True, repr=False)
class Qualifiers:
    """The four arrays, empty where nothing is qualified; S statements, Q qualifiers.

    Row ``i`` of ``qualifier_indptr`` lists the qualifiers of statement ``i``; ``statement_triple[i]`` is its triple.
    """

    statement_triple: np.ndarray = field(default_factory=_none)  # [S], ascending
    qualifier_indptr: np.ndarray = field(default_factory=lambda: np.zeros(1, dtype="<i4"))  # [S+1]
    qualifier_relation: np.ndarray = field(default_factory=_none)  # [Q]
    qualifier_value: np.ndarray = field(default_factory=_none)  # [Q], entities and literals

    @property
    def n_statements(self) -> int:
        return len(self.statement_triple)

    def statements(self, triple_ids: Iterable[TripleId]) -> dict[TripleId, tuple[Statement, ...]]:
        """The statements of each triple; triples that have none are left out."""
        if not self.n_statements:
            return {}
        # Ids of the array's own dtype: for others searchsorted would copy the whole array first.
        ids = distinct(np.fromiter(triple_ids, dtype=self.statement_triple.dtype))
        first = np.searchsorted(self.statement_triple, ids, side="left")
        last = np.searchsorted(self.statement_triple, ids, side="right")
        rows = zip(ids.tolist(), first.tolist(), last.tolist(), strict=True)
        return {triple: tuple(map(self._statement, range(low, high))) for triple, low, high in rows if low < high}

    def _statement(self, row: int) -> Statement:
        low, high = self.qualifier_indptr[row : row + 2].tolist()
        pairs = zip(self.qualifier_relation[low:high].tolist(), self.qualifier_value[low:high].tolist(), strict=True)
        return tuple(pairs)


def build_qualifiers(
    triples: np.ndarray,
    lengths: np.ndarray,
    relations: np.ndarray,
    values: np.ndarray,
    n_triples: int,
    n_entities: int,
    n_relations: int,
) -> Qualifiers:
    """Statements in any order, with duplicates, as a pack holds them.

    ``triples`` int [S] tells what each statement is of, ``lengths`` int [S] how many of ``relations`` and ``values``
    (int [Q]) belong to it, at least one.
    """
    rows = np.repeat(np.arange(len(triples)), lengths)
    rows, relations, values = distinct_rows(rows, relations, values)
    starts = row_pointers(np.bincount(rows, minlength=len(triples)))
    order = np.unique(_ranks(triples, starts, relations, values), return_index=True)[1]  # equal ones have one rank
    indptr = row_pointers(np.diff(starts)[order])
    places = spans(starts[order], np.diff(indptr))
    return Qualifiers(
        statement_triple=triples[order].astype(id_type(n_triples)),
        qualifier_indptr=indptr.astype(id_type(len(places))),
        qualifier_relation=relations[places].astype(relation_type(n_relations)),
        qualifier_value=values[places].astype(id_type(n_entities)),
    )


def _ranks(triples: np.ndarray, starts: np.ndarray, relations: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Where each statement stands by (triple, first qualifier, second, ...), int64 [S]; equal ones have one rank.

    Only statements that are equal so far are compared by their next qualifier; one that has no more comes first.
    """
    lengths = np.diff(starts)
    _, ranks, counts = np.unique(triples, return_inverse=True, return_counts=True)
    ranks = row_pointers(counts)[ranks]
    place = 0
    while True:
        tied = np.flatnonzero(np.bincount(ranks)[ranks] > 1)
        has_next = lengths[tied] > place
        if not has_next.any():
            return ranks
        at = np.where(has_next, starts[tied] + place, 0)
        relation, value = (np.where(has_next, column[at], -1) for column in (relations, values))
        order = np.lexsort((value, relation, ranks[tied]))
        tied, relation, value = tied[order], relation[order], value[order]
        old = np.diff(ranks[tied], prepend=-1) != 0
        new = old | (np.diff(relation, prepend=-2) != 0) | (np.diff(value, prepend=-2) != 0)
        here = np.arange(len(tied))
        begins = [np.maximum.accumulate(np.where(first, here, 0)) for first in (new, old)]
        ranks[tied] += begins[0] - begins[1]
        place += 1
