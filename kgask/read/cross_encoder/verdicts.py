"""What the cross-encoder says of lines, in log-odds -> the probability that it cites each of them.

It was trained to judge every line, and all verdicts come out of one evaluation; the probabilities of all possible
replies sum to one.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kgask.read.gguf.decode import log_softmax
from kgask.read.reply import Reply

LEAST_PROB = 1e-12
MOST_ODDS = 30.0


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
    """What the reader says, in log-odds: of each line that it answers, and that any line does."""

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
        probs[line] = 1.0 / (1.0 + math.exp(-max(-MOST_ODDS, min(MOST_ODDS, odds))))
    return Verdicts(probs)


def line_log_odds(logits: np.ndarray) -> float:
    """Of "answers" against the other verdicts (other, on the way); logits [3]."""
    scores = log_softmax(logits)
    return float(scores[2] - np.logaddexp(scores[0], scores[1]))
