"""How long a training run goes on, how fast it learns, and how often it looks; without torch."""

from __future__ import annotations

import math
from typing import Protocol


class Settings(Protocol):
    """What the training loop asks of a run's settings; a dataclass, kept in the checkpoint and the model card."""

    @property
    def steps(self) -> int: ...
    @property
    def batch_size(self) -> int: ...
    @property
    def rng_seed(self) -> int: ...
    @property
    def clip(self) -> float:
        """Largest norm of a step's gradient."""

    @property
    def save_every(self) -> int:
        """Steps between checkpoints."""

    @property
    def validate_every(self) -> int:
        """Steps between validations."""

    @property
    def patience(self) -> float:
        """Validations without a rise before a run ends early; infinite where it never does."""

    def factor(self, step: int) -> float:
        """Share of the learning rate at a step."""


def linear(step: int, steps: int, warmup: float) -> float:
    """Linear warm-up over the share ``warmup`` of the steps, then linear decay to 2 %."""
    first = max(1, int(steps * warmup))
    if step < first:
        return (step + 1) / first
    return max(0.02, (steps - step) / max(1, steps - first))


def cosine(step: int, steps: int, warmup_steps: int) -> float:
    """Linear warm-up, then a cosine down to 4 %."""
    if step < warmup_steps:
        return (step + 1) / warmup_steps
    done = (step - warmup_steps) / max(1, steps - warmup_steps)
    return 0.04 + 0.96 * 0.5 * (1 + math.cos(math.pi * min(1.0, done)))


class LinearDecay:
    """The learning rate of settings with ``steps`` and ``warmup``, a share of them."""

    __slots__ = ()
    steps: int
    warmup: float

    def factor(self, step: int) -> float:
        return linear(step, self.steps, self.warmup)
