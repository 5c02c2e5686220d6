"""What a pack's own triples teach about its relations: which have one end, and of which the pack knows all ends.

A graph says what is so, not what is not. That a triple is missing tells something only of a relation that leads from
each thing to one other (a *single* one: a second birthplace contradicts the first), or of one whose ends the graph has
all (a *complete* one: who is not among the neighbours is none). Both are learned when the pack is built, of each
directed relation, and are guesses from counts: see the constants. A user knows better and may say so (``kgask verify
--complete``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from kgask.pack.arrays import distinct
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


@dataclass(frozen=True, slots=True)
class RelationCounts:
    """What a relation's kinds follow from, [R] each; a row of two is of subjects and objects."""

    triples: np.ndarray  # int
    owners: np.ndarray  # int [2, R]: that have the relation, at either side
    with_one: np.ndarray  # int [2, R]: of these, that have one end
    shares: np.ndarray  # float: of the class that most subjects are of, the share that has it
    sizes: np.ndarray  # int: the size of that class


def relation_kinds(csr: Csr, type_relations: Sequence[int], n_relations: int) -> np.ndarray:
    """int8 [2R]: which directed relations are :data:`SINGLE` and which :data:`COMPLETE`."""
    rows = {relation: ends for relation, *ends in _by_relation(csr, n_relations)}
    counted = np.zeros((5, n_relations), np.int64)
    for relation, ends in rows.items():
        n_ends = [np.unique(owners, return_counts=True)[1] for owners in ends]
        counted[:, relation] = len(ends[0]), *map(len, n_ends), *((each == 1).sum() for each in n_ends)
    counts = RelationCounts(counted[0], counted[1:3], counted[3:], *_shares(csr, type_relations, n_relations))
    return kinds_of(counts, lambda relation: _turned_round(*rows[relation]))


def kinds_of(counts: RelationCounts, turned_round: Callable[[int], float]) -> np.ndarray:
    """int8 [2R]; ``turned_round`` gives the share of a relation's triples that are there the other way round as well.

    Complete is a relation that is said both ways and that half of a class has (neighbours); one that nearly all of a
    class have, with few ends each (official languages); and such a one turned round, where the class may be whole (the
    countries where a language is official).
    """
    n_relations = len(counts.triples)
    kinds = np.zeros(2 * n_relations, np.int8)
    for relation in np.flatnonzero(counts.triples >= LEAST_OWNERS).tolist():
        back = directed(relation, True, n_relations)
        for side, way in enumerate((relation, back)):
            n_owners, n_single = int(counts.owners[side, relation]), int(counts.with_one[side, relation])
            kinds[way] = SINGLE * (n_owners >= LEAST_OWNERS and n_single / n_owners >= MOSTLY_ONE)
        is_few = counts.triples[relation] <= FEW * counts.owners[0, relation]
        is_full = counts.shares[relation] >= NEARLY_ALL and is_few
        if is_full or (counts.shares[relation] >= OFTEN and turned_round(relation) >= BOTH_WAYS):
            kinds[relation] |= COMPLETE
            kinds[back] |= COMPLETE * (not is_full or counts.sizes[relation] <= LISTED)
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


def _turned_round(subjects: np.ndarray, objects: np.ndarray) -> float:
    """The share of triples whose two ends are in a triple the other way round as well."""
    n = int(max(subjects.max(), objects.max())) + 1
    return float(np.isin(objects * n + subjects, subjects * n + objects).mean())


def _shares(csr: Csr, type_relations: Sequence[int], n_relations: int) -> tuple[np.ndarray, np.ndarray]:
    """float [R]: of the class that most subjects of a relation are of, the share that has it; int [R]: its size."""
    n_entities = len(csr.out_indptr) - 1
    every = np.repeat(np.arange(n_entities, dtype=np.int64), np.diff(csr.out_indptr))
    leads = np.isin(csr.out_relation, type_relations)
    instances, types = every[leads], csr.out_object[leads].astype(np.int64)
    if not len(types):
        return np.zeros(n_relations), np.zeros(n_relations, np.int64)
    kinds, sizes = np.unique(types, return_counts=True)
    has = distinct(every * n_relations + csr.out_relation)  # subject and relation, each pair once
    owners, relations = has // n_relations, has % n_relations
    first, last = np.searchsorted(instances, owners), np.searchsorted(instances, owners, side="right")
    places = np.repeat(first - np.concatenate([[0], np.cumsum(last - first)[:-1]]), last - first)
    places += np.arange(len(places))
    pairs, counts = np.unique(types[places] * n_relations + np.repeat(relations, last - first), return_counts=True)
    kind, n_owners = pairs // n_relations, np.bincount(relations, minlength=n_relations)
    return main_classes(pairs % n_relations, counts, sizes[np.searchsorted(kinds, kind)], n_owners)


def main_classes(
    relations: np.ndarray, counts: np.ndarray, sizes: np.ndarray, n_owners: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """float [R] and int [R], shares and sizes of :class:`RelationCounts`.

    ``counts`` tells how many of a class have a relation, a row for each such pair in the order of (class, relation);
    ``sizes`` is that class's size, ``n_owners`` [R] how many things have each relation.
    """
    shares, sizes_of = np.zeros(len(n_owners)), np.zeros(len(n_owners), np.int64)
    is_main = counts >= MAIN * n_owners[relations]
    relations, counts, sizes = relations[is_main], counts[is_main], sizes[is_main]
    order = np.argsort(counts / sizes, kind="stable")  # the fullest class comes last, and stays
    shares[relations[order]], sizes_of[relations[order]] = (counts / sizes)[order], sizes[order]
    return shares, sizes_of
