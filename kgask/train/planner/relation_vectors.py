"""The relation vectors of one pack while the encoder changes: by all of their texts, as at answer time."""

from __future__ import annotations

import random

import torch
from torch import Tensor
from torch.nn import functional

from kgask.pack.store import Pack
from kgask.plan.rigel_onnx import weighted_texts
from kgask.train.encoder import TextBatcher
from kgask.train.planner.model import Rigel


class RelationVectors:
    """Directed relations [2R, D] of a pack, all or some of them with gradients.

    A pack with more than ``most`` relations encodes the ones that a step needs
    and a random rest; the others keep the vectors of when they were last encoded.
    """

    def __init__(self, pack: Pack, texts: TextBatcher, most: int) -> None:
        self._texts, self._most = texts, most
        self._n = pack.n_relations
        words, owners, weights = weighted_texts(pack.relations())
        self._words: list[list[tuple[str, float]]] = [[] for _ in range(self._n)]
        for text, owner, weight in zip(words, owners, weights[:, 0].tolist(), strict=True):
            self._words[owner].append((text, weight))
        self.stale: Tensor | None = None  # [2R, D]; part of a checkpoint

    @torch.no_grad()
    def all(self, model: Rigel) -> Tensor:
        """Every relation, without gradients."""
        model.eval()
        return self._encode(model, list(range(self._n)))

    def some(self, model: Rigel, needed: set[int], rng: random.Random) -> Tensor:
        """Every relation; ``needed`` (undirected) and a random rest with gradients."""
        if self._n <= self._most:
            return self._encode(model, list(range(self._n)))
        if self.stale is None:
            self.stale = self.all(model)
            model.train()
        others = [relation for relation in range(self._n) if relation not in needed]
        chosen = sorted(needed | set(rng.sample(others, max(0, min(self._most - len(needed), len(others))))))
        fresh = self._encode(model, chosen)
        places = torch.tensor(chosen + [relation + self._n for relation in chosen], device=fresh.device)
        self.stale = self.stale.index_copy(0, places, fresh.detach())
        return self.stale.index_copy(0, places, fresh)

    def _encode(self, model: Rigel, relations: list[int]) -> Tensor:
        rows = [(place, text, weight) for place, r in enumerate(relations) for text, weight in self._words[r]]
        owners, texts, weights = zip(*rows, strict=True)
        forward = model.text_vectors(self._texts, list(texts)).float()
        device = forward.device
        both = torch.stack([forward, model.decoder.inverse(forward).float()])  # [2, texts, D]
        both = both * torch.tensor(weights, device=device).view(1, -1, 1)
        sums = torch.zeros(2, len(relations), both.shape[-1], device=device)
        sums = sums.index_add(1, torch.tensor(owners, device=device), both)
        return functional.normalize(sums, dim=-1).flatten(0, 1)
