"""The edge: ids become words, once, when an answer or a refusal is made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from kgask.pack.store import Pack
from kgask.reached import Reached
from kgask.retrieve.follow import relations_of
from kgask.types import (
    Answer,
    AnswerEntity,
    EntityId,
    Evidence,
    HopPlan,
    Question,
    ScoredTriple,
    SupportTriple,
    undirected,
)

ASKED = 0.5  # probability from which the plan is said to want one relation


@dataclass(frozen=True, slots=True)
class Outcome:
    """What is known about a question when it is answered or refused."""

    pack: Pack
    question: Question
    reached: Reached | None
    confidence: float
    evidence: Evidence | None
    timings_ms: Mapping[str, float]
    hashes: Mapping[str, str] = field(default_factory=dict)

    def answer(
        self, entities: list[EntityId], support: list[ScoredTriple], notes: tuple[str, ...] = ()
    ) -> Answer:
        """An answer with its entities (best first) and supporting triples in words."""
        labels = self.pack.labels(entities)
        keys = self.pack.keys(entities)
        named = tuple(AnswerEntity(*row) for row in zip(entities, keys, labels, strict=True))
        notes = seed_notes(self.pack, self.reached) + notes
        return self._made(" | ".join(labels), named, support_in_words(self.pack, support), None, notes)

    def refusal(self, reason: str) -> Answer:
        """No answer, and why."""
        notes = seed_notes(self.pack, self.reached) if self.reached and is_named(self.reached) else ()
        return self._made(None, (), (), reason, notes)

    def _made(
        self,
        text: str | None,
        entities: tuple[AnswerEntity, ...],
        support: tuple[SupportTriple, ...],
        reason: str | None,
        notes: tuple[str, ...],
    ) -> Answer:
        return Answer(
            self.question.text,
            text,
            entities,
            support,
            round(self.confidence, 4),
            abstained=text is None,
            reason=reason,
            seeds=(self.reached.seed,) if self.reached else (),
            notes=notes,
            evidence=self.evidence,
            plan=HopPlan((self.reached.branch,)) if self.reached else None,
            timings_ms=self.timings_ms,
            hashes=self.hashes,
        )


def support_in_words(pack: Pack, triples: list[ScoredTriple]) -> tuple[SupportTriple, ...]:
    """The triples with labels, all fetched in one batch."""
    if not triples:
        return ()
    subjects, relations, objects = pack.triples(np.array([t.triple for t in triples]))
    ends = pack.labels(np.concatenate([subjects, objects]).tolist())
    names = pack.relation_labels()
    rows = zip(triples, ends[: len(triples)], relations.tolist(), ends[len(triples) :], strict=True)
    return tuple(
        SupportTriple(t.triple, subject, names[relation], obj, t.hop, round(t.score, 4), t.inverse)
        for t, subject, relation, obj in rows
    )


def is_named(reached: Reached) -> bool:
    """Whether the question names the seed, rather than something that shares words with it."""
    return reached.seed.match != "typo" and reached.mention.whole


def why_not(pack: Pack, reached: Reached | None) -> str:
    """Why a plan gives no answer that can be trusted."""
    if reached is None:
        return "nothing in the question is the name of an entity of this pack"
    label = pack.labels([reached.seed.entity])[0]
    if not is_named(reached):
        return f"nothing in the question is the name of an entity of this pack (closest: {label})"
    relation, inverse = undirected(reached.asked, pack.n_relations)
    has = relations_of(pack, np.array([reached.seed.entity]))[reached.asked]
    if not has and reached.branch.relation_probs[0, reached.asked] > ASKED:
        words = pack.relations()[relation]
        wanted = words.inverse_label or f"inverse of {words.label}" if inverse else words.label
        return f"{label} has no {wanted!r} in this pack"
    return f"no relation of {label} answers this with enough confidence"


def seed_notes(pack: Pack, reached: Reached) -> tuple[str, ...]:
    """A typo read as a name, a name that several entities have, names that the answer leaves out."""
    seed, notes = reached.seed, []
    if seed.match == "typo":
        notes.append(f"read {seed.mention!r} as {seed.name!r}")
    n_same = reached.mention.n_same
    if n_same > 1:
        description = pack.descriptions([seed.entity])[0]
        key = pack.keys([seed.entity])[0]
        which = f"{key}, {description}" if description else key
        notes.append(f"{n_same} entities are called {seed.name}; this answers for {which}; use --entity to choose")
    if reached.mention.unused:
        notes.append(f"this answer does not use: {', '.join(reached.mention.unused)}")
    return tuple(notes)
