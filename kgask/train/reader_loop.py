"""Training of the reader: AdamW, warm-up then cosine, checkpoints that resume exactly.

The run knows no packs and no planner: everything it reads comes from
:mod:`kgask.train.reader_data`. Progress goes to stderr.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import shutil
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from kgask.errors import ModelError
from kgask.read.prompt import PROMPT_FORMAT
from kgask.train.reader_data import (
    HELD_OUT_SEED,
    REPLIES,
    Batch,
    Makers,
    batches,
    encode_scene,
    make_batch,
    make_scenes,
)
from kgask.train.reader_model import ReaderConfig, ReaderModel
from kgask.train.reader_tokens import ReaderTokens, prompt_texts
from kgask.train.reader_words import ordered_embeddings, word_embeddings

Show = Callable[[int, str], None]
CHECKPOINT, TOKENIZER, RECIPE, EARLIER_RECIPE = (
    "checkpoint.pt",
    "tokenizer.json",
    "recipe.json",
    "earlier_recipe.json",
)


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything that decides the weights, given the data folder."""

    model: ReaderConfig = field(default_factory=ReaderConfig)
    rng_seed: int = 1
    batch_size: int = 32
    steps: int = 1500
    learning_rate: float = 1.5e-3
    embedding_rate: float = (
        0.2  # share of it for token embeddings: they start with meaning, and full steps erase it
    )
    verdict_weight: float = 0.5  # of the loss on each line's verdict
    warmup_steps: int = 80
    weight_decay: float = 0.02
    clip_norm: float = 1.0
    word_start: bool = True  # token embeddings from MiniLM
    astray: float = 0.06  # share of scenes about another entity; see SceneOptions
    start_weights: str = ""  # SHA-256 of the weights that the run starts from; empty: from scratch
    bf16: bool = True
    tokenizer_scenes: int = 12_000
    check_every: int = 200  # steps between checkpoints and held-out measurements
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

    @classmethod
    def start(cls, recipe: Recipe, makers: Makers, folder: Path, earlier: Path | None = None) -> Trainer:
        """A fresh run, or the one that ``folder`` holds a checkpoint of (which must have the same recipe).

        A fresh run may start from the weights and the vocabulary of an ``earlier`` run's folder.
        """
        folder.mkdir(parents=True, exist_ok=True)
        if earlier is not None:
            recipe = replace(recipe, start_weights=weights_hash(load_checkpoint(earlier)["model"]))
        if (folder / CHECKPOINT).exists():
            return cls._resume(recipe, makers, folder)
        (folder / RECIPE).write_text(json.dumps(asdict(recipe), indent=1) + "\n", encoding="utf-8")
        if earlier is not None:
            return cls._go_on_from(earlier, recipe, makers, folder)
        torch.manual_seed(recipe.rng_seed)
        scenes = make_scenes(makers.train, recipe.rng_seed + 17, 0, recipe.tokenizer_scenes)
        tokens = ReaderTokens.train(prompt_texts(scenes), recipe.model.n_vocab)
        if tokens.n_vocab != recipe.model.n_vocab:
            raise ModelError(
                f"the text gave {tokens.n_vocab} tokens, not {recipe.model.n_vocab}: ask for fewer"
            )
        model = ReaderModel(recipe.model)
        if recipe.word_start:
            start = word_embeddings(tokens, recipe.model.n_embd, recipe.rng_seed)
            model.token_embd.weight.data.copy_(torch.from_numpy(start))
        for token, row in ordered_embeddings(tokens, recipe.model.n_embd).items():
            model.token_embd.weight.data[token] = torch.from_numpy(row)
        tokens.save(folder / TOKENIZER)
        return cls(recipe, makers, folder, tokens, model, _optimizer(model, recipe))

    @classmethod
    def _go_on_from(cls, earlier: Path, recipe: Recipe, makers: Makers, folder: Path) -> Trainer:
        tokens, model = ReaderTokens.load(earlier / TOKENIZER), ReaderModel(recipe.model)
        try:
            model.load_state_dict(load_checkpoint(earlier)["model"])
        except RuntimeError:
            raise ModelError(f"{earlier}: its weights have another size than the ones to train") from None
        tokens.save(folder / TOKENIZER)
        shutil.copyfile(earlier / RECIPE, folder / EARLIER_RECIPE)
        return cls(recipe, makers, folder, tokens, model, _optimizer(model, recipe))

    @classmethod
    def _resume(cls, recipe: Recipe, makers: Makers, folder: Path) -> Trainer:
        saved = load_checkpoint(folder)
        if saved["recipe"] != asdict(recipe):
            changed = [key for key, value in asdict(recipe).items() if saved["recipe"].get(key) != value]
            raise ModelError(
                f"{folder}: its checkpoint has another recipe ({', '.join(changed)}); choose another --out"
            )
        tokens = ReaderTokens.load(folder / TOKENIZER)
        model = ReaderModel(recipe.model)
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
        source = batches(
            self.makers.train, self.tokens, self.recipe.rng_seed, self.recipe.batch_size, self.step
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
        with torch.autocast("cpu", torch.bfloat16, enabled=self.recipe.bf16):
            hidden = self.model(torch.from_numpy(batch.ids))
            judged = hidden[torch.from_numpy(batch.rows), torch.from_numpy(batch.columns)]
            logits = self.model.logits(judged, reply_tokens(self.tokens))
            lines = self.model.verdict(
                hidden[torch.from_numpy(batch.line_rows), torch.from_numpy(batch.line_ends)]
            )
        loss = functional.cross_entropy(logits.float(), torch.from_numpy(batch.targets))
        verdict_loss = functional.cross_entropy(lines.float(), torch.from_numpy(batch.verdicts))
        (loss + self.recipe.verdict_weight * verdict_loss).backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.recipe.clip_norm)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        return float(loss.detach()), float(verdict_loss.detach())

    def _report(self, loss: float, verdict_loss: float) -> None:
        accuracy = held_out_accuracy(self.model, self.tokens, self.makers, self.recipe.check_scenes)
        left = (self.recipe.steps - self.step) * self.seconds / max(self.step, 1)
        entry = {
            "step": self.step,
            "loss": round(loss, 4),
            "verdict_loss": round(verdict_loss, 4),
            **accuracy,
            "examples_per_s": round(self._rate(), 1),
        }
        with open(self.folder / "log.jsonl", "a", encoding="utf-8") as log:
            log.write(json.dumps({**entry, "seconds": round(self.seconds)}) + "\n")
        shown = "  ".join(f"{key} {value}" for key, value in entry.items())
        print(f"{shown}  left {left / 60:.1f} min", file=sys.stderr, flush=True)

    def _rate(self) -> float:
        return self.step * self.recipe.batch_size / max(self.seconds, 1e-9)

    def save(self) -> None:
        """Write the checkpoint beside the old one, then replace it."""
        state: dict[str, Any] = {
            "recipe": asdict(self.recipe),
            "prompt_format": PROMPT_FORMAT,
            "step": self.step,
            "seconds": self.seconds,
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
        }
        partial = self.folder / f"{CHECKPOINT}.tmp"
        torch.save(state, partial)
        os.replace(partial, self.folder / CHECKPOINT)


def load_checkpoint(folder: Path) -> dict[str, Any]:
    """The saved state of a run; raises ModelError when there is none or it is broken."""
    try:
        return torch.load(folder / CHECKPOINT, weights_only=True)
    except Exception as error:  # noqa: BLE001 - torch raises many kinds for a broken file
        raise ModelError(f"{folder / CHECKPOINT}: not a reader checkpoint ({type(error).__name__})") from None


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
    embedding = [model.token_embd.weight]
    matrices = [weight for weight in model.parameters() if weight.dim() == 2 and weight is not embedding[0]]
    gains = [weight for weight in model.parameters() if weight.dim() != 2]
    groups = [
        {"params": matrices, "weight_decay": recipe.weight_decay, "rate": 1.0},
        {"params": gains, "weight_decay": 0.0, "rate": 1.0},
        {"params": embedding, "weight_decay": 0.0, "rate": recipe.embedding_rate},
    ]
    return torch.optim.AdamW(groups, lr=recipe.learning_rate, betas=(0.9, 0.98))


def reply_tokens(tokens: ReaderTokens) -> list[int]:
    """Ids of the tokens that a verdict is chosen from, in the order of REPLIES."""
    return [tokens.controls[name] for name in REPLIES]


@torch.inference_mode()
def held_out_accuracy(
    model: ReaderModel, tokens: ReaderTokens, makers: Makers, count: int
) -> dict[str, float]:
    """Share of held-out scenes whose whole reply is the most likely one, by kind of answer.

    Under the constraint of answer time: each line that may be cited is cited or skipped.
    """
    model.eval()
    right: dict[str, list[bool]] = {"one": [], "several": [], "none": []}
    scenes = make_scenes(makers.held_out, HELD_OUT_SEED, 0, count)
    for at in range(0, len(scenes), 50):
        group = scenes[at : at + 50]
        batch = make_batch([encode_scene(scene, tokens) for scene in group])
        hidden = model(torch.from_numpy(batch.ids))
        judged = hidden[torch.from_numpy(batch.rows), torch.from_numpy(batch.columns)]
        logits = model.logits(judged, reply_tokens(tokens))
        hits = logits.argmax(-1).numpy() == batch.targets
        for row, scene in enumerate(group):
            right[scene.kind].append(bool(hits[batch.rows == row].all()))
    return {kind: round(float(np.mean(hits)), 3) for kind, hits in right.items() if hits}
