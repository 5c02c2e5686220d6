"""Training of the reader on made scenes: a verdict on each line, and on the whole."""

from __future__ import annotations

import hashlib
import random
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from kgask.corpus.scene import Scene, citable_of
from kgask.corpus.training_data import merged
from kgask.read.cross_encoder.prompt import ways
from kgask.read.cross_encoder.verdicts import Judged, Weights, judge_lines, line_log_odds, pooled
from kgask.train.pace import Pace, cosine
from kgask.train.reader.data import HELD_OUT_SEED, Batch, Batches, Makers, encode_scene, make_batch, make_scenes
from kgask.train.reader.model import ReaderConfig, ReaderModel
from kgask.train.reader.start import TOKENIZER, Start
from kgask.train.reader.tokens import ReaderTokens
from kgask.train.trainer import LOG, Trainer, mixed_precision

EXPORTED = "reader-f16.gguf"


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything that decides the weights, given the data folder and the encoder to start from."""

    model: ReaderConfig = field(default_factory=ReaderConfig)
    rng_seed: int = 1
    batch_size: int = 32
    steps: int = 1200
    learning_rate: float = 2e-4
    head_rate: float = 5.0  # times it for the two heads, which start from nothing
    scene_weight: float = 0.3  # of the loss on "does any line answer"
    warmup_steps: int = 60
    weight_decay: float = 0.01
    clip_norm: float = 1.0
    blind: float = 0.3  # share of scenes without marks; see SceneOptions
    astray: float = 0.05  # share of scenes about another entity; see SceneOptions
    unanswerable: float = 0.3  # share of scenes whose answering triple is missing; see SceneOptions
    crowded: float = 0.3  # share of scenes of one hop with many distractors; see SceneOptions
    start_weights: str = ""  # SHA-256 of the weights that the run starts from
    check_every: int = 100  # steps between checkpoints and held-out measurements
    check_scenes: int = 200


class ReaderTrainer(Trainer[Recipe, Batch]):
    """A run in a folder that is its whole work: checkpoint, log, tokenizer, and later the finished reader."""

    model: ReaderModel
    picks_best = False
    writes = (LOG, TOKENIZER, EXPORTED)
    elsewhere = "choose another --output"

    def __init__(self, recipe: Recipe, makers: Makers, folder: Path, start: Start) -> None:
        torch.manual_seed(recipe.rng_seed)
        model = start.model(recipe.model)
        recipe = replace(recipe, start_weights=weights_hash(start.weights(model)))
        self.makers, self.tokens, self.earlier_recipe = makers, ReaderTokens.load(start.tokenizer), start.recipe
        self.training_data = merged(start.training_data, makers.training_data())
        self.batches = Batches(makers.train, self.tokens, recipe.rng_seed, recipe.batch_size, recipe.model.n_ctx)
        pace = Pace(
            recipe.steps, recipe.batch_size, recipe.rng_seed, cosine(recipe.steps, recipe.warmup_steps),
            recipe.clip_norm, recipe.check_every, recipe.check_every,
        )  # fmt: skip
        super().__init__(model, _groups(model, recipe), folder, recipe, pace, betas=(0.9, 0.98), fused=True)

    def begin(self) -> None:
        self.tokens.save(self.work / TOKENIZER)

    def draw(self, rng: random.Random) -> Batch:
        return self.batches(self.step)

    def loss(self, batch: Batch, rng: random.Random) -> tuple[Tensor, dict[str, float]]:
        with mixed_precision("cpu"):
            lines, scenes = judged(self.model, batch)
        line_loss = functional.cross_entropy(lines, torch.from_numpy(batch.verdicts))
        scene_loss = functional.binary_cross_entropy_with_logits(scenes, torch.from_numpy(batch.answered))
        shown = {"loss": float(line_loss.detach()), "scene loss": float(scene_loss.detach())}
        return line_loss + self.config.scene_weight * scene_loss, shown

    def measure(self) -> dict[str, float]:
        return held_out_accuracy(self.model, self.tokens, self.makers, self.config.check_scenes)

    def extra(self) -> dict[str, Any]:
        return {"training_data": self.training_data, "earlier_recipe": self.earlier_recipe}

    def take_extra(self, state: dict[str, Any]) -> None:
        self.earlier_recipe = state["earlier_recipe"]


def weights_hash(weights: dict[str, torch.Tensor]) -> str:
    """SHA-256 of a model's weights, names included."""
    digest = hashlib.sha256()
    for name in sorted(weights):
        digest.update(name.encode())
        digest.update(weights[name].contiguous().numpy().tobytes())
    return digest.hexdigest()


def _groups(model: ReaderModel, recipe: Recipe) -> list[dict[str, Any]]:
    heads = [*model.line_head.parameters(), *model.scene_head.parameters()]
    matrices = [weight for weight in model.encoder.parameters() if weight.dim() == 2]
    gains = [weight for weight in model.encoder.parameters() if weight.dim() != 2]
    return [
        {"params": matrices, "weight_decay": recipe.weight_decay, "lr": recipe.learning_rate},
        {"params": gains, "weight_decay": 0.0, "lr": recipe.learning_rate},
        {"params": heads, "weight_decay": 0.0, "lr": recipe.head_rate * recipe.learning_rate},
    ]


def judged(model: ReaderModel, batch: Batch) -> tuple[Tensor, Tensor]:
    """Logits of every line [M, 3] and of every scene [B], float32."""
    hidden = model(*(torch.from_numpy(array) for array in (batch.ids, batch.mask, batch.positions)))
    lines = hidden[torch.from_numpy(batch.line_rows), torch.from_numpy(batch.line_columns)]
    return model.line_head(lines).float(), model.scene_head(hidden[:, 0])[:, 0].float()


@torch.inference_mode()
def held_out_accuracy(model: ReaderModel, tokens: ReaderTokens, makers: Makers, count: int) -> dict[str, float]:
    """Share of held-out scenes whose lines are all judged right, by kind of answer, with marks and without."""
    model.eval()
    found: dict[str, float] = {}
    for name, maker in (("", makers.held_out), ("blind ", makers.blind)):
        right: dict[str, list[bool]] = {"one": [], "several": [], "none": []}
        scenes = make_scenes(maker, HELD_OUT_SEED, 0, count)
        for at in range(0, len(scenes), 32):
            group = scenes[at : at + 32]
            batch = make_batch([encode_scene(scene, tokens) for scene in group])
            logits = judged(model, batch)[0].numpy()
            for row, scene in enumerate(group):
                right[scene.kind].append(_cited(scene, logits[batch.line_rows == row]) == scene.cite)
        found |= {name + kind: round(float(np.mean(hits)), 3) for kind, hits in right.items() if hits}
    return found


def _cited(scene: Scene, logits: np.ndarray) -> tuple[int, ...]:
    """The lines that the reader cites at answer time, before its verdict weights are fitted; logits [lines, 3]."""
    odds = {number: line_log_odds(logits[number - 1]) for number in citable_of(scene)}
    together = pooled(Judged(odds, 0.0), ways(scene.lines))
    return judge_lines(together, Weights(line=1.0, scene=0.0)).reply().lines
