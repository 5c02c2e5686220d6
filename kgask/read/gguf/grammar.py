"""A reply in a form that a program can read: llama.cpp's grammar sampler at low level, greedily.

A grammar is GBNF text that is put together from :func:`literal`, so that no label can change it. The greedy token
is looked at alone first, then with the best hundred, then with the whole vocabulary: a model that keeps
the form by itself pays next to nothing for the constraint. Two more rules than the grammar's own: a token that marks a
turn is never taken (llama.cpp's grammar sees a control token as its name, so it would be let in wherever the name's
letters are), and nothing is handed to the sampler that it did not allow (it aborts the process).

The decoder of an encoder-decoder is not constrained: T5's vocabulary has no line break and no braces, so most
grammars would end nowhere. :func:`write` without a grammar serves those; what they write is parsed.
"""

from __future__ import annotations

import codecs
import ctypes
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from kgask.errors import ModelError
from kgask.read.gguf.bindings import last_error, load_bindings
from kgask.read.gguf.decode import Greedy, decode
from kgask.read.gguf.encoder_decoder import EncoderDecoder
from kgask.read.gguf.engine import Engine

MAX_GRAMMAR_BYTES = 256 << 10  # llama.cpp reads more, but nothing here asks for more
TRIED = 128  # best tokens that are shown to the grammar before all are
_TOKEN = np.dtype([("id", np.int32), ("logit", np.float32), ("p", np.float32)])  # llama_token_data
BLANK = " "  # many vocabularies begin a word with one: a reply may
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


@dataclass(frozen=True, slots=True)
class Written:
    """What a model wrote, its end token left out."""

    text: str
    log_prob: float  # of its tokens under the model alone, the grammar not asked; natural logarithm
    tokens: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Picked:
    """Some of the items that were listed, in the model's order."""

    order: tuple[int, ...]  # places in the list, each once
    written: Written


@dataclass(frozen=True, slots=True)
class ListForm:
    """How a list of items is written: ``["a", "b"]`` or ``[1] [2]``."""

    opens: str
    between: str
    closes: str = ""  # "" when the list ends with its last item: then all items that are asked for are picked


def literal(text: str) -> str:
    """``text`` as one GBNF string; what cannot be written (NUL, halves of surrogates) becomes U+FFFD.

    >>> print(literal('say "a" \\\\'))
    "say \\"a\\" \\\\"
    """
    return '"' + "".join(map(_escaped, writable(text))) + '"'


def writable(text: str) -> str:
    """``text`` as a model can write it: what :func:`literal` allows, character by character."""
    return "".join("\ufffd" if char == "\x00" or "\ud800" <= char <= "\udfff" else char for char in text)


def _escaped(char: str) -> str:
    if char in _ESCAPES:
        return _ESCAPES[char]
    return char if char.isprintable() else f"\\U{ord(char):08X}"


def alternatives(texts: Iterable[str]) -> str:
    """One of the texts, as GBNF."""
    return "(" + " | ".join(literal(text) for text in texts) + ")"


def can_constrain(engine: Engine) -> bool:
    """Whether replies of this model can be held to a grammar."""
    return not isinstance(engine, EncoderDecoder)


def write(engine: Engine, prompt: Sequence[int], max_tokens: int, gbnf: str | None = None) -> Written:
    """The greedy reply to a prompt, under a grammar whose rule is ``root``, or freely.

    Raises ModelError for a grammar that llama.cpp refuses, for a grammar on an encoder-decoder, and where the
    reply under a grammar does not come to its end within ``max_tokens``: half a reply has no form.
    """
    if gbnf is None:
        return _written(engine, decode(engine, prompt, Greedy(engine), max_tokens))
    with _held_to(engine, gbnf) as chooser:
        written = _written(engine, decode(engine, prompt, chooser, max_tokens))
        if not chooser.complete():
            raise ModelError(
                f"{engine.path}: its reply came to no end ({len(written.tokens)} tokens); "
                "this model cannot keep to the form, use a larger one"
            )
    return written


def pick(engine: Engine, prompt: Sequence[int], items: Sequence[str], most: int, form: ListForm) -> Picked:
    """The model's choice among ``items``, in its order: at least one, at most ``most``, each once.

    One grammar for each place of the list, over what is left: a single grammar cannot say "each once". No item may be
    the beginning of another, so put them in quotation marks or brackets; what encloses them must not be in them.
    Raises ModelError as :func:`write` does.
    """
    order: list[int] = []
    tokens: list[int] = []
    text, log_prob = "", 0.0
    while len(order) < min(most, len(items)):
        before = form.between if order else form.opens
        texts = {writable(before + item): at for at, item in enumerate(items) if at not in order}
        if order and form.closes:
            texts[form.closes] = -1
        written = _write_one_of(engine, [*prompt, *tokens], texts, first=not order)
        tokens += written.tokens
        text, log_prob = text + written.text, log_prob + written.log_prob
        chosen = texts[written.text if written.text in texts else written.text.removeprefix(BLANK)]
        if chosen < 0:
            break
        order.append(chosen)
    return Picked(tuple(order), Written(text, log_prob, tuple(tokens)))


def _write_one_of(engine: Engine, prompt: Sequence[int], texts: Collection[str], first: bool) -> Written:
    """One of the texts; it is over when it is whole, whether or not the model would go on."""

    def whole(text: str) -> bool:
        return text in texts or (first and text.removeprefix(BLANK) in texts)

    max_tokens = max(len(text.encode()) for text in texts) + len(BLANK)  # a token is a byte at least
    gbnf = f"root ::= {literal(BLANK) + '? ' if first else ''}{alternatives(texts)}"
    with _held_to(engine, gbnf) as chooser:
        written = _written(engine, decode(engine, prompt, chooser, max_tokens), whole)
    if not whole(written.text):
        raise ModelError(f"{engine.path}: its vocabulary cannot spell what it is to choose from; use another model")
    return written


def _written(
    engine: Engine, decoded: Iterable[tuple[int, float]], whole: Callable[[str], bool] = lambda text: False
) -> Written:
    """What is decoded as text, up to where the text is ``whole``."""
    data, log_prob, tokens = b"", 0.0, []
    for token, gained in decoded:
        data, log_prob = data + engine.piece(token), log_prob + gained
        tokens.append(token)
        if whole(_text(data)):
            break
    return Written(_text(data), log_prob, tuple(tokens))


def _text(data: bytes) -> str:
    return data.decode("utf-8", errors="replace")


class Constrained(Greedy):
    """The most probable token that a grammar sampler of llama.cpp allows."""

    def __init__(self, engine: Engine, sampler: Any):
        super().__init__(engine)
        self._sampler, self._llama = sampler, load_bindings()
        self._begun = b""  # of a character that is not whole yet
        self._ended = False

    def choose(self, log_probs: np.ndarray) -> int | None:
        token = self._best(log_probs)
        self._ended = token is None or self._engine.ends(token)
        return None if self._ended else token

    def _best(self, scores: np.ndarray) -> int | None:
        """The most probable token that may follow; None where nothing may."""
        for count in (1, TRIED, len(scores)):
            for token in self._allowed(_most_probable(scores, count)):
                if self._engine.ends(token) or self._spells(token):
                    return token
        return None

    def _spells(self, token: int) -> bool:
        """Whether a token is plain text. llama.cpp reads UTF-8 generously: a quotation mark in three bytes passes
        for one, and would be none in the text."""
        return not self._engine.marks_turns(token) and _goes_on(self._begun, self._engine.piece(token)) is not None

    def accept(self, token: int) -> None:
        """``token`` must be one that :meth:`choose` gave: the sampler aborts the process on any other."""
        self._begun = _goes_on(self._begun, self._engine.piece(token)) or b""
        self._llama.llama_sampler_accept(self._sampler, token)

    def complete(self) -> bool:
        """Whether the text may end here."""
        end = self._engine.end_token
        return self._ended if end is None else bool(self._allowed(np.array([end])))

    def _allowed(self, tokens: np.ndarray) -> list[int]:
        """Those of the tokens that the grammar allows next, in the order given."""
        data = np.zeros(len(tokens), _TOKEN)
        data["id"] = tokens
        pointer = data.ctypes.data_as(self._llama.llama_token_data_p)
        array = self._llama.llama_token_data_array(pointer, len(data), -1, False)
        self._llama.llama_sampler_apply(self._sampler, ctypes.byref(array))
        allowed: list[int] = data["id"][np.isfinite(data["logit"])].tolist()
        return allowed


def _goes_on(begun: bytes, piece: bytes) -> bytes | None:
    """The bytes of a last character that is not whole yet; None where ``begun`` and ``piece`` are not UTF-8."""
    decoder = codecs.getincrementaldecoder("utf-8")("strict")
    try:
        decoder.decode(begun + piece)
    except UnicodeDecodeError:
        return None
    rest = decoder.getstate()[0]
    # The decoder waits for the last byte of half a surrogate pair, and then refuses it.
    return None if rest[:1] == b"\xed" and rest[1:2] >= b"\xa0" else rest


def _most_probable(scores: np.ndarray, count: int) -> np.ndarray:
    """The ``count`` best tokens and all that equal the last of them, best first; of equals the lowest first."""
    if count == 1:
        return np.array([np.argmax(scores)])
    best = np.arange(len(scores))
    if count < len(scores):
        best = np.flatnonzero(scores >= np.partition(scores, -count)[-count])
    return best[np.argsort(-scores[best], kind="stable")]


@contextmanager
def _held_to(engine: Engine, gbnf: str) -> Iterator[Constrained]:
    """A new grammar sampler; ModelError where there would be none, or one that allows everything.

    For a grammar that it cannot parse llama.cpp gives no sampler (and says why on stderr); an empty one allows all.
    """
    if not can_constrain(engine):
        raise ModelError(f"{engine.path}: an encoder-decoder, which no grammar can hold to a form; use another model")
    llama, data = load_bindings(), gbnf.encode("utf-8", errors="replace")
    sampler, problem = None, ""
    if not data.strip() or b"\x00" in data:
        problem = ": it is empty or holds a NUL byte"
    elif len(data) > MAX_GRAMMAR_BYTES:
        problem = f": it has {len(data)} bytes, {MAX_GRAMMAR_BYTES} is the most"
    else:
        last_error()  # forget what was said before
        sampler = llama.llama_sampler_init_grammar(engine.vocab, data, b"root")
        problem = "" if sampler else last_error()
    if not sampler:
        raise ModelError(f"{engine.path}: llama.cpp refuses the grammar for the reply{problem}")
    try:
        yield Constrained(engine, sampler)
    finally:
        llama.llama_sampler_free(sampler)
