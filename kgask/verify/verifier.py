"""Claims: each as questions, what they ask decided in the open world, and one verdict of all sub-claims.

A claim is a query whose value is a truth. It is read as the question whether it is so and, where that is not sure, as
it stands; the surer reading counts. Other engines judge it over what the graph says of what it names, alone or together
with the query (:mod:`kgask.verify.fusion`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from kgask.answer.pipeline import Pipeline
from kgask.answer.request import AskOptions, checked_question
from kgask.answer.result import PART_ONLY, SupportTriple
from kgask.answer.words import relation_in_words, support_in_words
from kgask.errors import UsageError
from kgask.link.clock import with_clock
from kgask.link.left_year import with_year
from kgask.link.naming import names_in
from kgask.link.nations import said_of_nation
from kgask.link.shared_words import with_shared_words
from kgask.link.statements import as_question
from kgask.methods.protocol import Retrieved
from kgask.methods.relation_likeness import RelationLikeness
from kgask.pack.store import Pack
from kgask.query import nodes
from kgask.query.base import TruthNode
from kgask.query.growing import holds_of_a_part
from kgask.query.sparql import to_sparql
from kgask.query.text import parse, to_text
from kgask.query.words import verbalise
from kgask.retrieve.compare import every
from kgask.types import ScoredTriple
from kgask.verify.apart import Differences
from kgask.verify.by_evidence import ByEvidence, Judged
from kgask.verify.called import verified_as_called
from kgask.verify.decision import Decision, Rule
from kgask.verify.evidence import Evidence
from kgask.verify.form import bare, said
from kgask.verify.fusion import EVIDENCE_ALONE, Fusion
from kgask.verify.kin import Kinships
from kgask.verify.lines import of_lines
from kgask.verify.quantified import Quantities
from kgask.verify.readings import MOST_LOOKED_AT, Reading, Readings, VerifyOptions, is_contrary
from kgask.verify.split import may_be_one, sub_claims
from kgask.verify.superlative import Superlatives
from kgask.verify.verdict import REFUTED, SUPPORTED, UNKNOWN, VERDICTS, Said, Verdict

__all__ = ["Verifier", "VerifyOptions"]

SURELY = 0.5  # confidence of the question from which the claim is not read as it stands too
CHUNK = 32  # claims that are planned together
LEAST = 0.5  # confidence from which a claim is decided
UNKNOWN_NAME = 0.9  # ... of what is said of a name that a closed world does not have: it may be spelled otherwise
NOT_TOLD = "what the graph says of what it names does not tell"
LEAST_LONG, LONG = 0.92, 2  # ... that names are connected over so many other things: many are
_RULES: dict[Rule, str] = {
    "stated": "the graph says so",
    "within": "it lies there",
    "single": "{relation} leads to one thing, here to another",
    "complete": "the graph has all of {relation}",
    "value": "the values say so",
    "count": "the number says so",
    "known": "so it is of those that the graph has",
    "closed world": "the graph does not say so, and is taken to be complete",
    "silent": "the graph does not say",
    "evidence": "what the graph says of it, taken together",
}


@dataclass(frozen=True, slots=True)
class Part:
    """A sub-claim."""

    text: str  # as it is said
    denies: bool  # what is asked of the graph
    positive: str  # without the negation
    asked: str  # as a question


@dataclass(slots=True)
class Verifier:
    """Judges claims over the pack of a pipeline."""

    pipeline: Pipeline
    options: VerifyOptions = field(default_factory=VerifyOptions)
    _readings: Readings = field(init=False)
    _superlatives: Superlatives = field(init=False)
    _quantities: Quantities = field(init=False)
    _differences: Differences = field(init=False)
    _kinships: Kinships = field(init=False)
    _by_evidence: ByEvidence | None = field(init=False, default=None)
    _fusion: Fusion | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        """Raises UsageError for an engine that the judge was not trained for."""
        judge, pack, options = self.pipeline.judge, self.pipeline.pack, self.options
        likeness = RelationLikeness(judge.encoder, pack) if judge is not None else None
        self._readings = Readings(pack, options, likeness)
        self._superlatives = Superlatives(self.pipeline, self._readings)
        self._quantities = Quantities(self.pipeline, self._readings)
        self._differences = Differences(self.pipeline, self._readings)
        self._kinships = Kinships(self.pipeline, self._readings)
        if options.engine == "rigel":
            return
        if judge is None or likeness is None or not judge.judges_claims:
            raise UsageError(f"--engine {options.engine}: this judge judges no claims; see: kgask train judge --help")
        evidence = Evidence(pack, self.pipeline.linker, likeness)
        self._by_evidence = ByEvidence(judge, evidence, pack, options.closed_world)
        self._fusion = EVIDENCE_ALONE if options.engine == "reader" else Fusion.of_card(judge.card)
        if self._fusion is None:
            raise UsageError("--engine both: not fitted to this judge; see: kgask train calibrate-claims --help")

    def verify(self, claim: str) -> Verdict:
        """The verdict on one claim; raises as :meth:`verify_many` does."""
        return self.verify_many([claim])[0]

    def verify_many(self, claims: Sequence[str]) -> list[Verdict]:
        """The verdicts on claims, in order.

        Raises :class:`~kgask.errors.UsageError` for an empty or an overlong claim, before any is judged.
        """
        texts = [checked_question(claim, "claim") for claim in claims]
        for text in texts:
            checked_question(bare(text), "claim")
        found: list[Verdict] = []
        for start in range(0, len(texts), CHUNK):
            chunk = texts[start : start + CHUNK]
            judged = self.pipeline.pack.complete(partial(self._of_chunk, chunk))
            source = self.pipeline.pack.source
            found += judged if source is None or source["complete"] else map(self._of_a_part, judged)
        return found

    def _of_a_part(self, verdict: Verdict) -> Verdict:
        """A verdict of a part of a graph elsewhere: unknown, unless triples show it whatever else there is."""
        is_shown = verdict.verdict == (REFUTED if verdict.denies else SUPPORTED) and verdict.query is not None
        if verdict.verdict == UNKNOWN or (is_shown and holds_of_a_part(parse(str(verdict.query), self.pipeline.pack))):
            return verdict
        return Verdict(verdict.claim, UNKNOWN, 0.0, reason=PART_ONLY, hashes=verdict.hashes)

    def _of_chunk(self, chunk: Sequence[str]) -> list[Verdict]:
        if self.options.engine == "rigel":
            least = self.options.min_confidence
            return [self._as_called(one, least) for one in self._judged(chunk, least)]
        asks = self.options.engine != "reader"
        queries = self.by_query(chunk) if asks else [Verdict(claim, UNKNOWN, 0.0) for claim in chunk]
        return [self._fused(one, self.by_evidence(one.claim)) for one in queries]

    def _as_called(self, verdict: Verdict, least: float | None) -> Verdict:
        """The verdict, or, where it is open, what comes of it where relations are called as the claim calls them."""
        return verified_as_called(
            verdict, self.pipeline, lambda other: Verifier(other, self.options)._judged([verdict.claim], least)[0]
        )

    def by_query(self, claims: Sequence[str]) -> list[Verdict]:
        """What a query comes to, however sure."""
        return self._judged(claims, 0.0)

    def by_evidence(self, claim: str) -> Judged:
        """What the graph's lines come to; of an engine that reads them."""
        assert self._by_evidence is not None
        return self._by_evidence.judged(claim)

    def verify_lines(self, lines: Sequence[str]) -> list[Verdict]:
        """As :meth:`verify_many`; a line that is no claim is judged with the reason."""
        return of_lines(self.verify_many, lines, self.pipeline.hashes())

    def _judged(self, claims: Sequence[str], least: float | None) -> list[Verdict]:
        """Each sub-claim is read as a question; as it stands too, where that is not sure; what something is the most of
        as an open question, too.

        What may be one query too is read as both: the surer counts.
        """
        divided = [[*self.parts(claim)] for claim in claims]
        has_statements, linker = self.pipeline.pack.n_statements > 0, self.pipeline.linker
        whole = [may_be_one(text := bare(claim), names_in(linker, text), has_statements) for claim in claims]
        parts = [
            (claim, of_claim if not is_whole else [*of_claim, *self._whole(claim)])
            for claim, of_claim, is_whole in zip(claims, divided, whole, strict=True)
        ]
        every = [part for _, of_claim in parts for part in of_claim]
        readings = [[one] for one in self._read([part.asked for part in every])]
        unsure = [at for at, (one,) in enumerate(readings) if one.worth < SURELY or one.decision is None]
        for at, one in zip(unsure, self._read([every[at].positive for at in unsure]), strict=True):
            readings[at].append(one)
        said = [part.positive for part in every]
        for asked in (self._superlatives.of(said), self._quantities.of(said)):
            for of_part, openly in zip(readings, asked, strict=True):
                of_part += [openly] if openly is not None else []
        for asked in (self._differences.of(said), self._kinships.of(said)):
            for of_part, whole_reading in zip(readings, asked, strict=True):
                if whole_reading is not None and whole_reading.decision is not None:
                    of_part[:] = [whole_reading]  # the others read over how much it is, or how near the kin
        found = iter([self._verdict(part, of_part, least) for part, of_part in zip(every, readings, strict=True)])
        verdicts = [(claim, [next(found) for _ in of_claim]) for claim, of_claim in parts]
        return [
            self._surer(claim, of_claim) if is_whole else self._together(claim, of_claim)
            for (claim, of_claim), is_whole in zip(verdicts, whole, strict=True)
        ]

    def _surer(self, claim: str, verdicts: Sequence[Verdict]) -> Verdict:
        """Of several sub-claims together and the whole claim, which comes last, what is decided more surely."""
        *parts, whole = verdicts
        together = self._together(claim, parts)
        is_surer = (whole.verdict != UNKNOWN, whole.confidence) > (together.verdict != UNKNOWN, together.confidence)
        return self._together(claim, [whole]) if is_surer else together

    def _read(self, texts: Sequence[str]) -> list[Reading]:
        settled = self.pipeline.settle(texts, AskOptions(min_confidence=0.0), self._readings.as_truth)
        return [self._readings.of(one) for one in settled]

    def possible(self, text: str, most: int = MOST_LOOKED_AT) -> list[Retrieved]:
        """All that a wording may ask and that comes to yes or no and makes sense, before anything is judged."""
        return self._readings.truths(self._found(text), text, most)

    def narrowed(self, text: str) -> Retrieved:
        """The best of it with the others as alternatives, as the judge is asked about them."""
        return self._readings.as_truth(self._found(text), text)

    def _found(self, text: str) -> Retrieved:
        """What planner and graph make of a wording; nothing of it is judged."""
        found: list[Retrieved] = []

        def keep(one: Retrieved, text: str) -> Retrieved:
            found.append(one)
            return replace(one, hypotheses=(), find_alternatives=lambda: iter(()))

        self.pipeline.settle([text], AskOptions(min_confidence=0.0), keep)
        return found[0]

    def parts(self, claim: str) -> list[Part]:
        """The sub-claims of a claim."""
        pack = self.pipeline.pack
        text = with_clock(with_year(with_shared_words(bare(claim), pack), pack), pack)
        names = names_in(self.pipeline.linker, text)
        return _told([said_of_nation(one, self.pipeline.pack) for one in sub_claims(text, names)], names)

    def _whole(self, claim: str) -> list[Part]:
        """A claim undivided."""
        return _told([bare(claim)], names_in(self.pipeline.linker, bare(claim)))

    def _verdict(self, part: Part, readings: Sequence[Reading], least: float | None) -> Verdict:
        """Of the surest reading of a sub-claim; ``least`` is the confidence from which it is told."""
        # Where asking who is so honours "only" or "most", what is about the same without that word is no rival.
        decided = [one for one in readings if one.decision is not None]
        best = max(decided if any(one.is_openly for one in decided) else readings, key=lambda one: one.worth)
        unknown = next((one.reason for one in readings if one.is_unknown), None)
        if unknown is not None and self.options.closed_world and not part.denies:
            rule = f"{unknown}, and it is taken to be complete"
            return Verdict(part.text, REFUTED, UNKNOWN_NAME, rule="closed world", said=rule)
        if any(is_contrary(best, other) for other in readings):
            best = replace(best, decision=None, reason="two readings of this claim contradict each other")
        confidence = round(best.found.confidence, 4) if best.query is not None else 0.0
        told = Verdict(part.text, UNKNOWN, confidence, denies=part.denies, reason=best.reason)
        if best.query is None:
            return told
        pack, decision = self.pipeline.pack, best.decision
        understood = verbalise(best.query, pack)
        told = replace(
            told, query=to_text(best.query, pack), understood=understood, sparql=to_sparql(best.query, pack).rstrip()
        )
        if decision is None:
            return told
        truth = decision.truth
        if truth is None:
            return replace(told, rule="silent", counter=_in_words(pack, decision))
        if confidence < (_least(best.query, truth) if least is None else least):
            why = f"this seems to claim something about {understood}, but only with confidence {confidence:.2f}"
            return replace(told, reason=why)
        triples = _in_words(pack, decision)
        said_so: Said = SUPPORTED if truth != part.denies else REFUTED
        rule = _RULES[decision.rule].format(relation=_relation(self.pipeline, decision))
        told = replace(told, verdict=said_so, rule=decision.rule, said=rule, reason=None)
        return replace(told, support=triples) if said_so == SUPPORTED else replace(told, counter=triples)

    def _fused(self, by_query: Verdict, judged: Judged) -> Verdict:
        """The verdict of both words, told by the one that says so."""
        assert self._by_evidence is not None and self._fusion is not None
        shares = self._fusion.probabilities(by_query, judged.odds)
        said = self._fusion.said(shares, self.options.min_confidence)
        sure, hashes = round(float(shares[VERDICTS.index(said)]), 4), self.pipeline.hashes()
        told = replace(by_query, confidence=sure, reason=by_query.reason or NOT_TOLD, hashes=hashes)
        if said == by_query.verdict:
            return replace(told, reason=None) if said != UNKNOWN else told
        told = replace(told, verdict=said, support=(), counter=(), rule=None, said="")
        if said == UNKNOWN:
            doubt = f"it seems to be {by_query.verdict}, but what else the graph says of it leaves that in doubt"
            return replace(told, reason=doubt)
        triples = self._by_evidence.telling(judged, said)
        told = replace(told, rule="evidence", said=_RULES["evidence"], reason=None)
        told = replace(told, query=None, understood=None, sparql=None, parts=())
        return replace(told, support=triples) if said == SUPPORTED else replace(told, counter=triples)

    def _together(self, claim: str, parts: Sequence[Verdict]) -> Verdict:
        """A conjunction is as false as its parts."""
        hashes = self.pipeline.hashes()
        if len(parts) == 1:
            return replace(parts[0], claim=claim, hashes=hashes)
        truths = {SUPPORTED: True, REFUTED: False, UNKNOWN: None}
        truth = every(truths[one.verdict] for one in parts)
        verdict: Said = UNKNOWN if truth is None else SUPPORTED if truth else REFUTED
        deciding = [one for one in parts if one.verdict == verdict]
        unknown = next((one for one in parts if one.verdict == UNKNOWN), None)
        return Verdict(
            claim,
            verdict,
            min(one.confidence for one in deciding),
            support=tuple(triple for one in deciding for triple in one.support),
            counter=tuple(triple for one in deciding for triple in one.counter),
            rule=deciding[0].rule,
            said=deciding[0].said,
            reason=f"of {unknown.claim!r}: {unknown.reason}" if unknown is not None and truth is None else None,
            parts=tuple(parts),
            hashes=hashes,
        )


def _told(parts: Sequence[str], names: Sequence[str]) -> list[Part]:
    """Parts of a claim, each without its negation and as a question."""
    positives = [(part, said(part, names)) for part in parts]
    return [Part(part, one.denies, one.text, as_question(one.text, names)) for part, one in positives]


def _least(query: TruthNode, truth: bool) -> float:
    """The confidence from which a truth is told."""
    n_steps = sum(isinstance(node, nodes.Follow) for node in query.walk())
    return LEAST_LONG if truth and isinstance(query, nodes.Holds) and n_steps >= LONG else LEAST


def _relation(pipeline: Pipeline, decision: Decision) -> str:
    return repr(relation_in_words(pipeline.pack, decision.relation)) if decision.relation is not None else "it"


def _in_words(pack: Pack, decision: Decision) -> tuple[SupportTriple, ...]:
    return support_in_words(pack, [ScoredTriple(triple, 1, 1.0, False) for triple in decision.triples])
