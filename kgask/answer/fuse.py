"""Plan and reader weighed against each other: which route answers, and how sure that is.

The reader gives every shown line a probability that it answers the question; the planner gives
every route one. Neither has the last word: routes compete by the sum of their log-odds, each with its own
power, and the confidence of the winner is a logistic model over both. Powers and weights
are fitted on held-out questions (``kgask train calibrate``) and stand in the reader's card,
so a reader that is often wrong counts for little, and one that is seldom wrong may overrule the plan.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kgask.answer.interpret import LEAST, calibrated
from kgask.errors import ModelError
from kgask.plan.card import Calibration, threshold
from kgask.protocols import Graph
from kgask.retrieve.walk import Route
from kgask.types import Evidence, Reading
from kgask.verbalise import walked_ends

MOST_ODDS = 8.0  # log-odds beyond this are not believed: they rest on a few weights
POWERS = ("best", "mean")  # of a route's lines: the surest line, and all of them
FEATURES = ("plan", "best", "mean", "share", "changed")
CARD_KEY = "weighing"


@dataclass(frozen=True, slots=True)
class Weighing:
    """What a reader's word counts beside the plan's."""

    powers: Mapping[str, float]  # of POWERS, beside a power of 1 for a route's log-probability
    confidence: Calibration  # over FEATURES
    min_confidence: float  # what is printed by default

    @classmethod
    def of(cls, card: Mapping[str, object] | None) -> Weighing | None:
        """From a reader's card; None when it has none (a reader that was not calibrated).

        Raises ModelError for one that is not what :meth:`as_card` gives.
        """
        found = (card or {}).get(CARD_KEY)
        if found is None:
            return None
        try:
            powers = {name: _finite(found["powers"][name]) for name in POWERS}
            weights = {name: _finite(found["weights"][name]) for name in FEATURES}
            least = threshold(found["min_confidence"])
            return cls(powers, Calibration(_finite(found["bias"]), weights), least)
        except (KeyError, TypeError, ValueError) as error:
            what = f"the reader's card: its {CARD_KEY!r} is broken ({error})"
            raise ModelError(f"{what}; run: kgask train calibrate") from None

    def as_card(self) -> dict[str, object]:
        return {
            "powers": dict(self.powers),
            "bias": self.confidence.bias,
            "weights": dict(self.confidence.weights),
            "min_confidence": self.min_confidence,
        }


@dataclass(frozen=True, slots=True, eq=False)
class Standing:
    """A route that the reader was shown, and what it said of its lines, in log-odds."""

    route: Route
    first: bool  # the plan's own first choice
    best: float
    mean: float

    def score(self, powers: Mapping[str, float]) -> float:
        """Unnormalised log-probability that this is the route."""
        return math.log(max(self.route.prob, LEAST)) + powers["best"] * self.best + powers["mean"] * self.mean


def standings(
    routes: Sequence[Route], evidence: Evidence, line_probs: Mapping[int, float], graph: Graph
) -> list[Standing]:
    """Every route with a line that the reader judged, in plan order; lines are 1-based.

    A line is a route's when it ends in one of the route's answers by the route's last step; where the evidence holds
    no such line (the triple was shown at another hop), any line that ends there.
    """
    numbers = sorted(line_probs)
    if not numbers:
        return []
    shown = [evidence.triples[number - 1] for number in numbers]
    _, relations, ends = walked_ends(shown, graph)
    directed = relations + np.array([graph.n_relations if triple.inverse else 0 for triple in shown])
    hops = np.array([triple.hop for triple in shown])
    odds = np.array([log_odds(line_probs[number]) for number in numbers])
    found = []
    for route in routes:
        ending = np.isin(ends, route.answers)
        steps = {(len(walk.relations), walk.relations[-1]) for walk in route.walks}
        by_last_step = ending & np.array([step in steps for step in zip(hops.tolist(), directed.tolist(), strict=True)])
        chosen = by_last_step if by_last_step.any() else ending
        if chosen.any():
            said = odds[chosen]
            found.append(Standing(route, route is routes[0], float(said.max()), float(said.mean())))
    return found


def best_of(found: Sequence[Standing], powers: Mapping[str, float]) -> Standing:
    """The standing with the highest score; the plan's order decides between equals."""
    return max(found, key=lambda standing: standing.score(powers))


def weighed_features(
    found: Sequence[Standing], chosen: Standing, powers: Mapping[str, float], plan_confidence: float
) -> dict[str, float]:
    """What the confidence in a chosen route is made of."""
    scores = np.array([standing.score(powers) for standing in found])
    return {
        "plan": log_odds(plan_confidence),
        "best": chosen.best,
        "mean": chosen.mean,
        "share": chosen.score(powers) - float(np.logaddexp.reduce(scores)),
        "changed": 0.0 if chosen.first else 1.0,
    }


def weigh(weighing: Weighing, found: Sequence[Standing], plan_confidence: float) -> tuple[Route, float]:
    """The route that answers, and the probability that it is right; ``found`` is not empty."""
    chosen = best_of(found, weighing.powers)
    values = weighed_features(found, chosen, weighing.powers, plan_confidence)
    return chosen.route, calibrated(weighing.confidence, values)


def chosen_route(ways: Sequence[Route], reading: Reading) -> Route:
    """Where a reader was not calibrated: the most probable route that ends at something it named.

    The answer is that route's whole end: the reader sees ``top_k`` triples a
    hop, the answer set may be larger. So the reader can turn the plan's first
    choice down, but not widen it with the end of an improbable route.
    """
    wanted = set(reading.entities)
    return min(ways, key=lambda route: wanted.isdisjoint(route.answers.tolist()))


def log_odds(prob: float) -> float:
    """Within +-:data:`MOST_ODDS`; a probability that is no number says nothing."""
    if not math.isfinite(prob):
        return 0.0
    prob = min(max(prob, 1e-9), 1.0 - 1e-9)
    return max(-MOST_ODDS, min(MOST_ODDS, math.log(prob / (1.0 - prob))))


def _finite(value: object) -> float:
    number = float(value)  # type: ignore[arg-type]
    if not math.isfinite(number):
        raise ValueError(f"{value} among its weights")
    return number
