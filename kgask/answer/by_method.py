"""Answers by another retrieval method: link, retrieve around the seeds, read. The planner's own order is pipeline.py.

The evidence has no plan behind it, so kgask's reader sees it without marks, and the confidence is the reader's
own (the best triple's score without one): a rank among answers, not a calibrated probability.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from kgask.answer.compose import Outcome
from kgask.answer.request import Asked
from kgask.errors import MethodError
from kgask.methods.base import Found, Method, Scope
from kgask.methods.passages import PassageFinder
from kgask.pack.store import Pack
from kgask.read.protocol import Reader
from kgask.types import (
    Answer,
    Candidate,
    EntityId,
    Evidence,
    Mention,
    Passage,
    Question,
    Reading,
    ScoredTriple,
    Seed,
)
from kgask.verbalise import walked_ends

MAX_SEEDS = 5  # linked entities whose triples are looked at (LTGen, section 4: the top 5 of the entity tagger)
SEED_SHARE = 0.1  # of the best entity's link score: what scores less is a word that happens to be a name
UNKNOWN = "nothing in the question is the name of an entity of this pack"
NOTHING_AROUND = "the graph says nothing about {}"


@dataclass(frozen=True, slots=True)
class ByMethod:
    """Answers questions over one pack with one method and perhaps a reader."""

    pack: Pack
    method: Method
    reader: Reader | None
    scope: Scope
    order: str = "descending"  # best first, or best last (KAPING studies both), or random
    keep_seed: bool = False
    passages: PassageFinder | None = None  # where the reader sees texts too

    def answer(self, asked: Asked, mentions: Sequence[Mention], hashes: Mapping[str, str]) -> Answer:
        """The answer, or why there is none."""
        seeds, timer = best_seeds(mentions), asked.timer
        blank = Outcome(
            self.pack, asked.question, None, 0.0, None, timer.timings_ms, hashes, seeds=seeds, method=self.method.name
        )
        needs_facts = self.reader is None or self.reader.capabilities.needs_facts
        with timer.stage("retrieve"):
            texts = self.passages.find(asked.question, seeds) if self.passages else ()
            if not seeds and not texts and needs_facts:
                return blank.refusal("link", UNKNOWN)
            try:
                found = self.method.find(asked.question, seeds, self.pack, self.scope) if seeds else Found((), (), {})
            except MethodError as error:
                return blank.refusal("retrieve", str(error))
            evidence = with_passages(self._evidence(asked.question, found), texts, self.passages)
        typos = tuple(f"read {seed.mention!r} as {seed.name!r}" for seed in seeds if seed.match == "typo")
        outcome = replace(blank, evidence=evidence, extra_notes=(*typos, *found.notes))
        if not evidence.triples and not evidence.passages and needs_facts:
            labels = self.pack.labels([seed.entity for seed in seeds])
            return outcome.refusal("retrieve", NOTHING_AROUND.format(", ".join(labels)))
        if self.reader is None:
            with timer.stage("names"):
                return self._best(outcome, found)
        with timer.stage("read"):
            return self._read(outcome, found)

    def _evidence(self, question: Question, found: Found) -> Evidence:
        """What was found in the order in which it is read; topics are no answers unless they are to be kept."""
        _, _, ends = walked_ends(found.triples, self.pack)
        evidence = found.evidence(ends.tolist())
        topics = set() if self.keep_seed else {seed.entity for seed in found.seeds}
        candidates = tuple(one for one in evidence.candidates if one.entity not in topics)
        triples = list(evidence.triples)
        if self.order == "ascending":
            triples.reverse()
        elif self.order == "random":
            random.Random(f"{self.scope.rng_seed}:{question.text}").shuffle(triples)
        return replace(evidence, triples=tuple(triples), candidates=candidates)

    # --- without a reader -----------------------------------------------------------------------

    def _best(self, outcome: Outcome, found: Found) -> Answer:
        """What the best triple says, with everything that the same relation of the same entity leads to.

        Who asks for several hops wants what is that far away: the best triple of the farthest hop is taken, for
        nearer ones name the topic and so resemble the question more.
        """
        answers = {candidate.entity for candidate in outcome.evidence.candidates}
        starts, relations, ends = (array.tolist() for array in walked_ends(found.triples, self.pack))
        rows = [row for row, end in enumerate(ends) if end in answers]
        at = max(rows, key=lambda row: (found.triples[row].hop, -row), default=None)
        if at is None:
            return outcome.refusal("retrieve", "what was retrieved leads only back to the topic")
        first = found.triples[at]
        alike = [
            row
            for row, triple in enumerate(found.triples)
            if (starts[row], relations[row], triple.inverse) == (starts[at], relations[at], first.inverse)
            and ends[row] in answers
        ]
        named = list(dict.fromkeys(ends[row] for row in alike))
        support = self._support([found.triples[row] for row in alike], found)
        return replace(outcome, confidence=min(1.0, first.score)).answer(named, support)

    # --- with one -------------------------------------------------------------------------------

    def _read(self, outcome: Outcome, found: Found) -> Answer:
        evidence = outcome.evidence
        shown = without_marks(evidence) if self.reader.capabilities.judges_lines else evidence
        reading = self.reader.read(outcome.question, shown, self.pack)
        outcome = replace(outcome, confidence=_confidence(reading))
        named = self._by_line(reading, evidence)
        if named:
            _, _, ends = walked_ends(evidence.triples, self.pack)
            lines = range(len(ends)) if reading.written is not None else [line - 1 for line in reading.cited_lines]
            wanted, reached = set(named), set(ends.tolist())
            proof = [evidence.triples[row] for row in lines if int(ends[row]) in wanted]
            made = outcome.answer(named, self._support(proof, found))
            told = [entity for entity in named if entity not in reached]
            made = replace(made, passages=telling(evidence.passages, told, self.passages))
        else:
            made = outcome.refusal("read", reading.text)
        return replace(made, written=reading.written, unverified=reading.unverified)

    def _by_line(self, reading: Reading, evidence: Evidence) -> list[EntityId]:
        """The answers, the one that the reader is surest of first."""
        if not reading.line_probs:
            return list(reading.entities)
        lines = sorted(reading.cited_lines, key=lambda line: -reading.line_probs[line])
        _, _, ends = walked_ends([evidence.triples[line - 1] for line in lines], self.pack)
        return list(dict.fromkeys(ends.tolist()))

    def _support(self, triples: Sequence[ScoredTriple], found: Found) -> list[ScoredTriple]:
        """The triples with those that lead to them from the seeds, hop by hop."""
        every: dict[tuple[int, int], ScoredTriple] = {}
        for triple in triples:
            step: ScoredTriple | None = triple
            while step is not None:
                every.setdefault((step.triple, step.hop), step)
                step = found.ways.get(step.triple) if step.hop > 1 else None
        return sorted(every.values(), key=lambda triple: triple.hop)


def best_seeds(mentions: Sequence[Mention]) -> tuple[Seed, ...]:
    """The best entity of each mention that overlaps no better one, best first, at most :data:`MAX_SEEDS`."""
    chosen: list[Seed] = []
    least = SEED_SHARE * max((one.seeds[0].score for one in mentions if one.seeds), default=0.0)
    for mention in sorted(mentions, key=lambda one: -one.seeds[0].score if one.seeds else 0.0):
        start, end = mention.span
        free = all(end <= seed.span[0] or seed.span[1] <= start for seed in chosen)
        if mention.seeds and free and mention.seeds[0].score >= least:
            chosen.append(mention.seeds[0])
    return tuple(chosen[:MAX_SEEDS])


def with_passages(evidence: Evidence, texts: tuple[Passage, ...], finder: PassageFinder | None) -> Evidence:
    """The evidence with texts beside its triples; what they name may be answered too."""
    if finder is None or not texts:
        return evidence
    known = {one.entity for one in evidence.candidates}
    more = tuple(Candidate(entity, 0.0) for entity in finder.named(texts) if entity not in known)
    return replace(evidence, passages=texts, candidates=evidence.candidates + more)


def telling(
    passages: tuple[Passage, ...], entities: Sequence[EntityId], finder: PassageFinder | None
) -> tuple[Passage, ...]:
    """The passages that name any of the entities, in their order."""
    if finder is None or not entities:
        return ()
    named = finder.named(passages)
    wanted = {passage.id for entity in entities for passage in named.get(entity, ())}
    return tuple(passage for passage in passages if passage.id in wanted)


def without_marks(evidence: Evidence) -> Evidence:
    """The same lines with nothing said of them: what kgask's reader learned to read without a plan."""
    triples = tuple(replace(triple, score=1.0) for triple in evidence.triples)
    candidates = tuple(Candidate(one.entity, 1.0) for one in evidence.candidates)
    return replace(evidence, triples=triples, candidates=candidates, mass=1.0)


def _confidence(reading: Reading) -> float:
    """The reader's: of its surest cited line where it judges lines, of its reply where it does not."""
    if reading.line_probs:
        probs = [reading.line_probs[line] for line in reading.cited_lines] or list(reading.line_probs.values())
        return max(probs)
    return reading.prob
