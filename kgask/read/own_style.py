"""How our own reader is spoken to: control tokens by name, plain text between them, two verdicts a line."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from kgask.errors import ModelError
from kgask.read import prompt as forms
from kgask.read.constrain import Reply, Verdicts, Weights, judge_lines
from kgask.read.engine import Engine
from kgask.read.prompt import MAX_LINES, PromptLine

KNOWN_TEXTS = 20_000  # tokenised texts remembered: relation labels come again and again


class OwnStyle:
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
            raise ModelError(
                f"{engine.path}: not a reader of this version (no token {wrong[0]!r} where it belongs)"
            )
        self._numbers = frozenset(
            self._controls[forms.number_token(line)] for line in range(1, MAX_LINES + 1)
        )
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
            if len(self._known) > KNOWN_TEXTS:
                self._known.clear()
            tokens = self._known[text] = self._engine.tokenize(text)
        return tokens
