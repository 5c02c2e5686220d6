"""Training Rigel on a mix of public sets: path supervision over relation texts."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from kgask.corpus import training_data
from kgask.corpus.examples import PathExample
from kgask.corpus.mix import Corpus, Mix, load_corpus, similar_relations
from kgask.corpus.questions import GraphQuestion
from kgask.corpus.sampling import graph_probes
from kgask.pack.store import Pack
from kgask.sets.entityquestions import TRIPLES
from kgask.train.encoder import TextBatcher, encoder_name, load_encoder
from kgask.train.planner.base import PlannerTrainer
from kgask.train.planner.losses import path_loss
from kgask.train.planner.model import Rigel
from kgask.train.planner.settings import RigelConfig
from kgask.train.planner.targets import path_targets
from kgask.train.planner.validate import validate
from kgask.train.planner.weights import start_from
from kgask.train.trainer import Report, freeze_lower, load_checkpoint, mixed_precision

N_VALIDATED = 400  # questions a pack
SPAN_MODEL = ("simple", "simple_found", "simple_unmasked")  # sources whose topics a model of names finds


class RigelTrainer(PlannerTrainer[RigelConfig, list[PathExample]]):
    """A run over batches of a mix; it goes on from the last checkpoint in ``work``.

    ``init`` is a planner folder or a checkpoint to start from instead of the bare encoder;
    ``packs`` are what the model is validated on, with questions held out.
    """

    def __init__(
        self,
        data: Path,
        work: Path,
        encoder: Path,
        config: RigelConfig,
        device: str = "cpu",
        init: Path | None = None,
        packs: Sequence[Path] = (),
    ) -> None:
        self.data, self.start, self.encoder_folder = data, init, encoder
        torch.manual_seed(config.rng_seed)
        texts = TextBatcher.load(encoder, config.max_tokens, device)
        model = (start_from(init, encoder) if init else Rigel(load_encoder(encoder))).to(device)
        freeze_lower(model.encoder, config.frozen_layers)
        super().__init__(model, texts, work, config, device, goes_on=init is not None)
        self.corpus: Corpus = load_corpus(data, config.rng_seed, config.wanted())
        self.mix = Mix(
            self.corpus, config.n_negatives, self._similar(), config.shares, config.vocabularies, config.label_share
        )
        self.training_data = training_data.merged(self._began_with(), self._drawn_from())
        self.probes = [drawn for pack in packs for drawn in self._probes(pack)]

    def _began_with(self) -> list[str]:
        """What the weights that the run starts from were trained on."""
        if self.start is None:
            return [training_data.base_encoder(encoder_name(self.encoder_folder))]
        if self.start.is_dir():
            return training_data.of_folder(self.start)
        return training_data.of_content(load_checkpoint(self.start), self.start.name)

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
        vectors = self.model.text_vectors(self.texts, [self.corpus.texts[key][0] for key in keys])
        return similar_relations(dict(zip(keys, vectors.cpu().numpy(), strict=True)))

    def draw(self, rng: random.Random) -> list[PathExample]:
        return self.mix.batch(self.config.batch_size, rng)

    def loss(self, batch: list[PathExample], rng: random.Random) -> tuple[Tensor, dict[str, float]]:
        relations = self.mix.relations(batch, rng)
        targets = path_targets(batch, relations.index(), self.mix.similar, rng).to(self.device)
        with mixed_precision(self.device):
            _, vectors = self.model.encode(*self.texts(list(relations.texts)))
            tokens, mask, pooled = self._encode_by_length([example.text for example in batch])
            directed = self.model.directed(vectors)
            output = self.model.decoder(tokens, mask, pooled, directed, targets.first_mask, targets.followed)
            loss, right = path_loss(output, targets)
        return loss, {"hops right": right}

    def _encode_by_length(self, texts: list[str]) -> tuple[Tensor, Tensor, Tensor]:
        """Encode short and long texts apart, so that short ones are not padded to the longest.

        Returns token states [B, L, D], mask [B, L] and text vectors [B, D] in the texts' order.
        """
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        half = len(order) // 2
        states, masks, pooled = [], [], []
        for part in (order[:half], order[half:]):
            ids, mask = self.texts([texts[i] for i in part])
            part_states, part_pooled = self.model.encode(ids, mask)
            states.append(part_states)
            masks.append(mask)
            pooled.append(part_pooled)
        length = max(mask.shape[1] for mask in masks)
        back = torch.argsort(torch.tensor(order, device=self.device))
        padded = [functional.pad(s, (0, 0, 0, length - s.shape[1])) for s in states]
        padded_masks = [functional.pad(mask, (0, length - mask.shape[1])) for mask in masks]
        return torch.cat(padded)[back], torch.cat(padded_masks)[back], torch.cat(pooled)[back]

    def run(self, report: Report = lambda _: None, minutes: float | None = None) -> bool:
        """As :meth:`Trainer.run`; the final weights are moved back towards those that the run began with."""
        is_done = super().run(report, minutes)
        if is_done and self.config.of_base:
            self.model.load_state_dict(self.blended())
        return is_done

    def measure(self) -> dict[str, float]:
        """Hits@1 over all packs' held-out questions."""
        found = [validate(self.planner(), pack, questions) for pack, questions in self.probes]
        n = sum(part.n for part in found)
        return {"Hits@1": sum(part.hits_at_1 * part.n for part in found) / n} if n else {}

    def extra(self) -> dict[str, Any]:
        return {"training_data": self.training_data}

    def take_extra(self, state: dict[str, Any]) -> None:
        self.training_data = training_data.merged(state["training_data"], self.training_data)
