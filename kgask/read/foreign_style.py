"""How any other model is spoken to: an instruct prompt in its own chat format, line numbers as text."""

from __future__ import annotations

from collections.abc import Sequence

from kgask.errors import ModelError
from kgask.read import prompt as forms
from kgask.read.chat import chat_format
from kgask.read.constrain import Reply, ReplyGrammar, decode_reply, score_reply
from kgask.read.engine import Engine
from kgask.read.gguf_header import GgufHeader
from kgask.read.prompt import MAX_LINES, PromptLine


class ForeignStyle:
    """One foreign model's tokens for prompts and replies."""

    def __init__(self, engine: Engine, header: GgufHeader):
        self._engine = engine
        special = {"bos_token": engine.bos_text(), "eos_token": engine.eos_text()}
        self._format = chat_format(header, special)
        self.note = self._format.origin
        self._first = {
            line: tuple(engine.tokenize(forms.foreign_number(line, True))) for line in range(1, MAX_LINES + 1)
        }
        self._later = {
            line: tuple(engine.tokenize(forms.foreign_number(line, False)))
            for line in range(1, MAX_LINES + 1)
        }
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
                    raise ModelError(
                        f"{self._engine.path}: its vocabulary cannot spell line numbers; use another reader"
                    )
