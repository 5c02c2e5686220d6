"""Link, retrieve, read, fuse, compose: the one order of stages for every retriever, and the only file that knows it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from kgask import config
from kgask.answer.called import NAMED, Names, asked_as_called
from kgask.answer.compose import Composer
from kgask.answer.fuse import Fusion, Weighing, without_marks
from kgask.answer.interpret import Interpreter
from kgask.answer.judging import ClaimJudging, Judging, may_be_judged, settled
from kgask.answer.misread import is_misread
from kgask.answer.parts import Given, answers_of, may_be_several, split_question, together
from kgask.answer.placed import otherwise
from kgask.answer.request import CONTEXTS, AskOptions, Settled, checked_question
from kgask.answer.result import Answer
from kgask.errors import FallbackWarning, NativeError, UsageError
from kgask.link.asked import read_question
from kgask.link.linker import Linker
from kgask.methods.left_out import without_left_out
from kgask.methods.protocol import Request, Retrieved, Retriever, Timer
from kgask.methods.query_judge import QueryJudge, opened_judge
from kgask.methods.registry import NO_TRIPLES, MethodOptions, make_method
from kgask.methods.rigel import Rigel
from kgask.pack.store import Pack
from kgask.plan.card import MIN_CONFIDENCE
from kgask.plan.protocol import Planner
from kgask.plan.rigel_onnx import RigelPlanner
from kgask.read.load import opened_reader
from kgask.read.protocol import Reader
from kgask.remote.folder import open_pack
from kgask.types import PLANNED, Evidence, Passage, Question, Stage
from kgask.verbalise import walked_ends

if TYPE_CHECKING:
    from kgask.methods.passages import PassageFinder

READ_FROM = 0.05  # plans below this confidence are not read: no reader that was measured saves them
CHUNK = 64  # questions that are retrieved for together
NO_EVIDENCE = Evidence((), (), False)


@dataclass(slots=True)
class Pipeline:
    """A pack with its planner, a retriever (None: the planner itself) and perhaps a reader; not for several threads."""

    pack: Pack
    planner: Planner
    reader: Reader | None
    notes: tuple[str, ...] = ()  # which hardware is used, for --verbose
    retriever: Retriever = field(default=None)  # type: ignore[assignment]  # set below: no later code sees None
    passages: PassageFinder | None = None  # where the reader sees texts too
    judge: QueryJudge | None = None  # tells which query is meant; of the planner's own retriever
    _rigel: Rigel = field(init=False)
    linker: Linker = field(init=False)
    _weighing: Weighing | None = field(init=False)  # what the reader's word counts; None where that is not known
    _judging: Judging | None = field(init=False)  # what the judge's does
    _of_claims: ClaimJudging | None = field(init=False)  # and on what a claim says
    views: dict[Names, Pipeline] = field(init=False, default_factory=dict)  # the same with relations called otherwise

    def __post_init__(self) -> None:
        self._weighing = Weighing.of(self.reader.card if self.reader is not None else None)
        card = self.judge.card if self.judge is not None else None
        self._judging, self._of_claims = Judging.of(card), ClaimJudging.of(card)
        self._rigel = Rigel(self.planner)
        self._rigel.prepare(self.pack)
        self.linker = Linker(self.pack, self.planner.question_words(), self._rigel.link_model)
        self.retriever = self.retriever or self._rigel

    @classmethod
    def open(
        cls,
        pack: str | None = None,
        *,
        model: str | None = None,
        judge: str | None = "",
        reader: str | None = "",
        method: str | None = None,
        prompt: str | None = None,
        context: str = CONTEXTS[0],
        settings: dict[str, Any] | None = None,
        must_read: bool = False,
        **method_options: Any,
    ) -> Self:
        """Open by name or path; what is not given comes from the settings, then the shipped ones.

        ``judge=None`` takes the planner's own word for what is asked, ``reader=None`` answers without reading. So does
        a reader whose native code does not work here (a :class:`~kgask.errors.FallbackWarning` says so), unless
        ``must_read`` or what is asked for needs one. ``method`` is one of :data:`kgask.methods.registry.METHODS`,
        ``method_options`` are fields of :class:`~kgask.methods.registry.MethodOptions`. ``prompt`` is what another
        reader than kgask's is told (a name or a file: :func:`kgask.read.gguf.prompts.form_of`), ``context`` whether it
        sees triples, passages, or both. Raises :class:`~kgask.errors.PackError`, :class:`~kgask.errors.ModelError`
        (:class:`~kgask.errors.NativeError` of a reader that must read) or :class:`~kgask.errors.UsageError`.
        """
        settings = config.load_settings() if settings is None else settings
        pack_name = pack or str(settings.get("pack", config.DEFAULT_PACK))
        model_name = model or str(settings.get("model", config.DEFAULT_MODEL))
        opened = open_pack(config.find("pack", pack_name).path)
        planner = RigelPlanner.load(config.find("model", model_name).path)
        chosen = method or str(settings.get("method", PLANNED))
        must_read = must_read or prompt is not None or context != CONTEXTS[0] or chosen == NO_TRIPLES
        found = cls(opened, planner, None, (planner.note,), judge=opened_judge(judge, settings))
        if reader is not None:
            found._use_reader(reader, prompt, settings, must_read)
        wanted = MethodOptions.of(settings, **method_options)
        if chosen != PLANNED:
            found.retriever = make_method(chosen, wanted, found.reader, partial(found._rigel.branch, opened))
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
        from kgask.methods.baselines import NoKnowledge
        from kgask.methods.passages import PassageFinder
        from kgask.methods.text_encoder import TextEncoder

        if self.reader is None or not self.reader.capabilities.reads_passages:
            raise UsageError(f"--context {context} needs a language model; name one: --reader FILE.gguf")
        if not prompted:
            from kgask.read.gguf.prompts import NAMED

            self.reader.use_prompt(NAMED[f"ltgen-{context}"])
        self.passages = PassageFinder(self.pack, TextEncoder.load(config.find("model", encoder).path))
        if context == "passages":
            self.retriever = NoKnowledge()

    @property
    def min_confidence(self) -> float:
        """The threshold that applies where none is asked for: of the judge's card, the reader's, or the planner's."""
        weighing = self._weighing if self.reader is not None else None
        fitted = (self._judging if self.judges else None) or weighing
        return fitted.min_confidence if fitted else self.planner.card.min_confidence

    def read_always(self) -> None:
        """Have the reader asked whatever the plan says, as when it is tried."""
        if self._weighing is not None:
            self._weighing = replace(self._weighing, margin=None)
        if self._judging is not None:
            self._judging = replace(self._judging, margin=None)

    def _least(self, options: AskOptions) -> float:
        return self.min_confidence if options.min_confidence is None else options.min_confidence

    def close(self) -> None:
        self.pack.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- ask ------------------------------------------------------------------------------

    def ask(self, text: str, options: AskOptions | None = None, **overrides: Any) -> Answer:
        """Answer one question; ``[...]`` in it marks a mention.

        ``overrides`` are fields of :class:`AskOptions`. Raises
        :class:`~kgask.errors.UsageError` for an empty or an overlong question, several questions,
        or an ``entity`` that the pack does not have.
        """
        if not isinstance(text, str):
            raise UsageError("ask takes one question, a text; for several use ask_many([...])")
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
        n = len(texts)
        asked = zip(texts, entities or [options.entity] * n, exact_hops or [None] * n, strict=True)
        requests = [Request(self._question(text), entity, hops) for text, entity, hops in asked]
        answers: dict[int, Answer] = {}
        for row, request in enumerate(requests):
            parts = self._parts(request)
            if len(parts) > 1:
                answers[row] = self._in_parts(request, parts, options)
        by_length = sorted({*range(n)}.difference(answers), key=lambda row: len(requests[row].question.text))
        for start in range(0, len(by_length), CHUNK):
            rows = by_length[start : start + CHUNK]
            answers |= zip(rows, self._ask_chunk([requests[row] for row in rows], options), strict=True)

        def ask(text: str) -> Answer:
            return self.ask_given(self._question(text), (), options)

        return [otherwise(requests[row], answers[row], self.linker, self.pack, ask) for row in range(n)]

    def _question(self, text: str) -> Question:
        return read_question(checked_question(text), self.linker, self.planner.is_word)

    def _parts(self, request: Request) -> list[str]:
        """The questions of a request, which is most often one; who says what is meant asks one."""
        question = request.question
        if request.entity is not None or request.exact_hops or question.marks or not may_be_several(question.text):
            return [question.text]
        named = [one.span for one in self.linker.link(question) if one.seeds[0].score >= NAMED]
        return split_question(question.text, named)

    def _in_parts(self, request: Request, parts: list[str], options: AskOptions) -> Answer:
        n_things = self.pack.n_entities - self.pack.n_literals
        answers = answers_of(parts, lambda text, given: self.ask_given(Question(text), given, options), n_things)
        return together(request.question.asked or request.question.text, answers)

    def ask_given(self, question: Question, given: tuple[Given, ...], options: AskOptions) -> Answer:
        """As :meth:`ask`, of one question some characters of which are known to name these entities."""
        return self._ask_chunk([Request(question, given=given)], options)[0]

    def _ask_chunk(self, requests: Sequence[Request], options: AskOptions) -> list[Answer]:
        found = self.pack.complete(partial(self._answers, requests, options))
        return [answer.sourced(self.pack.source) for answer in found]

    def _answers(self, requests: Sequence[Request], options: AskOptions) -> list[Answer]:
        timed = [replace(request, timer=Timer()) for request in requests]  # the last run of a graph elsewhere counts
        found = self._interpret(timed, options)
        answers = [self._answer(*one, options) for one in zip(timed, found, strict=True)]
        return [asked_as_called(self, *one, options) for one in zip(timed, found, answers, strict=True)]

    def understand(self, question: Question, options: AskOptions) -> Retrieved:
        """Link and retrieve without reading or refusing: what calibration looks at."""
        return self.understand_many([question], options)[0]

    def understand_many(self, questions: Sequence[Question], options: AskOptions) -> list[Retrieved]:
        """As :meth:`understand`; the questions are planned together, so give some dozens, of similar length."""
        return self._interpret([Request(question, options.entity) for question in questions], options)

    def settle(
        self, texts: Sequence[str], options: AskOptions, first: Callable[[Retrieved, str], Retrieved]
    ) -> list[Settled]:
        """What each question is taken to ask, names and judge heard but nothing read.

        ``first`` narrows what it may ask before the judge chooses: to what comes to yes or no, say.
        """
        requests = [Request(self._question(text), is_claim=True) for text in texts]
        settled_so = []
        for request, found in zip(requests, self._interpret(requests, options), strict=True):
            found = self._judged(request, first(found, request.question.text))
            composer = replace(self._composer(request, options), found=found)
            refused = self._misnamed(request, found, composer)
            reason = refused.reason if refused is not None else None
            is_unknown = reason is not None and composer.names_unknown
            settled_so.append(Settled(found, request.question.text, reason, is_unknown))
        return settled_so

    def refused(self, text: str, reason: str, died_at: Stage | None = None) -> Answer:
        """The answer to what cannot be asked at all."""
        refusal = self._composer(Request(Question(text)), AskOptions()).refusal("link", reason, helps=False)
        return replace(refusal, died_at=died_at)

    def _interpret(self, requests: Sequence[Request], options: AskOptions) -> list[Retrieved]:
        interpreter = Interpreter(self.pack, self.linker, self.retriever)
        scope = options.scope(self.retriever.default_hops)
        return interpreter.interpret(requests, scope, max(self._least(options), MIN_CONFIDENCE))

    def _answer(self, request: Request, found: Retrieved, options: AskOptions) -> Answer:
        """From what was retrieved for a request to its answer."""
        found = without_left_out(self._judged(request, found), request.question.text, self.pack)
        timer, calibrated = request.timer, self.retriever.calibrated
        composer = replace(self._composer(request, options), found=found)
        fusion = Fusion(self.pack, calibrated, self._weighing, self._least(options))
        if (refused := self._misnamed(request, found, composer)) is not None:
            return refused
        with timer.stage("retrieve"):
            evidence = self._evidence(request, found, options)
        reader = self.reader
        if evidence is None:
            refusal = composer.unanswered()
            if reader is None or reader.capabilities.needs_facts or not calibrated:
                return refusal
            # A free reader without facts answers anyway; nothing stands behind what it writes.
            reading = reader.read(request.question, NO_EVIDENCE, self.pack)
            return replace(refusal, written=reading.written, unverified=reading.unverified)
        composer = replace(composer, evidence=evidence)
        if reader is None or not self._reads(found, options):
            verdict = fusion.unread(found, evidence, timer)
        else:
            marked = calibrated or not reader.capabilities.judges_lines
            with timer.stage("read"):
                reading = reader.read(request.question, evidence if marked else without_marks(evidence), self.pack)
            verdict = fusion.read(found, evidence, reading, timer)
        with timer.stage("names"):
            told = () if calibrated else self._telling(evidence, verdict.entities)
            return composer.compose(verdict, told)

    def _misnamed(self, request: Request, found: Retrieved, composer: Composer) -> Answer | None:
        """The refusal where a name of the question is unclear or nobody's, or a word that chooses is not honoured."""
        if self.retriever.calibrated and found.hypotheses and composer.has_unclear_name:
            return composer.unanswered()
        if found.hypotheses and self._needs_facts and composer.has_stranger:
            return composer.unanswered()
        words = self._unhonoured(request, found)
        return composer.refusal("plan", "", found.confidence, words) if words else None

    @property
    def judges(self) -> bool:
        """Whether a judge says which of several queries is meant."""
        return self.judge is not None and self.retriever is self._rigel

    def _judged(self, request: Request, found: Retrieved) -> Retrieved:
        """The same, or what else is asked for where the judge says so; of a claim, in a small graph, it always does."""
        judge, judging = self.judge, (self._of_claims if request.is_claim else None) or self._judging
        if not request.is_claim and is_misread(found, request.question.text, self.pack):
            found = replace(found, confidence=0.0)
        if not self.judges or not judge or not judging or not may_be_judged(found, self.pack):
            return found
        with request.timer.stage("judge"):
            return settled(found, request.question.text, judge, judging, self.pack, request.is_claim)

    @property
    def _needs_facts(self) -> bool:
        """Whether nothing is answered without facts: only a reader that writes freely may do that."""
        return self.retriever.calibrated and (self.reader is None or self.reader.capabilities.needs_facts)

    def _unhonoured(self, request: Request, found: Retrieved) -> tuple[str, ...]:
        """Words that choose among what was found, or say more than it does, and that it does not honour."""
        if self.retriever is not self._rigel:
            return ()
        words = tuple(self.linker.words(request.question))
        return self._rigel.unhonoured(replace(request, words=words), found, self.pack)

    def _evidence(self, request: Request, found: Retrieved, options: AskOptions) -> Evidence | None:
        """What the reader is shown, passages among it; None where nothing is worth reading."""
        retriever, scope = self.retriever, options.scope(self.retriever.default_hops)
        if found.failed:
            return None
        if retriever.calibrated:
            reads = self._weighing is not None and self._reads(found, options)
            least = min(READ_FROM, self._least(options)) if reads else self._least(options)
            if not found.hypotheses or found.confidence < least:
                return None
        if found.is_derived:
            return NO_EVIDENCE
        evidence = retriever.evidence(found, self.pack, scope)
        if self.passages is not None:
            evidence = self.passages.beside(evidence, request.question, found.seeds, answers=not retriever.calibrated)
        needs_facts = self.reader is None or self.reader.capabilities.needs_facts
        return evidence if evidence.triples or evidence.passages or not needs_facts else None

    def _reads(self, found: Retrieved, options: AskOptions) -> bool:
        """Whether the reader is asked: not where its card says that it cannot change what is printed."""
        # The confidence of what was judged is not what its word was weighed beside.
        if self.reader is None or found.is_derived or (found.is_judged and self._weighing is not None):
            return False
        if self._weighing is None or not self.retriever.calibrated:
            return True
        return self._weighing.is_asked(found.confidence, self._least(options))

    def _telling(self, evidence: Evidence, entities: Sequence[int]) -> tuple[Passage, ...]:
        """The passages that name what no triple proves."""
        if self.passages is None:
            return ()
        ends = walked_ends(evidence.triples, self.pack)[2].tolist()
        return self.passages.telling(evidence.passages, {*entities}.difference(ends))

    def _composer(self, request: Request, options: AskOptions) -> Composer:
        return Composer(
            self.pack, request, self.retriever.name, self.hashes(), self._least(options),
            explain=options.explain, tells_readings=options.readings, tells_query=options.query,
            free=self.reader is not None and self.reader.capabilities.writes_freely, linker=self.linker,
        )  # fmt: skip

    def hashes(self) -> dict[str, str]:
        """Of what the answers come from: pack, planner, judge, reader, and a method's own model."""
        found = {"pack": self.pack.content_hash, "model": self.planner.card.hash}
        more = {"judge": self.judge.hash if self.judge is not None and self.judges else None}
        more |= {"reader": self.reader.hash if self.reader is not None else None, "method": self.retriever.hash}
        return found | {name: value for name, value in more.items() if value}
