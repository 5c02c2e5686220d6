"""Composing: ids become words, once, when an answer or a refusal is made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kgask.answer.fuse import Refusal, Verdict
from kgask.answer.refusals import BACK_TO_TOPIC, NOTHING_PROVEN, Refusing, is_named
from kgask.answer.result import Answer, AnswerEntity
from kgask.answer.words import literal_value, relation_name, support_in_words, years_asked
from kgask.errors import BudgetError
from kgask.link.linker import Linker
from kgask.link.spelling import changed
from kgask.methods.demands import asks_for_order
from kgask.methods.protocol import Request, Retrieved
from kgask.methods.understand import Understanding
from kgask.pack.store import Pack
from kgask.retrieve.hint import beyond_entities
from kgask.types import (
    Alternative,
    BeamPath,
    Branch,
    DirectedRelationId,
    Evidence,
    Explanation,
    HopPlan,
    Passage,
    QueryReadings,
    Seed,
    Stage,
)

if TYPE_CHECKING:
    from kgask.retrieve.outcome import Result

SHOWN_PATHS = 12  # of each branch, where --explain asks for them
BEYOND = {
    "yes/no": "this seems to ask for yes or no; the answer names the entities themselves",
    "number": "this seems to ask for a count; the answer names the entities themselves",
}


@dataclass(frozen=True, slots=True)
class Composer:
    """What is known about one question when it is answered or refused."""

    pack: Pack
    request: Request
    method: str
    hashes: Mapping[str, str]
    least: float  # confidence below which nothing is printed
    found: Retrieved = Retrieved()
    evidence: Evidence | None = None
    explain: bool = False
    tells_readings: bool = False  # the queries that the question may be, without the rest of an explanation
    tells_query: bool = True
    free: bool = False  # the reader writes freely
    linker: Linker | None = None  # that found the names of the question

    @property
    def _refusing(self) -> Refusing:
        return Refusing(self.pack, self.request.question, self.found, self.least, self.linker)

    def compose(self, verdict: Verdict, passages: tuple[Passage, ...] = ()) -> Answer:
        """The answer of a verdict, or the refusal; ``passages`` tell of what no triple proves."""
        if verdict.refused is not None:
            answer = self.refusal(*self._why(verdict.refused, verdict), verdict.confidence)
        elif verdict.outcome is not None:
            answer = self._told(verdict, verdict.outcome)
        else:
            labels, keys = self.pack.labels(verdict.entities), self.pack.keys(verdict.entities)
            named = tuple(AnswerEntity(*row) for row in zip(verdict.entities, keys, labels, strict=True))
            answer = replace(
                self._made(verdict.confidence, (*self._seed_notes(), *verdict.notes)),
                text=" | ".join(labels),
                entities=named,
                support=support_in_words(self.pack, verdict.support),
                abstained=False,
                passages=passages,
                kind="set",
                value=literal_value(self.pack, verdict.entities[0]) if len(verdict.entities) == 1 else None,
            )
            if self.tells_query:
                answer = self._with_query(answer, verdict)
        text = years_asked(self.request.question.text, answer.text)
        return replace(answer, text=text, written=verdict.written, unverified=verdict.unverified)

    def _with_query(self, answer: Answer, verdict: Verdict) -> Answer:
        """The answer with what was asked of the graph."""
        query = verdict.make_query()
        if query is None:
            return answer
        from kgask.query.sparql import to_sparql  # 30 ms, which nobody waits for who does not look at the query
        from kgask.query.text import to_text

        sparql = to_sparql(query, self.pack).rstrip()
        return replace(answer, query=query, query_text=to_text(query, self.pack), sparql=sparql)

    def _told(self, verdict: Verdict, outcome: Result) -> Answer:
        """The answer that a query with operators came to, or why that is none."""
        from kgask.answer.derived import told  # loaded only where a query has operators
        from kgask.answer.unsaid import unsaid
        from kgask.retrieve.frontier import Budget

        outcome.runner.budget = Budget(outcome.runner.budget.seconds)  # other questions were run since
        try:
            derived, silent = told(outcome), unsaid(outcome)
        except BudgetError as error:
            return self.refusal("retrieve", str(error), verdict.confidence)
        reason = silent or derived.why_not
        if reason is not None:
            refused = self.refusal("retrieve", reason, verdict.confidence)
            return replace(refused, notes=(*refused.notes, *derived.notes))
        answer = replace(
            self._made(verdict.confidence, (*self._seed_notes(derived=True), *verdict.notes, *derived.notes)),
            text=derived.text,
            entities=derived.entities,
            support=derived.support,
            abstained=False,
            kind=derived.kind,
            value=derived.value,
            derivation=derived.derivation,
        )
        return self._with_query(answer, verdict)

    def refusal(
        self, stage: Stage, reason: str, confidence: float = 0.0, unused_words: Sequence[str] = (), helps: bool = True
    ) -> Answer:
        """No answer, where the question died, why, and what helps.

        ``unused_words`` of the question are no part of what was understood: that is then the reason. Without ``helps``
        it was no question at all.
        """
        understood, refusing = self.found.understood, self._refusing
        is_misread = self.found.is_derived and any(seed.match == "typo" for seed in self.found.seeds)
        is_read = not is_misread and (understood is None or is_named(understood))
        words = [word for word in unused_words or self.found.unused_words if not asks_for_order(word)]
        words = words or [*unused_words]
        asks_back = helps and bool(refusing.unclear)
        if asks_back:
            stage, reason = "link", refusing.ask_back
        elif words:
            stage, reason = "plan", refusing.left_out(words)
        said = refusing.help() if helps else ()
        typos = (note for seed in self.found.seeds for note in _typo_note(seed))  # others speak of an answer
        notes = tuple(typos) if is_read and not asks_back else ()
        return replace(self._made(confidence, notes), reason=reason, died_at=stage, help=said)

    @property
    def has_unclear_name(self) -> bool:
        """Whether several share a name of the question, and what was found does not tell which of them is meant."""
        return bool(self._refusing.unclear)

    @property
    def has_stranger(self) -> bool:
        """Whether a name of the question is nobody's here."""
        return bool(self._refusing.strangers)

    @property
    def names_unknown(self) -> bool:
        """Whether something is written as a name and is none in this pack."""
        return bool(self._refusing.unknown)

    def unanswered(self) -> Answer:
        """Why what was retrieved is no answer, before anything is read."""
        found = self.found
        if found.failed:
            return self.refusal("retrieve", found.failed)
        if found.understood is not None or found.is_derived or not found.seeds:
            return self.refusal(*self._refusing.why_not(found.confidence), found.confidence)
        around = ", ".join(self.pack.labels([seed.entity for seed in found.seeds]))
        return self.refusal("retrieve", f"the graph says nothing about {around}")

    def _why(self, refused: Refusal, verdict: Verdict) -> tuple[Stage, str]:
        match refused:
            case "only the topic":
                return "retrieve", BACK_TO_TOPIC
            case "abstained":
                return "read", verdict.said
            case "unproven":
                return "read", NOTHING_PROVEN
            case "turned down":
                label = self.pack.labels([self.found.seeds[0].entity])[0]
                return "read", f"facts about {label} were found, but none of them answers the question"
        return self._refusing.why_not(verdict.confidence)

    def _seed_notes(self, derived: bool = False) -> tuple[str, ...]:
        if self.found.understood is not None:
            return seed_notes(self.pack, self.found.understood, derived)
        return tuple(note for seed in self.found.seeds for note in _typo_note(seed))

    def _explanation(self) -> Explanation | None:
        if not (self.explain or self.tells_readings):
            return None
        queries = None
        if self.found.read_as is not None:
            from kgask.answer.readings import query_readings

            queries = query_readings(self.found.read_as, self.request.question.text, self.pack)
        return explanation(self.found, queries) if self.explain else Explanation(queries=queries)

    def _made(self, confidence: float, notes: tuple[str, ...]) -> Answer:
        """An answer without one."""
        question, found = self.request.question, self.found
        understood = found.understood
        others = understood.alternatives if understood else ()
        seeds = (*found.seeds, *(other.seed for other in others))
        worded = _seeds_in_words(self.pack, seeds)
        slips = () if question.marks or not question.asked else changed(question.asked, question.text)
        spelt = tuple(f"read {one!r} as {other!r}" for one, other in slips)
        return Answer(
            question.asked or question.text,
            None,
            (),
            (),
            round(confidence, 4),
            abstained=True,
            seeds=worded[: len(found.seeds)],
            notes=(*spelt, *notes, *found.notes),
            evidence=self.evidence,
            plan=plan_of(understood.readings if understood else ()),
            alternatives=_alternatives_in_words(self.pack, others, worded[len(found.seeds) :]),
            explanation=self._explanation(),
            timings_ms=self.request.timer.timings_ms,
            hashes=self.hashes,
            method=self.method,
            free=self.free,
        )


def _seeds_in_words(pack: Pack, seeds: Sequence[Seed]) -> tuple[Seed, ...]:
    ids = [seed.entity for seed in seeds]
    return tuple(
        replace(seed, key=key, label=label)
        for seed, key, label in zip(seeds, pack.keys(ids), pack.labels(ids), strict=True)
    )


def _alternatives_in_words(pack: Pack, others: Sequence[Alternative], seeds: Sequence[Seed]) -> tuple[Alternative, ...]:
    ends = iter(pack.labels([end for other in others for end in other.answers]))
    return tuple(
        replace(
            other,
            seed=seed,
            path=tuple(relation_name(pack, relation) for relation in other.relations),
            labels=tuple(next(ends) for _ in other.answers),
        )
        for other, seed in zip(others, seeds, strict=True)
    )


def plan_of(readings: tuple[Understanding, ...]) -> HopPlan | None:
    """The branches of a reading; those of several seeds narrow each other down."""
    if not readings:
        return None
    return HopPlan(tuple(part.branch for part in readings), "intersection" if len(readings) > 1 else "union")


def seed_notes(pack: Pack, understood: Understanding, derived: bool = False) -> tuple[str, ...]:
    """A typo read as a name, a name that several entities have; of a path also names that the answer leaves out."""
    notes = [note for part in understood.readings for note in _notes_of(pack, part)]
    if derived:
        return tuple(notes)
    unused = understood.mention.unused
    for part in understood.parts:  # what every part leaves out
        unused = tuple(name for name in unused if name in part.mention.unused)
    if unused:
        notes.append(f"this answer does not use: {', '.join(unused)}")
    beyond = beyond_entities(pack, understood.routes, understood.branch.answer_types)
    return (*notes, BEYOND[beyond]) if beyond else tuple(notes)


def _notes_of(pack: Pack, understood: Understanding) -> list[str]:
    seed, n_same = understood.seed, understood.mention.n_same
    notes = _typo_note(seed)
    if n_same > 1:
        description = pack.descriptions([seed.entity])[0]
        key = pack.keys([seed.entity])[0]
        which = f"{key}, {description}" if description else key
        notes.append(f"{n_same} entities are called {seed.name}; this answers for {which}; use --entity to choose")
    return notes


def _typo_note(seed: Seed) -> list[str]:
    return [f"read {seed.mention!r} as {seed.name!r}"] if seed.match in ("part", "typo") else []


# --- what --explain shows ------------------------------------------------------------------------


def explanation(found: Retrieved, queries: QueryReadings | None) -> Explanation:
    """Every candidate of the question, and what the search did from the seeds that won, as the run recorded it."""
    readings = found.understood.readings if found.understood else ()
    given = [seed for seed in found.seeds if seed.match == "given" and seed not in found.candidates]
    return Explanation((*found.candidates, *given), tuple(path for part in readings for path in _beam(part)), queries)


def _beam(understood: Understanding) -> list[BeamPath]:
    branch, seed = understood.branch, understood.seed.entity
    kept = [(walk.relations, walk.prob, "answer") for route in understood.routes for walk in route.walks]
    lost = [(path.relations, path.prob, path.why) for path in understood.dropped]
    paths = sorted([*kept, *lost], key=lambda path: -path[1])[:SHOWN_PATHS]
    return [BeamPath(seed, relations, _probs(branch, relations), prob, fate) for relations, prob, fate in paths]


def _probs(branch: Branch, relations: tuple[DirectedRelationId, ...]) -> tuple[float, ...]:
    return tuple(float(branch.relation_probs[hop][relation]) for hop, relation in enumerate(relations))
