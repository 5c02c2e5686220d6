"""What a pack's own triples teach about its relations: which have one end, and of which the pack knows all ends.

A graph says what is so, not what is not. That a triple is missing tells something only of a relation that leads from
each thing to one other (a *single* one: a second birthplace contradicts the first), or of one whose ends the graph has
all (a *complete* one: who is not among the neighbours is none). Both are learned when the pack is built, of each
directed relation, and are guesses from counts: see the constants. A user knows better and may say so (``kgask verify
--complete``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from kgask.pack.csr import Csr
from kgask.types import directed

KINDS_ARRAY = "relation_kinds"  # the file is relation_kinds.npy, int8 [2R]: the bits below, of each directed relation
SINGLE, COMPLETE = 1, 2
LEAST_OWNERS = 5  # things that have a relation, below which nothing is learned of it
MOSTLY_ONE = 0.9  # share of them with one end, from which on it is single
BOTH_WAYS = 0.95  # share of triples that are there turned round too
OFTEN = 0.5  # share of a class that has such a relation
NEARLY_ALL, FEW = 0.9, 2.0  # share of a class that has a relation with at most so many ends each, on average
MAIN = 0.5  # share of a relation's owners that a class needs to be theirs
LISTED = 500  # instances of a class that may all be known: countries and elements, not books and persons


def relation_kinds(csr: Csr, type_relations: Sequence[int], n_relations: int) -> np.ndarray:
    """int8 [2R]: which directed relations are :data:`SINGLE` and which :data:`COMPLETE`.

    Complete is a relation that is said both ways and that half of a class has (neighbours); one that nearly all of a
    class have, with few ends each (official languages); and such a one turned round, where the class may be whole (the
    countries where a language is official).
    """
    kinds, (shares, sizes) = np.zeros(2 * n_relations, np.int8), _shares(csr, type_relations, n_relations)
    for relation, subjects, objects in _by_relation(csr, n_relations):
        back = directed(relation, True, n_relations)
        kinds[relation], kinds[back] = (SINGLE * _is_single(owners) for owners in (subjects, objects))
        is_few = len(subjects) <= FEW * len(np.unique(subjects))
        is_full = shares[relation] >= NEARLY_ALL and is_few
        if is_full or (shares[relation] >= OFTEN and _turned_round(subjects, objects) >= BOTH_WAYS):
            kinds[relation] |= COMPLETE
            kinds[back] |= COMPLETE * (not is_full or sizes[relation] <= LISTED)
    return kinds


def in_words(forward: int, backward: int) -> str:
    """What was learned of a relation, and after ``^`` of it turned round.

    >>> in_words(SINGLE | COMPLETE, 0), in_words(SINGLE, COMPLETE), in_words(0, 0)
    ('single complete', 'single ^complete', '')
    """
    words = {SINGLE: "single", COMPLETE: "complete"}
    said = [word for bit, word in words.items() if forward & bit]
    return " ".join([*said, *(f"^{word}" for bit, word in words.items() if backward & bit)])


def _by_relation(csr: Csr, n_relations: int) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
    """Subjects (ascending) and objects of each relation that is common enough."""
    every = np.repeat(np.arange(len(csr.out_indptr) - 1, dtype=np.int64), np.diff(csr.out_indptr))
    order = np.argsort(csr.out_relation, kind="stable")
    ends = np.cumsum(np.bincount(csr.out_relation, minlength=n_relations))
    for relation, end in enumerate(ends.tolist()):
        rows = order[ends[relation - 1] if relation else 0 : end]
        if len(rows) >= LEAST_OWNERS:
            yield relation, every[rows], csr.out_object[rows].astype(np.int64)


def _is_single(owners: np.ndarray) -> bool:
    _, n_ends = np.unique(owners, return_counts=True)
    return len(n_ends) >= LEAST_OWNERS and bool((n_ends == 1).mean() >= MOSTLY_ONE)


def _turned_round(subjects: np.ndarray, objects: np.ndarray) -> float:
    """The share of triples whose two ends are in a triple the other way round as well."""
    n = int(max(subjects.max(), objects.max())) + 1
    return float(np.isin(objects * n + subjects, subjects * n + objects).mean())


def _shares(csr: Csr, type_relations: Sequence[int], n_relations: int) -> tuple[np.ndarray, np.ndarray]:
    """float [R]: of the class that most subjects of a relation are of, the share that has it; int [R]: its size."""
    shares, sizes_of, n_entities = np.zeros(n_relations), np.zeros(n_relations, np.int64), len(csr.out_indptr) - 1
    every = np.repeat(np.arange(n_entities, dtype=np.int64), np.diff(csr.out_indptr))
    leads = np.isin(csr.out_relation, type_relations)
    instances, types = every[leads], csr.out_object[leads].astype(np.int64)
    if not len(types):
        return shares, sizes_of
    kinds, sizes = np.unique(types, return_counts=True)
    has = np.unique(every * n_relations + csr.out_relation)  # subject and relation, each pair once
    owners, relations = has // n_relations, has % n_relations
    first, last = np.searchsorted(instances, owners), np.searchsorted(instances, owners, side="right")
    places = np.repeat(first - np.concatenate([[0], np.cumsum(last - first)[:-1]]), last - first)
    places += np.arange(len(places))
    pairs, counts = np.unique(types[places] * n_relations + np.repeat(relations, last - first), return_counts=True)
    kind, relation = pairs // n_relations, pairs % n_relations
    is_main = counts >= MAIN * np.bincount(relations, minlength=n_relations)[relation]
    kind, relation, counts = kind[is_main], relation[is_main], counts[is_main]
    size = sizes[np.searchsorted(kinds, kind)]
    order = np.argsort(counts / size, kind="stable")  # the fullest class comes last, and stays
    shares[relation[order]], sizes_of[relation[order]] = (counts / size)[order], size[order]
    return shares, sizes_of
