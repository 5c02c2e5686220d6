"""Who is asked for by a word of what they are ("which footballer was born in Liverpool?"), and who is found so.

Whoever wrote "Emma" is a novelist, whether or not the graph says so. Of all who were born in a place that is not so: a
query for "those whose place of birth is Liverpool" answers for people only.
"""

from __future__ import annotations

import re

import numpy as np

from kgask.errors import BudgetError
from kgask.link.plurals import singulars
from kgask.methods.accounted import RelationWords, is_all_called
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.nodes import Query
from kgask.retrieve.frontier import Budget
from kgask.retrieve.run import Runner
from kgask.types import undirected

SAMPLED = 50  # answers whose types are looked at
LOOK_SECONDS = 0.5
_PERSONS = frozenset(("person", "human", "people", "human being"))
_HEAD = re.compile(
    r"\W*(?:(?:tell|show|give) me |name |list )?(?:which|what)(?: of the| other)? (?P<noun>[a-z]{3,}) "
    r"(?:was|were|is|are|had|has|died|lived|lives|live|comes?|came|grew|studied|went|attended|speaks?|spoke)\b",
    re.IGNORECASE,
)
# Who is meant by no more than that something is so of them; sexes are looked at elsewhere.
_ANYBODY = frozenset(
    "person people human humans individual individuals man men woman women celebrity celebrities figure figures "
    "personality personalities one ones star stars child children alumnus alumni student students graduate graduates "
    "pupil pupils member members resident residents inhabitant inhabitants citizen citizens native natives laureate "
    "laureates winner winners folks guy guys boy boys girl girls name names victim victims famous".split()
)


def passes_over_head(query: Query | None, answers: np.ndarray, question: str, pack: Pack) -> bool:
    """Whether persons of some sort are asked for, and all are found who have something, whatever they are."""
    found = _HEAD.match(question)
    if found is None or found["noun"].lower() in _ANYBODY:
        return False
    match query:
        case nodes.Follow(nodes.Entities(), relation) if relation >= pack.n_relations:
            noun = found["noun"].lower()
            said = RelationWords(pack).of([undirected(relation, pack.n_relations)[0]])
        case _:
            return False
    if any(is_all_called(one, said) for one in (noun, *singulars(noun))):
        return False
    runner = Runner(pack, Budget(LOOK_SECONDS))
    try:
        kinds = {label.lower() for label in pack.labels(runner.types(answers[:SAMPLED]))}
    except BudgetError:
        return False
    return bool(kinds & _PERSONS) and kinds.isdisjoint((noun, *singulars(noun)))
