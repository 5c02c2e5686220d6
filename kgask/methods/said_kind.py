"""Of which kind a thing is said to be, beside what else is said or asked of it: "is Lake Titicaca a river in Peru?"."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np

from kgask.errors import BudgetError
from kgask.pack.normalise import normalise
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.base import TruthNode
from kgask.retrieve.frontier import Budget
from kgask.retrieve.run import Runner
from kgask.types import EntityId, opposite

AT_FIRST = 8  # characters of a claim or question before its subject: "the ", "Was the "
SECONDS = 2.0
MOST_CLASSED = 10_000  # things of a kind, of which it is known which are of a narrower one, too
_IS_A = re.compile(
    r" (?:(?:is|was) )?an? (?P<kind>(?:[a-z-]+ ){0,3}?[a-z-]+) "
    r"(?:in|of|on|by|from|at|near|with|that|which|who|whose|between|along|called|named)\b",
    re.IGNORECASE,
)


def is_of_no_kind(runner: Runner, one: EntityId, kind: EntityId) -> bool:
    """Whether an entity is surely not of a kind: it has others, and none is so large that nobody said of all of it what
    is of this one, too, as of twenty thousand books which are novels."""
    kinds = runner.types(np.array([one], np.int64)).tolist()
    members = runner.members(nodes.Class(kind)).possible
    if len(kinds) != 1 or one in members:
        return bool(kinds) and one not in members
    wide = runner.members(nodes.Class(kinds[0])).possible
    return len(wide) <= MOST_CLASSED or not np.isin(members, wide).all()


def kind_passed_over(
    query: TruthNode, text: str, named: Iterable[tuple[tuple[int, int], EntityId]], pack: Pack
) -> str | None:
    """The kind that a claim or question says its subject to be, where no step of the query does and the graph says that
    it is of others; ``named`` are the characters of names and whom they name."""
    if pack.source is not None or any(isinstance(node, nodes.Class) for node in query.walk()):
        return None  # nobody asks a graph elsewhere for all of a kind
    runner = Runner(pack, Budget(SECONDS))
    topics = {one for node in query.walk() if isinstance(node, nodes.Entities) for one in node.ids}
    for (start, end), one in named:
        found = _IS_A.match(text, end) if start <= AT_FIRST and one in topics else None
        if found is None:
            continue
        words = normalise(found["kind"]).split()
        kind = next(
            (kind for at in range(len(words)) if (kind := _kind(" ".join(words[at:]), runner)) is not None), None
        )
        try:
            if kind is not None and is_of_no_kind(runner, one, kind):
                return found["kind"]
        except BudgetError:
            return None
    return None


def _kind(norm: str, runner: Runner) -> EntityId | None:
    """What things are instances of that is called so."""
    pack = runner.pack
    for hit in pack.exact([norm]).get(norm, []):
        if any(
            len(runner.edges(np.array([hit.entity], np.int64), opposite(lead, pack.n_relations)))
            for lead in pack.type_relations
        ):
            return hit.entity
    return None
