"""Rows without a name as answers: whoever asks "which Sphingidae have we recorded?" asks for no "moths 2023/4".

A row that nothing names is called by its number. It is told by what says most about it: by what the question calls for
("which species"), else by the column that tells most rows apart.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from kgask.answer.requeried import requeried
from kgask.answer.result import Answer
from kgask.errors import BudgetError, QueryError
from kgask.link.plurals import singulars
from kgask.methods.protocol import Request
from kgask.methods.relation_facts import is_small
from kgask.pack.arrays import distinct
from kgask.pack.normalise import normalise
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.base import SetNode
from kgask.retrieve.follow import relations_of
from kgask.retrieve.frontier import Budget
from kgask.retrieve.run import run
from kgask.types import Question

_ROW = re.compile(r"[^/:]+/\d+")  # no IRI
_ASKED_FOR = re.compile(
    r"\W*(?:and |so )?(?:(?:which|what|list|show me|name)(?: all)?(?: the)? (?P<noun>[a-z]+)|who\b)", re.I
)
_DIFFERENT = re.compile(r"\bhow many (?:different|distinct|unique|separate)\b", re.IGNORECASE)
SECONDS = 1.0  # for what was counted
_PERSONS = frozenset("who name person customer member donor owner client staff employee player payee from".split())
LEAST_APART = 0.5  # of the rows, that the column tells apart by which they are told


def of_records(request: Request, answer: Answer, pack: Pack) -> Answer:
    """The answer, or, of rows without a name, what tells them apart; a refusal where they were put together by "or"."""
    query = answer.query
    if not is_small(pack):
        return answer
    if answer and isinstance(query, nodes.Count) and _counts_rows(request.question, query, pack):
        return answer.refusing("rows are counted here, and several may be of the same")
    if not answer or answer.parts or not isinstance(query, SetNode) or not answer.entities:
        return answer
    if not all(_ROW.fullmatch(one.label) and one.label == one.key for one in answer.entities):
        return answer
    relation = _telling(request.question.text, [one.id for one in answer.entities], pack)
    if relation is None:
        return answer
    if any(isinstance(node, nodes.Or) for node in query.walk()):
        return answer.refusing("rows of either are told apart by what they have, and of that it may be both")
    told = requeried(answer, nodes.Follow(query, relation), answer.confidence, pack)
    return told if told else answer


def _counts_rows(question: Question, query: nodes.Count, pack: Pack) -> bool:
    """Whether rows without a name are counted where different things are: dogs that came twice are one."""
    if _DIFFERENT.search(question.asked or question.text) is None:
        return False
    try:
        some = run(query.base, pack, Budget(SECONDS)).possible[:1].tolist()
    except (QueryError, BudgetError):
        return False
    return bool(some) and pack.labels(some) == pack.keys(some) and _ROW.fullmatch(pack.labels(some)[0]) is not None


def _telling(question: str, rows: Sequence[int], pack: Pack) -> int | None:
    """The relation by which rows are told."""
    had = np.flatnonzero(relations_of(pack, np.array(rows))[: pack.n_relations]).tolist()
    things = [one for one in had if one not in pack.type_relations and _leads_to_things(pack, one)]
    labels = pack.relation_labels()
    found = _ASKED_FOR.match(question)
    if found is not None and not found["noun"]:
        of_persons = [one for one in things if not _PERSONS.isdisjoint(normalise(labels[one]).split())]
        return of_persons[0] if len(of_persons) == 1 else None
    noun = (found["noun"] if found is not None else "").lower()
    called = {noun, *singulars(noun)}
    asked = [one for one in things if noun and normalise(labels[one]) in called]
    if asked:
        return asked[0]
    apart = sorted(((_apart(pack, one), one) for one in things), reverse=True)
    return apart[0][1] if apart and apart[0][0] >= LEAST_APART else None


def _leads_to_things(pack: Pack, relation: int) -> bool:
    ends = np.asarray(pack.out_object)[np.asarray(pack.out_relation) == relation]
    return len(ends) > 0 and bool((ends < pack.n_entities - pack.n_literals).all())


def _apart(pack: Pack, relation: int) -> float:
    """The share of different ends among all that a relation leads to."""
    ends = np.asarray(pack.out_object)[np.asarray(pack.out_relation) == relation]
    return len(distinct(ends)) / len(ends)
