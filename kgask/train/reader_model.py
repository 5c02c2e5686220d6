"""The reader: a small Llama-architecture model in torch, in the conventions that llama.cpp's ``llama``
expects.

RMSNorm before attention and feed-forward, rotary positions on *neighbouring*
pairs of each head (``x[2i], x[2i+1]``: llama.cpp's NORM rope, so no weight is permuted
on export), SwiGLU, and an output layer that is the token embedding itself.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

N_VERDICTS = 3


@dataclass(frozen=True, slots=True)
class ReaderConfig:
    """Sizes. Every row length must divide by 32, Q8_0's block."""

    n_vocab: int = 6144
    n_embd: int = 192
    n_layer: int = 4
    n_head: int = 4
    n_ff: int = 512
    n_ctx: int = 4096
    rope_base: float = 10_000.0
    norm_eps: float = 1e-5

    def __post_init__(self) -> None:
        if self.n_embd % 32 or self.n_ff % 32 or self.n_embd % (2 * self.n_head):
            raise ValueError("n_embd and n_ff must divide by 32, and n_embd by twice n_head")

    @property
    def head_dim(self) -> int:
        return self.n_embd // self.n_head


class RMSNorm(nn.Module):
    def __init__(self, size: int, eps: float):
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.ones(size)), eps

    def forward(self, hidden: Tensor) -> Tensor:
        # In float32 also under autocast: llama.cpp computes it so.
        wide = hidden.float()
        return wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + self.eps) * self.weight


def rotate(heads: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Rotary positions. heads [B, n_head, L, head_dim]; cos, sin [L, head_dim / 2]."""
    even, odd = heads[..., 0::2], heads[..., 1::2]
    return torch.stack((even * cos - odd * sin, even * sin + odd * cos), dim=-1).flatten(-2)


class Block(nn.Module):
    def __init__(self, config: ReaderConfig):
        super().__init__()
        size = config.n_embd
        self.n_head = config.n_head
        self.attn_norm, self.ffn_norm = RMSNorm(size, config.norm_eps), RMSNorm(size, config.norm_eps)
        self.attn_q = nn.Linear(size, size, bias=False)
        self.attn_k = nn.Linear(size, size, bias=False)
        self.attn_v = nn.Linear(size, size, bias=False)
        self.attn_output = nn.Linear(size, size, bias=False)
        self.ffn_gate = nn.Linear(size, config.n_ff, bias=False)
        self.ffn_up = nn.Linear(size, config.n_ff, bias=False)
        self.ffn_down = nn.Linear(config.n_ff, size, bias=False)

    def forward(self, hidden: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        normed = self.attn_norm(hidden)
        query = rotate(self._heads(self.attn_q(normed)), cos, sin)
        key = rotate(self._heads(self.attn_k(normed)), cos, sin)
        value = self._heads(self.attn_v(normed))
        mixed = functional.scaled_dot_product_attention(
            query.to(value.dtype), key.to(value.dtype), value, is_causal=True
        )
        hidden = hidden + self.attn_output(mixed.transpose(1, 2).flatten(-2))
        normed = self.ffn_norm(hidden)
        return hidden + self.ffn_down(functional.silu(self.ffn_gate(normed)) * self.ffn_up(normed))

    def _heads(self, hidden: Tensor) -> Tensor:
        batch, length, size = hidden.shape
        return hidden.view(batch, length, self.n_head, size // self.n_head).transpose(1, 2)


class ReaderModel(nn.Module):
    """Token ids [B, L] -> hidden states [B, L, n_embd]; :meth:`logits` for the positions that matter.

    ``verdict`` is a head of training only: it says of each line, at its last token, what it is to the
    question. One question with ten lines then teaches ten comparisons instead of one reply.
    """

    def __init__(self, config: ReaderConfig):
        super().__init__()
        self.config = config
        self.token_embd = nn.Embedding(config.n_vocab, config.n_embd)
        self.blocks = nn.ModuleList(Block(config) for _ in range(config.n_layer))
        self.output_norm = RMSNorm(config.n_embd, config.norm_eps)
        self.verdict = nn.Linear(config.n_embd, N_VERDICTS, bias=False)
        frequency = config.rope_base ** (-torch.arange(0, config.head_dim, 2).float() / config.head_dim)
        angle = torch.outer(torch.arange(config.n_ctx).float(), frequency)
        self.cos: Tensor
        self.sin: Tensor
        self.register_buffer("cos", angle.cos(), persistent=False)
        self.register_buffer("sin", angle.sin(), persistent=False)
        self._initialise()

    def _initialise(self) -> None:
        depth = (2 * self.config.n_layer) ** -0.5
        for name, weight in self.named_parameters():
            if weight.dim() == 2:
                scale = depth if name.endswith(("attn_output.weight", "ffn_down.weight")) else 1.0
                nn.init.normal_(weight, std=0.04 * scale)

    def forward(self, ids: Tensor) -> Tensor:
        length = ids.shape[1]
        if length > self.config.n_ctx:
            raise ValueError(f"{length} tokens do not fit a context of {self.config.n_ctx}")
        hidden = self.token_embd(ids)
        for block in self.blocks:
            hidden = block(hidden, self.cos[:length], self.sin[:length])
        return self.output_norm(hidden)

    def logits(self, hidden: Tensor, among: list[int] | None = None) -> Tensor:
        """Logits [K, n_vocab] of hidden states [K, n_embd], or only of the tokens ``among`` [K,
        len(among)]."""
        rows = self.token_embd.weight if among is None else self.token_embd.weight[among]
        return functional.linear(hidden, rows)

    def n_parameters(self) -> int:
        return sum(weight.numel() for weight in self.parameters())
