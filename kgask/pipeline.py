"""Link, plan, retrieve, read: the only file that knows the order."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from kgask import config
from kgask.choose import Linked, Search, choose
from kgask.edge import Outcome, none_answers, why_not
from kgask.errors import ModelError, PackError, UsageError
from kgask.explained import explanation
from kgask.link.features import LinkModel
from kgask.link.linker import Linker
from kgask.link.marks import read_marks
from kgask.pack.store import Pack
from kgask.plan.card import MIN_CONFIDENCE
from kgask.plan.rigel_onnx import RigelPlanner, mask_mention
from kgask.protocols import Reader
from kgask.reached import Reached, calibrated, features
from kgask.retrieve.evidence import gather
from kgask.retrieve.follow import relations_of
from kgask.retrieve.trace import trace_route
from kgask.retrieve.walk import Route
from kgask.types import (
    Answer,
    Branch,
    EntityId,
    Evidence,
    Mention,
    Question,
    Reading,
    ScoredTriple,
)
from kgask.weigh import Weighing, chosen_route, standings, weigh

MAX_HOPS = 3
TOP_K = 10
MAX_TOP_K = 20  # three hops of it are what a reader's prompt numbers
READ_FROM = 0.05  # plans below this confidence are not read: no reader that was measured saves them
MAX_QUESTION_CHARS = 2000
NOTHING_PROVEN = "nothing that the reader wrote is an answer that was retrieved"
CHUNK = 64  # questions that are planned together
READ_ARRAYS = ("kgask.pack.", "kgask.retrieve.")  # modules that a pack's arrays are read in


@dataclass(frozen=True, slots=True)
class AskOptions:
    """How one question is answered; the defaults are those of ``kgask ask``."""

    hops: int = MAX_HOPS
    top_k: int = TOP_K
    entity: str | None = None
    min_confidence: float | None = None  # None: what the model cards say (Pipeline.min_confidence)
    keep_seed: bool = False
    explain: bool = False  # keep what --explain shows; costs time

    @property
    def search(self) -> Search:
        return Search(self.hops, self.keep_seed, everything=self.explain)

    def __post_init__(self) -> None:
        bounds = {"hops": (1, MAX_HOPS), "top_k": (1, MAX_TOP_K), "min_confidence": (0, 1)}
        for name, (low, high) in bounds.items():
            value = getattr(self, name)
            if value is None and name == "min_confidence":
                continue
            whole = name == "min_confidence" or isinstance(value, int)
            if isinstance(value, bool) or not isinstance(value, int | float) or not whole or not low <= value <= high:
                raise UsageError(f"{name} must be a {'number' if high == 1 else 'whole number'} from {low} to {high}")


class Timer:
    """Wall time per stage, in milliseconds."""

    def __init__(self) -> None:
        self.timings_ms: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        began = time.perf_counter()
        try:
            yield
        finally:
            self.add(name, (time.perf_counter() - began) * 1000)

    def add(self, name: str, spent_ms: float) -> None:
        self.timings_ms[name] = round(self.timings_ms.get(name, 0.0) + spent_ms, 3)


@dataclass(slots=True)
class Pipeline:
    """A pack with its planner and (optionally) a reader; ``ask`` answers a question.

    A context manager; not safe to share between threads.
    """

    pack: Pack
    planner: RigelPlanner
    reader: Reader | None
    notes: tuple[str, ...] = ()  # which hardware is used, for --verbose
    _linker: Linker = field(init=False)
    _relations: np.ndarray = field(init=False)
    _weighing: Weighing | None = field(init=False)  # what the reader's word counts; None where that is not known

    def __post_init__(self) -> None:
        self._weighing = Weighing.of(getattr(self.reader, "card", None))
        model = LinkModel.of(self.planner.card.linker)
        self._linker = Linker(self.pack, self.planner.question_words(), model)
        self._relations = self.planner.relation_matrix(self.pack.relations(), self.pack.relation_hash)

    @classmethod
    def open(
        cls,
        pack: str | None = None,
        *,
        model: str | None = None,
        reader: str | None = "",
        settings: dict[str, Any] | None = None,
    ) -> Pipeline:
        """Open by name or path; what is not given comes from the settings, then the shipped ones.

        ``reader=None`` answers from the plan alone. Raises
        :class:`~kgask.errors.PackError` or :class:`~kgask.errors.ModelError`.
        """
        settings = config.load_settings() if settings is None else settings
        pack_name = pack or str(settings.get("pack", config.DEFAULT_PACK))
        model_name = model or str(settings.get("model", config.DEFAULT_MODEL))
        opened = Pack.open(config.find("pack", pack_name).path)
        planner = RigelPlanner.load(config.find("model", model_name).path)
        if reader is None:
            return cls(opened, planner, None, (planner.note,))
        reader_name = reader or str(settings.get("reader", config.DEFAULT_READER))
        layers = config.gpu_layers(settings.get("gpu_layers", config.AUTO))
        read = load_reader(config.find("model", reader_name).path, layers)
        return cls(opened, planner, read, (planner.note, f"reader {reader_name}: {read.note}, {read.engine.note}"))

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
        self, texts: Sequence[str], options: AskOptions | None = None, **overrides: Any
    ) -> list[Answer]:
        """Answer questions in the order given, planning them in chunks of similar length.

        The answers are those of :meth:`ask` up to the rounding of an int8
        planner, which scales its activations over a whole chunk. Raises as
        :meth:`ask` does, before any question is answered.
        """
        options = options or AskOptions(**overrides)
        questions = [read_marks(checked_question(text)) for text in texts]
        by_length = sorted(range(len(questions)), key=lambda index: len(questions[index].text))
        answers: dict[int, Answer] = {}
        with sound(self.pack):
            for start in range(0, len(questions), CHUNK):
                rows = by_length[start : start + CHUNK]
                timers = [Timer() for _ in rows]
                found = self._understand([questions[row] for row in rows], options, timers)
                for row, reached, timer in zip(rows, found, timers, strict=True):
                    answers[row] = self._answer(questions[row], reached, options, timer)
        return [answers[row] for row in range(len(questions))]

    def understand(self, question: Question, options: AskOptions) -> Reached | None:
        """Link, plan and follow without reading or refusing: what calibration looks at."""
        return self.understand_many([question], options)[0]

    def understand_many(self, questions: Sequence[Question], options: AskOptions) -> list[Reached | None]:
        """As :meth:`understand`; the questions are planned together, so give some dozens, of similar length."""
        return self._understand(questions, options, [Timer() for _ in questions])

    def _answer(self, question: Question, reached: Reached | None, options: AskOptions, timer: Timer) -> Answer:
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
            if getattr(self.reader, "needs_facts", True):
                return refusal
            reading = self.reader.read(question, Evidence((), (), False), self.pack)
            return replace(refusal, written=reading.written, unverified=reading.unverified)
        with timer.stage("retrieve"):
            ways = [walk for route in reached.routes for walk in route.walks]
            outcome = replace(outcome, evidence=gather(self.pack, ways, options.top_k))
        return self._read(outcome, options, timer)

    # --- link, plan, retrieve -------------------------------------------------------------

    def _understand(
        self, questions: Sequence[Question], options: AskOptions, timers: Sequence[Timer]
    ) -> list[Reached | None]:
        """The best reading of each; close names are tried where exact ones do not answer well."""
        if options.entity is not None:
            return self._best(questions, lambda question: self._given(options.entity, question), options, timers)
        best = self._best(questions, self._linker.link, options, timers)
        least = max(self._least(options), MIN_CONFIDENCE)
        unsure = [row for row, reached in enumerate(best) if self._confidence(reached) < least]
        if unsure:
            again, clocks = [questions[row] for row in unsure], [timers[row] for row in unsure]
            others = self._best(again, self._linker.link_tolerantly, options, clocks)
            for row, other in zip(unsure, others, strict=True):
                if best[row] is None or self._confidence(other) > self._confidence(best[row]):
                    best[row] = other
        return best

    def _given(self, entity: str, question: Question) -> list[Mention]:
        mention = self._linker.seed_for(entity, question)
        if not mention.seeds:
            raise UsageError(f"--entity {entity!r}: no such entity; try 'kgask pack search'")
        return [mention]

    def _confidence(self, reached: Reached | None) -> float:
        """Calibrated probability that the best route is the answer; 0 when there is none."""
        if reached is None or not reached.routes:
            return 0.0
        return calibrated(self.planner.card.calibration, features(reached))

    def _best(
        self,
        questions: Sequence[Question],
        link: Callable[[Question], list[Mention]],
        options: AskOptions,
        timers: Sequence[Timer],
    ) -> list[Reached | None]:
        """Link each question, plan all of them, choose a reading for each."""
        mentions = []
        for question, timer in zip(questions, timers, strict=True):
            with timer.stage("link"):
                mentions.append(link(question))
        best: list[Reached | None] = []
        for linked, timer in zip(self.planned(questions, mentions, timers), timers, strict=True):
            if not linked:
                best.append(None)
                continue
            with timer.stage("retrieve"):
                best.append(choose(self.pack, self._linker.model, linked, options.search))
        return best

    def planned(
        self, questions: Sequence[Question], mentions: Sequence[list[Mention]], timers: Sequence[Timer] = ()
    ) -> list[list[Linked]]:
        """Every mention of every question with its plan, from one call of the planner."""
        rows = [(row, mention) for row, found in enumerate(mentions) for mention in found]
        linked: list[list[Linked]] = [[] for _ in questions]
        if not rows:
            return linked
        began = time.perf_counter()
        texts = [mask_mention(questions[row].text, mention.span) for row, mention in rows]
        present = [self._present(mention) for _, mention in rows]
        plan = self.planner.plan(texts, self._relations, np.stack([has.any(axis=0) for has in present]))
        for i, (row, mention) in enumerate(rows):
            topic, constrained = plan.branch_scores[i].tolist()
            branch = Branch(
                mention.seeds, plan.relation_probs[i], plan.stop_probs[i], topic, constrained, plan.answer_types[i]
            )
            linked[row].append(Linked(mention, branch, present[i]))
        planned = [timer for timer, found in zip(timers, linked, strict=False) if found]
        for timer in planned:
            timer.add("plan", (time.perf_counter() - began) * 1000 / len(planned))
        return linked

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
        """Of what the answers come from: pack, planner, reader."""
        found = {"pack": self.pack.content_hash, "model": self.planner.card.hash}
        reader_hash = getattr(self.reader, "hash", None)
        return found | ({"reader": reader_hash} if reader_hash else {})


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


def checked_question(text: str) -> str:
    """The question on one line; :class:`UsageError` when empty, overlong, or not text."""
    line = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    if not line:
        raise UsageError("the question is empty")
    if len(line) > MAX_QUESTION_CHARS:
        raise UsageError(f"the question has {len(line)} characters, {MAX_QUESTION_CHARS} is the most")
    return line


def load_reader(path: Path, gpu_layers: int | str = config.AUTO) -> Reader:
    """The reader in a model folder, or any GGUF file."""
    from kgask.read.llama_reader import (
        LlamaReader,  # llama.cpp is loaded only when something is read
    )

    if not path.exists():
        raise ModelError(f"{path}: no such reader")
    return LlamaReader.load(path, gpu_layers=gpu_layers)
