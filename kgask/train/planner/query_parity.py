"""How far the int8 graphs of a query decoder are from torch: the same gold steps are fed to both, step by step.

Shapes: B questions, L tokens, T steps, O operators, R relations, M operands, D width of the encoder.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from kgask.corpus.query_examples import QueryExample
from kgask.plan.providers import CPU_GRAPH, QUERY_GRAPH, open_on_cpu
from kgask.plan.query_onnx import NO_OPERATOR, READ_OUTPUTS, STEP_INPUTS, STEP_OUTPUTS
from kgask.plan.rigel_onnx import INPUTS, TEXT_OUTPUTS
from kgask.query.postfix import OPERATORS
from kgask.train.encoder import TextBatcher
from kgask.train.planner.model import NEGATIVE
from kgask.train.planner.query_model import QueryRigel
from kgask.train.planner.query_train import PADDING, QueryBatch, QueryData, TextVectors, encoded

ROWS = 64


class ExportedQueries:
    """The two graphs of a planner folder, run as :class:`kgask.plan.query_onnx.QueryWriter` runs them."""

    def __init__(self, folder: Path) -> None:
        self._read, self._step = open_on_cpu(folder / CPU_GRAPH), open_on_cpu(folder / QUERY_GRAPH)

    def directed(self, batcher: TextBatcher, texts: Sequence[str]) -> np.ndarray:
        """Unit vectors [2R, D] of relation texts."""
        parts = [self._main(batcher, texts[at : at + ROWS], TEXT_OUTPUTS) for at in range(0, len(texts), ROWS)]
        return np.concatenate([np.concatenate(part) for part in zip(*parts, strict=True)])

    def _main(self, batcher: TextBatcher, texts: Sequence[str], outputs: Sequence[str]) -> list[np.ndarray]:
        return self._graph(*(tensor.numpy() for tensor in batcher(list(texts))), outputs)

    def _graph(self, ids: np.ndarray, mask: np.ndarray, outputs: Sequence[str]) -> list[np.ndarray]:
        width = next(node.shape[1] for node in self._read.get_inputs() if node.name == "directed")
        blank = np.zeros((2, width), np.float32)
        feeds = zip(INPUTS, (ids, mask, blank, np.ones((len(ids), 2), np.float32)), strict=True)
        found: list[np.ndarray] = self._read.run(list(outputs), dict(feeds))
        return found

    def logits(self, batch: QueryBatch, directed: np.ndarray) -> np.ndarray:
        """Logits [B, T, O + 2R + M] with the gold steps fed back."""
        ids, mask, steps = batch.input_ids.numpy(), batch.attention_mask.numpy(), batch.steps.numpy()
        tokens, state, _ = self._graph(ids, mask, READ_OUTPUTS)
        means, kinds = batch.operands.tokens.numpy() @ tokens, batch.operands.kinds.numpy()
        context = np.zeros_like(tokens[:, 0])
        bias = np.where(mask == 0, np.float32(NEGATIVE), np.float32(0.0))
        chosen, found = np.full(len(ids), OPERATORS.index("END")), []  # END also begins
        for at in range(steps.shape[1]):
            before = (tokens, bias, state, context, *_fed(chosen, directed), means, kinds, directed)
            outputs: list[Any] = self._step.run(STEP_OUTPUTS, dict(zip(STEP_INPUTS, before, strict=True)))
            logits, state, context, bias, _ = outputs
            found.append(logits)
            chosen = np.maximum(steps[:, at], 0)
        return np.stack(found, 1)


def _fed(chosen: np.ndarray, directed: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What the steps before say to the step graph: operator int64 [B], relation float32 [B, D], operand int64 [B]."""
    first, end = len(OPERATORS), len(OPERATORS) + len(directed)
    relation = np.zeros((len(chosen), directed.shape[1]), np.float32)
    is_relation = (chosen >= first) & (chosen < end)
    relation[is_relation] = directed[chosen[is_relation] - first]
    return np.where(chosen < first, chosen, NO_OPERATOR), relation, np.where(chosen >= end, chosen - end, -1)


@dataclass(frozen=True, slots=True)
class SameQueries:
    """Shares of held-out questions whose every step int8 ranks first as torch in float32 does."""

    every: float  # of all of them
    right: float  # of those that torch writes right: where it does not, both may be wrong in many ways


@torch.no_grad()
def same_queries(
    model: QueryRigel, folder: Path, batcher: TextBatcher, data: QueryData, examples: Sequence[QueryExample]
) -> SameQueries:
    """How the int8 graphs of ``folder`` write the examples beside ``model``.

    The model is on the CPU, as ``batcher`` gives its tokens; each side encodes the relation texts itself.
    """
    model.eval()
    exported, vectors = ExportedQueries(folder), TextVectors(model, batcher)
    ordered = sorted(examples, key=lambda example: (len(example.steps), example.text))
    same, right = [], []
    for start in range(0, len(ordered), ROWS):
        part = ordered[start : start + ROWS]
        competing = data.competing(part, random.Random(start))
        batch = encoded(part, competing, batcher, vectors)
        expected, _ = model(batch.input_ids, batch.attention_mask, batch.operands, batch.directed, batch.steps)
        logits = torch.from_numpy(exported.logits(batch, exported.directed(batcher, competing.texts)))
        hidden = ~batch.allowed.unsqueeze(1)
        by_torch, by_int8 = (one.masked_fill(hidden, NEGATIVE).argmax(-1) for one in (expected, logits))
        padding = batch.steps == PADDING
        same += ((by_torch == by_int8) | padding).all(1).tolist()
        right += ((by_torch == batch.steps) | padding).all(1).tolist()
    kept = sum(one and other for one, other in zip(same, right, strict=True))
    return SameQueries(sum(same) / len(same), kept / sum(right) if any(right) else 1.0)
