"""What the trainers of planners share: two learning rates, the tokenizer, weights between the trained and the first."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol, TypeVar

from kgask.train.encoder import TextBatcher
from kgask.train.pace import Pace, linear
from kgask.train.planner.model import Rigel
from kgask.train.planner.torch_planner import TorchCard, TorchPlanner
from kgask.train.trainer import Batch, Trainer, Weights, copied


class PlannerSettings(Protocol):
    """What the settings of every planner's run have."""

    steps: int
    batch_size: int
    rng_seed: int
    encoder_lr: float
    head_lr: float
    warmup: float  # share of the steps
    clip: float
    max_tokens: int
    of_base: float  # share of the weights started from in the final ones
    save_every: int
    validate_every: int
    patience: int


Config = TypeVar("Config", bound=PlannerSettings)


class PlannerTrainer(Trainer[Config, Batch]):
    """A run over a :class:`Rigel`; with ``goes_on`` the model's weights are those of a planner."""

    model: Rigel

    def __init__(
        self, model: Rigel, texts: TextBatcher, work: Path, config: Config, device: str, goes_on: bool
    ) -> None:
        self.texts = texts
        self._start: Weights | None = copied(model) if goes_on else None
        encoder = list(model.encoder.parameters())
        known = {id(parameter) for parameter in encoder}
        groups = [
            {"params": [p for p in encoder if p.requires_grad], "lr": config.encoder_lr},
            {"params": [p for p in model.parameters() if id(p) not in known], "lr": config.head_lr},
        ]
        pace = Pace(
            config.steps, config.batch_size, config.rng_seed, linear(config.steps, config.warmup), config.clip,
            config.save_every, config.validate_every, config.patience,
        )  # fmt: skip
        super().__init__(model, groups, work, config, pace, device, weight_decay=0.01)

    def blended(self) -> Weights:
        """The weights of now, moved back by ``of_base`` towards those of the planner that the run began with.

        Keeps what training gains without most of what it forgets (Wortsman et al. 2022, "Robust fine-tuning of
        zero-shot models").
        """
        now, start = copied(self.model), self._start
        if start is None:
            return now
        return {
            name: weight.lerp(start[name], self.config.of_base) if weight.is_floating_point() else weight
            for name, weight in now.items()
        }

    def closed_keys(self) -> tuple[str, ...] | None:
        """Keys of a closed vocabulary; None where relations are known by their texts."""
        return None

    def planner(self, question_words: frozenset[str] = frozenset()) -> TorchPlanner:
        """The model as it is, behind the planner's methods."""
        return TorchPlanner(self.model, self.texts, question_words, TorchCard(closed=self.closed_keys()))
