"""Claims with the queries that they may ask, right and wrong ones, in both of the wordings in which they are judged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from kgask.answer.choices import in_words
from kgask.answer.pipeline import Pipeline
from kgask.answer.readings import outcome_words
from kgask.corpus.judged import CLAIMS, JudgedQuery, JudgedQuestion
from kgask.methods.protocol import Hypothesis
from kgask.query import nodes
from kgask.query.base import TruthNode
from kgask.query.nodes import Query
from kgask.query.own_units import read_query
from kgask.query.pattern import pattern
from kgask.query.words import verbalise
from kgask.retrieve.run import run
from kgask.sets.claims import GoldClaim
from kgask.verify.verifier import Part, Verifier

MOST = 40  # queries that are kept of a claim


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a sub-claim says: a query and its truth; None where the pack has no way to say it."""

    query: TruthNode | None
    truth: bool | None
    n_relations: int

    def label(self, query: Query, truth: bool | None) -> bool | None:
        """Whether a query asks what is said; None where it looks for the same things and comes to the same."""
        if self.query is None:
            return False
        found, wanted = pattern(query, self.n_relations), pattern(self.query, self.n_relations)
        if found == wanted:
            return True
        return None if truth == self.truth and _named(found) == _named(wanted) else False

    def is_met(self, found: Hypothesis) -> bool:
        """Whether a hypothesis asks what is said, or the same in other words."""
        query = found.make_query()
        return query is not None and self.label(query, _truth(found)) is not False


def claims(pipeline: Pipeline, golds: Iterable[GoldClaim]) -> Iterator[JudgedQuestion]:
    """The sub-claims of claims as they stand and as questions; those that cannot be told apart are left out."""
    verifier = Verifier(pipeline)
    for gold in golds:
        for part, wanted in wanted_of(verifier, gold):
            yield from _of_part(verifier, part, wanted)


def wanted_of(verifier: Verifier, gold: GoldClaim) -> Iterator[tuple[Part, Wanted]]:
    """Each sub-claim with what it says, without negation; none where they cannot be told apart.

    Raises QueryError for a gold that cannot be run.
    """
    pack, parts = verifier.pipeline.pack, verifier.parts(gold.text)
    if gold.gold is None:
        yield from ((part, Wanted(None, None, pack.n_relations)) for part in parts)
        return
    query = read_query(gold.gold, pack)
    truths = query.truths if isinstance(query, nodes.All) and len(parts) > 1 else (query,)
    for part, truth in zip(parts, truths, strict=True) if len(parts) == len(truths) else ():
        positive = truth.truth if isinstance(truth, nodes.Not) else truth
        if isinstance(positive, TruthNode):
            yield part, Wanted(positive, run(positive, pack).truth, pack.n_relations)


def _of_part(verifier: Verifier, part: Part, wanted: Wanted) -> Iterator[JudgedQuestion]:
    pack, right = verifier.pipeline.pack, list[JudgedQuery]()
    if wanted.query is not None:
        right = [JudgedQuery(verbalise(wanted.query, pack), outcome_words(run(wanted.query, pack), pack), True)]
    for text in dict.fromkeys((part.positive, part.asked)):
        queries = [*right]
        for found in verifier.possible(text, MOST):
            said, hypothesis = in_words(found, pack), found.hypotheses[0]
            if said is not None and (query := hypothesis.make_query()) is not None:
                queries.append(JudgedQuery(*said, wanted.label(query, _truth(hypothesis))))
        if queries:
            yield JudgedQuestion(text, CLAIMS, _each_once(queries))


def _truth(found: Hypothesis) -> bool | None:
    return found.outcome.truth if found.outcome is not None else None


def _named(found: object) -> set[int]:
    """The relations and entities of a pattern."""
    if isinstance(found, tuple | frozenset):
        return set[int]().union(*map(_named, found))
    return {found} if isinstance(found, int) and not isinstance(found, bool) else set()


def _each_once(queries: Sequence[JudgedQuery]) -> tuple[JudgedQuery, ...]:
    """Each wording once, what is right before what is not."""
    order = {True: 0, None: 1, False: 2}
    kept: dict[str, JudgedQuery] = {}
    for one in sorted(queries, key=lambda one: order[one.right]):
        kept.setdefault(one.words, one)
    return tuple(kept[words] for words in dict.fromkeys(query.words for query in queries))
