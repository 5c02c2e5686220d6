"""What another model's word counts beside the plan's: fitted by ``kgask train calibrate``, in that model's card."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from kgask.errors import ModelError
from kgask.plan.card import Calibration, finite, threshold


@dataclass(frozen=True, slots=True)
class Word:
    """Powers by which what may be meant competes, and the confidence in the winner."""

    whose: ClassVar[str]
    card_key: ClassVar[str]
    power_names: ClassVar[tuple[str, ...]]
    feature_names: ClassVar[tuple[str, ...]]
    later_names: ClassVar[tuple[str, ...]] = ()  # of both, what older cards lack: it counts nothing there

    powers: Mapping[str, float]  # of power_names
    confidence: Calibration  # over feature_names
    min_confidence: float  # what is printed by default
    margin: float | None = None  # log-odds of the plan from the threshold beyond which it changes next to nothing

    @classmethod
    def of(cls, card: Mapping[str, Any] | None) -> Self | None:
        """From a model's card; None when it has none. Raises ModelError for one that :meth:`as_card` did not give."""
        found = (card or {}).get(cls.card_key)
        if found is None:
            return None
        try:
            later = dict.fromkeys(cls.later_names, 0.0)
            powers = {name: finite((later | found["powers"])[name]) for name in cls.power_names}
            weights = {name: finite((later | found["weights"])[name]) for name in cls.feature_names}
            margin = None if found.get("margin") is None else finite(found["margin"])
            return cls(powers, Calibration(finite(found["bias"]), weights), threshold(found["min_confidence"]), margin)
        except (KeyError, TypeError, ValueError) as error:
            what = f"the {cls.whose}'s card: its {cls.card_key!r} is broken ({error})"
            raise ModelError(f"{what}; run: kgask train calibrate") from None

    def as_card(self) -> dict[str, object]:
        return {
            "powers": dict(self.powers),
            "bias": self.confidence.bias,
            "weights": dict(self.confidence.weights),
            "min_confidence": self.min_confidence,
            "margin": self.margin,
        }
