"""Who is taken out of an answer that was chosen, since they are not asked for.

Who owns a violin now is none of those who owned it until 1950, and nobody says that Peru borders itself.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date

import numpy as np

from kgask.errors import BudgetError, QueryError
from kgask.methods.operators import hypothesis
from kgask.methods.protocol import Retrieved
from kgask.methods.roles import is_mutual
from kgask.pack.labels import relation_phrase
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.nodes import Query
from kgask.query.rewrite import replaced
from kgask.retrieve.frontier import Budget
from kgask.retrieve.run import Runner

LOOK_SECONDS, MOST_ENDED = 0.5, 50
_NOW = re.compile(
    r"(?<!\bto )(?<!\btill )(?<!\buntil )\b(?:now|nowadays|today|currently|current|presently|at present|these days|"
    r"at the moment|present-day)\b",
    re.IGNORECASE,
)
_ENDS = frozenset(
    ("until", "till", "to", "end", "ends", "ended", "end time", "end date", "end year", "left", "left on", "returned",
     "valid until", "returned on", "to date", "to year", "finish", "finished")
)  # fmt: skip


def without_left_out(found: Retrieved, question: str, pack: Pack) -> Retrieved:
    """What was found, without whom the question does not ask for."""
    return as_of_now(without_themselves(found, pack), question, pack)


def as_of_now(found: Retrieved, question: str, pack: Pack) -> Retrieved:
    """What was found, without what had ended by today where the question asks for what is so now and the graph tells
    when that was; of no confidence where all of it had."""
    if not found.hypotheses or not pack.n_statements or not _NOW.search(question):
        return found
    query, runner = found.hypotheses[0].make_query(), Runner(pack, Budget(LOOK_SECONDS))
    if query is None:
        return found
    try:
        for follow in _followed(query):
            every, ended = runner.members(follow).certain, _ended(runner, follow)
            if len(ended) and len(ended) == len(every):
                return replace(found, confidence=0.0)
            if 0 < len(ended) <= MOST_ENDED:
                query = replaced(query, follow, nodes.Minus(follow, nodes.Entities(tuple(ended.tolist()))))
                outcome = runner.result(query)
                found = replace(found, hypotheses=(hypothesis(found.hypotheses[0].score, outcome),))
    except (BudgetError, QueryError):
        return found
    return found


def without_themselves(found: Retrieved, pack: Pack) -> Retrieved:
    """What was found, without those of whom a mutual relation is denied: Peru is none of the countries that border
    Brazil but not Peru."""
    query = found.hypotheses[0].make_query() if found.hypotheses else None
    match query:
        case nodes.Minus(_, nodes.Follow(nodes.Entities(ids) as named, relation)) if is_mutual(
            pack, relation % pack.n_relations
        ) and not set(ids).isdisjoint(found.hypotheses[0].answers.tolist()):
            try:
                outcome = Runner(pack, Budget(LOOK_SECONDS)).result(nodes.Minus(query, named))
            except (BudgetError, QueryError):
                return found
            return replace(found, hypotheses=(hypothesis(found.hypotheses[0].score, outcome),))
    return found


def _followed(query: Query) -> list[nodes.Follow]:
    """What it follows from things that are named."""
    found = (node for node in query.walk() if isinstance(node, nodes.Follow))
    return [node for node in found if isinstance(node.base, nodes.Entities)]


def _ended(runner: Runner, follow: nodes.Follow) -> np.ndarray:
    """Where it led to until some day before today by every statement that says so."""
    labels = enumerate(runner.pack.relation_labels())
    ends = [at for at, label in labels if relation_phrase(label).lower().replace("_", " ") in _ENDS]
    today = nodes.Date(date.today().isoformat())
    for end in ends:
        over, lasting = (runner.members(nodes.Qualified(follow, end, sign, today)) for sign in ("<=", ">"))
        if len(over.certain):
            return np.setdiff1d(over.certain, lasting.possible)
    return np.empty(0, np.int64)
