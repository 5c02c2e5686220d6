"""Constrained decoding: the reply can only be lines that hold an answer, or "I don't know".

What follows from the cited lines (the answer's text, which is the end of each of them) is never
decoded. Two forms of one constraint; in both, the probabilities of all possible replies sum to one:

- :func:`judge_lines`, for our own reader: it was trained to judge every line, and all verdicts come
  out of one evaluation.
- :func:`decode_reply`, for any other model: line numbers as text, ascending, then a stop. Choices are token
  sequences in a trie: where a node has one child the token is forced and needs no evaluation; where it has
  several, the model's probabilities are renormalised over them. The plan's own reply goes along
  with the prompt as a draft (speculative decoding: Leviathan et al. 2023, greedy form): where the
  model agrees, a whole read is one llama_decode call, and the result is the same as without.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

Tokens = tuple[int, ...]
LEAST_PROB = 1e-12
START = 0  # state "no line cited yet"; otherwise the state is the last cited line


class LogitSource(Protocol):
    """A language model that gives the logits after a sequence of tokens."""

    def logits_after(self, tokens: Sequence[int], draft: Sequence[int] = ()) -> np.ndarray:
        """float32 [n_vocab] after ``tokens``; ``draft`` is what may well follow."""
        ...


@dataclass(frozen=True, slots=True)
class Reply:
    """A decoded reply: the cited lines, ascending; none means "I don't know"."""

    lines: tuple[int, ...]
    log_prob: float
    n_decisions: int
    line_probs: Mapping[int, float] = field(default_factory=dict)  # of a reader that judges every line


@dataclass(frozen=True, slots=True)
class Verdicts:
    """For each line that may be cited, the probability that the reader cites it."""

    cite_probs: Mapping[int, float]

    def reply(self) -> Reply:
        """The most probable reply."""
        return self.score(line for line, prob in self.cite_probs.items() if prob >= 0.5)

    def score(self, lines: Iterable[int]) -> Reply:
        """One possible reply with its probability; ``lines`` must be among those that were judged."""
        cited = frozenset(lines)
        chosen = [prob if line in cited else 1.0 - prob for line, prob in self.cite_probs.items()]
        log_prob = sum(math.log(max(prob, LEAST_PROB)) for prob in chosen)
        return Reply(tuple(sorted(cited)), log_prob, len(chosen), dict(self.cite_probs))


@dataclass(frozen=True, slots=True)
class Weights:
    """How the verdicts on a line and on the whole make one probability: a logistic regression, fitted on held-out
    scenes."""

    line: float = 0.5
    scene: float = 0.5
    bias: float = 0.0


@dataclass(frozen=True, slots=True)
class Judged:
    """What our own reader says, in log-odds: of each line that it answers, and that any line does."""

    lines: Mapping[int, float]
    scene: float


def pooled(judged: Judged, ways: Sequence[Hashable]) -> Judged:
    """The lines of one way judged as one: each gets the mean log-odds of them all; ``ways`` begins with line 1.

    A line of its own is judged with the noise of its entities' names: of lines that differ in those alone, one
    in ten questions had only some cited.
    """
    together: dict[Hashable, list[float]] = defaultdict(list)
    for line, odds in judged.lines.items():
        together[ways[line - 1]].append(odds)
    means = {way: sum(odds) / len(odds) for way, odds in together.items()}
    return Judged({line: means[ways[line - 1]] for line in judged.lines}, judged.scene)


def judge_lines(judged: Judged, weights: Weights) -> Verdicts:
    """Verdicts on the lines."""
    probs: dict[int, float] = {}
    for line, line_odds in judged.lines.items():
        odds = weights.line * line_odds + weights.scene * judged.scene + weights.bias
        probs[line] = 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, odds))))
    return Verdicts(probs)


def line_log_odds(logits: np.ndarray) -> float:
    """Of "answers" against the other verdicts (other, on the way); logits [3]."""
    scores = _log_softmax(logits)
    return float(scores[2] - np.logaddexp(scores[0], scores[1]))


class ReplyGrammar:
    """The possible replies over ``citable`` lines, as tokens of one model.

    ``first`` and ``later`` give the tokens of a line number at the start of the reply and
    after another number; ``stop`` ends the numbers. No choice may be a prefix of another.
    """

    def __init__(
        self,
        citable: Sequence[int],
        first: Mapping[int, Tokens],
        later: Mapping[int, Tokens],
        stop: Tokens,
        dont_know: Tokens,
    ):
        self.citable = sorted(citable)
        self._first, self._later, self._stop, self._dont_know = first, later, stop, dont_know

    def choices(self, state: int) -> dict[int | None, Tokens]:
        """Next line -> tokens; None ends the reply ("I don't know" at the start)."""
        if state == START:
            return {None: self._dont_know, **{line: self._first[line] for line in self.citable}}
        return {None: self._stop, **{line: self._later[line] for line in self.citable if line > state}}

    def tokens_of(self, lines: Iterable[int]) -> Tokens:
        """The whole reply that cites ``lines``."""
        tokens: Tokens = ()
        state = START
        for line in sorted(lines):
            tokens += self.choices(state)[line]
            state = line
        return tokens + self.choices(state)[None]


def decode_reply(
    source: LogitSource, prompt: Sequence[int], grammar: ReplyGrammar, draft_lines: Iterable[int] = ()
) -> Reply:
    """The greedy reply: at each decision the most probable choice token."""
    tokens = list(prompt)
    state, log_prob, n_decisions = START, 0.0, 0
    lines: list[int] = []
    planned = sorted(set(draft_lines) & set(grammar.citable))
    draft = _remaining_draft(grammar, state, planned)
    while True:
        choices = grammar.choices(state)
        chosen, gained, decided = _choose(source, tokens, choices, draft)
        tokens.extend(choices[chosen])
        log_prob += gained
        n_decisions += decided
        if chosen is None:
            return Reply(tuple(lines), log_prob, n_decisions)
        lines.append(chosen)
        state = chosen
        n_said = len(choices[chosen])
        as_planned = draft[:n_said] == choices[chosen]
        draft = draft[n_said:] if as_planned else _remaining_draft(grammar, state, planned)


def score_reply(source: LogitSource, prompt: Sequence[int], grammar: ReplyGrammar, lines: Iterable[int]) -> Reply:
    """One possible reply with its log-probability; it is evaluated in one batch, as its own draft."""
    cited = tuple(sorted(lines))
    tokens, log_prob, state, n_decisions = list(prompt), 0.0, START, 0
    for line in [*cited, None]:
        choices, draft = grammar.choices(state), _remaining_draft(grammar, state, cited)
        gained, decided = _follow(source, tokens, choices, choices[line], draft)
        log_prob, n_decisions = log_prob + gained, n_decisions + decided
        tokens.extend(choices[line])
        state = line or state
    return Reply(cited, log_prob, n_decisions)


def _remaining_draft(grammar: ReplyGrammar, state: int, planned: Sequence[int]) -> Tokens:
    """Tokens of what the plan would reply from here on; as far as that is still possible."""
    tokens: Tokens = ()
    for line in planned:
        if line > state:
            choice = grammar.choices(state).get(line)
            if choice is None:
                return tokens
            tokens += choice
            state = line
    return tokens + grammar.choices(state).get(None, ())


def _choose(
    source: LogitSource, tokens: list[int], choices: Mapping[int | None, Tokens], draft: Tokens
) -> tuple[int | None, float, int]:
    """Walk the trie of choices greedily: the choice, its log-probability, decisions made."""
    open_choices, depth, log_prob, n_decisions = dict(choices), 0, 0.0, 0
    taken: list[int] = []
    while len(open_choices) > 1:
        allowed = sorted({choice[depth] for choice in open_choices.values()})
        token = allowed[0]
        if len(allowed) > 1:
            follows = draft[depth:] if list(draft[:depth]) == taken else ()
            scores = _log_softmax(source.logits_after([*tokens, *taken], follows)[allowed])
            best = int(np.argmax(scores))
            token, n_decisions = allowed[best], n_decisions + 1
            log_prob += float(scores[best])
        taken.append(token)
        open_choices = {key: choice for key, choice in open_choices.items() if choice[depth] == token}
        depth += 1
    return next(iter(open_choices)), log_prob, n_decisions


def _follow(
    source: LogitSource,
    tokens: list[int],
    choices: Mapping[int | None, Tokens],
    wanted: Tokens,
    draft: Tokens,
) -> tuple[float, int]:
    """Log-probability of one choice, and decisions on its way."""
    open_choices, log_prob, n_decisions = list(choices.values()), 0.0, 0
    for depth, token in enumerate(wanted):
        allowed = sorted({choice[depth] for choice in open_choices})
        if len(allowed) > 1:
            scores = _log_softmax(source.logits_after([*tokens, *wanted[:depth]], draft[depth:])[allowed])
            log_prob, n_decisions = log_prob + float(scores[allowed.index(token)]), n_decisions + 1
        open_choices = [choice for choice in open_choices if choice[depth] == token]
    return log_prob, n_decisions


def _log_softmax(logits: np.ndarray) -> np.ndarray:
    # A broken model may give NaN: then no choice is better than another.
    wide = np.nan_to_num(logits.astype(np.float64), nan=0.0, posinf=1e9, neginf=-1e9)
    wide = wide - wide.max()
    return wide - np.log(np.exp(wide).sum())
