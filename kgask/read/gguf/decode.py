"""The decode loop: how every reply of a language model is written, decoder-only or encoder-decoder.

A chooser says which tokens may follow and takes one of them; a caller that has enough stops iterating. Three choosers:
:class:`Greedy` (any token, or drawn with a temperature), :class:`Trie` (one of the replies that are possible over some
lines) and :class:`kgask.read.gguf.grammar.Constrained` (llama.cpp's grammar sampler).

A single token that may follow is taken without evaluating the model. The plan's own reply goes along with the prompt as
a draft (speculative decoding: Leviathan et al. 2023, greedy form): where the model agrees, a whole read is one
llama_decode call, and the result is the same as without.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np

from kgask.read.reply import Reply

if TYPE_CHECKING:
    from kgask.read.gguf.engine import Engine
    from kgask.read.gguf.replies import Replies

Tokens = tuple[int, ...]
START = 0  # state "nothing said yet"; otherwise the state is the last key that was said
MOST_TOKENS = 1 << 20  # of a reply whose choices end by themselves


class LogitSource(Protocol):
    """A language model that gives the logits after a sequence of tokens."""

    def logits_after(self, tokens: Sequence[int], draft: Sequence[int] = ()) -> np.ndarray:
        """float32 [n_vocab] after ``tokens``; ``draft`` is what may well follow."""
        ...


class Chooser:
    """Says what may follow, and takes it."""

    def options(self) -> Sequence[int] | None:
        """The tokens that may follow; none ends the reply. None: the whole vocabulary."""
        return None

    def draft(self) -> Tokens:
        """What may well follow."""
        return ()

    def choose(self, log_probs: np.ndarray) -> int | None:
        """The place of the token to take, in the options or the vocabulary; None ends the reply. float64 [K]."""
        return int(np.argmax(log_probs))

    def accept(self, token: int) -> None:
        """``token`` follows."""


def decode(
    source: LogitSource, prompt: Sequence[int], chooser: Chooser, max_tokens: int = MOST_TOKENS
) -> Iterator[tuple[int, float]]:
    """Token after token with its log-probability among those that could follow, 0 where no other could."""
    tokens = list(prompt)
    for _ in range(max_tokens):
        options = chooser.options()
        if options is not None and len(options) < 2:
            if not options:
                return
            token, log_prob = options[0], 0.0
        else:
            logits = source.logits_after(tokens, chooser.draft())
            log_probs = log_softmax(logits if options is None else logits[options])
            place = chooser.choose(log_probs)
            if place is None:
                return
            token, log_prob = place if options is None else options[place], float(log_probs[place])
        chooser.accept(token)
        tokens.append(token)
        yield token, log_prob


def log_softmax(logits: np.ndarray) -> np.ndarray:
    """float64 [K]. A broken model may give NaN: such a token is the least probable."""
    scores = np.nan_to_num(logits.astype(np.float64), nan=-1e9, posinf=1e9, neginf=-1e9)
    scores -= scores.max()
    return scores - np.log(np.exp(scores).sum())


class Greedy(Chooser):
    """Every token may follow; the most probable one does, or with a ``temperature`` one that is drawn."""

    def __init__(self, engine: Engine, temperature: float = 0.0, rng_seed: int = 0):
        self._engine, self._temperature = engine, temperature
        self._rng = np.random.default_rng(rng_seed) if temperature > 0 else None

    def choose(self, log_probs: np.ndarray) -> int | None:
        if self._rng is None:
            token = int(np.argmax(log_probs))
        else:
            weights = np.exp((log_probs - log_probs.max()) / self._temperature)
            token = int(self._rng.choice(len(weights), p=weights / weights.sum()))
        return None if self._engine.ends(token) else token


class Trie(Chooser):
    """The replies that are possible over some lines, as a trie of tokens: what is said next is one of few choices.

    The model's probabilities are renormalised over the tokens that may follow, so those of all replies sum to one.
    ``planned`` are the keys of what the plan itself would reply; with ``follow`` that is the reply, whatever its
    probability.
    """

    def __init__(self, replies: Replies, planned: Iterable[int] = (), follow: bool = False):
        self._replies, self._planned, self._follow = replies, sorted({*planned} & {*replies.keys}), follow
        self.said: list[int] = []
        self.n_decisions = self._depth = 0
        self._open: dict[int | None, Tokens] = {}
        self._draft: Tokens = ()
        self._begin(START)

    def options(self) -> list[int]:
        self._options = sorted({choice[self._depth] for choice in self._open.values()})
        return self._options

    def draft(self) -> Tokens:
        return self._draft

    def choose(self, log_probs: np.ndarray) -> int:
        self.n_decisions += 1
        return self._options.index(self._draft[0]) if self._follow else int(np.argmax(log_probs))

    def accept(self, token: int) -> None:
        self._open = {key: choice for key, choice in self._open.items() if choice[self._depth] == token}
        self._draft = self._draft[1:] if self._draft[:1] == (token,) else ()
        self._depth += 1
        self._end_choice()

    def _begin(self, state: int) -> None:
        """The choices after a key; which of them the plan would say is known again, whatever was said instead."""
        self._open, self._depth = self._replies.choices(state), 0
        self._draft = self._replies.tokens_of(self._planned, state)
        self._end_choice()

    def _end_choice(self) -> None:
        """Go on to the next choice where the last token was a choice's last: no choice is the start of another."""
        if len(self._open) == 1:
            ((key, choice),) = self._open.items()
            if len(choice) == self._depth:
                if key is None:
                    self._open = {}
                else:
                    self.said.append(key)
                    self._begin(key)


def decode_reply(source: LogitSource, prompt: Sequence[int], replies: Replies, planned: Iterable[int] = ()) -> Reply:
    """The greedy reply: at each decision the most probable token of a choice."""
    return _said(source, prompt, replies, Trie(replies, planned))


def score_reply(source: LogitSource, prompt: Sequence[int], replies: Replies, keys: Iterable[int]) -> Reply:
    """One possible reply with its log-probability; it is evaluated in one batch, as its own draft."""
    return _said(source, prompt, replies, Trie(replies, keys, follow=True))


def _said(source: LogitSource, prompt: Sequence[int], replies: Replies, trie: Trie) -> Reply:
    log_prob = sum(gained for _, gained in decode(source, prompt, trie))
    return Reply(replies.lines(trie.said), log_prob, trie.n_decisions)
