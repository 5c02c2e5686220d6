"""Link, plan, retrieve, read: the only file that knows the order."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from kgask import config
from kgask.edge import Outcome, why_not
from kgask.errors import ModelError, PackError, UsageError
from kgask.link.linker import Linker
from kgask.pack.store import Pack
from kgask.plan.rigel_onnx import RigelPlanner, mask_mention
from kgask.protocols import Reader
from kgask.reached import LINK_WEIGHT, Reached, calibrated, features
from kgask.retrieve.evidence import gather
from kgask.retrieve.follow import relations_of
from kgask.retrieve.trace import trace_route
from kgask.retrieve.walk import Route, routes
from kgask.types import (
    Answer,
    Branch,
    EntityId,
    Evidence,
    Mention,
    Question,
    Reading,
)

MAX_HOPS = 3
TOP_K = 10
MAX_TOP_K = 20  # three hops of it are what a reader's prompt numbers
MIN_CONFIDENCE = 0.5
MAX_QUESTION_CHARS = 2000


@dataclass(frozen=True, slots=True)
class AskOptions:
    """How one question is answered; the defaults are those of ``kgask ask``."""

    hops: int = MAX_HOPS
    top_k: int = TOP_K
    entity: str | None = None
    min_confidence: float = MIN_CONFIDENCE
    keep_seed: bool = False

    def __post_init__(self) -> None:
        bounds = {"hops": (1, MAX_HOPS), "top_k": (1, MAX_TOP_K), "min_confidence": (0, 1)}
        for name, (low, high) in bounds.items():
            value = getattr(self, name)
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
            spent_ms = (time.perf_counter() - began) * 1000
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

    def __post_init__(self) -> None:
        self._linker = Linker(self.pack, self.planner.question_words())
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
        return cls(opened, planner, load_reader(config.find("model", reader_name).path), (planner.note,))

    def close(self) -> None:
        self.pack.close()

    def __enter__(self) -> Pipeline:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- ask ------------------------------------------------------------------------------

    def ask(self, text: str, options: AskOptions | None = None, **overrides: Any) -> Answer:
        """Answer one question.

        ``overrides`` are fields of :class:`AskOptions`. Raises
        :class:`~kgask.errors.UsageError` for an empty or an overlong question,
        or an ``entity`` that the pack does not have.
        """
        options = options or AskOptions(**overrides)
        question = Question(checked_question(text))
        with sound(self.pack):
            return self._ask(question, options)

    def _ask(self, question: Question, options: AskOptions) -> Answer:
        timer = Timer()
        reached = self._understand(question, options, timer)
        confidence = self._confidence(reached)
        outcome = Outcome(self.pack, question, reached, confidence, None, timer.timings_ms, self.hashes())
        if reached is None or not reached.routes or confidence < options.min_confidence:
            return outcome.refusal(why_not(self.pack, reached))
        with timer.stage("retrieve"):
            ways = [walk for route in reached.routes for walk in route.walks]
            outcome = replace(outcome, evidence=gather(self.pack, ways, options.top_k))
        return self._read(outcome, timer)

    def understand(self, question: Question, options: AskOptions) -> Reached | None:
        """Link, plan and follow without reading or refusing: what calibration looks at."""
        return self._understand(question, options, Timer())

    def _understand(self, question: Question, options: AskOptions, timer: Timer) -> Reached | None:
        """The best (seed, plan) pair; close names are tried when exact ones do not answer well."""
        if options.entity is not None:
            mention = self._linker.seed_for(options.entity, question)
            if not mention.seeds:
                raise UsageError(f"--entity {options.entity!r}: no such entity; try 'kgask pack search'")
            return self._best(question, [mention], options, timer)
        with timer.stage("link"):
            mentions = self._linker.link(question)
        best = self._best(question, mentions, options, timer)
        if self._confidence(best) < max(options.min_confidence, MIN_CONFIDENCE):
            with timer.stage("link"):
                close = self._linker.link_tolerantly(question)
            other = self._best(question, close, options, timer)
            if best is None or self._confidence(other) > self._confidence(best):
                return other
        return best

    def _confidence(self, reached: Reached | None) -> float:
        """Calibrated probability that the best route is the answer; 0 when there is none."""
        if reached is None or not reached.routes:
            return 0.0
        return calibrated(self.planner.card.calibration, features(reached))

    def _best(
        self, question: Question, mentions: list[Mention], options: AskOptions, timer: Timer
    ) -> Reached | None:
        """Plan every reading of the mentions in one batch; the best pair of link and plan wins."""
        if not mentions:
            return None
        with timer.stage("plan"):
            branches = self._plan(question, mentions)
        with timer.stage("retrieve"):
            return self._best_pair(mentions, branches, options)

    def _best_pair(self, mentions: list[Mention], branches: list[Branch], options: AskOptions) -> Reached:
        """Walk from the likeliest pairs first; a pair that cannot win is not walked.

        No walk can be more probable than its first step, so the link's score
        and the first hop's probability over what the seed has bound a pair.
        """
        pairs = []
        for mention, branch in zip(mentions, branches, strict=True):
            for seed in mention.seeds:
                has = relations_of(self.pack, np.array([seed.entity]))
                bound = seed.score**LINK_WEIGHT * float(branch.relation_probs[0][has].sum())
                pairs.append((bound, seed.score, mention, branch, seed))
        pairs.sort(key=lambda pair: (-pair[0], -pair[1]))
        best: Reached | None = None
        for bound, _, mention, branch, seed in pairs:
            if best is not None and best.score >= bound:
                break
            ways = routes(self.pack, branch, [seed.entity], options.hops, options.keep_seed)
            asked = int(np.argmax(branch.relation_probs[0]))
            reached = Reached(seed, mention, branch, ways, asked)
            if best is None or reached.score > best.score:
                best = reached
        return best

    def _plan(self, question: Question, mentions: list[Mention]) -> list[Branch]:
        texts = [mask_mention(question.text, mention.span) for mention in mentions]
        first_mask = np.stack(
            [relations_of(self.pack, np.array([s.entity for s in m.seeds])) for m in mentions]
        )
        plan = self.planner.plan(texts, self._relations, first_mask)
        return [
            Branch(mention.seeds, plan.relation_probs[i], plan.stop_probs[i]) for i, mention in enumerate(mentions)
        ]

    # --- read -----------------------------------------------------------------------------

    def _read(self, outcome: Outcome, timer: Timer) -> Answer:
        routes_found, evidence = outcome.reached.routes, outcome.evidence
        route, notes = routes_found[0], ()
        if self.reader is not None:
            with timer.stage("read"):
                reading = self.reader.read(outcome.question, evidence, self.pack)
            # Plan and reader are both probabilities; where they disagree, the surer one decides. Measured on
            # MetaQA dev: of 7 refusals against a plan above the threshold, 6 refused a right answer.
            if reading.abstained and reading.prob > outcome.confidence:
                return outcome.refusal(reading.text)
            if reading.abstained:
                notes = ("the reader does not confirm this answer; the plan is surer than it",)
            else:
                route = chosen_route(routes_found, reading)
        entities = self._ordered(route, evidence)
        with timer.stage("trace"):
            support = trace_route(self.pack, route, np.asarray(entities))
        with timer.stage("names"):
            return outcome.answer(entities, support, notes)

    def _ordered(self, route: Route, evidence: Evidence) -> list[EntityId]:
        """The whole answer set of the route, best first: ``top_k`` never cuts it."""
        wanted = set(route.answers.tolist())
        return [candidate.entity for candidate in evidence.candidates if candidate.entity in wanted]

    def hashes(self) -> dict[str, str]:
        """Of what the answers come from: pack, planner, reader."""
        found = {"pack": self.pack.content_hash, "model": self.planner.card.hash}
        reader_hash = getattr(self.reader, "hash", None)
        return found | ({"reader": reader_hash} if reader_hash else {})


def chosen_route(ways: list[Route], reading: Reading) -> Route:
    """The most probable route that ends at something the reader named.

    The answer is that route's whole end: the reader sees ``top_k`` triples a
    hop, the answer set may be larger. So the reader can turn the plan's first
    choice down, but not widen it with the end of an improbable route.
    """
    wanted = set(reading.entities)
    return min(ways, key=lambda route: wanted.isdisjoint(route.answers.tolist()))


@contextmanager
def sound(pack: Pack) -> Iterator[None]:
    """Arrays that opening cannot check (it does not read them) fail here: say so, and what to type."""
    try:
        yield
    except (IndexError, ValueError, OverflowError, MemoryError) as error:
        raise PackError(f"{pack.path}: damaged ({error}); run: kgask pack check {pack.path}") from error


def checked_question(text: str) -> str:
    """The question on one line; :class:`UsageError` when empty, overlong, or not text."""
    line = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    if not line:
        raise UsageError("the question is empty")
    if len(line) > MAX_QUESTION_CHARS:
        raise UsageError(f"the question has {len(line)} characters, {MAX_QUESTION_CHARS} is the most")
    return line


def load_reader(path: Path) -> Reader:
    """The reader in a model folder, or any GGUF file."""
    from kgask.read.llama_reader import LlamaReader  # llama.cpp is loaded only when something is read

    if not path.exists():
        raise ModelError(f"{path}: no such reader")
    return LlamaReader.load(path)
