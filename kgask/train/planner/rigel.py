"""Training Rigel on a mix of public sets: path supervision over relation texts, resumable to the bit."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from kgask.corpus import training_data
from kgask.corpus.examples import PathExample
from kgask.corpus.mix import Corpus, Mix, RelationSet, load_corpus, similar_relations
from kgask.corpus.questions import GraphQuestion
from kgask.corpus.sampling import graph_probes
from kgask.errors import ModelError
from kgask.pack.store import Pack
from kgask.sets.entityquestions import TRIPLES
from kgask.train.encoder import TextBatcher, encoder_name, load_encoder
from kgask.train.planner.losses import path_loss
from kgask.train.planner.model import Rigel
from kgask.train.planner.settings import RigelConfig
from kgask.train.planner.targets import Targets, path_targets
from kgask.train.planner.torch_planner import TorchPlanner
from kgask.train.planner.validate import validate
from kgask.train.planner.weights import start_from
from kgask.train.running import (
    BEST,
    CHECKPOINT,
    Best,
    Progress,
    blended,
    claim_work,
    copied,
    freeze_lower,
    learning_rate,
    load_best,
    mixed_precision,
    save_whole,
)

N_VALIDATED = 400  # questions a pack
SPAN_MODEL = ("simple", "simple_found", "simple_unmasked")  # sources whose topics a model of names finds


class RigelTrainer:
    """Owns model, optimiser and mix; ``run`` goes on from the last checkpoint in ``out``.

    ``init`` is a planner folder or a checkpoint to start from instead of the bare encoder;
    ``packs`` are what the model is validated on, with questions held out.
    """

    def __init__(
        self,
        data: Path,
        out: Path,
        encoder: Path,
        config: RigelConfig,
        device: str = "cpu",
        init: Path | None = None,
        packs: Sequence[Path] = (),
    ) -> None:
        self.config, self.out, self.encoder_folder, self.device = config, out, encoder, device
        self.data, self.start = data, init
        torch.manual_seed(config.rng_seed)
        self.texts = TextBatcher.load(encoder, config.max_tokens)
        self.model = (start_from(init, encoder) if init else Rigel(load_encoder(encoder))).to(device)
        self._start = copied(self.model) if init and config.of_base else {}
        freeze_lower(self.model.encoder, config.frozen_layers)
        self.corpus: Corpus = load_corpus(data, config.rng_seed, config.wanted())
        self.mix = Mix(
            self.corpus, config.n_negatives, self._similar(), config.shares, config.vocabularies, config.label_share
        )
        self.training_data = training_data.merged(self._began_with(), self._drawn_from())
        self.probes = [drawn for pack in packs for drawn in self._probes(pack)]
        heads = list(self.model.decoder.parameters())
        self.optimizer = torch.optim.AdamW(
            [
                {"params": [p for p in self.model.encoder.parameters() if p.requires_grad], "lr": config.encoder_lr},
                {"params": heads, "lr": config.head_lr},
            ],
            weight_decay=0.01,
        )
        self.schedule = torch.optim.lr_scheduler.LambdaLR(self.optimizer, lambda step: learning_rate(step, config))
        self.step = 0
        self.best = Best()

    def _began_with(self) -> list[str]:
        """What the weights that the run starts from were trained on."""
        if self.start is None:
            return [training_data.base_encoder(encoder_name(self.encoder_folder))]
        if self.start.is_dir():
            return training_data.of_folder(self.start)
        state = torch.load(self.start, map_location="cpu", weights_only=True)
        return training_data.of_content(state, self.start.name)

    def _drawn_from(self) -> list[str]:
        """The sets that batches are drawn from, and those that names and relations come from."""
        sources = self.mix.sources()
        found = training_data.sets_of(sources)
        if sources & set(SPAN_MODEL) and (self.data / TRIPLES).is_file():
            found.append(training_data.ENTITY_QUESTION_NAMES)
        if self.corpus.names:
            found.append(training_data.ENTITY_LABELS)
        return [*found, training_data.PROPERTY_LABELS]

    def _probes(self, folder: Path) -> Iterator[tuple[Pack, list[GraphQuestion]]]:
        pack = Pack.open(folder)
        questions = graph_probes(pack, self.corpus.held_out, N_VALIDATED, random.Random(self.config.rng_seed))
        if questions:
            yield pack, questions

    @torch.no_grad()
    def _similar(self) -> dict[str, list[str]]:
        """Look-alike relations by the untrained encoder: hard negatives, and what "none" must not deny."""
        used = {key for examples in self.corpus.train.values() for e in examples for key, _ in e.path or ()}
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
        targets = path_targets(batch, relations.index(), self.mix.similar, rng).to(self.device)
        with mixed_precision(self.device):
            loss, accuracy = self._loss(batch, relations, targets)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.config.clip)
        self.optimizer.step()
        self.schedule.step()
        self.step += 1
        return float(loss.detach()), accuracy

    def _loss(self, batch: list[PathExample], relations: RelationSet, targets: Targets) -> tuple[Tensor, float]:
        _, vectors = self.model.encode(*self._to_device(list(relations.texts)))
        tokens, mask, pooled = self._encode_by_length([example.text for example in batch])
        directed = self.model.directed(vectors)
        output = self.model.decoder(tokens, mask, pooled, directed, targets.first_mask, targets.followed)
        return path_loss(output, targets)

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
        """Train to the last step, or until validation has not risen for ``patience`` looks.

        A checkpoint every ``save_every`` steps and at the end; the weights of
        the best validation are what ``model`` holds afterwards. Ctrl-C leaves
        the last checkpoint whole, and the same call goes on from it.
        """
        claim_work(self.out)
        self.resume()
        began, first = time.monotonic(), self.step
        loss_mean, accuracy_mean = 0.0, 0.0
        while self.step < self.config.steps and not self.best.is_stale(self.step, self.config):
            self.model.train()
            loss, accuracy = self.train_step()
            keep = 0.0 if self.step == first + 1 else 0.98
            loss_mean = keep * loss_mean + (1 - keep) * loss
            accuracy_mean = keep * accuracy_mean + (1 - keep) * accuracy
            per_step_s = (time.monotonic() - began) / (self.step - first)
            left_s = per_step_s * (self.config.steps - self.step)
            rate = self.config.batch_size / per_step_s
            if self._is_due(self.config.validate_every):
                self._validate()
            report(Progress(self.step, self.config.steps, loss_mean, accuracy_mean, rate, left_s, self.best.last))
            if self._is_due(self.config.save_every):
                self.save()
        load_best(self.model, self.best_weights, self.device)
        if self._start:
            self.model.load_state_dict(blended(copied(self.model), self._start, self.config.of_base))

    def _is_due(self, every: int) -> bool:
        return self.step % every == 0 or self.step == self.config.steps

    def _validate(self) -> None:
        """Hits@1 over all packs' held-out questions; the best weights so far are kept beside the checkpoint."""
        if not self.probes:
            return
        planner = TorchPlanner(self.model, self.texts, device=self.device)
        found = [validate(planner, pack, questions) for pack, questions in self.probes]
        hits = sum(part.hits_at_1 * part.n for part in found) / sum(part.n for part in found)
        if self.best.note(self.step, hits):
            save_whole(self.model.state_dict(), self.best_weights)

    @property
    def best_weights(self) -> Path:
        return self.out / BEST

    @property
    def checkpoint(self) -> Path:
        return self.out / CHECKPOINT

    def save(self) -> None:
        """Write beside, then rename: a kill leaves the checkpoint before."""
        state = {
            "config": asdict(self.config),
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "schedule": self.schedule.state_dict(),
            "step": self.step,
            "best": asdict(self.best),
            "training_data": self.training_data,
        }
        save_whole(state, self.checkpoint)

    def resume(self) -> None:
        """Load the checkpoint when there is one; refuses one made with another config."""
        if not self.checkpoint.is_file():
            return
        state = torch.load(self.checkpoint, map_location=self.device, weights_only=True)
        if state["config"] != asdict(self.config):
            raise ModelError(f"{self.checkpoint} was made with another config; use another --work or remove it")
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.schedule.load_state_dict(state["schedule"])
        self.step = state["step"]
        self.best = Best(**state["best"])
        self.training_data = training_data.merged(state.get("training_data", ()), self.training_data)
