"""Statements of triples and what they say by their qualifiers (:mod:`kgask.pack`, format 1.3)."""

from __future__ import annotations

import numpy as np

from kgask.pack.store import Pack
from kgask.retrieve.frontier import spread
from kgask.types import RelationId


def statements_of(pack: Pack, triples: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """``(place, statement)``: every statement of each TripleId (int64 [E]), with the triple's place."""
    pack.need_statements(triples)
    wanted = triples.astype(pack.statement_triple.dtype)  # of another dtype searchsorted would copy the whole array
    first = np.searchsorted(pack.statement_triple, wanted, "left")
    last = np.searchsorted(pack.statement_triple, wanted, "right")
    return np.repeat(np.arange(len(triples)), last - first), spread(first, last)


def said(pack: Pack, statements: np.ndarray, relation: RelationId) -> tuple[np.ndarray, np.ndarray]:
    """``(place, value)``: what statements say by a qualifier relation; values are entity ids."""
    first = pack.qualifier_indptr[statements].astype(np.int64)
    last = pack.qualifier_indptr[statements + 1].astype(np.int64)
    rows = spread(first, last)
    place = np.repeat(np.arange(len(statements)), last - first)
    asked = pack.qualifier_relation[rows] == relation
    return place[asked], pack.qualifier_value[rows[asked]].astype(np.int64)
