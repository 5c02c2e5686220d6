"""Things that have numbers, or dates, in a row: "the third stage" and "the tenth element by atomic number" are counted
from the first.

What is ordered without a word for more or less begins where counting does. The planner knows "second" best of the
largest ones, and reads it so of numbers that say nothing but a place.
"""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from kgask.errors import BudgetError
from kgask.link.numerals import ORDINAL_WORDS
from kgask.pack.labels import readable_relation
from kgask.pack.quantities import WHEN
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.axes import relation_axis
from kgask.query.nodes import Query
from kgask.query.rewrite import replaced
from kgask.retrieve.frontier import Budget, Found
from kgask.retrieve.run import Runner

LEAST_NUMBERED = 4  # things that have numbers one after the other by more than chance
DENSE = 0.75  # of the numbers from the first to the last are in use
LOOK_SECONDS = 0.5
_YEARS = frozenset(("year", "yr", "date"))
_PLACE = re.compile(
    rf"(?<!\ba )(?<!\bone )\b(?:{'|'.join(sorted(ORDINAL_WORDS, key=len, reverse=True))}|\d+(?:st|nd|rd|th))\b"
    r"(?! century\b)",
    re.IGNORECASE,
)
_FROM_THE_END = re.compile(
    r"\b(?:\w+est|most|least|worst|last|top|bottom|end|back|recent|recently|descending|downwards?|backwards?|reversed?|"
    r"behind)\b",
    re.IGNORECASE,
)


def counted_off(query: Query, question: str, pack: Pack) -> Query:
    """The query with the third by a number of order, or by a date, as the third from the first, where the question has
    no word that says from where."""
    if not _PLACE.search(question) or _FROM_THE_END.search(question):
        return query
    runner = Runner(pack, Budget(LOOK_SECONDS))
    for node in [*query.walk()]:
        match node:
            case nodes.Best(_, nodes.ValueOf((relation,)), True) if _is_when(relation, pack) or _is_numbering(
                node, runner
            ):
                query = replaced(query, node, replace(node, most=False))
    return query


def _is_when(relation: int, pack: Pack) -> bool:
    """Whether a relation says a date, or a year of whatever calendar."""
    words = readable_relation(pack.relation_labels()[relation % pack.n_relations]).lower().split()
    return relation_axis(pack, relation) in WHEN or (relation < pack.n_relations and not _YEARS.isdisjoint(words))


def _is_numbering(node: nodes.Best, runner: Runner) -> bool:
    """Whether whole numbers, each one thing's own, are what it is chosen by, and hardly one is left out: among those
    that are chosen from, or among all that have one."""
    every = nodes.Having(node.by.path[0])
    try:
        return any(_is_a_row(runner.judged(runner.members(base).certain, node.by, None)) for base in (node.base, every))
    except BudgetError:
        return False


def _is_a_row(found: Found) -> bool:
    numbers = np.unique(found.low)
    if len(numbers) < max(LEAST_NUMBERED, len(found.low)) or not np.array_equal(found.low, found.high):
        return False
    return not (numbers % 1).any() and len(numbers) >= DENSE * (numbers[-1] - numbers[0] + 1)
