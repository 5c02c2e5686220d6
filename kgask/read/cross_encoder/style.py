"""How our own reader is spoken to: control tokens by name, plain text between them, one verdict a line."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kgask.errors import ModelError
from kgask.read.cross_encoder import prompt as forms
from kgask.read.cross_encoder.engine import EncoderEngine
from kgask.read.cross_encoder.prompt import MAX_LINES, N_VERDICTS, PromptLine
from kgask.read.cross_encoder.verdicts import Judged, Verdicts, Weights, judge_lines, line_log_odds, pooled
from kgask.read.reply import Reply

KNOWN_TEXTS = 20_000  # tokenised texts remembered: relation labels come again and again
FREE_TOKEN = 1  # the first of the places that a BERT vocabulary keeps free


class OwnStyle:
    """Our own reader: an encoder over question and lines, judged at the lines' number tokens."""

    note = "kgask's own reader"

    def __init__(self, engine: EncoderEngine, marked: Weights | None = None, unmarked: Weights | None = None):
        self._engine = engine
        self._marked = marked or Weights()
        self._unmarked = unmarked or self._marked
        self._controls = {name: FREE_TOKEN + index for index, name in enumerate(forms.control_tokens())}
        self._controls |= dict(zip((forms.FIRST, forms.LAST), engine.frame(), strict=True))
        wrong = [name for name, token in self._controls.items() if engine.token_text(token) != name]
        if wrong or len(engine.heads.bias) != N_VERDICTS + 1:
            missing = f"no token {wrong[0]!r} where it belongs" if wrong else "its heads are of another kind"
            raise ModelError(f"{engine.path}: not a reader of this version ({missing})")
        self._numbers = frozenset(self._controls[forms.number_token(line)] for line in range(1, MAX_LINES + 1))
        self._known: dict[str, list[int]] = {}

    def prompt_tokens(self, question: str, lines: Sequence[PromptLine]) -> list[int]:
        tokens: list[int] = []
        for piece in forms.reader_pieces(question, lines):
            tokens.extend([self._controls[piece.text]] if piece.control else self._text(piece.text))
        return tokens

    def judged(self, tokens: Sequence[int], lines: Sequence[PromptLine], citable: Sequence[int]) -> Judged:
        """What the model says of each citable line (those of one way as one) and of the whole, from one evaluation."""
        numbers = sorted(citable)
        columns = [at for at, token in enumerate(tokens) if token in self._numbers]
        hidden = self._engine.hidden_at(tokens, [0, *(columns[number - 1] for number in numbers)])
        logits = self._engine.heads(hidden)
        odds = {number: line_log_odds(logits[row, :N_VERDICTS]) for row, number in enumerate(numbers, 1)}
        return pooled(Judged(odds, float(np.nan_to_num(logits[0, N_VERDICTS]))), forms.ways(lines))

    def _verdicts(self, tokens: Sequence[int], lines: Sequence[PromptLine], citable: Sequence[int]) -> Verdicts:
        weights = self._marked if forms.has_marks(lines) else self._unmarked
        return judge_lines(self.judged(tokens, lines, citable), weights)

    def reply(self, tokens: Sequence[int], lines: Sequence[PromptLine], citable: Sequence[int]) -> Reply:
        return self._verdicts(tokens, lines, citable).reply()

    def score(
        self, tokens: Sequence[int], lines: Sequence[PromptLine], citable: Sequence[int], cited: Sequence[int]
    ) -> Reply:
        return self._verdicts(tokens, lines, citable).score(cited)

    def _text(self, text: str) -> list[int]:
        tokens = self._known.get(text)
        if tokens is None:
            if len(self._known) > KNOWN_TEXTS:
                self._known.clear()
            tokens = self._known[text] = self._engine.tokenize(text)
        return tokens
