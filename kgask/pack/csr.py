"""Triples as compressed sparse rows, both ways, and the arithmetic of triple ids.

``out_*``: row ``i`` lists subject ``i``'s triples by (relation, object); the
position in ``out_relation``/``out_object`` is the TripleId. ``in_*``: row ``i``
lists the triples whose object is ``i`` by (relation, subject).

All arrays are signed; for their dtypes see :mod:`kgask.pack.arrays`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kgask.errors import PackError
from kgask.pack.arrays import distinct_rows, id_type, relation_type, row_pointers
from kgask.pack.graph import AllHere, reads_arrays
from kgask.pack.qualifiers import Qualifiers

# Row pointers, and what they point into.
POINTERS = {"out_indptr": "out_object", "in_indptr": "in_subject", "qualifier_indptr": "qualifier_value"}


@dataclass(eq=False, kw_only=True, repr=False)
class Csr(Qualifiers, AllHere):
    """The arrays of triples, and of the statements about them; N entities, T triples."""

    out_indptr: np.ndarray  # [N+1]
    out_relation: np.ndarray  # [T]
    out_object: np.ndarray  # [T]
    in_indptr: np.ndarray  # [N+1]
    in_relation: np.ndarray  # [T]
    in_subject: np.ndarray  # [T]

    def damaged(self, error: Exception) -> Exception:
        """See :mod:`kgask.pack.graph`; arrays in memory were just made, so the error is their maker's."""
        return error


def build_csr(
    subjects: np.ndarray, relations: np.ndarray, objects: np.ndarray, n_entities: int, n_relations: int
) -> Csr:
    """Sort triples (three int arrays [T], duplicates allowed and dropped) into rows both ways."""
    s, r, o = distinct_rows(subjects, relations, objects)
    back = np.lexsort((s, r, o))
    pointers, entities, words = id_type(len(s)), id_type(n_entities), relation_type(n_relations)
    return Csr(
        out_indptr=row_pointers(np.bincount(s, minlength=n_entities)).astype(pointers),
        out_relation=r.astype(words),
        out_object=o.astype(entities),
        in_indptr=row_pointers(np.bincount(o, minlength=n_entities)).astype(pointers),
        in_relation=r[back].astype(words),
        in_subject=s[back].astype(entities),
    )


@reads_arrays
def triples_of(csr: Csr, ids: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Subjects, relations and objects (int64 [len(ids)]) of triple ids.

    Raises :class:`PackError` for an id that is not in the pack.
    """
    ids = np.asarray(ids, dtype=np.int64)
    outside = (ids < 0) | (ids >= len(csr.out_relation))
    if outside.any():
        raise PackError(f"no triple {int(ids[outside][0])} in this pack of {len(csr.out_relation)}")
    # Of the array's own dtype: for others searchsorted copies the whole array first.
    subjects = np.searchsorted(csr.out_indptr, ids.astype(csr.out_indptr.dtype), side="right") - 1
    return (
        subjects.astype(np.int64),
        csr.out_relation[ids].astype(np.int64),
        csr.out_object[ids].astype(np.int64),
    )


@reads_arrays
def triple_ids_of(csr: Csr, subjects: np.ndarray, relations: np.ndarray, objects: np.ndarray) -> np.ndarray:
    """Triple ids (int64) by a binary search in each subject's row, all of them at once.

    Raises :class:`PackError` naming the first triple that is not there.
    """
    s, r, o = (np.atleast_1d(np.asarray(x, dtype=np.int64)) for x in (subjects, relations, objects))
    places = places_of(csr, s, r, o)
    if (places < 0).any():
        first = int(np.flatnonzero(places < 0)[0])
        raise PackError(f"no triple ({s[first]}, {r[first]}, {o[first]}) in this pack")
    return places


@reads_arrays
def places_of(csr: Csr, s: np.ndarray, r: np.ndarray, o: np.ndarray) -> np.ndarray:
    """The triple ids (int64) of triples (int64 [n] each); -1 for one that is not there."""
    if len(s) == 0:
        return np.zeros(0, dtype=np.int64)
    n_entities = len(csr.out_indptr) - 1
    known = (s >= 0) & (s < n_entities)
    rows = np.where(known, s, 0)
    low = csr.out_indptr[rows].astype(np.int64)
    end = np.where(known, csr.out_indptr[rows + 1], low).astype(np.int64)
    high = end.copy()
    while len(active := np.flatnonzero(low < high)):
        middle = (low[active] + high[active]) // 2
        rel, obj = csr.out_relation[middle], csr.out_object[middle]
        smaller = (rel < r[active]) | ((rel == r[active]) & (obj < o[active]))
        low[active] = np.where(smaller, middle + 1, low[active])
        high[active] = np.where(smaller, high[active], middle)
    found = low < end
    place = np.where(found, low, 0)
    found &= (csr.out_relation[place] == r) & (csr.out_object[place] == o) if len(csr.out_relation) else False
    return np.where(found, low, -1)


@reads_arrays
def degree_of(csr: Csr, ids: np.ndarray) -> np.ndarray:
    """Triples in and out of each entity (int64)."""
    ids = np.asarray(ids, dtype=np.int64)
    outgoing = csr.out_indptr[ids + 1].astype(np.int64) - csr.out_indptr[ids]
    degrees = outgoing + csr.in_indptr[ids + 1] - csr.in_indptr[ids]
    if len(degrees) and degrees.min() < 0:
        raise ValueError("rows end before they begin")
    return degrees
