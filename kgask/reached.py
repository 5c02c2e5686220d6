"""One way to understand a question, and how sure kgask is of it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from kgask.plan.card import Calibration
from kgask.retrieve.walk import Route
from kgask.types import Branch, Mention, Seed

LINK_WEIGHT = 3.0  # how much the link's score counts against the plan's, as a power
LEAST = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Reached:
    """One way to understand the question: a seed, the plan from it, and what the graph has."""

    seed: Seed
    mention: Mention
    branch: Branch
    routes: list[Route]  # most probable first
    asked: int  # the directed relation that the plan wants first, whether the seed has it or not

    @property
    def mass(self) -> float:
        """Probability of the plan's paths that exist in the graph."""
        return sum(route.prob for route in self.routes)

    @property
    def score(self) -> float:
        return self.seed.score**LINK_WEIGHT * self.mass


def features(reached: Reached) -> dict[str, float]:
    """What confidence is calibrated on; each is a logarithm, 0 at best."""
    best = reached.routes[0]
    return {
        "mass": math.log(max(reached.mass, LEAST)),
        "share": math.log(max(best.prob / max(reached.mass, LEAST), LEAST)),
        "link": math.log(max(reached.seed.score, LEAST)),
        "hops": float(len(best.walks[0].relations) - 1),
        "gap": gap(reached.branch, best.walks[0].relations),
    }


def gap(branch: Branch, relations: tuple[int, ...]) -> float:
    """How far the walked relations fall behind what the plan wants most at each hop, as a log.

    0 when every hop follows the plan's first choice; very negative when the
    graph lacks it and the walk took what there was, or when the plan's first
    choice is "no such relation".
    """
    total = 0.0
    for hop, relation in enumerate(relations):
        probs = branch.relation_probs[hop]
        most = max(float(probs.max()), 1.0 - float(probs.sum()))
        total += math.log(max(float(probs[relation]), LEAST) / max(most, LEAST))
    return total


def calibrated(calibration: Calibration, values: dict[str, float]) -> float:
    """Probability that the plan's answer is right."""
    logit = calibration.bias + sum(calibration.weights.get(name, 0.0) * x for name, x in values.items())
    return 1.0 / (1.0 + math.exp(-max(-50.0, min(50.0, logit))))
