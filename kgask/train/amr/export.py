"""The trained AMR ranker -> ONNX (float32: it is small), checked against torch, with its card."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from kgask.cards import write_card
from kgask.config import MODEL_CARD
from kgask.corpus.amr_questions import Example
from kgask.methods.amr import FORMAT, GRAPH, OUTPUT
from kgask.methods.amr_graph import N_KINDS
from kgask.methods.amr_inputs import INPUTS
from kgask.train.amr.loop import Accuracy, AmrConfig, tensors
from kgask.train.amr.model import AmrRanker
from kgask.train.onnx.export import checked, run_graph, write_graph

SHAPES = ({0: "pairs"}, {0: "pairs"}, {}, {0: "nodes"}, {0: "nodes"}, {0: "nodes", 1: "nodes"})
N_PROBES = 16


class _Probs(nn.Module):
    """The graph that ships: probabilities instead of logits."""

    def __init__(self, model: AmrRanker) -> None:
        super().__init__()
        self.model = model

    def forward(
        self, pairs: Tensor, relations: Tensor, question: Tensor, nodes: Tensor, kinds: Tensor, links: Tensor
    ) -> Tensor:
        return torch.sigmoid(self.model(pairs, relations, question, nodes, kinds, links))


def export_amr(model: AmrRanker, out: Path, probes: Sequence[Example], about: dict[str, Any]) -> float:
    """Write ``ranker.onnx`` and the card to ``out``, the card last; ``about`` goes into it as it is.

    Returns the largest difference of a probability from torch on the ``probes``; raises ModelError when it is more
    than a little.
    """
    probs = _Probs(model.cpu().eval()).eval()
    probes = probes[:N_PROBES]
    out.mkdir(parents=True, exist_ok=True)
    (out / MODEL_CARD).unlink(missing_ok=True)  # until the graph is checked there is no model here
    names = list(INPUTS), [OUTPUT]
    with torch.no_grad():
        write_graph(probs, _traced(probes[0].inputs.pairs.shape[1]), out / GRAPH, names, SHAPES)
        found = run_graph(out / GRAPH, (one.inputs.arrays() for one in probes), [OUTPUT])
        difference = checked(found, [np.concatenate([probs(*tensors(one)).numpy() for one in probes])])
    write_card(out, FORMAT.card(out, (GRAPH,), n_kinds=N_KINDS, parity=difference, **about))
    return difference


def about_run(
    model: AmrRanker, config: AmrConfig, encoder_hash: str, data: dict[str, str], scores: dict[str, Accuracy]
) -> dict[str, Any]:
    """What the card says of a run: recipe, data by hash, and accuracy on the held-out wordings."""
    return {
        "encoder": encoder_hash,
        "n_parameters": model.n_parameters(),
        "recipe": asdict(config),
        "data": data,
        "scores": {
            name: {"n": part.n, "top_1": round(part.top_1, 4), "top_5": round(part.top_5, 4)}
            for name, part in scores.items()
        },
    }


def _traced(vector_width: int) -> tuple[Tensor, ...]:
    """Inputs to trace with: numbers of pairs and nodes that no exporter takes for constants, as it does one pair."""
    n_pairs, n_nodes = 5, 7
    pairs, question = torch.zeros(n_pairs, vector_width), torch.zeros(1, vector_width)
    nodes, kinds = torch.zeros(n_nodes, vector_width), torch.zeros(n_nodes, dtype=torch.int64)
    return pairs, pairs.clone(), question, nodes, kinds, torch.eye(n_nodes)
