"""Paths of three relations over records that have no name: the specialists who examined finds of a trench."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np

from kgask.methods.cues import Asked
from kgask.methods.named_relations import Named, NamedRelations
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.base import SetNode
from kgask.retrieve.follow import reached_by
from kgask.retrieve.run import Runner
from kgask.types import opposite

MOST_RELATIONS = 12  # of a name, those first that the planner holds likeliest
MOST_WAYS, MOST_PATHS = 12, 6  # of two relations that a third is put behind, and how many such paths
RECORD = re.compile(r"[\w -]+/\d+|[^\W\d_]{0,5}[-_ /.#]?\d[\w/.-]*")  # "examination/9", "V-15"


def over_records(
    named: NamedRelations, one: Named, asked: Asked, kinds: Sequence[SetNode], runner: Runner
) -> Iterator[nodes.Query]:
    """Paths from a name to what is of the class asked for, or has a relation that is said."""
    members = runner.members(kinds[0]).certain if kinds else np.zeros(0, dtype=np.int64)
    ways = named.two_steps(one, firsts=MOST_RELATIONS, most=MOST_WAYS)
    found = (path for way in ways for path in _gone_on(named, one, way, members, asked, runner.pack))
    for path in islice(found, MOST_PATHS):
        yield nodes.Count(path) if "count" in asked.kinds else path


def _gone_on(
    named: NamedRelations, one: Named, way: tuple[int, int], members: np.ndarray, asked: Asked, pack: Pack
) -> Iterator[SetNode]:
    first = named.ends(one, way[0])
    ends = first, reached_by(pack, first, way[1])
    if not any(_are_records(pack, some) for some in ends):
        return
    path = nodes.Follow(nodes.Follow(one.node, way[0]), way[1])
    onward = named.onward(ends[1])
    onward[opposite(way[1], pack.n_relations)] = False
    for third in np.flatnonzero(onward).tolist():
        if third in asked.said or np.isin(reached_by(pack, ends[1], third), members).any():
            yield nodes.Follow(path, third)


def _are_records(pack: Pack, some: np.ndarray) -> bool:
    """Whether things are called by the number of their row, or by a mark, alone."""
    first = some[:1].tolist()
    is_thing = bool(first) and first[0] < pack.n_entities - pack.n_literals
    return is_thing and all(map(RECORD.fullmatch, pack.labels(first)))
