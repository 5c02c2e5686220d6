"""Training of the reader: AdamW, warm-up then cosine, checkpoints that resume exactly.

The run knows no packs and no planner: everything it reads comes from
:mod:`kgask.train.reader.data`. Progress goes to stderr.
"""

from __future__ import annotations

import hashlib
import json
import math
import shutil
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from kgask.corpus.scenes import Scene, citable_of
from kgask.corpus.training_data import merged
from kgask.errors import ModelError
from kgask.read.cross_encoder.prompt import PROMPT_FORMAT, ways
from kgask.read.cross_encoder.verdicts import Judged, Weights, judge_lines, line_log_odds, pooled
from kgask.train.encoder import architecture
from kgask.train.reader.data import (
    HELD_OUT_SEED,
    Batch,
    Makers,
    batches,
    encode_scene,
    make_batch,
    make_scenes,
)
from kgask.train.reader.model import ReaderConfig, ReaderModel
from kgask.train.reader.start import CHECKPOINT, RECIPE, TOKENIZER, Start, load_checkpoint
from kgask.train.reader.tokens import ReaderTokens
from kgask.train.running import claim_work, mixed_precision, save_whole

Show = Callable[[int, str], None]
EARLIER_RECIPE = "earlier_recipe.json"
LOG, EXPORTED = "log.jsonl", "reader-f16.gguf"


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


def _show_nothing(_step: int, _say: str) -> None:
    """No progress bar."""


@dataclass(slots=True)
class Trainer:
    """A run in a folder: ``checkpoint.pt``, ``tokenizer.json``, ``recipe.json``, ``log.jsonl``."""

    recipe: Recipe
    makers: Makers
    folder: Path
    tokens: ReaderTokens
    model: ReaderModel
    optimizer: torch.optim.Optimizer
    step: int = 0
    seconds: float = 0.0  # of training, over all resumed runs
    training_data: list[str] = field(default_factory=list)  # what the weights were trained on, the start's included

    @classmethod
    def start(cls, recipe: Recipe, makers: Makers, folder: Path, start: Start) -> Trainer:
        """A fresh run from ``start``, or the one that ``folder`` holds a checkpoint of.

        A checkpoint must have the same recipe and the same start.
        """
        claim_work(folder, (RECIPE, TOKENIZER, EARLIER_RECIPE, LOG, EXPORTED))
        torch.manual_seed(recipe.rng_seed)
        model = start.model(recipe.model)
        recipe = replace(recipe, start_weights=weights_hash(start.weights(model)))
        if (folder / CHECKPOINT).exists():
            trainer = cls._resume(recipe, makers, folder, model)
            trainer.training_data = merged(start.training_data, makers.training_data())
            return trainer
        (folder / RECIPE).write_text(json.dumps(asdict(recipe), indent=1) + "\n", encoding="utf-8")
        tokens = ReaderTokens.load(start.tokenizer)
        tokens.save(folder / TOKENIZER)
        if start.recipe is not None:
            shutil.copyfile(start.recipe, folder / EARLIER_RECIPE)
        known = merged(start.training_data, makers.training_data())
        return cls(recipe, makers, folder, tokens, model, _optimizer(model, recipe), training_data=known)

    @classmethod
    def _resume(cls, recipe: Recipe, makers: Makers, folder: Path, model: ReaderModel) -> Trainer:
        saved = load_checkpoint(folder)
        if saved["recipe"] != asdict(recipe):
            changed = [key for key, value in asdict(recipe).items() if saved["recipe"].get(key) != value]
            raise ModelError(
                f"{folder}: its checkpoint has another recipe ({', '.join(changed)}); choose another --out"
            )
        tokens = ReaderTokens.load(folder / TOKENIZER)
        model.load_state_dict(saved["model"])
        optimizer = _optimizer(model, recipe)
        optimizer.load_state_dict(saved["optimizer"])
        return cls(recipe, makers, folder, tokens, model, optimizer, saved["step"], saved["seconds"])

    def run(self, minutes: float | None = None, until: int | None = None, show: Show = _show_nothing) -> bool:
        """Train to the recipe's last step; False when the minutes (or ``until`` steps) end first.

        ``show`` is called with the step number and what to say about it.

        The minutes count from now and do not change the learning-rate
        schedule, so that a stopped and resumed run ends with the same weights.
        """
        last = min(self.recipe.steps, until if until is not None else self.recipe.steps)
        began, before = time.monotonic(), self.seconds
        deadline = None if minutes is None else began + 60 * minutes
        recipe = self.recipe
        source = batches(
            self.makers.train, self.tokens, recipe.rng_seed, recipe.batch_size, recipe.model.n_ctx, self.step
        )
        window: list[tuple[float, float]] = []
        while self.step < last and (deadline is None or time.monotonic() < deadline):
            window.append(self._train_step(next(source)))
            self.step += 1
            self.seconds = before + time.monotonic() - began
            show(self.step, f"loss {window[-1][0]:.3f}, {self._rate():.0f} examples/s")
            if self.step % self.recipe.check_every == 0 or self.step == self.recipe.steps:
                self._report(*np.mean(window, axis=0).tolist())
                self.save()
                window.clear()
        self.save()
        return self.step >= self.recipe.steps

    def _train_step(self, batch: Batch) -> tuple[float, float]:
        self.model.train()
        for group in self.optimizer.param_groups:
            group["lr"] = group["rate"] * self.recipe.learning_rate * schedule(self.step, self.recipe)
        with mixed_precision("cpu"):
            lines, scenes = judged(self.model, batch)
        line_loss = functional.cross_entropy(lines, torch.from_numpy(batch.verdicts))
        scene_loss = functional.binary_cross_entropy_with_logits(scenes, torch.from_numpy(batch.answered))
        (line_loss + self.recipe.scene_weight * scene_loss).backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.recipe.clip_norm)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        return float(line_loss.detach()), float(scene_loss.detach())

    def _report(self, line_loss: float, scene_loss: float) -> None:
        accuracy = held_out_accuracy(self.model, self.tokens, self.makers, self.recipe.check_scenes)
        left = (self.recipe.steps - self.step) * self.seconds / max(self.step, 1)
        entry = {
            "step": self.step,
            "loss": round(line_loss, 4),
            "scene_loss": round(scene_loss, 4),
            **accuracy,
            "examples_per_s": round(self._rate(), 1),
        }
        with open(self.folder / LOG, "a", encoding="utf-8") as log:
            log.write(json.dumps({**entry, "seconds": round(self.seconds)}) + "\n")
        shown = "  ".join(f"{key} {value}" for key, value in entry.items())
        print(f"{shown}  left {left / 60:.1f} min", file=sys.stderr, flush=True)

    def _rate(self) -> float:
        return self.step * self.recipe.batch_size / max(self.seconds, 1e-9)

    def save(self) -> None:
        """Write the checkpoint in one rename."""
        state: dict[str, Any] = {
            "recipe": asdict(self.recipe),
            "prompt_format": PROMPT_FORMAT,
            "architecture": architecture(self.model.encoder),
            "step": self.step,
            "seconds": self.seconds,
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "training_data": self.training_data,
        }
        save_whole(state, self.folder / CHECKPOINT)


def weights_hash(weights: dict[str, torch.Tensor]) -> str:
    """SHA-256 of a model's weights, names included."""
    digest = hashlib.sha256()
    for name in sorted(weights):
        digest.update(name.encode())
        digest.update(weights[name].contiguous().numpy().tobytes())
    return digest.hexdigest()


def schedule(step: int, recipe: Recipe) -> float:
    """Share of the learning rate: linear warm-up, then a cosine down to 4 %."""
    if step < recipe.warmup_steps:
        return (step + 1) / recipe.warmup_steps
    done = (step - recipe.warmup_steps) / max(1, recipe.steps - recipe.warmup_steps)
    return 0.04 + 0.96 * 0.5 * (1 + math.cos(math.pi * min(1.0, done)))


def _optimizer(model: ReaderModel, recipe: Recipe) -> torch.optim.Optimizer:
    heads = [*model.line_head.parameters(), *model.scene_head.parameters()]
    matrices = [weight for weight in model.encoder.parameters() if weight.dim() == 2]
    gains = [weight for weight in model.encoder.parameters() if weight.dim() != 2]
    groups = [
        {"params": matrices, "weight_decay": recipe.weight_decay, "rate": 1.0},
        {"params": gains, "weight_decay": 0.0, "rate": 1.0},
        {"params": heads, "weight_decay": 0.0, "rate": recipe.head_rate},
    ]
    return torch.optim.AdamW(groups, lr=recipe.learning_rate, betas=(0.9, 0.98), fused=True)


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
