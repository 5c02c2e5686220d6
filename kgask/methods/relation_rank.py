"""LTGen (Huang et al. 2024), section 4.2.1: rank each linked entity's relations, take the triples of the best.

The five best linked entities; for each its relations in a numbered list, ranked by a language model in one reply
(appendix B: question, entity, relations); triples of the five best relations, at most ten of each entity-relation pair,
drawn at random as in section 5.2 (``Scope.rng_seed``; the same draw every time). One hop: ``Scope.hops`` is not
looked at. A relation counts as two where an entity has it in both directions.

Who ranks is a :class:`Ranker`: :class:`ModelRanker`, the user's own GGUF under a grammar (parsed tolerantly where it
cannot be held to one), or :class:`PlannerRanks`, for kgask's own reader, which cannot be prompted: the planner's
first hop, from the entity's own mention.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from kgask.methods import listing
from kgask.methods.ask_model import ModelAsker
from kgask.methods.base import Found, PerPack, TripleRetriever
from kgask.methods.kg_gpt import Plan
from kgask.methods.protocol import Scope
from kgask.pack.store import Pack
from kgask.read.gguf.model import QUESTION_CHARS, LanguageModel
from kgask.read.gguf.neutral import neutral
from kgask.retrieve.follow import edges_of, relations_of
from kgask.retrieve.trace import triple_ids
from kgask.types import DirectedRelationId, Question, ScoredTriple, Seed, TripleId, undirected
from kgask.verbalise import directed_words

MAX_ENTITIES = 5  # LTGen, section 4.2.1, step 1
MAX_RELATIONS = 5  # of an entity; section 5.2
MAX_TRIPLES = 10  # of an entity-relation pair; section 5.2
PLANNED = "relation-rank: no language model that can be prompted; the planner's first hop ranks the relations"


@dataclass(frozen=True, slots=True)
class Ranking:
    """An entity's relations, the most helpful first."""

    relations: tuple[DirectedRelationId, ...]
    notes: tuple[str, ...] = ()


class Ranker(Protocol):
    """What LTGen asks a language model for."""

    def rank(self, question: Question, seed: Seed, present: np.ndarray, pack: Pack) -> Ranking:
        """At most five of the relations in ``present`` (bool [2R], some true). Raises ModelError where it ranks
        none."""
        ...


class RelationRank(TripleRetriever):
    """See :class:`kgask.methods.protocol.Retriever`."""

    name = "relation-rank"

    def __init__(self, ranker: Ranker):
        self._ranker = ranker

    def find(self, question: Question, seeds: Sequence[Seed], pack: Pack, scope: Scope) -> Found:
        """Triples in order of their relation's rank, within a rank in order of the entities' linking scores; none
        where no entity has any."""
        best = {seed.entity: seed for seed in sorted(seeds, key=lambda seed: seed.score)}
        entities = sorted(best.values(), key=lambda seed: -seed.score)[:MAX_ENTITIES]
        pairs: list[tuple[int, int, Seed, DirectedRelationId]] = []
        notes: dict[str, None] = {}
        for place, seed in enumerate(entities):
            present = relations_of(pack, np.array([seed.entity]))
            if present.any():
                ranking = self._ranker.rank(question, seed, present, pack)
                pairs += [(rank, place, seed, relation) for rank, relation in enumerate(ranking.relations)]
                notes |= dict.fromkeys(ranking.notes)
        found: dict[TripleId, ScoredTriple] = {}
        truncated = False
        for rank, _, seed, relation in sorted(pairs, key=lambda pair: pair[:2]):
            triples, whole = _drawn(pack, seed, relation, 1.0 / (1 + rank), scope.rng_seed)
            truncated |= not whole
            for triple in triples:
                found.setdefault(triple.triple, triple)
        ordered = tuple(found.values())
        truncated |= len(ordered) > scope.top_k
        return Found(ordered[: scope.top_k], tuple(entities), {}, truncated, tuple(notes))


def _drawn(
    pack: Pack, seed: Seed, relation: DirectedRelationId, score: float, rng_seed: int
) -> tuple[list[ScoredTriple], bool]:
    """At most ten triples of a pair, in the graph's order, and whether these are all."""
    edges = edges_of(pack, np.array([seed.entity]), relation)
    whole = len(edges) <= MAX_TRIPLES
    if not whole:
        rng = np.random.default_rng([rng_seed, seed.entity, relation])
        edges = edges.where(np.sort(rng.choice(len(edges), MAX_TRIPLES, replace=False)))
    inverse = undirected(relation, pack.n_relations)[1]
    return [ScoredTriple(triple, 1, score, inverse) for triple in triple_ids(pack, edges).tolist()], whole


class ModelRanker:
    """The user's language model ranks; see :class:`Ranker`."""

    def __init__(self, model: LanguageModel):
        self._asker = ModelAsker(model)
        self._words = PerPack(lambda pack: [neutral(words) for words in directed_words(pack)])  # [2R]

    def rank(self, question: Question, seed: Seed, present: np.ndarray, pack: Pack) -> Ranking:
        """One listwise reply; a list of one needs none."""
        words = self._words(pack)
        relations = np.flatnonzero(present).tolist()
        if len(relations) == 1:
            return Ranking(tuple(relations))
        asked, task = neutral(question.text, QUESTION_CHARS), listing.rank_task(MAX_RELATIONS)
        entity = neutral(pack.labels([seed.entity])[0])
        texts = [words[relation] for relation in relations]
        shorter = [listing.likeliest(texts, asked, n) for n in listing.shorter(min(len(texts), listing.MAX_LISTED))]
        cases = [listing.rank_case(asked, entity, [texts[at] for at in part]) for part in shorter]
        room = self._asker.room(listing.LONGEST_RANKING)
        posed = self._asker.pose(task, cases, room)
        listed = shorter[posed.case]
        if self._asker.constrained:
            items = [f"[{number}]" for number in range(1, len(listed) + 1)]
            order = self._asker.pick(posed, items, MAX_RELATIONS, listing.NUMBER_LIST).order
        else:
            written = self._asker.write(posed, None, room).text
            order = tuple(listing.parse_ranks(written, [texts[at] for at in listed])[:MAX_RELATIONS])
            if not order:
                raise self._asker.unusable("this model ranks none of the relations that it is shown", written)
        return Ranking(tuple(relations[listed[place]] for place in order))


class PlannerRanks:
    """The planner ranks; ``plan`` gives a question's branch from the seeds of one mention."""

    def __init__(self, plan: Plan):
        self._plan = plan

    def rank(self, question: Question, seed: Seed, present: np.ndarray, pack: Pack) -> Ranking:
        """The likeliest relations of the first hop; none where the planner has no plan."""
        branch = self._plan(question, [seed])
        if branch is None:
            return Ranking((), (PLANNED,))
        probs = np.where(present, branch.relation_probs[0], -1.0)
        best = np.argsort(-probs, kind="stable")[: min(MAX_RELATIONS, int(present.sum()))]
        return Ranking(tuple(best.tolist()), (PLANNED,))
