"""The edge: ids become words, once, when an answer or a refusal is made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from kgask.answer.interpret import Reached, Search
from kgask.link.linker import Linker
from kgask.pack.store import Pack
from kgask.retrieve.follow import relations_of
from kgask.retrieve.hint import beyond_entities
from kgask.retrieve.walk import Dropped, Walk, routes
from kgask.types import (
    PLANNED,
    Answer,
    AnswerEntity,
    BeamPath,
    Branch,
    DirectedRelationId,
    EntityId,
    Evidence,
    Explanation,
    HopPlan,
    Question,
    ScoredTriple,
    Seed,
    Stage,
    SupportTriple,
    undirected,
)
from kgask.verbalise import statements_in_words

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
    explanation: Explanation | None = None
    seeds: tuple[Seed, ...] = ()  # where nothing was planned
    extra_notes: tuple[str, ...] = ()
    method: str = PLANNED

    def answer(self, entities: list[EntityId], support: list[ScoredTriple], notes: tuple[str, ...] = ()) -> Answer:
        """An answer with its entities (best first) and supporting triples in words."""
        labels = self.pack.labels(entities)
        keys = self.pack.keys(entities)
        named = tuple(AnswerEntity(*row) for row in zip(entities, keys, labels, strict=True))
        notes = self._seed_notes() + notes
        return self._made(" | ".join(labels), named, support_in_words(self.pack, support), notes)

    def refusal(self, stage: Stage, reason: str) -> Answer:
        """No answer, where the question died, and why."""
        notes = self._seed_notes() if self.reached and is_named(self.reached) else ()
        return self._made(None, (), (), notes, reason, stage)

    def _seed_notes(self) -> tuple[str, ...]:
        return seed_notes(self.pack, self.reached) if self.reached else ()

    def _made(
        self,
        text: str | None,
        entities: tuple[AnswerEntity, ...],
        support: tuple[SupportTriple, ...],
        notes: tuple[str, ...],
        reason: str | None = None,
        died_at: Stage | None = None,
    ) -> Answer:
        readings = self.reached.readings if self.reached else ()
        return Answer(
            self.question.asked or self.question.text,
            text,
            entities,
            support,
            round(self.confidence, 4),
            abstained=text is None,
            reason=reason,
            seeds=tuple(part.seed for part in readings) or self.seeds,
            notes=(*notes, *self.extra_notes),
            evidence=self.evidence,
            plan=plan_of(readings),
            alternatives=self.reached.alternatives if self.reached else (),
            died_at=died_at,
            explanation=self.explanation,
            timings_ms=self.timings_ms,
            hashes=self.hashes,
            method=self.method,
        )


def plan_of(readings: tuple[Reached, ...]) -> HopPlan | None:
    """The branches of a reading; those of several seeds narrow each other down."""
    if not readings:
        return None
    return HopPlan(tuple(part.branch for part in readings), "intersection" if len(readings) > 1 else "union")


def support_in_words(pack: Pack, triples: list[ScoredTriple]) -> tuple[SupportTriple, ...]:
    """The triples with labels, all fetched in one batch."""
    if not triples:
        return ()
    subjects, relations, objects = pack.triples(np.array([t.triple for t in triples]))
    ends = pack.labels(np.concatenate([subjects, objects]).tolist())
    names = pack.relation_labels()
    said = statements_in_words(pack, (t.triple for t in triples), names)
    rows = zip(triples, ends[: len(triples)], relations.tolist(), ends[len(triples) :], strict=True)
    return tuple(
        SupportTriple(
            t.triple,
            subject,
            names[relation],
            obj,
            t.hop,
            round(t.score, 4),
            t.inverse,
            sum(said.get(t.triple, ()), ()),
        )
        for t, subject, relation, obj in rows
    )


def is_named(reached: Reached) -> bool:
    """Whether the question names the seed, rather than something that shares words with it."""
    return reached.seed.match != "typo" and reached.mention.whole


def why_not(pack: Pack, reached: Reached | None, confidence: float, least: float) -> tuple[Stage, str]:
    """Where and why a plan gives no answer that can be trusted: its confidence is below ``least``, or it has none."""
    unknown = "nothing in the question is the name of an entity of this pack"
    if reached is None:
        return "link", unknown
    label = pack.labels([reached.seed.entity])[0]
    if not is_named(reached):
        return "link", f"{unknown} (closest: {label})"
    first = reached.branch.relation_probs[0]
    has = relations_of(pack, np.array([reached.seed.entity]))[reached.asked]
    if not has and first[reached.asked] > ASKED:
        return "retrieve", f"{label} has no {relation_in_words(pack, reached.asked)!r} in this pack"
    reason = f"no relation of {label} answers this with enough confidence"
    if 1.0 - float(first.sum()) > ASKED:
        return "plan", reason
    if not reached.routes:
        return "retrieve", reason
    return "confidence", f"what {label} has answers this only with confidence {confidence:.2f}, below {least:.2f}"


def none_answers(pack: Pack, reached: Reached) -> str:
    """Why an answer that the plan would have given is not printed: the reader read the facts."""
    label = pack.labels([reached.seed.entity])[0]
    return f"facts about {label} were found, but none of them answers the question"


def relation_in_words(pack: Pack, directed_relation: int) -> str:
    """The label of a relation, or of its inverse."""
    relation, inverse = undirected(directed_relation, pack.n_relations)
    words = pack.relations()[relation]
    return words.inverse_label or f"inverse of {words.label}" if inverse else words.label


BEYOND = {
    "yes/no": "this seems to ask for yes or no; kgask answers with the entities themselves",
    "number": "this seems to ask for a count; kgask answers with the entities themselves",
}


def seed_notes(pack: Pack, reached: Reached) -> tuple[str, ...]:
    """A typo read as a name, a name that several entities have, names that the answer leaves out."""
    notes = [note for part in reached.readings for note in _notes_of(pack, part)]
    unused = reached.mention.unused
    for part in reached.parts:  # what every part leaves out
        unused = tuple(name for name in unused if name in part.mention.unused)
    if unused:
        notes.append(f"this answer does not use: {', '.join(unused)}")
    beyond = beyond_entities(pack, reached.routes, reached.branch.answer_types)
    return (*notes, BEYOND[beyond]) if beyond else tuple(notes)


def _notes_of(pack: Pack, reached: Reached) -> list[str]:
    seed, notes = reached.seed, []
    if seed.match == "typo":
        notes.append(f"read {seed.mention!r} as {seed.name!r}")
    n_same = reached.mention.n_same
    if n_same > 1:
        description = pack.descriptions([seed.entity])[0]
        key = pack.keys([seed.entity])[0]
        which = f"{key}, {description}" if description else key
        notes.append(f"{n_same} entities are called {seed.name}; this answers for {which}; use --entity to choose")
    return notes


# --- what --explain shows ---


SHOWN_PATHS = 12  # of each branch


def explanation(pack: Pack, linker: Linker, question: Question, reached: Reached | None, search: Search) -> Explanation:
    """Every candidate of the question, and what the search did from the seeds that won."""
    readings = reached.readings if reached else ()
    beam = [path for part in readings for path in _beam(pack, part.branch, part.seed.entity, search)]
    return Explanation(_candidates(linker, question, readings), tuple(beam))


def _candidates(linker: Linker, question: Question, readings: tuple[Reached, ...]) -> tuple[Seed, ...]:
    """Best first; close names too where exact ones did not answer."""
    used = [part.seed for part in readings]
    mentions = linker.link(question)
    seeds = [seed for mention in mentions for seed in mention.seeds]
    if not used or any(seed.match == "typo" for seed in used):
        seeds += [seed for mention in linker.link_tolerantly(question) for seed in mention.seeds]
    seeds += [seed for seed in used if seed.match == "given"]
    return tuple(sorted(seeds, key=lambda seed: -seed.score))


def _beam(pack: Pack, branch: Branch, seed: EntityId, search: Search) -> list[BeamPath]:
    dropped: list[Dropped] = []
    found = routes(pack, branch, [seed], search.hops, search.keep_seed, dropped)
    kept = [_kept(branch, seed, walk) for route in found for walk in route.walks]
    lost = [BeamPath(seed, path.relations, _probs(branch, path.relations), path.prob, path.why) for path in dropped]
    return sorted([*kept, *lost], key=lambda path: -path.prob)[:SHOWN_PATHS]


def _kept(branch: Branch, seed: EntityId, walk: Walk) -> BeamPath:
    return BeamPath(seed, walk.relations, _probs(branch, walk.relations), walk.prob, "answer")


def _probs(branch: Branch, relations: tuple[DirectedRelationId, ...]) -> tuple[float, ...]:
    return tuple(float(branch.relation_probs[hop][relation]) for hop, relation in enumerate(relations))
