"""The triples of one entity, a page at a time, for ``kgask pack show``."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from kgask.pack.store import Pack
from kgask.verbalise import statements_in_words


def triples_of(
    opened: Pack, entity: int, kept: Collection[int] | None, limit: int, page: int
) -> tuple[list[dict[str, Any]], int]:
    """One page of triples, ``limit`` out and as many in, with their words; and the number of all.

    ``kept`` are the relations that are shown, None for all. A triple from an entity to itself is listed once.
    """
    for inverse in (False, True):
        opened.need_rows(np.array([entity]), inverse)
    out = _kept(np.arange(*opened.out_indptr[entity : entity + 2].tolist()), opened.out_relation, kept)
    incoming = _kept(np.arange(*opened.in_indptr[entity : entity + 2].tolist()), opened.in_relation, kept)
    incoming = incoming[opened.in_subject[incoming] != entity]
    on_page = slice((page - 1) * limit, page * limit)
    subjects, relations = opened.in_subject[incoming[on_page]], opened.in_relation[incoming[on_page]]
    into = opened.triple_ids(subjects, relations, np.full(len(subjects), entity))
    ids = np.concatenate([out[on_page], into]).astype(np.int64)
    subjects, relations, objects = opened.triples(ids)
    words = opened.relation_labels()
    rows = zip(ids.tolist(), opened.labels(subjects), relations.tolist(), opened.labels(objects), strict=True)
    said = statements_in_words(opened, ids.tolist(), words)
    triples = [
        {"id": i, "subject": s, "relation": words[r], "object": o, "statements": said.get(i, ())} for i, s, r, o in rows
    ]
    return triples, len(out) + len(incoming)


def _kept(rows: np.ndarray, relations: np.ndarray, kept: Collection[int] | None) -> np.ndarray:
    return rows if kept is None else rows[np.isin(relations[rows], list(kept))]
