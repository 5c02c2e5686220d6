"""Tables that somebody keeps: what has a row is all there is of its kind, as far as the owner knows.

A graph at large knows a part of the world; who keeps a table of her wines has no wine that is not in it. "Lenoir
supplied seven of our wines" is then refuted by the rows that say another supplier, and nothing that a row leaves empty.
"""

from __future__ import annotations

import numpy as np

from kgask.methods.relation_facts import is_table
from kgask.pack.arrays import distinct
from kgask.pack.relation_kinds import LEAST_OWNERS
from kgask.query import nodes
from kgask.retrieve.follow import relations_of
from kgask.retrieve.run import Runner
from kgask.types import DirectedRelationId, undirected

LEAST_COLUMNS, NEARLY_ALL = 3, 0.9  # relations beside its type that nearly all of a kind have


def is_of_rows(runner: Runner, kind: nodes.Class) -> bool:
    """Whether the things of a class are the rows of a table."""
    return is_table(runner.pack) and _are_rows(runner, runner.members(kind).certain)


def rows_of(runner: Runner, relation: DirectedRelationId) -> np.ndarray | None:
    """The things that an inverse relation may lead to: all rows of the table that its subjects are of.

    None where they are of no one table. Rows of no class are all that anything is said of and that has none.
    """
    pack = runner.pack
    plain, is_inverse = undirected(relation, pack.n_relations)
    if not is_inverse or not is_table(pack):
        return None
    subjects = runner.members(nodes.Having(plain)).certain
    kinds = [runner.members(nodes.Class(one)).certain for one in distinct(runner.types(subjects)).tolist()]
    if not kinds:
        described = np.flatnonzero(np.diff(pack.out_indptr))
        typed = runner.members(nodes.Having(pack.type_relations[0])).certain if pack.type_relations else ()
        kinds = [np.setdiff1d(described, typed)]
    return next((one for one in kinds if np.isin(subjects, one).all() and _are_rows(runner, one)), None)


def _are_rows(runner: Runner, members: np.ndarray) -> bool:
    """Whether nearly all of some things have the same relations."""
    pack = runner.pack
    if len(members) < LEAST_OWNERS:
        return False
    has = np.array([relations_of(pack, np.array([one]))[: pack.n_relations] for one in members.tolist()])
    shared = has.mean(axis=0) >= NEARLY_ALL
    shared[list(pack.type_relations)] = False
    return int(shared.sum()) >= LEAST_COLUMNS
