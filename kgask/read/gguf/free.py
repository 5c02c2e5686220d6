"""A reader that writes freely (the papers' setting): its text is matched back to the candidates.

Nothing it writes is an answer by itself. What names a candidate becomes one, with the triples that lead
to it; the rest is kept beside the answer as unverified (:mod:`kgask.read.gguf.matching`).
"""

from __future__ import annotations

import codecs
import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from kgask.errors import ModelError
from kgask.read.gguf.decode import Greedy, decode
from kgask.read.gguf.matching import match
from kgask.read.gguf.prompts import PromptForm
from kgask.read.gguf.reader import ForeignReader, Shown
from kgask.read.protocol import Capabilities, NamedGraph, Preview, Reader
from kgask.read.reply import NO_LINES, abstain
from kgask.types import Evidence, Question, Reading

MAX_TOKENS = 128
NOTHING_MATCHES = "nothing that the reader wrote is an answer that was retrieved"
DOES_NOT_KNOW = "the reader says that it does not know"
# What ends a reply of a model without a chat format: it would go on with a question of its own.
_PLAIN_ENDS = ("\n\n", "\nQuestion:", "\nFacts:")
_CITED = re.compile(r"\[(\d{1,3})\]")


@dataclass(frozen=True, slots=True)
class Writing:
    """How a reader writes: ``temperature`` 0 is greedy; the same ``rng_seed`` writes the same text again."""

    max_tokens: int = MAX_TOKENS
    temperature: float = 0.0
    rng_seed: int = 0


class FreeReader:
    """A foreign reader without the constraint; see :class:`kgask.read.protocol.Reader`.

    ``on_text`` is given the text piece by piece as it is written, raw: it is untrusted.
    """

    def __init__(self, reader: ForeignReader, writing: Writing, on_text: Callable[[str], None] | None = None):
        self._reader, self._writing, self._on_text = reader, writing, on_text
        self.hash, self.card = reader.hash, reader.card

    @classmethod
    def of(cls, reader: Reader | None, writing: Writing, on_text: Callable[[str], None] | None = None) -> FreeReader:
        """Raises ModelError for a reader that cannot write: ours points at facts."""
        model = reader.language_model if reader is not None else None
        if not isinstance(model, ForeignReader):
            raise ModelError(
                "--free needs a language model, and the shipped reader only points at facts; name one: "
                "--reader FILE.gguf ('kgask models list' shows what there is)"
            )
        return cls(model, writing, on_text)

    @property
    def capabilities(self) -> Capabilities:
        """Facts are needed where the prompt shows any; without, a question that the plan cannot answer is asked too."""
        needs_facts = self.form.has_facts or self.form.has_passages
        return Capabilities(writes_freely=True, promptable=True, needs_facts=needs_facts, reads_passages=True)

    @property
    def language_model(self) -> ForeignReader:
        """The reader behind it, for methods that ask it other things."""
        return self._reader

    @property
    def form(self) -> PromptForm:
        """The prompt that it gets."""
        return self._reader.form

    @property
    def runs_on(self) -> str:
        """Threads and layers on a GPU."""
        return self._reader.runs_on

    @property
    def note(self) -> str:
        """For --verbose."""
        how = f"temperature {self._writing.temperature:g}" if self._writing.temperature else "greedy"
        return f"the reader writes freely, {how}, at most {self._writing.max_tokens} tokens"

    def use_prompt(self, form: PromptForm) -> None:
        """Ask in this form from now on."""
        self._reader.use_prompt(form)

    def close(self) -> None:
        """Free the model."""
        self._reader.close()

    def read(self, question: Question, evidence: Evidence, graph: NamedGraph) -> Reading:
        """What the reader writes, and which candidates of the evidence it names."""
        lines = self._reader.lines(evidence, graph)
        if self.capabilities.needs_facts and not lines and not evidence.passages:
            return abstain(NO_LINES)
        shown = self._reader.fit(question, evidence, lines, lambda _lines: self._writing.max_tokens)
        text, log_prob = self._write(shown)
        matched = match(_without_numbers(text, shown), question.text, evidence.candidates, graph)
        named = frozenset(matched.entities)
        cited = tuple(number for number, line in zip(shown.numbers, shown.lines, strict=True) if line.end_id in named)
        says = " | ".join(graph.labels(matched.entities)) or (DOES_NOT_KNOW if matched.refused else NOTHING_MATCHES)
        return Reading(
            says, cited, not named, matched.entities, math.exp(log_prob),
            written=text, unverified=matched.unverified,
        )  # fmt: skip

    def preview(self, question: Question, evidence: Evidence, graph: NamedGraph) -> Preview:
        """The prompt for this evidence."""
        return self._reader.preview(question, evidence, graph, self._writing.max_tokens)

    def _write(self, shown: Shown) -> tuple[str, float]:
        """The text and its log-probability; ``on_text`` sees it grow."""
        ends = _PLAIN_ENDS if self._reader.style.plain else ()
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
        engine, writing = self._reader.engine, self._writing
        self._reader.warm(shown.filled, writing.max_tokens)
        chooser = Greedy(engine, writing.temperature, writing.rng_seed)
        for token, log_prob in decode(engine, shown.filled.tokens, chooser, writing.max_tokens):
            yield engine.piece(token), log_prob


def _without_numbers(text: str, shown: Shown) -> str:
    """Line numbers are no names; a reply of numbers alone means the ends of those lines."""
    bare = _CITED.sub(" ", text)
    numbers: Sequence[int] = [int(number) for number in _CITED.findall(text)]
    if not numbers or re.search(r"\w", bare):
        return bare
    return "\n".join(shown.lines[number - 1].end for number in numbers if 1 <= number <= len(shown.lines))
