"""An answer with what another query comes to, in the place of its own."""

from __future__ import annotations

from dataclasses import replace

from kgask.answer.derived import told
from kgask.answer.result import Answer
from kgask.answer.unsaid import unsaid
from kgask.errors import BudgetError, QueryError
from kgask.pack.store import Pack
from kgask.query.nodes import Query
from kgask.query.sparql import to_sparql
from kgask.retrieve.frontier import Budget
from kgask.retrieve.run import run

SECONDS = 4.0  # for a query


def requeried(answer: Answer, query: Query, confidence: float, pack: Pack, silent: str | None = None) -> Answer:
    """The answer to a query; a refusal, where it comes to nothing or the graph is ``silent`` about its "no"."""
    try:
        result = run(query, pack, Budget(SECONDS))
        found, unknown = told(result), unsaid(result)
    except (QueryError, BudgetError) as error:
        return answer.refusing(str(error))
    unknown = silent if silent is not None and result.truth is False else unknown
    if found.text is None or unknown is not None:
        return answer.refusing(unknown or found.why_not or "")
    return replace(
        answer, text=found.text, entities=found.entities, support=found.support, confidence=round(confidence, 4),
        abstained=False, reason=None, died_at=None, kind=found.kind, value=found.value, notes=found.notes,
        derivation=found.derivation, query=query, query_text=found.query, sparql=to_sparql(query, pack).rstrip(),
    )  # fmt: skip
