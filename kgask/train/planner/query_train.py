"""Training the query decoder: steps of queries over relation texts, the planner itself left as it is."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import torch
from torch import Tensor
from torch.nn import functional

from kgask.corpus.query_examples import KINDS, QueryExample
from kgask.corpus.query_mix import Competing
from kgask.corpus.query_sources import SHARES
from kgask.plan.operands import token_shares
from kgask.query.postfix import OPERATORS, SPAN_KINDS
from kgask.train.encoder import TextBatcher
from kgask.train.pace import Pace, linear
from kgask.train.planner.model import NEGATIVE
from kgask.train.planner.query_model import Operands, QueryRigel
from kgask.train.trainer import Trainer, mixed_precision

KIND_WEIGHT = 0.2
PADDING = -1
MEASURED_ROWS = 128
OF_SETS = ("wikisql", "kqapro", "worded")  # sources that are measured by themselves, the others by kind


@dataclass(frozen=True, slots=True)
class QueryConfig:
    """Everything that decides the weights; stored in the checkpoint and the model card."""

    steps: int = 6000
    batch_size: int = 64
    layer_lr: float = 1e-4
    head_lr: float = 1e-3
    warmup: float = 0.03
    clip: float = 1.0
    max_tokens: int = 48
    rng_seed: int = 7
    hidden: int = 256
    save_every: int = 250
    validate_every: int = 500
    patience: int = 20
    n_negatives: int = 80  # other relations that compete with those of a batch
    label_share: float = 0.5  # of the relations shown by their usual label; the others by any of their texts
    shares: dict[str, float] = field(default_factory=lambda: dict(SHARES))  # of the mix, by source

    def wanted(self) -> list[str]:
        """Sources with a share."""
        return [name for name, share in self.shares.items() if share > 0]


class QueryData(Protocol):
    """Where questions come from (:mod:`kgask.corpus.query_mix`)."""

    held_out: list[QueryExample]

    def batch(self, size: int, rng: random.Random) -> list[QueryExample]: ...
    def competing(self, batch: Sequence[QueryExample], rng: random.Random) -> Competing: ...


class TextVectors:
    """Vectors of relation texts by the planner, which stays as it is: each text is encoded once."""

    def __init__(self, model: QueryRigel, batcher: TextBatcher) -> None:
        self._model, self._batcher = model.planner, batcher
        self._rows: dict[str, Tensor] = {}  # text -> [2, D], followed forward and backward

    def give(self, rows: Mapping[str, int], directed: Tensor) -> None:
        """Take these vectors [2R, D] for texts that stand for relations of one graph; each by its row."""
        both = directed.unflatten(0, (2, -1)).transpose(0, 1)
        self._rows |= {text: both[row] for text, row in rows.items()}

    @torch.no_grad()
    def directed(self, texts: Sequence[str]) -> Tensor:
        """Unit vectors [2R, D] of R texts, followed forward and backward."""
        missing = list(dict.fromkeys(text for text in texts if text not in self._rows))
        if missing:
            found = self._model.directed(self._model.text_vectors(self._batcher, missing))
            self.give({text: row for row, text in enumerate(missing)}, found)
        return torch.stack([self._rows[text] for text in texts]).transpose(0, 1).flatten(0, 1)


@dataclass(frozen=True, slots=True)
class QueryBatch:
    """What the model is given, and the steps that it must write."""

    input_ids: Tensor
    attention_mask: Tensor
    operands: Operands
    directed: Tensor  # [2R, D]
    allowed: Tensor  # bool [B, O + 2R + M]
    steps: Tensor  # int64 [B, T], PADDING after the end
    kinds: Tensor  # int64 [B], index into KINDS


def encoded(
    batch: Sequence[QueryExample], competing: Competing, batcher: TextBatcher, vectors: TextVectors
) -> QueryBatch:
    """Examples as tensors."""
    texts = [example.text for example in batch]
    ids, mask = batcher(texts)
    offsets = [encoding.offsets for encoding in batcher.encodings(texts)]
    most = max(1, *(len(example.operands) for example in batch))
    device = ids.device
    shares = torch.zeros(len(batch), most, ids.shape[1])
    kinds = torch.zeros(len(batch), most, dtype=torch.long)
    present = torch.zeros(len(batch), most)
    for row, example in enumerate(batch):
        n = len(example.operands)
        if not n:
            continue
        spans = [(one.start, one.end) for one in example.operands]
        shares[row, :n] = torch.from_numpy(token_shares(example.text, offsets[row], spans, batcher.mask_token))
        kinds[row, :n] = torch.tensor([SPAN_KINDS.index(one.kind) for one in example.operands])
        present[row, :n] = (shares[row, :n].sum(-1) > 0).float()
    n_operators, n_relations = len(OPERATORS), len(competing.texts)
    allowed = torch.zeros(len(batch), n_operators + 2 * n_relations + most, dtype=torch.bool)
    allowed[:, :n_operators] = True
    allowed[:, n_operators + 2 * n_relations :] = present > 0
    length = max(len(example.steps) for example in batch)
    steps = torch.full((len(batch), length), PADDING)
    for row, example in enumerate(batch):
        at = torch.tensor(list(competing.rows[row].values()), dtype=torch.long)
        allowed[row, n_operators + at] = allowed[row, n_operators + n_relations + at] = True
        steps[row, : len(example.steps)] = torch.tensor(_columns(example, competing.rows[row], n_relations))
    operands = Operands(shares.to(device), kinds.to(device), present.to(device))
    of_kind = torch.tensor([KINDS.index(example.kind) for example in batch], device=device)
    directed = vectors.directed(competing.texts)
    return QueryBatch(ids, mask, operands, directed, allowed.to(device), steps.to(device), of_kind)


def _columns(example: QueryExample, rows: dict[str, int], n_relations: int) -> list[int]:
    n_operators, found = len(OPERATORS), []
    for step in example.steps:
        if isinstance(step, str):
            found.append(OPERATORS.index(step))
        elif isinstance(step, int):
            found.append(n_operators + 2 * n_relations + step)
        else:
            key, inverse = step
            found.append(n_operators + rows[key] + (n_relations if inverse else 0))
    return found


class QueryTrainer(Trainer[QueryConfig, QueryBatch]):
    """A run over batches of operator questions; only the own layer and the query decoder learn."""

    model: QueryRigel

    def __init__(
        self,
        model: QueryRigel,
        texts: TextBatcher,
        data: QueryData,
        work: Path,
        config: QueryConfig,
        device: str = "cpu",
    ) -> None:
        self.texts, self.data = texts, data
        self.vectors = TextVectors(model, texts)
        torch.manual_seed(config.rng_seed)
        groups = [
            {"params": list(model.layer.parameters()), "lr": config.layer_lr},
            {"params": list(model.decoder.parameters()), "lr": config.head_lr},
        ]
        pace = Pace(
            config.steps, config.batch_size, config.rng_seed, linear(config.steps, config.warmup), config.clip,
            config.save_every, config.validate_every, config.patience,
        )  # fmt: skip
        super().__init__(model, groups, work, config, pace, device, weight_decay=0.01)

    def draw(self, rng: random.Random) -> QueryBatch:
        batch = self.data.batch(self.config.batch_size, rng)
        return encoded(batch, self.data.competing(batch, rng), self.texts, self.vectors)

    def loss(self, batch: QueryBatch, rng: random.Random) -> tuple[Tensor, dict[str, float]]:
        logits, kinds = self._logits(batch)
        known = batch.steps != PADDING
        losses = functional.cross_entropy(logits[known], batch.steps[known])
        kind = functional.cross_entropy(kinds, batch.kinds)
        right = ((logits.argmax(-1) == batch.steps) | ~known).all(1).float().mean()
        return losses + KIND_WEIGHT * kind, {"whole": float(right)}

    def _logits(self, batch: QueryBatch) -> tuple[Tensor, Tensor]:
        with mixed_precision(self.device):
            logits, kinds = self.model(
                batch.input_ids, batch.attention_mask, batch.operands, batch.directed, batch.steps
            )
        return logits.float().masked_fill(~batch.allowed.unsqueeze(1), NEGATIVE), kinds.float()

    @torch.no_grad()
    def measure(self) -> dict[str, float]:
        """Share of the held-out questions whose every step is ranked first, over all and by kind."""
        self.model.eval()
        found: dict[str, list[float]] = defaultdict(list)
        held_out = sorted(self.data.held_out, key=lambda example: (len(example.steps), example.text))
        for start in range(0, len(held_out), MEASURED_ROWS):
            part = held_out[start : start + MEASURED_ROWS]
            batch = encoded(part, self.data.competing(part, random.Random(start)), self.texts, self.vectors)
            logits, _ = self._logits(batch)
            right = ((logits.argmax(-1) == batch.steps) | (batch.steps == PADDING)).all(1).tolist()
            for example, is_right in zip(part, right, strict=True):
                found[example.source if example.source.startswith(OF_SETS) else example.kind].append(is_right)
        every = [one for values in found.values() for one in values]
        by_kind = {name: sum(values) / len(values) for name, values in sorted(found.items())}
        return ({"exact": sum(every) / len(every)} if every else {}) | by_kind
