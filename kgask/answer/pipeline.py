"""Link, plan, retrieve, read: the only file that knows the order."""

from __future__ import annotations

import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from kgask import config
from kgask.answer.by_method import ByMethod
from kgask.answer.compose import Outcome, explanation, none_answers, why_not
from kgask.answer.fuse import Weighing, chosen_route, standings, weigh
from kgask.answer.interpret import Linked, Reached, calibrated, choose, features
from kgask.answer.request import CONTEXTS, Asked, AskOptions, Timer, checked_question
from kgask.errors import FallbackWarning, NativeError, PackError, UsageError
from kgask.link.features import LinkModel
from kgask.link.linker import Linker
from kgask.link.marks import read_marks
from kgask.methods.base import Method, Scope
from kgask.methods.baselines import NoKnowledge
from kgask.methods.passages import PassageFinder
from kgask.methods.registry import MethodOptions, make_method
from kgask.methods.text_encoder import TextEncoder
from kgask.pack.store import Pack
from kgask.plan.card import MIN_CONFIDENCE
from kgask.plan.on_pack import PackPlanner
from kgask.plan.rigel_onnx import RigelPlanner, mask_mention
from kgask.read.open_reader import opened_reader
from kgask.read.protocol import Reader
from kgask.retrieve.evidence import gather
from kgask.retrieve.follow import relations_of
from kgask.retrieve.trace import trace_route
from kgask.retrieve.walk import Route
from kgask.types import (
    PLANNED,
    Answer,
    Branch,
    EntityId,
    Evidence,
    Mention,
    Question,
    Reading,
    ScoredTriple,
    Seed,
)

READ_FROM = 0.05  # plans below this confidence are not read: no reader that was measured saves them
NOTHING_PROVEN = "nothing that the reader wrote is an answer that was retrieved"
CHUNK = 64  # questions that are planned together
READ_ARRAYS = ("kgask.pack.", "kgask.retrieve.")  # modules that a pack's arrays are read in


@dataclass(slots=True)
class Pipeline:
    """A pack with its planner and (optionally) a reader; ``ask`` answers a question.

    A context manager; not safe to share between threads.
    """

    pack: Pack
    planner: RigelPlanner
    reader: Reader | None
    notes: tuple[str, ...] = ()  # which hardware is used, for --verbose
    method: Method | None = None  # another way to retrieve than the plan
    passages: PassageFinder | None = None  # where the reader sees texts too
    _linker: Linker = field(init=False)
    _pack_planner: PackPlanner = field(init=False)
    _weighing: Weighing | None = field(init=False)  # what the reader's word counts; None where that is not known

    def __post_init__(self) -> None:
        self._weighing = Weighing.of(self.reader.card if self.reader is not None else None)
        model = LinkModel.of(self.planner.card.linker)
        self._linker = Linker(self.pack, self.planner.question_words(), model)
        self._pack_planner = PackPlanner.of(self.planner, self.pack)

    @classmethod
    def open(
        cls,
        pack: str | None = None,
        *,
        model: str | None = None,
        reader: str | None = "",
        method: str | None = None,
        prompt: str | None = None,
        context: str = CONTEXTS[0],
        settings: dict[str, Any] | None = None,
        must_read: bool = False,
        **method_options: Any,
    ) -> Pipeline:
        """Open by name or path; what is not given comes from the settings, then the shipped ones.

        ``reader=None`` answers without reading. So does a reader whose native code does not work on this machine
        (a :class:`~kgask.errors.FallbackWarning` says so), unless ``must_read`` or what is asked for needs one.
        ``method`` is one of :data:`kgask.methods.registry.METHODS`, ``method_options`` are fields of
        :class:`~kgask.methods.registry.MethodOptions`. ``prompt`` is what another reader than kgask's is told (a name
        or a file: :func:`kgask.read.gguf.prompts.form_of`), ``context`` whether it sees triples, passages, or both.
        Raises :class:`~kgask.errors.PackError`,
        :class:`~kgask.errors.ModelError` (:class:`~kgask.errors.NativeError` of a reader that must read) or
        :class:`~kgask.errors.UsageError`.
        """
        settings = config.load_settings() if settings is None else settings
        pack_name = pack or str(settings.get("pack", config.DEFAULT_PACK))
        model_name = model or str(settings.get("model", config.DEFAULT_MODEL))
        opened = Pack.open(config.find("pack", pack_name).path)
        planner = RigelPlanner.load(config.find("model", model_name).path)
        chosen = method or str(settings.get("method", PLANNED))
        must_read = must_read or prompt is not None or context != CONTEXTS[0] or chosen == NoKnowledge.name
        found = cls(opened, planner, None, (planner.note,))
        if reader is not None:
            found._use_reader(reader, prompt, settings, must_read)
        wanted = MethodOptions.of(settings, **method_options)
        if chosen != PLANNED:
            found.method = make_method(chosen, wanted, found.reader, found._plan_alone)
            found.notes += (f"method {chosen}",)
        if context != CONTEXTS[0]:
            found.use_passages(context, wanted.encoder, prompt is not None)
        return found

    def _use_reader(self, name: str, prompt: str | None, settings: dict[str, Any], must_read: bool) -> None:
        try:
            self.reader, notes = opened_reader(name, prompt, settings)
        except NativeError as error:
            if must_read:
                raise
            said = f"{error}; answering without a reader ('kgask doctor' says more)"
            warnings.warn(said, FallbackWarning, stacklevel=3)
            return
        self._weighing = Weighing.of(self.reader.card if self.reader is not None else None)
        self.notes += notes

    def use_passages(self, context: str, encoder: str = config.DEFAULT_ENCODER, prompted: bool = False) -> None:
        """Show the reader passages too (``both``) or alone (``passages``), by LTGen's prompts unless it has another.

        Raises PackError for a pack without any, UsageError for a reader that reads triples only.
        """
        if self.reader is None or not self.reader.capabilities.reads_passages:
            raise UsageError(f"--context {context} needs a language model; name one: --reader FILE.gguf")
        if not prompted:
            from kgask.read.gguf.prompts import NAMED

            self.reader.use_prompt(NAMED[f"ltgen-{context}"])
        self.passages = PassageFinder(self.pack, TextEncoder.load(config.find("model", encoder).path))
        if context == "passages":
            self.method = NoKnowledge()

    @property
    def min_confidence(self) -> float:
        """The threshold that applies where none is asked for: the reader's card knows, else the planner's."""
        weighing = self._weighing if self.reader is not None else None
        return weighing.min_confidence if weighing else self.planner.card.min_confidence

    def _least(self, options: AskOptions) -> float:
        return self.min_confidence if options.min_confidence is None else options.min_confidence

    def close(self) -> None:
        self.pack.close()

    def __enter__(self) -> Pipeline:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- ask ------------------------------------------------------------------------------

    def ask(self, text: str, options: AskOptions | None = None, **overrides: Any) -> Answer:
        """Answer one question; ``[...]`` in it marks a mention.

        ``overrides`` are fields of :class:`AskOptions`. Raises
        :class:`~kgask.errors.UsageError` for an empty or an overlong question,
        or an ``entity`` that the pack does not have.
        """
        return self.ask_many([text], options, **overrides)[0]

    def ask_many(
        self,
        texts: Sequence[str],
        options: AskOptions | None = None,
        entities: Sequence[str | None] | None = None,
        exact_hops: Sequence[int | None] | None = None,
        **overrides: Any,
    ) -> list[Answer]:
        """Answer questions in the order given, planning them in chunks of similar length.

        ``entities`` gives a topic for each question (None: it is linked), ``exact_hops`` how far away its
        answer lies (None: the plan says it). The answers are those of :meth:`ask`, whatever is asked beside them; only
        a planner trained before its activations were scaled per row (``kgask train requantise``) rounds a chunk as
        one. Raises as :meth:`ask` does, before any question is answered.
        """
        options = options or AskOptions(**overrides)
        given = entities or [options.entity] * len(texts), exact_hops or [None] * len(texts)
        asked = [
            Asked(read_marks(checked_question(text)), entity, hops)
            for text, entity, hops in zip(texts, *given, strict=True)
        ]
        by_length = sorted(range(len(asked)), key=lambda index: len(asked[index].question.text))
        answers: dict[int, Answer] = {}
        with sound(self.pack):
            for start in range(0, len(asked), CHUNK):
                rows = by_length[start : start + CHUNK]
                answers |= zip(rows, self._ask_chunk([asked[row] for row in rows], options), strict=True)
        return [answers[row] for row in range(len(asked))]

    def _ask_chunk(self, asked: Sequence[Asked], options: AskOptions) -> list[Answer]:
        if self.method is None:
            found = self._understand(asked, options)
            return [self._answer(one, reached, options) for one, reached in zip(asked, found, strict=True)]
        scope = Scope(options.top_k, options.hops or 1, options.rng_seed)
        by_method = ByMethod(
            self.pack, self.method, self.reader, scope, options.order, options.keep_seed, self.passages
        )
        answers = []
        for one in asked:
            with one.timer.stage("link"):
                mentions = self._mentions(one, self._linker.link) or self._mentions(one, self._linker.link_tolerantly)
            answers.append(by_method.answer(one, mentions, self.hashes()))
        return answers

    def understand(self, question: Question, options: AskOptions) -> Reached | None:
        """Link, plan and follow without reading or refusing: what calibration looks at."""
        return self.understand_many([question], options)[0]

    def understand_many(self, questions: Sequence[Question], options: AskOptions) -> list[Reached | None]:
        """As :meth:`understand`; the questions are planned together, so give some dozens, of similar length."""
        return self._understand([Asked(question, options.entity) for question in questions], options)

    def _answer(self, asked: Asked, reached: Reached | None, options: AskOptions) -> Answer:
        question, timer = asked.question, asked.timer
        confidence = self._confidence(reached)
        outcome = Outcome(self.pack, question, reached, confidence, None, timer.timings_ms, self.hashes())
        if options.explain:
            found = explanation(self.pack, self._linker, question, reached, options.search)
            outcome = replace(outcome, explanation=found)
        reads = self.reader is not None and self._weighing is not None
        least = min(READ_FROM, self._least(options)) if reads else self._least(options)
        if reached is None or not reached.routes or confidence < least:
            refusal = outcome.refusal(*why_not(self.pack, reached, confidence, self._least(options)))
            # A free reader without facts answers anyway; nothing stands behind what it writes.
            if self.reader is None or self.reader.capabilities.needs_facts:
                return refusal
            reading = self.reader.read(question, Evidence((), (), False), self.pack)
            return replace(refusal, written=reading.written, unverified=reading.unverified)
        with timer.stage("retrieve"):
            ways = [walk for route in reached.routes for walk in route.walks]
            evidence = gather(self.pack, ways, options.top_k)
            if self.passages is not None:
                texts = self.passages.find(question, [part.seed for part in reached.readings])
                evidence = replace(evidence, passages=texts)
            outcome = replace(outcome, evidence=evidence)
        return self._read(outcome, options, timer)

    # --- link, plan, retrieve -------------------------------------------------------------

    def _understand(self, asked: Sequence[Asked], options: AskOptions) -> list[Reached | None]:
        """The best reading of each; close names are tried where exact ones do not answer well."""
        best = self._best(asked, self._linker.link, options)
        least = max(self._least(options), MIN_CONFIDENCE)
        unsure = [
            row for row, reached in enumerate(best) if asked[row].entity is None and self._confidence(reached) < least
        ]
        if unsure:
            others = self._best([asked[row] for row in unsure], self._linker.link_tolerantly, options)
            for row, other in zip(unsure, others, strict=True):
                if best[row] is None or self._confidence(other) > self._confidence(best[row]):
                    best[row] = other
        return best

    def _mentions(self, asked: Asked, link: Callable[[Question], list[Mention]]) -> list[Mention]:
        """What is linked, or the topic that was given."""
        if asked.entity is None:
            return link(asked.question)
        mention = self._linker.seed_for(asked.entity, asked.question)
        if not mention.seeds:
            raise UsageError(f"--entity {asked.entity!r}: no such entity; try 'kgask pack search'")
        return [mention]

    def _confidence(self, reached: Reached | None) -> float:
        """Calibrated probability that the best route is the answer; 0 when there is none."""
        if reached is None or not reached.routes:
            return 0.0
        return calibrated(self.planner.card.calibration, features(reached))

    def _best(
        self, asked: Sequence[Asked], link: Callable[[Question], list[Mention]], options: AskOptions
    ) -> list[Reached | None]:
        """Link each question, plan all of them, choose a reading for each."""
        mentions = []
        for one in asked:
            with one.timer.stage("link"):
                mentions.append(self._mentions(one, link))
        best: list[Reached | None] = []
        for one, linked in zip(asked, self.planned(asked, mentions), strict=True):
            if not linked:
                best.append(None)
                continue
            with one.timer.stage("retrieve"):
                best.append(choose(self.pack, self._linker.model, linked, options.search))
        return best

    def planned(self, asked: Sequence[Asked], mentions: Sequence[list[Mention]]) -> list[list[Linked]]:
        """Every mention of every question with its plan, from one call of the planner."""
        rows = [(row, mention) for row, found in enumerate(mentions) for mention in found]
        linked: list[list[Linked]] = [[] for _ in asked]
        if not rows:
            return linked
        began = time.perf_counter()
        texts = [mask_mention(asked[row].question.text, mention.span) for row, mention in rows]
        present = [self._present(mention) for _, mention in rows]
        plan = self._pack_planner.plan(texts, np.stack([has.any(axis=0) for has in present]))
        for i, (row, mention) in enumerate(rows):
            topic, constrained = plan.branch_scores[i].tolist()
            stops = plan.stop_probs[i] if asked[row].exact_hops is None else _stops_at(plan.stop_probs[i], asked[row])
            branch = Branch(mention.seeds, plan.relation_probs[i], stops, topic, constrained, plan.answer_types[i])
            linked[row].append(Linked(mention, branch, present[i]))
        timers = [one.timer for one, found in zip(asked, linked, strict=True) if found]
        for timer in timers:
            timer.add("plan", (time.perf_counter() - began) * 1000 / len(timers))
        return linked

    def _plan_alone(self, question: Question, seeds: Sequence[Seed]) -> Branch | None:
        """The plan from these seeds' mention; for methods that ask the planner where no other model can be asked."""
        if not seeds:
            return None
        mention = Mention(seeds[0].span, seeds[0].mention, tuple(seeds))
        return self.planned([Asked(question)], [[mention]])[0][0].branch

    def _present(self, mention: Mention) -> np.ndarray:
        """bool [seeds, 2R]: which directed relations leave each seed."""
        return np.stack([relations_of(self.pack, np.array([seed.entity])) for seed in mention.seeds])

    # --- read -----------------------------------------------------------------------------

    def _read(self, outcome: Outcome, options: AskOptions, timer: Timer) -> Answer:
        evidence, notes = outcome.evidence, ()
        route = outcome.reached.routes[0]
        if self.reader is not None:
            with timer.stage("read"):
                reading = self.reader.read(outcome.question, evidence, self.pack)
            if reading.written is not None:
                return self._written(outcome, reading, timer)
            judged = standings(outcome.reached.routes, evidence, reading.line_probs, self.pack)
            if self._weighing is not None and judged:
                route, confidence = weigh(self._weighing, judged, outcome.confidence)
                doubted = confidence < self._least(options) <= outcome.confidence
                outcome = replace(outcome, confidence=confidence)
                if doubted:
                    return outcome.refusal("read", none_answers(self.pack, outcome.reached))
            elif reading.abstained and reading.prob > outcome.confidence:
                return outcome.refusal("read", reading.text)
            elif not reading.abstained:
                route = chosen_route(outcome.reached.routes, reading)
            if reading.abstained:
                notes = ("the reader does not confirm this answer; the plan is surer than it",)
        if outcome.confidence < self._least(options):
            return outcome.refusal(*why_not(self.pack, outcome.reached, outcome.confidence, self._least(options)))
        entities = self._ordered(route, evidence)
        with timer.stage("trace"):
            support = trace_route(self.pack, route, np.asarray(entities))
        with timer.stage("names"):
            return outcome.answer(entities, support, notes)

    def _written(self, outcome: Outcome, reading: Reading, timer: Timer) -> Answer:
        """Of a free text exactly what it names, each with the triples of the best route to it."""
        proven: dict[EntityId, None] = {}
        support: dict[ScoredTriple, None] = {}
        with timer.stage("trace"):
            for route in outcome.reached.routes:
                ends = set(route.answers.tolist())
                here = [entity for entity in reading.entities if entity in ends and entity not in proven]
                if here:
                    proven |= dict.fromkeys(here)
                    support |= dict.fromkeys(trace_route(self.pack, route, np.asarray(here)))
        with timer.stage("names"):
            # A branch of a narrowed plan may end in more than its branches share: that is no answer.
            loose = self.pack.labels([entity for entity in reading.entities if entity not in proven])
            if proven:
                found = outcome.answer([entity for entity in reading.entities if entity in proven], list(support))
            else:
                found = outcome.refusal("read", reading.text if reading.abstained else NOTHING_PROVEN)
            return replace(found, written=reading.written, unverified=(*loose, *reading.unverified))

    def _ordered(self, route: Route, evidence: Evidence) -> list[EntityId]:
        """The whole answer set of the route, best first: ``top_k`` never cuts it."""
        wanted = set(route.answers.tolist())
        return [candidate.entity for candidate in evidence.candidates if candidate.entity in wanted]

    def hashes(self) -> dict[str, str]:
        """Of what the answers come from: pack, planner, reader, and a method's own model."""
        found = {"pack": self.pack.content_hash, "model": self.planner.card.hash}
        more = {
            "reader": self.reader.hash if self.reader is not None else None,
            "method": getattr(self.method, "hash", None),
        }
        return found | {name: value for name, value in more.items() if value}


def _stops_at(stop_probs: np.ndarray, asked: Asked) -> np.ndarray:
    """A plan that stops after exactly the given hops and nowhere else; stop_probs [H]."""
    stops = np.zeros_like(stop_probs)
    stops[asked.exact_hops - 1 :] = 1.0
    return stops


@contextmanager
def sound(pack: Pack) -> Iterator[None]:
    """Arrays that opening cannot check (it does not read them) fail here: say so, and what to type.

    What fails elsewhere, in the planner say, is no fault of the pack and goes on as it is.
    """
    try:
        yield
    except (IndexError, ValueError, OverflowError, MemoryError) as error:
        modules = [frame.f_globals.get("__name__", "") for frame, _ in traceback.walk_tb(error.__traceback__)]
        if not any(module.startswith(READ_ARRAYS) for module in modules):
            raise
        raise PackError(f"{pack.path}: damaged ({error}); run: kgask pack check {pack.path}") from error
