"""Training the AMR ranker: binary cross-entropy of the asked relation against others."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from kgask.corpus.amr_questions import Example
from kgask.train.amr.model import AmrRanker
from kgask.train.pace import Pace, linear
from kgask.train.trainer import Trainer


@dataclass(frozen=True, slots=True)
class AmrConfig:
    """The recipe; it goes into the card. No step is chosen by the held-out questions."""

    steps: int = 300
    batch_size: int = 8  # questions
    lr: float = 1e-3
    warmup: float = 0.1  # share of the steps
    weight_decay: float = 0.05
    clip: float = 1.0
    width: int = 96
    n_heads: int = 4
    n_layers: int = 2
    dropout: float = 0.2
    n_others: int = 16  # relations drawn from the whole pack for each question
    held_out: float = 0.2  # share of the wordings
    save_every: int = 50
    rng_seed: int = 0


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Among the relations that the topic has; in words alike relations count as one."""

    n: int
    top_1: float
    top_5: float


class AmrTrainer(Trainer[AmrConfig, list[Example]]):
    """A run over questions with their graphs; it goes on from the checkpoint in ``work``."""

    picks_best = False

    def __init__(self, learnt: Sequence[Example], held: Sequence[Example], work: Path, config: AmrConfig) -> None:
        self.learnt, self.held = learnt, held
        torch.manual_seed(config.rng_seed)
        vector_width = learnt[0].inputs.pairs.shape[1]
        model = AmrRanker(vector_width, config.width, config.n_heads, config.n_layers, config.dropout)
        groups = [{"params": list(model.parameters())}]
        pace = Pace(
            config.steps, config.batch_size, config.rng_seed, linear(config.steps, config.warmup), config.clip,
            config.save_every, config.save_every,
        )  # fmt: skip
        super().__init__(model, groups, work, config, pace, lr=config.lr, weight_decay=config.weight_decay)

    def draw(self, rng: random.Random) -> list[Example]:
        rows = rng.sample(range(len(self.learnt)), min(self.config.batch_size, len(self.learnt)))
        return [self.learnt[row] for row in rows]

    def loss(self, batch: list[Example], rng: random.Random) -> tuple[Tensor, dict[str, float]]:
        losses = [
            functional.binary_cross_entropy_with_logits(
                self.model(*tensors(one)), torch.from_numpy(one.gold), reduction="sum"
            )
            for one in batch
        ]
        return torch.stack(losses).mean(), {}

    def measure(self) -> dict[str, float]:
        held = accuracy(self.model, self.held)
        return {"held-out top 1": held.top_1, "top 5": held.top_5} if self.held else {}

    def data_mark(self) -> str:
        """Of gold and graphs; not of the vectors, which another CPU may round otherwise."""
        mark = hashlib.sha256()
        for one in (*self.learnt, *self.held):
            for array in (one.gold, one.inputs.kinds, one.inputs.links):
                mark.update(array.tobytes())
        return mark.hexdigest()


def tensors(example: Example) -> tuple[Tensor, ...]:
    return tuple(torch.from_numpy(array) for array in example.inputs.arrays().values())


@torch.no_grad()
def accuracy(model: AmrRanker, examples: Sequence[Example]) -> Accuracy:
    """How often the asked relation comes first, and among the first five."""
    model.eval()
    return _accuracy(examples, [model(*tensors(example)).numpy() for example in examples])


def similarity_accuracy(examples: Sequence[Example]) -> Accuracy:
    """The same by the cosine of question and relation alone: what training must beat."""
    return _accuracy(examples, [(one.inputs.relations @ one.inputs.question.T)[:, 0] for one in examples])


def _accuracy(examples: Sequence[Example], scores: Sequence[np.ndarray]) -> Accuracy:
    ranks = [_rank(example, given) for example, given in zip(examples, scores, strict=True)]
    n = max(1, len(ranks))
    return Accuracy(len(ranks), sum(rank < 1 for rank in ranks) / n, sum(rank < 5 for rank in ranks) / n)


def _rank(example: Example, scores: np.ndarray) -> int:
    """Relations around the topic that come before the best right one; one of the same score counts as before it."""
    around, gold = scores[: example.n_around], example.gold[: example.n_around] > 0
    return int((around[~gold] >= around[gold].max()).sum())
