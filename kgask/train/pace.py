"""How long a training run goes on, how fast it learns, and how often it looks; without torch."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

Schedule = Callable[[int], float]  # step -> share of the learning rate


@dataclass(frozen=True, slots=True)
class Pace:
    """What the training loop asks of a run's settings."""

    steps: int
    batch_size: int
    rng_seed: int
    schedule: Schedule
    clip: float  # largest norm of a step's gradient
    save_every: int  # steps between checkpoints
    validate_every: int  # steps between validations
    patience: float = math.inf  # validations without a rise before a run ends early


def linear(steps: int, warmup: float) -> Schedule:
    """Linear warm-up over the share ``warmup`` of the steps, then linear decay to 2 %."""
    first = max(1, int(steps * warmup))
    return lambda step: (step + 1) / first if step < first else max(0.02, (steps - step) / max(1, steps - first))


def cosine(steps: int, warmup_steps: int) -> Schedule:
    """Linear warm-up, then a cosine down to 4 %."""

    def share(step: int) -> float:
        if step < warmup_steps:
            return (step + 1) / warmup_steps
        done = (step - warmup_steps) / max(1, steps - warmup_steps)
        return 0.04 + 0.96 * 0.5 * (1 + math.cos(math.pi * min(1.0, done)))

    return share
