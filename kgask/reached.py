"""One way to understand a question, and how sure kgask is of it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from kgask.plan.card import Calibration
from kgask.retrieve.walk import Route
from kgask.types import Alternative, Branch, Mention, Seed

LEAST = 1e-9
SHOWN_ANSWERS = 3  # of an alternative
MOST_UNUSED = 3  # names beyond this add no doubt


@dataclass(frozen=True, slots=True, eq=False)
class Reached:
    """One way to understand the question: a seed, the plan from it, and what the graph has.

    Where several seeds narrow the answers down together, ``parts`` holds each
    of them, and ``routes`` end in what they share; seed, mention and branch are
    those of the surest part.
    """

    seed: Seed
    mention: Mention
    branch: Branch
    routes: list[Route]  # most probable first
    asked: int  # the directed relation that the plan wants first, whether the seed has it or not
    weight: float = 1.0  # what link, topic and fit make of the seed (link.features.LinkModel.pair)
    parts: tuple[Reached, ...] = ()
    alternatives: tuple[Alternative, ...] = ()
    rival: float = 0.0  # score of the best reading that answers something else

    @property
    def mass(self) -> float:
        """Probability of the plan's paths that exist in the graph."""
        return sum(route.prob for route in self.routes)

    @property
    def score(self) -> float:
        """Of this pair of seed and plan; comparable within a question."""
        return self.weight * self.mass

    @property
    def readings(self) -> tuple[Reached, ...]:
        """Every branch of the plan."""
        return self.parts or (self,)

    def alternatives_of(self) -> list[Alternative]:
        """Each route as an alternative reading."""
        return [
            Alternative(
                self.seed,
                route.walks[0].relations,
                self.weight * route.prob,
                tuple(route.answers[:SHOWN_ANSWERS].tolist()),
                len(route.answers),
            )
            for route in self.routes
        ]


def features(reached: Reached) -> dict[str, float]:
    """What confidence is calibrated on; each is 0 at best and else negative (``hops`` is a count).

    Logarithms, and minus one for what makes a link doubtful: a typo, an alias, a name that goes on in the question,
    other names that the answer leaves out. A reading of several parts is as sure as the least sure
    of them, in every respect; that the answers are narrowed is then no doubt.
    """
    if reached.parts:
        every = [features(part) for part in reached.parts]
        worst = {name: min(values[name] for values in every) for name in every[0]}
        hops = max(values["hops"] for values in every)
        return worst | {"hops": hops, "rival": _rival(reached), "narrowed": 0.0}
    best, mention = reached.routes[0], reached.mention
    return {
        "mass": math.log(max(reached.mass, LEAST)),
        "share": math.log(max(best.prob / max(reached.mass, LEAST), LEAST)),
        "link": math.log(max(reached.seed.score, LEAST)),
        "hops": float(len(best.walks[0].relations) - 1),
        "gap": gap(reached.branch, best.walks[0].relations),
        "topic": math.log(max(reached.branch.topic_prob, LEAST)),
        "rival": _rival(reached),
        "wanted": math.log(max(float(reached.branch.relation_probs[0].sum()), LEAST)),
        "narrowed": math.log(max(1.0 - reached.branch.constrained_prob, LEAST)),
        "typo": -float(reached.seed.match == "typo"),
        "alias": -float(reached.seed.match == "alias"),
        "part": -float(not mention.whole),
        "unused": -float(min(len(mention.unused), MOST_UNUSED)),
    }


def _rival(reached: Reached) -> float:
    return math.log(max(reached.score, LEAST) / (max(reached.score, LEAST) + reached.rival))


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
