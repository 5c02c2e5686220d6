"""Reading with our own small reader; and which reader a file is.

Our own is recognised by its card (a folder with ``model.json``) or by its
metadata; every other file is a :class:`kgask.read.gguf.reader.ForeignReader`.
Both say only what was retrieved.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kgask.config import AUTO, MODEL_CARD
from kgask.errors import ModelError, UsageError
from kgask.pack.graph import Graph
from kgask.pack.labels import clean_label
from kgask.read.cross_encoder import prompt as forms
from kgask.read.cross_encoder.engine import EncoderEngine
from kgask.read.cross_encoder.prompt import MAX_LINES, PromptLine
from kgask.read.cross_encoder.style import OwnStyle
from kgask.read.cross_encoder.verdicts import Judged
from kgask.read.files.card import (
    check_file,
    is_added,
    read_card,
    verdict_weights,
)
from kgask.read.files.probe import Run, usable
from kgask.read.gguf.header import FORMAT_KEY
from kgask.read.protocol import Capabilities, Preview
from kgask.read.reply import (
    NO_ANSWER_LINE,
    NO_LINES,
    Reply,
    abstain,
    answer_reading,
    citable_lines,
)
from kgask.types import Evidence, Question, Reading
from kgask.verbalise import Line, relation_words, verbalise

if TYPE_CHECKING:
    from kgask.read.gguf.prompts import PromptForm
    from kgask.read.gguf.reader import ForeignReader

ONE_PROMPT = "the shipped reader has one prompt, its own"


class LlamaReader:
    """A loaded reader; see :class:`kgask.read.protocol.Reader`."""

    capabilities = Capabilities(judges_lines=True)
    form = None
    language_model = None

    def __init__(
        self,
        engine: EncoderEngine,
        style: OwnStyle,
        file_hash: str,
        card: dict[str, Any] | None = None,
        note: str = "",
    ):
        self.engine, self._style, self.card = engine, style, card
        self.hash = file_hash  # which weights these are
        self.note = "; ".join(filter(None, (style.note, note)))  # which prompt is used, what was tried: for --verbose
        self._words: tuple[Graph, list[tuple[str, str]]] | None = None

    @classmethod
    def load(
        cls, path: str | Path, *, n_threads: int | None = None, gpu_layers: int | str = AUTO
    ) -> LlamaReader | ForeignReader:
        """Load a reader folder (with its card) or a ``.gguf`` file: ours, or any other.

        Raises ModelError, one line, for whatever cannot be used.
        """
        path = Path(path)
        if (path / MODEL_CARD).is_file() and not is_added(path):
            card = read_card(path)
            check_file(card)
            run = Run.own(card.file, n_threads, gpu_layers)
            note = run.trial(card.sha256, card.n_bytes).pass_once()
            engine = run.open()
            return cls(engine, OwnStyle(engine, *verdict_weights(card)), card.sha256, card.content, note)
        weights = usable(path, n_threads, gpu_layers)
        own = weights.header.metadata.get(FORMAT_KEY)
        if own is not None and own != forms.PROMPT_FORMAT:
            raise ModelError(f"{path}: a kgask reader of prompt format {own}; this version reads {forms.PROMPT_FORMAT}")
        engine = weights.run.open()
        if own is not None:
            return cls(engine, OwnStyle(engine), weights.hash, note=weights.note)
        # Only a file that is not ours needs these: our own reader is loaded for every question.
        from kgask.read.files.prefix_cache import PrefixCache, model_key
        from kgask.read.gguf.reader import ForeignReader
        from kgask.read.gguf.style import ForeignStyle

        cache = PrefixCache(engine, model_key(weights.file, weights.hash))
        return ForeignReader(engine, ForeignStyle(engine, weights.header), weights.hash, cache, weights.note)

    @property
    def runs_on(self) -> str:
        """Threads and layers on a GPU."""
        return self.engine.note

    def close(self) -> None:
        """Free the model."""
        self.engine.close()

    def use_prompt(self, form: PromptForm) -> None:
        """Raises UsageError: the prompt is what this reader was trained on."""
        raise UsageError(f"--prompt {form.name} is for other models; {ONE_PROMPT}; name one: --reader FILE.gguf")

    def preview(self, question: Question, evidence: Evidence, graph: Graph) -> Preview:
        """The prompt for this evidence, control tokens by name."""

        lines = verbalise(evidence.triples[:MAX_LINES], graph, self._relation_words(graph))
        marked = mark_lines(evidence, lines)
        asked = clean_label(question.text, forms.QUESTION_CHARS)
        tokens, n_shown = self._fit(asked, marked) if lines else (self.prompt_tokens(asked, []), 0)
        text = "".join(piece.text for piece in forms.reader_pieces(asked, marked[:n_shown]))
        texts = [line.text() for line in lines]
        shown, cut = tuple(texts[:n_shown]), tuple(texts[n_shown:])
        return Preview("reader", text, len(tokens), 0, self.engine.n_ctx_train, shown, cut, self.note)

    def read(self, question: Question, evidence: Evidence, graph: Graph) -> Reading:
        """Answer from the evidence's lines, or abstain with the reason as the text.

        Only the first 60 lines are shown, and fewer when the model's context is too small for them.
        """
        lines = verbalise(evidence.triples[:MAX_LINES], graph, self._relation_words(graph))
        if not lines:
            return abstain(NO_LINES)
        citable = citable_lines(evidence, lines)
        if not citable:
            return abstain(NO_ANSWER_LINE)
        marked = mark_lines(evidence, lines)
        tokens, n_shown = self._fit(clean_label(question.text, forms.QUESTION_CHARS), marked)
        shown = [number for number in citable if number <= n_shown]
        if not shown:
            return abstain(NO_ANSWER_LINE)
        reply = self.reply(tokens, marked[:n_shown], shown)
        reading = answer_reading(reply.lines, math.exp(reply.log_prob), evidence, lines, graph)
        return replace(reading, line_probs=reply.line_probs)

    def prompt_tokens(self, question: str, lines: Sequence[PromptLine]) -> list[int]:
        """The prompt as this model's tokens; ``question`` is clean text."""
        return self._style.prompt_tokens(question, lines)

    def reply(self, tokens: Sequence[int], lines: Sequence[PromptLine], citable: Sequence[int]) -> Reply:
        """The constrained reply to a prompt of these lines: only ``citable`` ones."""
        return self._style.reply(tokens, lines, citable) if citable else Reply((), 0.0, 0)

    def score(
        self, tokens: Sequence[int], lines: Sequence[PromptLine], citable: Sequence[int], cited: Sequence[int]
    ) -> Reply:
        """The reply that cites these lines (none: "I don't know"), with its probability; over all sets they
        sum to 1."""
        return self._style.score(tokens, lines, citable, cited)

    def judged(self, tokens: Sequence[int], lines: Sequence[PromptLine], citable: Sequence[int]) -> Judged:
        """What the verdicts on the citable lines are made from."""
        return self._style.judged(tokens, lines, citable)

    def _fit(self, question: str, lines: Sequence[PromptLine]) -> tuple[list[int], int]:
        """Prompt tokens and how many lines they show: as many as the model's context takes."""
        room = max(1, self.engine.n_ctx_train)
        n_shown = len(lines)
        while True:
            tokens = self.prompt_tokens(question, lines[:n_shown])
            if len(tokens) <= room:
                return tokens, n_shown
            if n_shown <= 1:
                raise ModelError(f"{self.engine.path}: its context of {room} tokens is too small for one fact")
            n_shown = max(1, n_shown * 3 // 4)

    def _relation_words(self, graph: Graph) -> list[tuple[str, str]]:
        if self._words is None or self._words[0] is not graph:
            self._words = (graph, relation_words(graph))
        return self._words[1]


def mark_lines(evidence: Evidence, lines: Sequence[Line]) -> list[PromptLine]:
    """The lines with the plan's marks: how probable it holds the paths over them, whatever the graph lacks."""
    scores = {candidate.entity: candidate.score for candidate in evidence.candidates}
    best = max(scores.values(), default=1.0) or 1.0
    return [
        PromptLine(
            line.start, line.relation, line.end, scored.hop, scored.score * evidence.mass,
            scores[line.end_id] / best if line.end_id in scores else None,
        )
        for scored, line in zip(evidence.triples, lines, strict=False)
    ]  # fmt: skip
