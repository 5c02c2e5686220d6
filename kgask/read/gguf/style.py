"""How any other model is spoken to: a named prompt in its own chat format, and the replies it may give.

A prompt with numbered facts is answered with line numbers as text; any other prompt with the
answers' own names, one a line. Both are the same kind of constraint (:mod:`kgask.read.gguf.replies`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from kgask.read.gguf.chat import PLAIN, ChatFormat, chat_format, data_tokens
from kgask.read.gguf.decode import decode_reply, score_reply
from kgask.read.gguf.engine import Engine
from kgask.read.gguf.header import GgufHeader
from kgask.read.gguf.neutral import neutral
from kgask.read.gguf.prompts import DEFAULT_PROMPT, NAMED, PromptForm
from kgask.read.gguf.replies import NameVocabulary, NumberVocabulary
from kgask.read.reply import Reply
from kgask.verbalise import Line

QUESTION_CHARS = 400


@dataclass(frozen=True, slots=True)
class Filled:
    """A prompt as one model gets it."""

    tokens: list[int]
    n_static: int  # tokens at its start that are the same for every question


class ForeignStyle:
    """One foreign model's tokens for prompts and replies."""

    def __init__(self, engine: Engine, header: GgufHeader, form: PromptForm | None = None):
        self._engine = engine
        special = {"bos_token": engine.bos_text(), "eos_token": engine.eos_text()}
        self._format = chat_format(header, special)
        self.note = self._format.origin
        self.form = form or NAMED[DEFAULT_PROMPT]
        self._spelled: NumberVocabulary | NameVocabulary | None = None
        self.use(self.form)

    def use(self, form: PromptForm) -> None:
        """Speak in another prompt from now on."""
        self.form, self._spelled = form, None
        self._frame = self._framed()
        self._markers = self._frame.markers()
        before_the_first_field = self._frame.pieces(form.static, form.system)[:-1]
        self._static = self._tokens(before_the_first_field)

    @property
    def plain(self) -> bool:
        """Whether the file has no chat format, so that nothing marks the end of a reply but the text."""
        return (self._format.before, self._format.after) == PLAIN

    def _framed(self) -> ChatFormat:
        """The chat format; a plain one asks for the answer only where the prompt does not do so itself."""
        text, field = self.form.parts[-1]
        asks = field is None and text.rstrip().lower().endswith("answer:")
        return replace(self._format, after=" ") if asks and self.plain else self._format

    # --- prompts --------------------------------------------------------------------------------

    def prompt(self, question: str, lines: Sequence[Line], passages: Sequence[str] = ()) -> Filled:
        """The whole prompt; whatever question, lines and passages say, no token in them marks a turn.

        ``lines`` and ``passages`` are made with :func:`kgask.read.gguf.neutral.neutral`.
        """
        user = self.form.text(neutral(question, QUESTION_CHARS), lines, passages)
        tokens = self._tokens(self._frame.pieces(user, self.form.system))
        return Filled([*tokens, *self._engine.prompt_end], _n_shared(self._static, tokens))

    def _tokens(self, pieces: Sequence[tuple[str, bool]]) -> list[int]:
        tokens: list[int] = []
        for at, (text, from_template) in enumerate(pieces):
            if from_template:
                add_bos = self._frame.add_bos and at == 0
                tokens += self._engine.tokenize(text, special=True, add_bos=add_bos)
            else:
                tokens += data_tokens(self._engine, text, self._markers)
        return tokens

    # --- replies --------------------------------------------------------------------------------

    @property
    def spelled(self) -> NumberVocabulary | NameVocabulary:
        """How this prompt is replied to."""
        if self._spelled is None:
            self._spelled = (NumberVocabulary if self.form.numbered else NameVocabulary)(self._engine)
        return self._spelled

    def reply(
        self, tokens: Sequence[int], lines: Sequence[Line], citable: Sequence[int], planned: Sequence[int]
    ) -> Reply:
        """The constrained reply: only ``citable`` lines (1-based); ``planned`` is what the plan would cite."""
        replies = self.spelled.replies(lines, citable)
        return decode_reply(self._engine, tokens, replies, replies.keys_of(planned))

    def score(
        self, tokens: Sequence[int], lines: Sequence[Line], citable: Sequence[int], cited: Sequence[int]
    ) -> Reply:
        """The reply that cites ``cited`` (none: "I don't know"), with its probability."""
        replies = self.spelled.replies(lines, citable)
        return score_reply(self._engine, tokens, replies, replies.keys_of(cited))

    def reply_room(self, lines: Sequence[Line], citable: Sequence[int]) -> int:
        """Tokens of the longest reply."""
        replies = self.spelled.replies(lines, citable)
        return len(replies.tokens_of(replies.keys_of(citable)))


def _n_shared(static: Sequence[int], tokens: Sequence[int]) -> int:
    """How many tokens both begin with; where the parts meet a token may span the border."""
    for at, (first, second) in enumerate(zip(static, tokens, strict=False)):
        if first != second:
            return at
    return min(len(static), len(tokens))
