"""Reading with a GGUF model: our own small reader, or any other decoder-only model.

Our own is recognised by its card (a folder with ``model.json``) or by its
metadata; every other file gets an instruct prompt in its own chat format.
Both are decoded under the same constraint (:mod:`kgask.read.constrain`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from kgask.config import MODEL_CARD
from kgask.errors import ModelError
from kgask.protocols import Graph
from kgask.read import prompt as forms
from kgask.read.card import (
    check_file,
    file_hash,
    plan_trust,
    read_card,
    verdict_weights,
)
from kgask.read.chat import chat_format
from kgask.read.constrain import (
    Reply,
    ReplyGrammar,
    Verdicts,
    Weights,
    decode_reply,
    judge_lines,
    score_reply,
)
from kgask.read.engine import Engine
from kgask.read.gguf_header import GgufHeader, check_readable, read_header
from kgask.read.prompt import MAX_LINES, PromptLine
from kgask.read.reply import (
    NO_ANSWER_LINE,
    NO_LINES,
    abstain,
    answer_reading,
    citable_lines,
)
from kgask.types import Evidence, Question, Reading
from kgask.verbalise import Line, clean_label, relation_words, verbalise

# Two threads read 450 tokens somewhat faster on an idle machine, but wait for each other at every layer: beside
# two busy processes a read took 880 ms with two threads and 15 ms with one.
OWN_THREADS = 1
FORMAT_KEY = "kgask.prompt_format"
DRAFT_RATIO = 0.9  # lines whose answer scores at least this share of the best one make the draft


class _Style(Protocol):
    """How one family of models is spoken to."""

    note: str

    def prompt_tokens(self, question: str, lines: Sequence[PromptLine]) -> list[int]: ...

    def reply(self, tokens: Sequence[int], citable: Sequence[int], planned: Sequence[int]) -> Reply: ...

    def score(self, tokens: Sequence[int], citable: Sequence[int], lines: Sequence[int]) -> Reply: ...

    def reply_room(self, n_lines: int) -> int: ...


class LlamaReader:
    """A loaded reader; see :class:`kgask.protocols.Reader`."""

    def __init__(self, engine: Engine, style: _Style, file_hash: str, card: dict[str, Any] | None = None):
        self.engine, self._style, self.card = engine, style, card
        self.hash = file_hash  # which weights these are
        self.note = style.note  # which prompt is used, for --verbose
        self._words: tuple[Graph, list[tuple[str, str]]] | None = None

    @classmethod
    def load(cls, path: str | Path, *, n_threads: int | None = None) -> LlamaReader:
        """Load a reader folder (with its card) or a ``.gguf`` file.

        Raises ModelError, one line, for whatever cannot be used.
        """
        path = Path(path)
        if (path / MODEL_CARD).is_file():
            card = read_card(path)
            check_file(card)
            engine = Engine(card.file, n_threads or OWN_THREADS)
            return cls(engine, _OwnStyle(engine, plan_trust(card), verdict_weights(card)), card.sha256, card.content)
        header = read_header(path)
        check_readable(header)
        own = header.metadata.get(FORMAT_KEY)
        if own is not None and own != forms.PROMPT_FORMAT:
            raise ModelError(f"{path}: a kgask reader of prompt format {own}; this version reads {forms.PROMPT_FORMAT}")
        if own is not None:
            engine = Engine(path, n_threads or OWN_THREADS)
            return cls(engine, _OwnStyle(engine), file_hash(path))
        engine = Engine(path, n_threads)
        return cls(engine, _ForeignStyle(engine, header), file_hash(path))

    def close(self) -> None:
        """Free the model."""
        self.engine.close()

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
        reply = self.reply(tokens, shown, planned_lines(marked))
        return answer_reading(reply.lines, math.exp(reply.log_prob), evidence, lines, graph)

    def prompt_tokens(self, question: str, lines: Sequence[PromptLine]) -> list[int]:
        """The prompt as this model's tokens; ``question`` is clean text."""
        return self._style.prompt_tokens(question, lines)

    def reply(self, tokens: Sequence[int], citable: Sequence[int], planned: Sequence[int]) -> Reply:
        """The constrained reply to a prompt: only ``citable`` lines; ``planned`` is what the plan would cite."""
        if not citable:
            return Reply((), 0.0, 0)
        return self._style.reply(tokens, citable, [line for line in planned if line in citable])

    def score(self, tokens: Sequence[int], citable: Sequence[int], lines: Sequence[int]) -> Reply:
        """The reply that cites ``lines`` (none: "I don't know"), with its probability; over all sets they sum to 1."""
        return self._style.score(tokens, citable, lines)

    def verdict_logits(
        self, tokens: Sequence[int], citable: Sequence[int]
    ) -> tuple[dict[int, np.ndarray], dict[int, np.ndarray]]:
        """Of our own reader: what its two verdicts on each citable line are made from."""
        if not isinstance(self._style, _OwnStyle):
            raise ModelError(f"{self.engine.path}: only kgask's own reader gives verdicts on lines")
        return self._style.verdict_logits(tokens, citable)

    def _fit(self, question: str, lines: Sequence[PromptLine]) -> tuple[list[int], int]:
        """Prompt tokens and how many lines they show: as many as the model's context takes."""
        room = max(1, self.engine.n_ctx_train)
        n_shown = len(lines)
        while True:
            tokens = self.prompt_tokens(question, lines[:n_shown])
            if len(tokens) + self._style.reply_room(n_shown) <= room:
                return tokens, n_shown
            if n_shown <= 1:
                raise ModelError(f"{self.engine.path}: its context of {room} tokens is too small for one fact")
            n_shown = max(1, n_shown * 3 // 4)

    def _relation_words(self, graph: Graph) -> list[tuple[str, str]]:
        if self._words is None or self._words[0] is not graph:
            self._words = (graph, relation_words(graph))
        return self._words[1]


def planned_lines(lines: Sequence[PromptLine]) -> list[int]:
    """1-based numbers of the lines that the plan itself would cite: those that end in its best answers."""
    return [number for number, line in enumerate(lines, start=1) if (line.answer_ratio or 0.0) >= DRAFT_RATIO]


def mark_lines(evidence: Evidence, lines: Sequence[Line]) -> list[PromptLine]:
    """The lines with the plan's marks."""
    scores = {candidate.entity: candidate.score for candidate in evidence.candidates}
    best = max(scores.values(), default=1.0) or 1.0
    return [
        PromptLine(
            line.start, line.relation, line.end, scored.hop, scored.score,
            scores[line.end_id] / best if line.end_id in scores else None,
        )
        for scored, line in zip(evidence.triples, lines, strict=False)
    ]  # fmt: skip


class _OwnStyle:
    """Our own reader: control tokens by name, plain text between them.

    ``plan_trust`` corrects a prior: the reader is trained on plans that err more often than a trained
    planner does, so the plan's own reply counts that many times its probability.
    """

    note = "kgask's own reader"

    def __init__(self, engine: Engine, plan_trust: float = 1.0, weights: Weights | None = None):
        self._engine, self._plan_trust, self._weights = engine, plan_trust, weights or Weights()
        self._controls = {name: index for index, name in enumerate(forms.control_tokens())}
        self._controls |= {name: engine.n_vocab - 3 + index for index, name in enumerate(forms.VERDICTS)}
        wrong = [name for name, token in self._controls.items() if engine.token_text(token) != name]
        if wrong:
            raise ModelError(f"{engine.path}: not a reader of this version (no token {wrong[0]!r} where it belongs)")
        self._numbers = frozenset(self._controls[forms.number_token(line)] for line in range(1, MAX_LINES + 1))
        self._known: dict[str, list[int]] = {}

    def prompt_tokens(self, question: str, lines: Sequence[PromptLine]) -> list[int]:
        tokens: list[int] = []
        for piece in forms.reader_pieces(question, lines):
            tokens.extend([self._controls[piece.text]] if piece.control else self._text(piece.text))
        return tokens

    def verdict_logits(
        self, tokens: Sequence[int], citable: Sequence[int]
    ) -> tuple[dict[int, np.ndarray], dict[int, np.ndarray]]:
        """Logits [3] after each citable line and [2] at its number in the reply, from one evaluation."""
        lines = sorted(citable)
        starts = [at for at, token in enumerate(tokens) if token in self._numbers]
        ends = [at - 1 for at in [*starts[1:], len(tokens) - 1]]
        numbers = [self._controls[forms.number_token(line)] for line in lines]
        first_at = [ends[line - 1] for line in lines]
        second_at = list(range(len(tokens), len(tokens) + len(numbers)))
        rows = self._engine.logits_at([*tokens, *numbers], [*first_at, *second_at])
        first_ids = [self._controls[name] for name in forms.VERDICTS]
        second_ids = [self._controls[forms.SKIP], self._controls[forms.CITE]]
        first = {line: row[first_ids] for line, row in zip(lines, rows, strict=False)}
        second = {line: row[second_ids] for line, row in zip(lines, rows[len(lines) :], strict=True)}
        return first, second

    def _verdicts(self, tokens: Sequence[int], citable: Sequence[int]) -> Verdicts:
        return judge_lines(*self.verdict_logits(tokens, citable), self._weights)

    def reply(self, tokens: Sequence[int], citable: Sequence[int], planned: Sequence[int]) -> Reply:
        verdicts = self._verdicts(tokens, citable)
        best = verdicts.reply()
        if not planned:
            return best
        plans = verdicts.score(planned)
        return plans if plans.log_prob + math.log(self._plan_trust) > best.log_prob else best

    def score(self, tokens: Sequence[int], citable: Sequence[int], lines: Sequence[int]) -> Reply:
        return self._verdicts(tokens, citable).score(lines)

    def reply_room(self, n_lines: int) -> int:
        return n_lines

    def _text(self, text: str) -> list[int]:
        tokens = self._known.get(text)
        if tokens is None:
            if len(self._known) > 20_000:
                self._known.clear()
            tokens = self._known[text] = self._engine.tokenize(text)
        return tokens


class _ForeignStyle:
    """Any other model: an instruct prompt in its chat format, line numbers as text."""

    def __init__(self, engine: Engine, header: GgufHeader):
        self._engine = engine
        special = {"bos_token": engine.bos_text(), "eos_token": engine.eos_text()}
        self._format = chat_format(header, special)
        self.note = self._format.origin
        self._first = {line: tuple(engine.tokenize(forms.foreign_number(line, True))) for line in range(1, MAX_LINES + 1)}
        self._later = {line: tuple(engine.tokenize(forms.foreign_number(line, False))) for line in range(1, MAX_LINES + 1)}
        self._stop = tuple(engine.tokenize(forms.FOREIGN_ANSWER))
        self._dont_know = tuple(engine.tokenize(forms.FOREIGN_DONT_KNOW))
        self._check_choices()

    def prompt_tokens(self, question: str, lines: Sequence[PromptLine]) -> list[int]:
        engine, frame = self._engine, self._format
        tokens = engine.tokenize(frame.before, special=True, add_bos=frame.add_bos)
        tokens += engine.tokenize(forms.instruct_prompt(question, lines))
        return tokens + engine.tokenize(frame.after, special=True)

    def grammar(self, citable: Sequence[int]) -> ReplyGrammar:
        """The replies that the model may give when these 1-based lines may be cited."""
        return ReplyGrammar(citable, self._first, self._later, self._stop, self._dont_know)

    def reply(self, tokens: Sequence[int], citable: Sequence[int], planned: Sequence[int]) -> Reply:
        return decode_reply(self._engine, tokens, self.grammar(citable), planned)

    def score(self, tokens: Sequence[int], citable: Sequence[int], lines: Sequence[int]) -> Reply:
        return score_reply(self._engine, tokens, self.grammar(citable), lines)

    def reply_room(self, n_lines: int) -> int:
        every_line = range(1, n_lines + 1)
        return len(self.grammar(every_line).tokens_of(every_line))

    def _check_choices(self) -> None:
        """Each choice must be its own token sequence, none the start of another."""
        for numbers, end in ((self._first, self._dont_know), (self._later, self._stop)):
            choices = sorted([*numbers.values(), end])
            for choice, following in zip(choices, [*choices[1:], None], strict=True):
                if not choice or (following is not None and following[: len(choice)] == choice):
                    raise ModelError(f"{self._engine.path}: its vocabulary cannot spell line numbers; use another reader")
