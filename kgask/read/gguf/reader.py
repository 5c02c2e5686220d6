"""Reading with a language model: held to what was retrieved, or writing freely (the papers' setting).

Nothing that is written freely is an answer by itself. What names a candidate becomes one, with the triples that lead
to it; the rest is kept beside the answer as unverified (:mod:`kgask.read.gguf.matching`).
"""

from __future__ import annotations

import codecs
import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from kgask.errors import ModelError, UsageError
from kgask.pack.graph import Graph
from kgask.read.gguf.decode import Greedy, decode
from kgask.read.gguf.matching import match
from kgask.read.gguf.model import Filled, LanguageModel
from kgask.read.gguf.neutral import neutral
from kgask.read.gguf.prompts import DEFAULT_PROMPT, NAMED, PromptForm
from kgask.read.protocol import Capabilities, NamedGraph, Preview, Reader
from kgask.read.reply import NO_ANSWER_LINE, NO_LINES, Verbaliser, abstain, answer_reading, citable_lines
from kgask.types import Evidence, Question, Reading
from kgask.verbalise import Line

DRAFT_RATIO = 0.9  # lines whose answer scores this share of the best one are what the plan would cite
PASSAGE_CHARS = 1200  # a hundred words of any language
MAX_REPLY_TOKENS = 256  # kept free for a constrained reply; a longer one goes beyond the trained context
NOTHING_MATCHES = "nothing that the reader wrote is an answer that was retrieved"
DOES_NOT_KNOW = "the reader says that it does not know"
# What ends a reply of a model without a chat format: it would go on with a question of its own.
_PLAIN_ENDS = ("\n\n", "\nQuestion:", "\nFacts:")
_CITED = re.compile(r"\[(\d{1,3})\]")


@dataclass(frozen=True, slots=True)
class Shown:
    """A prompt with the lines that it shows."""

    filled: Filled
    lines: list[Line]
    numbers: list[int]  # the number of each in the evidence, 1-based, ascending
    cut: list[Line]


class ConstrainedReader:
    """A language model that can only cite lines, or say that it does not know: :class:`kgask.read.protocol.Reader`."""

    card = None

    def __init__(self, model: LanguageModel, file_hash: str, tried: str = "", form: PromptForm | None = None):
        self.language_model, self.engine, self.hash, self._tried = model, model.engine, file_hash, tried
        self.note = self.spoken = "; ".join(filter(None, (model.chat.origin, tried)))
        self._verbaliser = Verbaliser(neutral)
        self.use_prompt(form or NAMED[DEFAULT_PROMPT])

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(promptable=True, reads_passages=True)

    @property
    def runs_on(self) -> str:
        """Threads and layers on a GPU."""
        return self.engine.note

    @property
    def form(self) -> PromptForm:
        """The prompt that it gets."""
        return self.style.form

    def use_prompt(self, form: PromptForm) -> None:
        """Ask in this form from now on."""
        self.style = self.language_model.style(form)

    def close(self) -> None:
        """Free the model."""
        self.engine.close()

    def read(self, question: Question, evidence: Evidence, graph: NamedGraph) -> Reading:
        """Answer from the evidence's lines, or abstain with the reason as the text."""
        if not self.form.has_facts:
            raise UsageError(f"prompt {self.form.name!r} shows no facts, so nothing could be checked; add --free")
        lines = self.lines(evidence, graph)
        if not lines:
            return abstain(NO_LINES)
        if not citable_lines(evidence, lines):
            return abstain(NO_ANSWER_LINE)
        shown = self.fit(question, evidence, lines)
        citable = citable_lines(evidence, shown.lines)
        if not citable:
            return abstain(NO_ANSWER_LINE)
        self.language_model.warm(shown.filled, self.style.reply_room(shown.lines, citable))
        reply = self.style.reply(shown.filled.tokens, shown.lines, citable, planned_ends(evidence, shown.lines))
        cited = [shown.numbers[line - 1] for line in reply.lines]
        return answer_reading(cited, math.exp(reply.log_prob), evidence, lines, graph)

    def preview(self, question: Question, evidence: Evidence, graph: NamedGraph) -> Preview:
        """The prompt for this evidence; nothing is read."""
        shown = self.fit(question, evidence, self.lines(evidence, graph))
        filled, facts, cut = shown.filled, *(tuple(line.text() for line in lines) for lines in (shown.lines, shown.cut))
        return Preview(
            self.form.name, self.engine.text(filled.tokens), len(filled.tokens), filled.n_static,
            self.engine.n_ctx_train, facts, cut, self.spoken,
        )  # fmt: skip

    def lines(self, evidence: Evidence, graph: Graph) -> list[Line]:
        """The evidence as neutral text, at most 60 lines; none where the prompt shows no facts."""
        return self._verbaliser.lines(evidence, graph) if self.form.has_facts else []

    def fit(self, question: Question, evidence: Evidence, lines: list[Line]) -> Shown:
        """The prompt with as many lines as the model's context takes, the plan's best ones, in plan order.

        Passages give way first, the worst of them: the lines are what answers are made of.
        """
        texts = [neutral(one.text, PASSAGE_CHARS) for one in evidence.passages] if self.form.has_passages else []
        while True:
            found = self._fit_lines(question, evidence, lines, texts)
            if found is not None:
                return found
            if not texts:
                what, n_ctx = "one fact" if lines else "the question", self.engine.n_ctx_train
                raise ModelError(f"{self.engine.path}: its context of {n_ctx} tokens is too small for {what}")
            texts = texts[: len(texts) * 3 // 4]

    def _fit_lines(
        self, question: Question, evidence: Evidence, lines: list[Line], passages: Sequence[str]
    ) -> Shown | None:
        """None where not even one line (or the question, where there is none) fits beside the passages."""
        by_score = sorted(range(len(lines)), key=lambda index: -evidence.triples[index].score)

        def shown(count: int) -> Shown | None:
            kept = sorted(by_score[:count])
            chosen = [lines[index] for index in kept]
            filled = self.style.prompt(question.text, chosen, passages)
            if len(filled.tokens) + self._reply_room(evidence, chosen) > self.language_model.n_ctx:
                return None
            cut = [lines[index] for index in sorted(by_score[count:])]
            return Shown(filled, chosen, [index + 1 for index in kept], cut)

        best = shown(len(lines))
        fits, too_many = len(lines) if best else 0, len(lines)
        while too_many - fits > 1:
            middle = (fits + too_many) // 2
            tried = shown(middle)
            fits, too_many, best = (middle, too_many, tried) if tried else (fits, middle, best)
        return best

    def _reply_room(self, evidence: Evidence, lines: list[Line]) -> int:
        """Tokens that are kept free for the reply."""
        return min(MAX_REPLY_TOKENS, self.style.reply_room(lines, citable_lines(evidence, lines)))


def planned_ends(evidence: Evidence, lines: Sequence[Line]) -> list[int]:
    """1-based numbers of the lines that the plan itself would cite: those that end in its best answers."""
    scores = {candidate.entity: candidate.score for candidate in evidence.candidates}
    least = DRAFT_RATIO * max(scores.values(), default=0.0)
    return [number for number, line in enumerate(lines, start=1) if scores.get(line.end_id, -1.0) >= least]


# --- writing freely -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Writing:
    """How a reader writes: ``temperature`` 0 is greedy; the same ``rng_seed`` writes the same text again."""

    max_tokens: int = 128
    temperature: float = 0.0
    rng_seed: int = 0


class FreeReader(ConstrainedReader):
    """The same model without the constraint.

    ``on_text`` is given the text piece by piece as it is written, raw: it is untrusted.
    """

    def __init__(self, reader: ConstrainedReader, writing: Writing, on_text: Callable[[str], None] | None = None):
        super().__init__(reader.language_model, reader.hash, reader._tried, reader.form)
        self._writing, self._on_text = writing, on_text
        how = f"temperature {writing.temperature:g}" if writing.temperature else "greedy"
        self.note = f"the reader writes freely, {how}, at most {writing.max_tokens} tokens"

    @classmethod
    def of(cls, reader: Reader | None, writing: Writing, on_text: Callable[[str], None] | None = None) -> FreeReader:
        """Raises ModelError for a reader that cannot write: ours points at facts."""
        if not isinstance(reader, ConstrainedReader):
            raise ModelError(
                "--free needs a language model, and the shipped reader only points at facts; name one: "
                "--reader FILE.gguf ('kgask models list' shows what there is)"
            )
        return cls(reader, writing, on_text)

    @property
    def capabilities(self) -> Capabilities:
        """Facts are needed where the prompt shows any; without, a question that the plan cannot answer is asked too."""
        needs_facts = self.form.has_facts or self.form.has_passages
        return Capabilities(writes_freely=True, promptable=True, needs_facts=needs_facts, reads_passages=True)

    def read(self, question: Question, evidence: Evidence, graph: NamedGraph) -> Reading:
        """What the reader writes, and which candidates of the evidence it names."""
        lines = self.lines(evidence, graph)
        if self.capabilities.needs_facts and not lines and not evidence.passages:
            return abstain(NO_LINES)
        shown = self.fit(question, evidence, lines)
        text, log_prob = self._write(shown)
        matched = match(_without_numbers(text, shown), question.text, evidence.candidates, graph)
        named = frozenset(matched.entities)
        cited = tuple(number for number, line in zip(shown.numbers, shown.lines, strict=True) if line.end_id in named)
        says = " | ".join(graph.labels(matched.entities)) or (DOES_NOT_KNOW if matched.refused else NOTHING_MATCHES)
        return Reading(
            says, cited, not named, matched.entities, math.exp(log_prob),
            written=text, unverified=matched.unverified,
        )  # fmt: skip

    def _reply_room(self, evidence: Evidence, lines: list[Line]) -> int:
        return self._writing.max_tokens

    def _write(self, shown: Shown) -> tuple[str, float]:
        """The text and its log-probability; ``on_text`` sees it grow."""
        ends = _PLAIN_ENDS if self.language_model.chat.plain else ()
        decoder, told = codecs.getincrementaldecoder("utf-8")("replace"), 0
        text, log_prob = "", 0.0
        for piece, gained in self._pieces(shown):
            text, log_prob = text + decoder.decode(piece), log_prob + gained
            begins = len(text) - len(text.lstrip())
            ended = [at for at in (text.find(end, begins) for end in ends) if at >= 0]
            if ended:
                text = text[: min(ended)]
                break
            told = self._tell(text, told, max(map(len, ends), default=0))
        else:
            text += decoder.decode(b"", final=True)
        self._tell(text, told, 0)
        return text.strip(), log_prob

    def _tell(self, text: str, told: int, held_back: int) -> int:
        """Hand on what is new, but not yet what may turn out to be an end; how much has been told."""
        sure = max(told, len(text) - held_back)
        if self._on_text is not None and sure > told:
            self._on_text(text[told:sure])
        return sure

    def _pieces(self, shown: Shown) -> Iterator[tuple[bytes, float]]:
        """Bytes and log-probability of one token after another, until one ends the reply."""
        writing = self._writing
        self.language_model.warm(shown.filled, writing.max_tokens)
        chooser = Greedy(self.engine, writing.temperature, writing.rng_seed)
        for token, log_prob in decode(self.engine, shown.filled.tokens, chooser, writing.max_tokens):
            yield self.engine.piece(token), log_prob


def _without_numbers(text: str, shown: Shown) -> str:
    """Line numbers are no names; a reply of numbers alone means the ends of those lines."""
    bare = _CITED.sub(" ", text)
    numbers = [int(number) for number in _CITED.findall(text)]
    if not numbers or re.search(r"\w", bare):
        return bare
    return "\n".join(shown.lines[number - 1].end for number in numbers if 1 <= number <= len(shown.lines))
