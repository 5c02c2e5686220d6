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

from kgask.config import MODEL_CARD
from kgask.errors import ModelError
from kgask.protocols import Graph
from kgask.read import prompt as forms
from kgask.read.card import check_file, file_hash, read_card
from kgask.read.chat import chat_format
from kgask.read.constrain import Reply, ReplyGrammar, decode_reply, score_reply
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

    def grammar(self, citable: Sequence[int]) -> ReplyGrammar: ...


class LlamaReader:
    """A loaded reader; see :class:`kgask.protocols.Reader`."""

    def __init__(self, engine: Engine, style: _Style, file_hash: str, card: dict[str, Any] | None = None):
        self.engine, self._style, self.card = engine, style, card
        self.hash = file_hash  # which weights these are
        self.plan_trust = float((card or {}).get("plan_trust", 1.0))
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
            return cls(engine, _OwnStyle(engine), card.sha256, card.content)
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
        grammar = self.grammar([number for number in citable if number <= n_shown])
        if not grammar.citable:
            return abstain(NO_ANSWER_LINE)
        reply = self._decide(tokens, grammar, planned_lines(marked))
        return answer_reading(reply.lines, math.exp(reply.log_prob), evidence, lines, graph)

    def prompt_tokens(self, question: str, lines: Sequence[PromptLine]) -> list[int]:
        """The prompt as this model's tokens; ``question`` is clean text."""
        return self._style.prompt_tokens(question, lines)

    def grammar(self, citable: Sequence[int]) -> ReplyGrammar:
        """The replies that this model may give when these 1-based lines may be cited."""
        return self._style.grammar(citable)

    def _decide(self, tokens: Sequence[int], grammar: ReplyGrammar, planned: Sequence[int]) -> Reply:
        """The most probable reply found, the plan's own counting ``plan_trust`` times as much.

        The reader is trained on plans that err more often than a trained planner does; the card says by
        how much its odds are to be corrected (a change of prior, nothing else).
        """
        reply = decode_reply(self.engine, tokens, grammar, planned)
        own = tuple(line for line in planned if line in grammar.citable)
        if self.plan_trust <= 1.0 or not own or reply.lines == own:
            return reply
        planned_reply = score_reply(self.engine, tokens, grammar, own)
        return planned_reply if planned_reply.log_prob + math.log(self.plan_trust) > reply.log_prob else reply

    def _fit(self, question: str, lines: Sequence[PromptLine]) -> tuple[list[int], int]:
        """Prompt tokens and how many lines they show: as many as the model's context takes."""
        room = max(1, self.engine.n_ctx_train)
        n_shown = len(lines)
        while True:
            tokens = self.prompt_tokens(question, lines[:n_shown])
            every_line = range(1, n_shown + 1)
            longest_reply = len(self.grammar(every_line).tokens_of(every_line))
            if len(tokens) + longest_reply <= room:
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
    """Our own reader: control tokens by name, plain text between them."""

    note = "kgask's own reader"

    def __init__(self, engine: Engine):
        self._engine = engine
        names = forms.control_tokens()
        wrong = [name for index, name in enumerate(names) if engine.token_text(index) != name]
        if wrong:
            raise ModelError(f"{engine.path}: not a reader of this version (no token {wrong[0]!r} where it belongs)")
        self._controls = {name: index for index, name in enumerate(names)}
        self._known: dict[str, list[int]] = {}
        self._numbers = {line: (self._controls[forms.number_token(line)],) for line in range(1, MAX_LINES + 1)}

    def prompt_tokens(self, question: str, lines: Sequence[PromptLine]) -> list[int]:
        tokens: list[int] = []
        for piece in forms.reader_pieces(question, lines):
            tokens.extend([self._controls[piece.text]] if piece.control else self._text(piece.text))
        return tokens

    def grammar(self, citable: Sequence[int]) -> ReplyGrammar:
        stop, dont_know = (self._controls[forms.END],), (self._controls[forms.DONT_KNOW],)
        return ReplyGrammar(citable, self._numbers, self._numbers, stop, dont_know)

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
        return ReplyGrammar(citable, self._first, self._later, self._stop, self._dont_know)

    def _check_choices(self) -> None:
        """Each choice must be its own token sequence, none the start of another."""
        for numbers, end in ((self._first, self._dont_know), (self._later, self._stop)):
            choices = sorted([*numbers.values(), end])
            for choice, following in zip(choices, [*choices[1:], None], strict=True):
                if not choice or (following is not None and following[: len(choice)] == choice):
                    raise ModelError(f"{self._engine.path}: its vocabulary cannot spell line numbers; use another reader")
