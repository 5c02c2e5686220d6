"""Reading with kgask's own reader: control tokens by name, plain text between them, one verdict a line."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from kgask.errors import ModelError, UsageError
from kgask.pack.graph import Graph
from kgask.pack.labels import clean_label
from kgask.read.cross_encoder import prompt as forms
from kgask.read.cross_encoder.engine import EncoderEngine
from kgask.read.cross_encoder.prompt import N_VERDICTS, PromptLine
from kgask.read.cross_encoder.verdicts import Judged, Verdicts, Weights, judge_lines, line_log_odds, pooled
from kgask.read.files.card import ReaderCard, verdict_weights
from kgask.read.protocol import Capabilities, Preview
from kgask.read.reply import NO_ANSWER_LINE, NO_LINES, Reply, Verbaliser, abstain, answer_reading, citable_lines
from kgask.types import Evidence, Question, Reading
from kgask.verbalise import Line

if TYPE_CHECKING:
    from kgask.read.gguf.prompts import PromptForm

KNOWN_TEXTS = 20_000  # tokenised texts remembered: relation labels come again and again
FREE_TOKEN = 1  # the first of the places that a BERT vocabulary keeps free
ONE_PROMPT = "the shipped reader has one prompt, its own"


class CrossEncoder:
    """An encoder over question and lines, judged at the lines' number tokens: :class:`kgask.read.protocol.Reader`."""

    capabilities = Capabilities(judges_lines=True)
    form = None
    language_model = None

    def __init__(self, engine: EncoderEngine, file_hash: str, card: ReaderCard | None = None, tried: str = ""):
        self.engine, self.hash, self.card = engine, file_hash, card.content if card else None
        self.note = "; ".join(filter(None, ("kgask's own reader", tried)))
        self._marked, self._unmarked = verdict_weights(card) if card else (Weights(), Weights())
        self._controls = {name: FREE_TOKEN + index for index, name in enumerate(forms.control_tokens())}
        self._controls |= dict(zip((forms.FIRST, forms.LAST), engine.frame(), strict=True))
        wrong = [name for name, token in self._controls.items() if engine.token_text(token) != name]
        if wrong or len(engine.heads.bias) != N_VERDICTS + 1:
            missing = f"no token {wrong[0]!r} where it belongs" if wrong else "its heads are of another kind"
            raise ModelError(f"{engine.path}: not a reader of this version ({missing})")
        self._numbers = frozenset(self._controls[forms.number_token(line)] for line in range(1, forms.MAX_LINES + 1))
        self._known: dict[str, list[int]] = {}
        self._verbaliser = Verbaliser()

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
        lines = self._verbaliser.lines(evidence, graph)
        marked, asked = mark_lines(evidence, lines), clean_label(question.text, forms.QUESTION_CHARS)
        tokens, n_shown = self._fit(asked, marked)
        text = "".join(piece.text for piece in forms.reader_pieces(asked, marked[:n_shown]))
        texts = tuple(line.text() for line in lines)
        n_ctx = self.engine.n_ctx_train
        return Preview("reader", text, len(tokens), 0, n_ctx, texts[:n_shown], texts[n_shown:], self.note)

    def read(self, question: Question, evidence: Evidence, graph: Graph) -> Reading:
        """Answer from the evidence's lines, or abstain with the reason as the text.

        Only the first 60 lines are shown, and fewer when the model's context is too small for them.
        """
        lines = self._verbaliser.lines(evidence, graph)
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
        tokens: list[int] = []
        for piece in forms.reader_pieces(question, lines):
            tokens.extend([self._controls[piece.text]] if piece.control else self._text(piece.text))
        return tokens

    def reply(self, tokens: Sequence[int], lines: Sequence[PromptLine], citable: Sequence[int]) -> Reply:
        """The most probable reply to a prompt of these lines: only ``citable`` ones."""
        return self.verdicts(tokens, lines, citable).reply() if citable else Reply((), 0.0, 0)

    def verdicts(self, tokens: Sequence[int], lines: Sequence[PromptLine], citable: Sequence[int]) -> Verdicts:
        """For each citable line the probability that it is cited."""
        weights = self._marked if forms.has_marks(lines) else self._unmarked
        return judge_lines(self.judged(tokens, lines, citable), weights)

    def judged(self, tokens: Sequence[int], lines: Sequence[PromptLine], citable: Sequence[int]) -> Judged:
        """What the model says of each citable line (those of one way as one) and of the whole, from one evaluation."""
        numbers = sorted(citable)
        columns = [at for at, token in enumerate(tokens) if token in self._numbers]
        hidden = self.engine.hidden_at(tokens, [0, *(columns[number - 1] for number in numbers)])
        logits = self.engine.heads(hidden)
        odds = {number: line_log_odds(logits[row, :N_VERDICTS]) for row, number in enumerate(numbers, 1)}
        return pooled(Judged(odds, float(np.nan_to_num(logits[0, N_VERDICTS]))), forms.ways(lines))

    def _text(self, text: str) -> list[int]:
        tokens = self._known.get(text)
        if tokens is None:
            if len(self._known) > KNOWN_TEXTS:
                self._known.clear()
            tokens = self._known[text] = self.engine.tokenize(text)
        return tokens

    def _fit(self, question: str, lines: Sequence[PromptLine]) -> tuple[list[int], int]:
        """Prompt tokens and how many lines they show: as many as the model's context takes."""
        room = max(1, self.engine.n_ctx_train)
        n_shown = len(lines)
        while True:
            tokens = self.prompt_tokens(question, lines[:n_shown])
            if len(tokens) <= room or not lines:
                return tokens, n_shown
            if n_shown <= 1:
                raise ModelError(f"{self.engine.path}: its context of {room} tokens is too small for one fact")
            n_shown = max(1, n_shown * 3 // 4)


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
