"""Attention in float32 inside a bfloat16 forward pass, on a CPU."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

NAME = "kgask_sdpa_float32"


def use_float32_attention(encoder: nn.Module) -> None:
    """Let a Hugging Face encoder compute its attention in float32 wherever autocast takes the rest to bfloat16.

    On a CPU with AMX, PyTorch's bfloat16 flash attention costs four times the
    float32 one in the backward pass: a reader's training step took 0.94 s with it and 0.64 s without.
    """
    from transformers import AttentionInterface, AttentionMaskInterface
    from transformers.masking_utils import sdpa_mask

    AttentionInterface.register(NAME, _attend)
    AttentionMaskInterface.register(NAME, sdpa_mask)
    encoder.set_attn_implementation(NAME)


def _attend(
    module: nn.Module, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, **options: Any
) -> tuple[Tensor, None]:
    """query, key, value [B, H, L, D] -> [B, L, H, D]: transformers' own, on a CPU in float32."""
    from transformers.integrations.sdpa_attention import sdpa_attention_forward

    if query.is_cuda:
        found, _ = sdpa_attention_forward(module, query, key, value, mask, **options)
        return found, None
    with torch.autocast(query.device.type, enabled=False):
        found, _ = sdpa_attention_forward(module, query.float(), key.float(), value.float(), mask, **options)
    return found.to(query.dtype), None
