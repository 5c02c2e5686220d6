"""Triples as compressed sparse rows, both ways, and the arithmetic of triple ids.

``out_*``: row ``i`` lists subject ``i``'s triples by (relation, object); the
position in ``out_relation``/``out_object`` is the TripleId. ``in_*``: row ``i``
lists the triples whose object is ``i`` by (relation, subject).

All arrays are signed, and the relation dtype also holds ``2R``, so that
``relation + n_relations`` (the inverse direction) cannot wrap around.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kgask.errors import PackError


@dataclass(frozen=True, slots=True, eq=False)
class Csr:
    """The six arrays; N entities, T triples."""

    out_indptr: np.ndarray  # [N+1]
    out_relation: np.ndarray  # [T]
    out_object: np.ndarray  # [T]
    in_indptr: np.ndarray  # [N+1]
    in_relation: np.ndarray  # [T]
    in_subject: np.ndarray  # [T]


def smallest_int(largest: int) -> np.dtype:
    """The smallest of int16, int32 and int64 that holds ``largest`` (little-endian)."""
    for name in ("<i2", "<i4"):
        if largest <= np.iinfo(name).max:
            return np.dtype(name)
    return np.dtype("<i8")


def build_csr(
    subjects: np.ndarray, relations: np.ndarray, objects: np.ndarray, n_entities: int, n_relations: int
) -> Csr:
    """Sort triples (three int arrays [T], duplicates allowed and dropped) into rows both ways."""
    entity_type = max(smallest_int(n_entities), np.dtype("<i4"))
    relation_type = smallest_int(2 * n_relations)
    order = np.lexsort((objects, relations, subjects))
    s, r, o = subjects[order], relations[order], objects[order]
    if len(s):
        new = np.ones(len(s), dtype=bool)
        new[1:] = (s[1:] != s[:-1]) | (r[1:] != r[:-1]) | (o[1:] != o[:-1])
        s, r, o = s[new], r[new], o[new]
    back = np.lexsort((s, r, o))
    pointer_type = max(smallest_int(len(s)), np.dtype("<i4"))
    return Csr(
        out_indptr=_indptr(s, n_entities).astype(pointer_type),
        out_relation=r.astype(relation_type),
        out_object=o.astype(entity_type),
        in_indptr=_indptr(o, n_entities).astype(pointer_type),
        in_relation=r[back].astype(relation_type),
        in_subject=s[back].astype(entity_type),
    )


def _indptr(rows: np.ndarray, n_entities: int) -> np.ndarray:
    indptr = np.zeros(n_entities + 1, dtype=np.int64)
    np.cumsum(np.bincount(rows, minlength=n_entities), out=indptr[1:])
    return indptr


def triples_of(csr: Csr, ids: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Subjects, relations and objects (int64 [len(ids)]) of triple ids.

    Raises :class:`PackError` for an id that is not in the pack.
    """
    ids = np.asarray(ids, dtype=np.int64)
    outside = (ids < 0) | (ids >= len(csr.out_relation))
    if outside.any():
        raise PackError(f"no triple {int(ids[outside][0])} in this pack of {len(csr.out_relation)}")
    subjects = np.searchsorted(csr.out_indptr, ids, side="right") - 1
    return (
        subjects.astype(np.int64),
        csr.out_relation[ids].astype(np.int64),
        csr.out_object[ids].astype(np.int64),
    )


def triple_ids_of(csr: Csr, subjects: np.ndarray, relations: np.ndarray, objects: np.ndarray) -> np.ndarray:
    """Triple ids (int64) by a binary search in each subject's row, all of them at once.

    Raises :class:`PackError` naming the first triple that is not there.
    """
    s, r, o = (np.atleast_1d(np.asarray(x, dtype=np.int64)) for x in (subjects, relations, objects))
    if len(s) == 0:
        return np.zeros(0, dtype=np.int64)
    n_entities = len(csr.out_indptr) - 1
    known = (s >= 0) & (s < n_entities)
    rows = np.where(known, s, 0)
    low = csr.out_indptr[rows].astype(np.int64)
    end = np.where(known, csr.out_indptr[rows + 1], low).astype(np.int64)
    high = end.copy()
    while True:
        active = np.flatnonzero(low < high)
        if len(active) == 0:
            break
        middle = (low[active] + high[active]) // 2
        rel, obj = csr.out_relation[middle], csr.out_object[middle]
        smaller = (rel < r[active]) | ((rel == r[active]) & (obj < o[active]))
        low[active] = np.where(smaller, middle + 1, low[active])
        high[active] = np.where(smaller, high[active], middle)
    found = low < end
    place = np.where(found, low, 0)
    found &= (csr.out_relation[place] == r) & (csr.out_object[place] == o) if len(csr.out_relation) else False
    if not found.all():
        first = int(np.flatnonzero(~found)[0])
        raise PackError(f"no triple ({s[first]}, {r[first]}, {o[first]}) in this pack")
    return low


def degree_of(csr: Csr, ids: np.ndarray) -> np.ndarray:
    """Triples in and out of each entity (int64)."""
    ids = np.asarray(ids, dtype=np.int64)
    outgoing = csr.out_indptr[ids + 1].astype(np.int64) - csr.out_indptr[ids]
    return outgoing + csr.in_indptr[ids + 1] - csr.in_indptr[ids]
