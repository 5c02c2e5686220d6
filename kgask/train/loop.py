"""Training Rigel: path supervision over relation texts, resumable to the bit."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from kgask.errors import ModelError
from kgask.train.data import PathExample
from kgask.train.encoder import TextBatcher, load_encoder
from kgask.train.mix import Corpus, Mix, RelationSet, load_corpus, similar_relations
from kgask.train.model import MAX_HOPS, NEGATIVE, Rigel

IGNORE = -100
FEED_GOLD = 0.7  # share of hops fed with the gold relation, the rest with the expected one
DROP_GOLD = 0.12  # share of questions whose first relation is taken away: the answer is "none"
ALL_FIRST = 0.5  # share of questions without a first-hop mask


@dataclass(frozen=True, slots=True)
class RigelConfig:
    """Everything that decides the weights; stored in the checkpoint and the model card."""

    steps: int = 3000
    batch_size: int = 64
    n_negatives: int = 40
    encoder_lr: float = 1e-4
    head_lr: float = 8e-4
    warmup: float = 0.06  # share of the steps
    clip: float = 1.0
    max_tokens: int = 32
    rng_seed: int = 7
    save_every: int = 250


@dataclass(frozen=True, slots=True)
class Progress:
    """What the caller may show after a step."""

    step: int
    steps: int
    loss: float
    hop_accuracy: float
    questions_per_s: float
    left_s: float


class RigelTrainer:
    """Owns model, optimiser and mix; ``run`` goes on from the last checkpoint in ``out``."""

    def __init__(self, data: Path, out: Path, encoder: Path, config: RigelConfig, device: str = "cpu") -> None:
        self.config, self.out, self.encoder_folder, self.device = config, out, encoder, device
        torch.manual_seed(config.rng_seed)
        self.texts = TextBatcher.load(encoder, config.max_tokens)
        self.model = Rigel(load_encoder(encoder)).to(device)
        self.corpus: Corpus = load_corpus(data, config.rng_seed)
        self.mix = Mix(self.corpus, config.n_negatives, self._similar())
        heads = list(self.model.decoder.parameters())
        self.optimizer = torch.optim.AdamW(
            [
                {"params": list(self.model.encoder.parameters()), "lr": config.encoder_lr},
                {"params": heads, "lr": config.head_lr},
            ],
            weight_decay=0.01,
        )
        self.schedule = torch.optim.lr_scheduler.LambdaLR(self.optimizer, self._rate)
        self.step = 0

    def _rate(self, step: int) -> float:
        warmup = max(1, int(self.config.steps * self.config.warmup))
        if step < warmup:
            return (step + 1) / warmup
        return max(0.02, (self.config.steps - step) / max(1, self.config.steps - warmup))

    @torch.no_grad()
    def _similar(self) -> dict[str, list[str]]:
        """Look-alike relations by the untrained encoder: hard negatives, and what "none" must not deny."""
        used = {key for examples in self.corpus.train.values() for e in examples for key, _ in e.path}
        keys = sorted(used | set(self.corpus.wordings))
        vectors = []
        for start in range(0, len(keys), 128):
            batch = [self.corpus.texts[key][0] for key in keys[start : start + 128]]
            vectors.append(self.model.encode(*self._to_device(batch))[1].cpu().numpy())
        return similar_relations(dict(zip(keys, np.concatenate(vectors), strict=True)))

    def _to_device(self, texts: list[str]) -> tuple[Tensor, Tensor]:
        ids, mask = self.texts(texts)
        return ids.to(self.device), mask.to(self.device)

    # --- one step -------------------------------------------------------------------------

    def train_step(self) -> tuple[float, float]:
        """Draw, forward, backward; returns (loss, share of gold hops ranked first)."""
        rng = random.Random(f"{self.config.rng_seed}:{self.step}")
        torch.manual_seed(self.config.rng_seed * 1_000_003 + self.step)  # dropout
        batch = self.mix.batch(self.config.batch_size, rng)
        relations = self.mix.relations(batch, rng)
        targets = hop_targets(batch, relations, self.mix.similar, rng)
        with torch.autocast(self.device, dtype=torch.bfloat16):
            loss, accuracy = self._loss(batch, relations, targets)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.config.clip)
        self.optimizer.step()
        self.schedule.step()
        self.step += 1
        return float(loss.detach()), accuracy

    def _loss(
        self, batch: list[PathExample], relations: RelationSet, targets: HopTargets
    ) -> tuple[Tensor, float]:
        _, vectors = self.model.encode(*self._to_device(list(relations.texts)))
        targets = targets.to(self.device)
        tokens, mask, pooled = self._encode_by_length([example.text for example in batch])
        directed = self.model.decoder.directed_relations(vectors)
        output = self.model.decoder(tokens, mask, pooled, directed, targets.first_mask, targets.followed)
        log_probs = output.relation_log_probs.float()
        log_probs = log_probs.masked_fill(targets.taken_away, NEGATIVE)
        log_probs = log_probs - log_probs.logsumexp(-1, keepdim=True)
        flat = targets.relation.flatten()
        relation_loss = functional.nll_loss(log_probs.flatten(0, 1), flat, ignore_index=IGNORE)
        counted = targets.stop != IGNORE
        stop_loss = functional.binary_cross_entropy_with_logits(
            output.stop_logits.float()[counted], targets.stop[counted].float()
        )
        known = flat != IGNORE
        right = (log_probs.flatten(0, 1).argmax(-1) == flat)[known].float().mean()
        return relation_loss + 0.5 * stop_loss, float(right)

    def _encode_by_length(self, texts: list[str]) -> tuple[Tensor, Tensor, Tensor]:
        """Encode short and long texts apart, so that short ones are not padded to the longest.

        Returns token states [B, L, D], mask [B, L] and text vectors [B, D] in the texts' order.
        """
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        half = len(order) // 2
        states, masks, pooled = [], [], []
        for part in (order[:half], order[half:]):
            ids, mask = self._to_device([texts[i] for i in part])
            part_states, part_pooled = self.model.encode(ids, mask)
            states.append(part_states)
            masks.append(mask)
            pooled.append(part_pooled)
        length = max(mask.shape[1] for mask in masks)
        back = torch.argsort(torch.tensor(order)).to(self.device)
        padded = [functional.pad(s, (0, 0, 0, length - s.shape[1])) for s in states]
        padded_masks = [functional.pad(mask, (0, length - mask.shape[1])) for mask in masks]
        return torch.cat(padded)[back], torch.cat(padded_masks)[back], torch.cat(pooled)[back]

    # --- the run --------------------------------------------------------------------------

    def run(self, report: Callable[[Progress], None]) -> None:
        """Train to the last step; a checkpoint every ``save_every`` steps and at the end.

        Ctrl-C leaves the last checkpoint whole, and the same call goes on from it.
        """
        self.out.mkdir(parents=True, exist_ok=True)
        self.resume()
        self.model.train()
        began, first = time.monotonic(), self.step
        loss_mean, accuracy_mean = 0.0, 0.0
        while self.step < self.config.steps:
            loss, accuracy = self.train_step()
            keep = 0.0 if self.step == first + 1 else 0.98
            loss_mean = keep * loss_mean + (1 - keep) * loss
            accuracy_mean = keep * accuracy_mean + (1 - keep) * accuracy
            per_step_s = (time.monotonic() - began) / (self.step - first)
            left_s = per_step_s * (self.config.steps - self.step)
            rate = self.config.batch_size / per_step_s
            report(Progress(self.step, self.config.steps, loss_mean, accuracy_mean, rate, left_s))
            if self.step % self.config.save_every == 0 or self.step == self.config.steps:
                self.save()

    @property
    def checkpoint(self) -> Path:
        return self.out / "checkpoint.pt"

    def save(self) -> None:
        """Write beside, then rename: a kill leaves the checkpoint before."""
        state = {
            "config": asdict(self.config),
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "schedule": self.schedule.state_dict(),
            "step": self.step,
        }
        beside = self.checkpoint.with_suffix(".tmp")
        torch.save(state, beside)
        beside.replace(self.checkpoint)

    def resume(self) -> None:
        """Load the checkpoint when there is one; refuses one made with another config."""
        if not self.checkpoint.is_file():
            return
        state = torch.load(self.checkpoint, map_location=self.device, weights_only=True)
        if state["config"] != asdict(self.config):
            raise ModelError(f"{self.checkpoint} was made with another config; use another --out or remove it")
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.schedule.load_state_dict(state["schedule"])
        self.step = state["step"]


@dataclass(frozen=True, slots=True)
class HopTargets:
    """What each hop of each question must say; H = MAX_HOPS, R relations of the batch."""

    relation: Tensor  # [B, H] directed relation, 2R for "none", IGNORE after the path
    stop: Tensor  # [B, H] 1 at the last hop, 0 before, IGNORE after
    followed: Tensor  # [B, H] directed relation fed back, -1 for the expected one
    first_mask: Tensor  # [B, 2R] relations that the topic has
    taken_away: Tensor  # bool [B, H, 2R + 1] columns hidden from this question

    def to(self, device: str) -> HopTargets:
        return HopTargets(*(getattr(self, name).to(device) for name in self.__slots__))


def hop_targets(
    batch: list[PathExample], relations: RelationSet, similar: dict[str, list[str]], rng: random.Random
) -> HopTargets:
    """Targets of a batch; some questions lose their relation and must say "none"."""
    index, n = relations.index(), len(relations.keys)
    shape = (len(batch), MAX_HOPS)
    relation = torch.full(shape, IGNORE)
    stop = torch.full(shape, IGNORE)
    followed = torch.full(shape, -1)
    first_mask = torch.ones(len(batch), 2 * n)
    taken_away = torch.zeros(*shape, 2 * n + 1, dtype=torch.bool)
    for row, example in enumerate(batch):
        if not example.path:
            relation[row, 0] = 2 * n
            continue
        gold = [index[key] + (n if inverse else 0) for key, inverse in example.path]
        if len(gold) == 1 and rng.random() < DROP_GOLD:
            relation[row, 0] = 2 * n
            key = example.path[0][0]
            for other in [key, *similar.get(key, ())]:
                if other in index:
                    taken_away[row, 0, [index[other], index[other] + n]] = True
            continue
        for hop, column in enumerate(gold):
            relation[row, hop] = column
            stop[row, hop] = int(hop == len(gold) - 1)
            if rng.random() < FEED_GOLD:
                followed[row, hop] = column
        if rng.random() > ALL_FIRST:
            keep = torch.tensor([float(rng.random() < 0.3) for _ in range(2 * n)])
            keep[gold[0]] = 1.0
            first_mask[row] = keep
    return HopTargets(relation, stop, followed, first_mask, taken_away)
