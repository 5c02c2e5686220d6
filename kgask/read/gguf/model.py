"""A language model behind a reader: how it is spoken to, and what it replies to a prompt.

A prompt with numbered facts is answered with line numbers as text; any other prompt with the
answers' own names, one a line. Both are the same kind of constraint (:mod:`kgask.read.gguf.replies`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from kgask.read.files.prefix_cache import PrefixCache
from kgask.read.gguf.chat import ChatFormat, chat_format, data_tokens
from kgask.read.gguf.decode import decode_reply
from kgask.read.gguf.engine import Engine
from kgask.read.gguf.grammar import ListForm, Picked, Written, can_constrain, pick, write
from kgask.read.gguf.header import GgufHeader
from kgask.read.gguf.neutral import neutral
from kgask.read.gguf.prompts import PromptForm
from kgask.read.gguf.replies import NameVocabulary, NumberVocabulary
from kgask.read.reply import Reply
from kgask.verbalise import Line

QUESTION_CHARS = 400
WARMED_TOKENS = 256  # room beside a prompt's static part when its state is read; the context grows where more is needed


@dataclass(frozen=True, slots=True)
class Filled:
    """A prompt as one model gets it."""

    tokens: list[int]
    n_static: int  # tokens at its start that are the same for every question


class Style:
    """A prompt form in one model's chat format and tokens, and the replies that it may get."""

    def __init__(self, engine: Engine, chat: ChatFormat, form: PromptForm):
        self._engine, self.form = engine, form
        text, field = form.parts[-1]
        asks = field is None and text.rstrip().lower().endswith("answer:")
        # A plain format asks for the answer only where the prompt does not do so itself.
        self._chat = replace(chat, after=" ") if asks and chat.plain else chat
        self._markers = self._chat.markers()
        before_the_first_field = self._chat.pieces(form.static, form.system)[:-1]
        self._static = self._tokens(before_the_first_field)

    def prompt(self, question: str, lines: Sequence[Line], passages: Sequence[str] = ()) -> Filled:
        """The whole prompt; whatever question, lines and passages say, no token in them marks a turn.

        ``lines`` and ``passages`` are made with :func:`kgask.read.gguf.neutral.neutral`.
        """
        user = self.form.text(neutral(question, QUESTION_CHARS), lines, passages)
        tokens = self._tokens(self._chat.pieces(user, self.form.system))
        return Filled([*tokens, *self._engine.prompt_end], _n_shared(self._static, tokens))

    def _tokens(self, pieces: Sequence[tuple[str, bool]]) -> list[int]:
        tokens: list[int] = []
        for at, (text, from_template) in enumerate(pieces):
            if from_template:
                add_bos = self._chat.add_bos and at == 0
                tokens += self._engine.tokenize(text, special=True, add_bos=add_bos)
            else:
                tokens += data_tokens(self._engine, text, self._markers)
        return tokens

    @cached_property
    def spelled(self) -> NumberVocabulary | NameVocabulary:
        """How this prompt is replied to."""
        return (NumberVocabulary if self.form.numbered else NameVocabulary)(self._engine)

    def reply(
        self, tokens: Sequence[int], lines: Sequence[Line], citable: Sequence[int], planned: Sequence[int]
    ) -> Reply:
        """The constrained reply: only ``citable`` lines (1-based); ``planned`` is what the plan would cite."""
        replies = self.spelled.replies(lines, citable)
        return decode_reply(self._engine, tokens, replies, replies.keys_of(planned))

    def reply_room(self, lines: Sequence[Line], citable: Sequence[int]) -> int:
        """Tokens of the longest reply."""
        replies = self.spelled.replies(lines, citable)
        return len(replies.tokens_of(replies.keys_of(citable)))


class LanguageModel:
    """A loaded model that may be asked anything, in its own chat format."""

    def __init__(self, engine: Engine, header: GgufHeader, cache: PrefixCache | None = None):
        self.engine, self._cache = engine, cache
        self.chat = chat_format(header, {"bos_token": engine.bos_text(), "eos_token": engine.eos_text()})
        self.path = engine.path

    @property
    def n_ctx(self) -> int:
        """Tokens that it was trained for, prompt and reply together; at least 1."""
        return max(1, self.engine.n_ctx_train)

    @property
    def constrained(self) -> bool:
        """Whether a grammar can hold its replies to a form; else the caller parses what it writes."""
        return can_constrain(self.engine)

    def style(self, form: PromptForm) -> Style:
        """A prompt form as this model is told it."""
        return Style(self.engine, self.chat, form)

    def fill(self, form: PromptForm) -> Filled:
        """A prompt without fields; no token of its text marks a turn."""
        return self.style(form).prompt("", [])

    def warm(self, filled: Filled, reply_tokens: int) -> None:
        """Have the static part of the prompt evaluated or read from the cache."""
        if self._cache is not None:
            self._cache.warm(filled.tokens[: filled.n_static], len(filled.tokens) + reply_tokens)

    def write(self, filled: Filled, max_tokens: int, gbnf: str | None = None) -> Written:
        """The greedy reply, held to a GBNF grammar where one is given (:func:`kgask.read.gguf.grammar.write`)."""
        self.warm(filled, min(max_tokens, WARMED_TOKENS))
        return write(self.engine, filled.tokens, max_tokens, gbnf)

    def pick(self, filled: Filled, items: Sequence[str], most: int, form: ListForm) -> Picked:
        """At most ``most`` of the items, in the model's order; only where it can be constrained."""
        self.warm(filled, WARMED_TOKENS)
        return pick(self.engine, filled.tokens, items, most, form)

    def complete(self, prompt: str, max_tokens: int) -> str:
        """The first line of the greedy reply to a text of the caller's own; names in it are his to neutralise."""
        filled = self.fill(PromptForm("own", "", "", ((prompt, None),)))
        written = write(self.engine, filled.tokens, max_tokens).text.strip()
        return written.splitlines()[0] if written else ""


def _n_shared(static: Sequence[int], tokens: Sequence[int]) -> int:
    """How many tokens both begin with; where the parts meet a token may span the border."""
    for at, (first, second) in enumerate(zip(static, tokens, strict=False)):
        if first != second:
            return at
    return min(len(static), len(tokens))
