"""Two ways to judge a claim, and what their words count together.

The one reads it as a query and decides that in the open world (:mod:`kgask.verify.readings`); the other looks at what
the graph says of what it names (:mod:`kgask.verify.evidence`), as the strongest published approach on FactKG does. A
multinomial logistic model over both, fitted on claims that neither was trained on, says how likely each verdict is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from kgask.errors import ModelError
from kgask.verify.verdict import REFUTED, SUPPORTED, UNKNOWN, VERDICTS, Said, Verdict

CARD_KEY = "verdicts"
SURELY = 6.0  # log-odds beyond which a query's confidence counts no more


@dataclass(frozen=True, slots=True)
class Fusion:
    """What the two words count; log-odds of the three verdicts are sums of them."""

    reader: float  # times the log-probability of a verdict by the evidence
    rigel: float  # times the log-odds of the confidence in it by a query
    decided: float  # that a query came to it at all
    silent: float  # for "not enough information" where the graph is silent on the query
    supported: float  # in favour of each
    refuted: float
    least_supported: float  # probability from which it is said
    least_refuted: float

    def probabilities(self, by_query: Verdict, by_evidence: Sequence[float]) -> np.ndarray:
        """Of each of the three verdicts, float [3]."""
        weights = np.array([self.reader, self.rigel, self.decided, self.silent, self.supported, self.refuted])
        return softmax(features(by_query, by_evidence) @ weights)

    def said(self, probabilities: np.ndarray, least: float | None = None) -> Said:
        """The likelier of supported and refuted where it is likely enough; ``least``: in place of what was fitted."""
        leasts = (self.least_supported, self.least_refuted) if least is None else (least, least)
        at = int(np.argmax(probabilities[:2]))
        return VERDICTS[at] if probabilities[at] >= leasts[at] else UNKNOWN

    @classmethod
    def of_card(cls, card: Mapping[str, Any]) -> Fusion | None:
        """None for a judge that was not fitted to; ModelError for a card in which something else stands."""
        found = card.get(CARD_KEY)
        if found is None:
            return None
        try:
            return cls(**{name: float(found[name]) for name in cls.__dataclass_fields__})
        except (TypeError, KeyError, ValueError):
            raise ModelError(f"the judge's card: {CARD_KEY} are not as 'kgask train calibrate-claims' writes") from None

    def as_card(self) -> dict[str, float]:
        return {name: round(value, 4) for name, value in asdict(self).items()}


EVIDENCE_ALONE = Fusion(1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.5, 0.5)


def features(by_query: Verdict, by_evidence: Sequence[float]) -> np.ndarray:
    """Of each verdict what speaks for it, float [3, 6]: in the order of :class:`Fusion`'s fields."""
    found = np.zeros((3, 6))
    found[:, 0] = by_evidence
    if by_query.verdict != UNKNOWN:
        at = VERDICTS.index(by_query.verdict)
        sure = min(max(by_query.confidence, 1e-3), 1 - 1e-3)
        found[at, 1] = np.clip(np.log(sure / (1 - sure)), -SURELY, SURELY)
        found[at, 2] = 1.0
    elif any(one.rule == "silent" for one in (by_query, *by_query.parts)):
        found[2, 3] = 1.0
    found[VERDICTS.index(SUPPORTED), 4] = found[VERDICTS.index(REFUTED), 5] = 1.0
    return found


def softmax(odds: np.ndarray) -> np.ndarray:
    """float [..., 3] -> the same, summing to one."""
    raised = np.exp(odds - odds.max(axis=-1, keepdims=True))
    shares: np.ndarray = raised / raised.sum(axis=-1, keepdims=True)
    return shares
