"""A claim judged over what the graph says of what it names, and the lines that decide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kgask.answer.result import SupportTriple
from kgask.answer.words import support_in_words
from kgask.methods.query_judge import QueryJudge
from kgask.pack.store import Pack
from kgask.types import ScoredTriple
from kgask.verify.evidence import Evidence, Line
from kgask.verify.form import bare
from kgask.verify.verdict import VERDICTS, Said

MOST_TOLD = 3  # lines that are named as what decides
TELLING = 0.05  # of probability, that a verdict loses without a line
NEVER = -20.0  # log-probability


@dataclass(frozen=True, slots=True)
class Judged:
    """What a claim is judged to be, and over which lines."""

    claim: str
    lines: tuple[Line, ...]
    odds: tuple[float, float, float]  # log-probabilities: supported, refuted, not enough information


@dataclass(frozen=True, slots=True)
class ByEvidence:
    """Judges claims over one pack."""

    judge: QueryJudge
    evidence: Evidence
    pack: Pack
    closed_world: bool = False  # what no line says is false

    def judged(self, claim: str) -> Judged:
        """Without a line nothing speaks for or against it."""
        text = bare(claim)
        lines = tuple(self.evidence.of(text))
        odds = self.judge.judge_claim(text, [line.told for line in lines]) if lines else (NEVER, NEVER, 0.0)
        if self.closed_world and lines:
            odds = odds[0], float(np.logaddexp(odds[1], odds[2])), NEVER
        return Judged(text, lines, odds)

    def telling(self, judged: Judged, verdict: Said) -> tuple[SupportTriple, ...]:
        """The triples of the lines without which the verdict would be least likely."""
        at = VERDICTS.index(verdict)
        without = [self._without(judged, number)[at] for number in range(len(judged.lines))]
        lost = np.exp(judged.odds[at]) - np.exp(without)
        order = np.argsort(-lost, kind="stable")[:MOST_TOLD].tolist()
        chosen = [number for number in order if lost[number] >= TELLING] or order[:1]
        triples = dict.fromkeys(triple for number in chosen for triple in self.evidence.triples(judged.lines[number]))
        return support_in_words(self.pack, [ScoredTriple(triple, 1, 1.0, False) for triple in triples])

    def _without(self, judged: Judged, number: int) -> Sequence[float]:
        lines = [line.told for at, line in enumerate(judged.lines) if at != number]
        return self.judge.judge_claim(judged.claim, lines)
