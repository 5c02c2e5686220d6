"""The judge: a BERT encoder over a question and the queries that it may ask, with a verdict on each."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from kgask.errors import ModelError
from kgask.methods.query_judge import OF_CLAIM

MOST_TOKENS = 512  # of a question with its queries
_LAYER = "encoder.encoder.layer.{}."


class JudgeModel(nn.Module):
    """Token ids [B, L] -> verdicts [B, L, 5] at every token: on the query whose number stands there, all, a claim.

    A cross-encoder (Nogueira and Cho 2019) with many candidates in one pass. It begins as a reader of lines does, or
    with a reader's weights: after 900 steps all six layers of a sentence encoder were still far behind such a start.
    """

    def __init__(self, encoder: nn.Module, dropout: float = 0.0) -> None:
        """``dropout`` is of use where a question comes often with the same queries. ModelError for no BERT encoder."""
        super().__init__()
        if encoder.config.model_type != "bert":
            raise ModelError(f"the judge starts from a BERT encoder, not from {encoder.config.model_type!r}")
        positions = encoder.embeddings.position_embeddings
        positions.weight = nn.Parameter(positions.weight[:MOST_TOKENS].detach().clone())
        positions.num_embeddings = encoder.config.max_position_embeddings = len(positions.weight)
        for part in encoder.modules():
            if isinstance(part, nn.Dropout):
                part.p = dropout
        self.encoder = encoder
        self.head = nn.Linear(encoder.config.hidden_size, OF_CLAIM.stop)
        nn.init.normal_(self.head.weight, std=0.02)
        nn.init.zeros_(self.head.bias)

    @property
    def max_tokens(self) -> int:
        return int(self.encoder.config.max_position_embeddings)

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        hidden = self.encoder(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
        return self.head(hidden)


def deepened(state: dict[str, Tensor], n_layer: int) -> dict[str, Tensor]:
    """The weights of a judge with further layers on top, up to ``n_layer``, that change next to nothing at first.

    Each is a copy of the topmost whose two sums add nothing (progressive stacking, Gong et al. 2019), so training goes
    on from what the judge knows. Its normalisations are the topmost one's, which leave nearly as it is what they made.
    """
    top = 0
    while any(name.startswith(_LAYER.format(top + 1)) for name in state):
        top += 1
    prefix, found = _LAYER.format(top), dict(state)
    for name in [name for name in state if name.startswith(prefix)]:
        part = name.removeprefix(prefix)
        weight = state[name]
        if part.endswith(("output.dense.weight", "output.dense.bias")):
            weight = torch.zeros_like(weight)
        elif part.startswith("attention.output.LayerNorm"):
            weight = state[prefix + part.removeprefix("attention.")]
        found |= {_LAYER.format(at) + part: weight.clone() for at in range(top + 1, n_layer)}
    return found
