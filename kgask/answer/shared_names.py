"""Parts of names that several share ("Obama"): who has what is asked is meant, unless another has it as well."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from kgask.answer.unsaid import unsaid
from kgask.errors import BudgetError, QueryError
from kgask.methods.protocol import Retrieved
from kgask.methods.query_readings import is_void
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.nodes import Query
from kgask.query.rewrite import replaced
from kgask.retrieve.frontier import Budget
from kgask.retrieve.outcome import Result
from kgask.retrieve.run import Runner
from kgask.types import EntityId, Mention, Seed

SECONDS = 0.5  # to look what the others have


def shared_mentions(found: Retrieved, pack: Pack) -> list[Mention]:
    """The mentions of the best query by parts of names that somebody else has too who would be answered with as well.

    Each with all who may be meant.
    """
    query = found.hypotheses[0].make_query() if found.hypotheses else None
    if query is None:
        return []
    runner = Runner(pack, Budget(SECONDS))
    return [mention for mention, others in _used_parts(found) if _is_answered(query, others, runner)]


def _used_parts(found: Retrieved) -> Iterator[tuple[Mention, tuple[Seed, ...]]]:
    """Mentions with the seed that was taken first, and the others who have that part in their names behind it."""
    for seed in found.seeds:
        for mention in found.linked if seed.match == "part" else ():
            others = [one for one in mention.seeds if one.match == "part" and one.entity != seed.entity]
            if mention.span == seed.span and others:
                yield replace(mention, seeds=(seed, *others), n_same=1 + len(others)), (seed, *others)


def _is_answered(query: Query, seeds: tuple[Seed, ...], runner: Runner) -> bool:
    """Whether the query about another than the first of ``seeds`` has an answer that is not the same."""
    try:
        said = runner.result(query)
        for other in seeds[1:]:
            changed = _about(query, seeds[0].entity, other.entity)
            outcome = runner.result(changed) if changed is not None else None
            if outcome is not None and _tells(outcome) and not _same(outcome, said):
                return True
    except (QueryError, BudgetError):
        return False
    return False


def _about(query: Query, old: EntityId, new: EntityId) -> Query | None:
    """The query about another entity; None where it is about that one already, or not about the old one."""
    named = [node for node in query.walk() if isinstance(node, nodes.Entities) and old in node.ids]
    if not named or any(new in node.ids for node in named):
        return None
    changed: Query = query
    for node in named:
        ids = tuple(new if one == old else one for one in node.ids)
        changed = replaced(changed, node, nodes.Entities(ids))
    return changed


def _tells(outcome: Result) -> bool:
    """Whether it is an answer; "no" only of a comparison, for who has no such triple is hardly meant."""
    if is_void(outcome) or unsaid(outcome) is not None:
        return False
    return outcome.truth is not False or any(isinstance(node, nodes.Compare) for node in outcome.query.walk())


def _same(one: Result, other: Result) -> bool:
    if one.members is not None and other.members is not None:
        return one.members.certain.tobytes() == other.members.certain.tobytes()
    return one.quantity == other.quantity and one.truth == other.truth
