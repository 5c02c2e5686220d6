"""How a planner errs: made-up relation distributions and stops for training scenes."""

from __future__ import annotations

import random

StepKey = tuple[str, str]  # key of a relation and the direction it is walked in


def relation_probs(
    rng: random.Random, wrong_plan: float, keys: set[StepKey], asked: StepKey | None
) -> dict[StepKey, float]:
    """A planner's distribution over the relations that the graph has here (``keys``), and the asked one.

    ``wrong_plan`` is the probability that it prefers another relation to one
    that is there.
    """
    others = sorted(keys - {asked})
    top = _prob_of_asked(rng) if asked in keys else _prob_of_missing(rng)
    if asked in keys and others and rng.random() < wrong_plan:
        top = rng.uniform(0.05, 0.42)
    spread = [rng.random() ** 6 + 1e-4 for _ in others]
    total = sum(spread) or 1.0
    probs = {key: (1.0 - top) * part / total for key, part in zip(others, spread, strict=True)}
    if asked is not None:
        probs[asked] = top
    return probs


def _prob_of_asked(rng: random.Random) -> float:
    draw = rng.random()
    if draw < 0.5:
        return 1.0 - 0.1 * rng.random() ** 3
    return rng.betavariate(7, 1) if draw < 0.88 else rng.uniform(0.3, 0.8)


def _prob_of_missing(rng: random.Random) -> float:
    """Nothing fits: the mass is mostly on a relation that this entity does not have, but not always."""
    low, middling, high = (1, 3), (2, 2), (6, 1)
    shapes = [rng.betavariate(*shape) for shape in (low, low, middling, high)]
    return 1.0 - rng.choice(shapes)


def hop_weights(rng: random.Random, last: int) -> list[float]:
    """Where the plan believes the answer to lie; it may look one hop too far."""
    hops = max(last, min(3, last + (rng.random() < 0.35)))
    sure = rng.betavariate(8, 1) if rng.random() < 0.9 else rng.uniform(0.4, 0.8)
    if hops == 1:
        return [sure]
    rest = [rng.random() + 1e-3 for _ in range(hops)]
    rest[last - 1] = 0.0
    total = sum(rest)
    weights = [(1.0 - sure) * part / total for part in rest]
    weights[last - 1] = sure
    return weights
