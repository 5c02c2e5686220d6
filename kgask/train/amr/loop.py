"""Training the AMR ranker: binary cross-entropy of the asked relation against others, resumable to the bit."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from kgask.corpus.amr_questions import Example
from kgask.errors import ModelError
from kgask.train.amr.model import AmrRanker
from kgask.train.running import CHECKPOINT, claim_work, learning_rate, save_whole


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


@dataclass(frozen=True, slots=True)
class AmrProgress:
    step: int
    steps: int
    loss: float  # of the step
    held_out: Accuracy | None  # of the last measurement


class AmrTrainer:
    """Owns model and optimiser; ``run`` goes on from the checkpoint in ``work``."""

    def __init__(self, learnt: Sequence[Example], held: Sequence[Example], work: Path, config: AmrConfig) -> None:
        self.learnt, self.held, self.work, self.config = learnt, held, work, config
        torch.manual_seed(config.rng_seed)
        vector_width = learnt[0].inputs.pairs.shape[1]
        self.model = AmrRanker(vector_width, config.width, config.n_heads, config.n_layers, config.dropout)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=config.lr, weight_decay=config.weight_decay)
        self.schedule = torch.optim.lr_scheduler.LambdaLR(self.optimizer, lambda step: learning_rate(step, config))
        self.step = 0

    def train_step(self) -> float:
        """Draw, forward, backward; returns the loss."""
        rng = random.Random(f"{self.config.rng_seed}:{self.step}")
        torch.manual_seed(self.config.rng_seed * 1_000_003 + self.step)  # dropout
        self.model.train()
        batch = rng.sample(range(len(self.learnt)), min(self.config.batch_size, len(self.learnt)))
        loss = torch.stack([self._loss(self.learnt[row]) for row in batch]).mean()
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.config.clip)
        self.optimizer.step()
        self.schedule.step()
        self.step += 1
        return float(loss.detach())

    def _loss(self, example: Example) -> Tensor:
        logits = self.model(*tensors(example))
        return functional.binary_cross_entropy_with_logits(logits, torch.from_numpy(example.gold), reduction="sum")

    def run(self, report: Callable[[AmrProgress], None] = lambda progress: None) -> None:
        """Train to the last step; a checkpoint every ``save_every`` steps and at the end."""
        claim_work(self.work)
        self.resume()
        last: Accuracy | None = None
        while self.step < self.config.steps:
            loss = self.train_step()
            if self.step % self.config.save_every == 0 or self.step == self.config.steps:
                last = accuracy(self.model, self.held)
                self.save()
            report(AmrProgress(self.step, self.config.steps, loss, last))

    @property
    def checkpoint(self) -> Path:
        return self.work / CHECKPOINT

    def save(self) -> None:
        state = {
            "config": asdict(self.config), "data": self._data_mark(), "step": self.step,
            "model": self.model.state_dict(), "optimizer": self.optimizer.state_dict(),
            "schedule": self.schedule.state_dict(),
        }  # fmt: skip
        save_whole(state, self.checkpoint)

    def resume(self) -> None:
        """Load the checkpoint when there is one; refuses one of another recipe or other questions."""
        if not self.checkpoint.is_file():
            return
        state = torch.load(self.checkpoint, weights_only=True)
        if (state["config"], state["data"]) != (asdict(self.config), self._data_mark()):
            raise ModelError(f"{self.checkpoint} was made with another recipe or data; use another --work or remove it")
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.schedule.load_state_dict(state["schedule"])
        self.step = state["step"]

    def _data_mark(self) -> str:
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
