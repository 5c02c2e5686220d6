"""The reader: a BERT encoder over question and lines together, with a verdict on each line.

The lowest layers of a trained encoder are the start, so that the reader knows
words before it sees its first question. Question and lines attend to each
other (a cross-encoder: Nogueira and Cho 2019, with many candidates in one
pass); a line is judged at its number token.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from kgask.errors import ModelError
from kgask.read.cross_encoder.prompt import N_VERDICTS
from kgask.train.attention import use_float32_attention


@dataclass(frozen=True, slots=True)
class ReaderConfig:
    """How much of the encoder is kept, and how many positions there are."""

    n_layer: int = 4
    n_ctx: int = 1024

    def __post_init__(self) -> None:
        if self.n_layer < 1 or self.n_ctx < 1:
            raise ValueError("n_layer and n_ctx must be at least 1")


class ReaderModel(nn.Module):
    """Token ids [B, L] -> hidden states [B, L, D]; the heads judge single ones."""

    def __init__(self, encoder: nn.Module, config: ReaderConfig):
        super().__init__()
        self.config = config
        self.encoder = _cut(encoder, config)
        use_float32_attention(self.encoder)
        size = self.encoder.config.hidden_size
        self.line_head = nn.Linear(size, N_VERDICTS)
        self.scene_head = nn.Linear(size, 1)  # whether any line answers
        for head in (self.line_head, self.scene_head):
            nn.init.normal_(head.weight, std=0.02)
            nn.init.zeros_(head.bias)

    def forward(self, ids: Tensor, mask: Tensor, positions: Tensor) -> Tensor:
        """ids, mask, positions [B, L] -> [B, L, D]. Raises ValueError for more positions than there are."""
        if int(positions.max()) >= self.config.n_ctx:
            raise ValueError(f"{int(positions.max()) + 1} tokens do not fit a context of {self.config.n_ctx}")
        hidden = self.encoder(
            input_ids=ids, attention_mask=mask, position_ids=positions, token_type_ids=torch.zeros_like(ids)
        )
        return hidden.last_hidden_state

    def n_parameters(self) -> int:
        return sum(weight.numel() for weight in self.parameters())


def _cut(encoder: nn.Module, config: ReaderConfig) -> nn.Module:
    """An encoder of the lowest layers, with more positions: the further ones start as mirror images of the first."""
    from transformers import BertModel

    if encoder.config.model_type != "bert":
        raise ModelError(f"the reader starts from a BERT encoder, not from {encoder.config.model_type!r}")
    weights = encoder.state_dict()
    n_layer = min(config.n_layer, encoder.config.num_hidden_layers)
    settings = encoder.config.to_dict() | {
        "num_hidden_layers": n_layer,
        "max_position_embeddings": config.n_ctx,
        # Scenes never come twice, and dropout would cost a third of the speed.
        "hidden_dropout_prob": 0.0,
        "attention_probs_dropout_prob": 0.0,
    }
    cut = BertModel(type(encoder.config)(**settings), add_pooling_layer=False)
    known = weights["embeddings.position_embeddings.weight"]
    there_and_back = torch.cat([known, known.flip(0)])
    repeats = -(-config.n_ctx // len(there_and_back))
    weights["embeddings.position_embeddings.weight"] = there_and_back.repeat(repeats, 1)[: config.n_ctx]
    kept = {name: weight for name, weight in weights.items() if name in cut.state_dict()}
    cut.load_state_dict(kept | {n: w for n, w in cut.state_dict().items() if n.endswith("_ids")})
    return cut
