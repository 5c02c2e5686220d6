"""What is said again is dropped while sources are read, so that memory follows what is distinct, not what is read."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kgask.build.statements import Said
from kgask.pack.arrays import distinct


def without_repeats(said: Said) -> tuple[Said, int]:
    """The same set of triples and statements, each once, and how many plain triples were repetitions.

    A statement of its own (a negative node) has the number ``~(2 * its column)`` afterwards.
    """
    nodes, rows = said.statements
    is_stated = np.zeros(said.triples.shape[1], bool)
    is_stated[rows[rows >= 0]] = True
    first, place = _distinct(np.vstack([is_stated, said.triples]))
    n_dropped = np.count_nonzero(~is_stated) - np.count_nonzero(~is_stated[first])
    rows = np.where(rows >= 0, place[rows], -1)
    kept = np.concatenate([np.flatnonzero(nodes >= 0), _own(nodes, rows, said.qualifiers)])
    kept = np.sort(kept[_distinct(np.stack([nodes, rows])[:, kept])[0]])
    nodes, rows = nodes[kept], rows[kept]
    is_own = nodes < 0
    numbers = ~(2 * np.flatnonzero(is_own))
    order = np.argsort(nodes[is_own])
    known = nodes[is_own][order]
    qualifiers = said.qualifiers[:, np.isin(said.qualifiers[0], nodes)]
    of_own = qualifiers[0] < 0
    qualifiers[0, of_own] = numbers[order][np.searchsorted(known, qualifiers[0, of_own])]
    nodes[is_own] = numbers
    kept_said = replace(said, triples=said.triples[:, first], statements=np.stack([nodes, rows]), qualifiers=qualifiers)
    return kept_said, int(n_dropped)


def _distinct(columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of rows, int [k, n]: where each is for the first time, ascending; and each row's place among these, [n]."""
    order = np.lexsort(columns)
    is_new = np.ones(len(order), bool)
    is_new[1:] = (columns[:, order[1:]] != columns[:, order[:-1]]).any(axis=0)
    first, group = order[is_new], np.cumsum(is_new) - 1  # lexsort is stable: the first of equals comes first
    in_order = np.argsort(first)
    ranks = np.empty(len(first), np.int64)
    ranks[in_order] = np.arange(len(first))
    place = np.empty(len(order), np.int64)
    place[order] = ranks[group]
    return first[in_order], place


def _own(nodes: np.ndarray, rows: np.ndarray, qualifiers: np.ndarray) -> np.ndarray:
    """Columns of the statements of their own, without those that have triple and qualifiers of an earlier one."""
    own = np.flatnonzero(nodes < 0)
    pairs = qualifiers[:, qualifiers[0] < 0]
    pairs = pairs[:, np.lexsort((pairs[2], pairs[1], pairs[0]))]
    starts, ends = (np.searchsorted(pairs[0], nodes[own], side) for side in ("left", "right"))
    kept = []
    for length in distinct(ends - starts).tolist():
        some = ends - starts == length
        places = starts[some][:, None] + np.arange(length)
        said = np.hstack([rows[own[some]][:, None], pairs[1][places], pairs[2][places]])
        kept.append(own[some][_distinct(said.T)[0]])
    return np.concatenate([*kept, np.empty(0, np.int64)]).astype(np.int64)
