"""Small random GGUF files of architectures that kgask does not ship."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gguf
import numpy as np

CHAT_TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n"
    "{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
SPECIALS = ["<|im_start|>", "<|im_end|>"]


def byte_vocabulary() -> list[str]:
    """GPT-2's spelling of the 256 bytes."""
    printable = [
        *range(ord("!"), ord("~") + 1),
        *range(ord("¡"), ord("¬") + 1),
        *range(ord("®"), ord("ÿ") + 1),
    ]
    others = [byte for byte in range(256) if byte not in printable]
    spelled = {byte: chr(byte) for byte in printable} | {byte: chr(256 + at) for at, byte in enumerate(others)}
    return [spelled[byte] for byte in range(256)]


def write_qwen2(
    path: Path,
    rng_seed: int = 0,
    chat_template: str | None = CHAT_TEMPLATE,
    n_ctx: int = 4096,
    specials: list[str] = SPECIALS,
    special_type: gguf.TokenType = gguf.TokenType.CONTROL,
    metadata: Mapping[str, Any] | None = None,
    without: str | None = None,
) -> Path:
    """A random two-layer qwen2 (grouped attention, biases, NEOX rope) over bytes and a few merges.

    ``metadata`` replaces entries (None drops one); ``without`` names a tensor that is left out.
    """
    rng = np.random.default_rng(rng_seed)
    size, n_ff, n_head, n_head_kv, n_layer = 32, 64, 4, 2, 2
    merges = ["Ġ [", "i n", "1 0", "1 1"]
    tokens = [*byte_vocabulary(), *(merge.replace(" ", "") for merge in merges), *specials]
    writer = gguf.GGUFWriter(str(path), "qwen2")
    writer.add_context_length(n_ctx)
    writer.add_embedding_length(size)
    writer.add_block_count(n_layer)
    writer.add_feed_forward_length(n_ff)
    writer.add_head_count(n_head)
    writer.add_head_count_kv(n_head_kv)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_rope_freq_base(10_000.0)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("qwen2")
    writer.add_token_list(tokens)
    n_plain = len(tokens) - len(specials)
    writer.add_token_types([int(gguf.TokenType.NORMAL)] * n_plain + [int(special_type)] * len(specials))
    writer.add_token_merges(merges)
    writer.add_eos_token_id(len(tokens) - 1)
    writer.add_bos_token_id(len(tokens) - 1)
    writer.add_add_bos_token(False)
    if chat_template is not None:
        writer.add_chat_template(chat_template)

    def weight(*shape: int) -> np.ndarray:
        return rng.normal(0, 0.3, shape).astype(np.float32)

    key_size = size // n_head * n_head_kv
    writer.add_tensor("token_embd.weight", weight(len(tokens), size))
    writer.add_tensor("output_norm.weight", np.ones(size, np.float32))
    for layer in range(n_layer):
        block = f"blk.{layer}."
        for name, width in (("attn_q", size), ("attn_k", key_size), ("attn_v", key_size)):
            writer.add_tensor(f"{block}{name}.weight", weight(width, size))
            writer.add_tensor(f"{block}{name}.bias", weight(width))
        writer.add_tensor(f"{block}attn_output.weight", weight(size, size))
        writer.add_tensor(f"{block}ffn_gate.weight", weight(n_ff, size))
        writer.add_tensor(f"{block}ffn_up.weight", weight(n_ff, size))
        writer.add_tensor(f"{block}ffn_down.weight", weight(size, n_ff))
        for norm in ("attn_norm", "ffn_norm"):
            writer.add_tensor(f"{block}{norm}.weight", np.ones(size, np.float32))
    if without is not None:
        del writer.tensors[0][without]
    for key, value in (metadata or {}).items():
        writer.kv_data[0].pop(key, None)
        if value is not None:
            writer.add_key_value(key, value, _value_type(value))
    _finish(writer)
    return path


def _value_type(value: Any) -> gguf.GGUFValueType:
    return gguf.GGUFValueType.UINT32 if type(value) is int else gguf.GGUFValueType.get_type(value)


T5_SPECIALS = ["<pad>", "</s>", "<unk>"]


def t5_weights(
    gated: bool,
    rng_seed: int = 0,
    size: int = 32,
    n_head: int = 4,
    n_ff: int = 48,
    n_layer: int = 2,
    n_vocab: int = 100,
) -> dict[str, np.ndarray]:
    """Random weights of a T5 model by their GGUF names; attention is wider than the model, as in T5."""
    rng = np.random.default_rng(rng_seed)
    inner = n_head * T5_KEY_SIZE

    def weight(*shape: int) -> np.ndarray:
        return rng.normal(0, 0.2, shape).astype(np.float32)

    weights = {"token_embd.weight": weight(n_vocab, size) * 5, "output.weight": weight(n_vocab, size)}
    for side, kinds in (("enc", ("attn",)), ("dec", ("attn", "cross_attn"))):
        for layer in range(n_layer):
            block = f"{side}.blk.{layer}."
            for kind in kinds:
                weights[f"{block}{kind}_norm.weight"] = 1 + weight(size)
                for part in "qkv":
                    weights[f"{block}{kind}_{part}.weight"] = weight(inner, size)
                weights[f"{block}{kind}_o.weight"] = weight(size, inner)
            weights[f"{block}ffn_norm.weight"] = 1 + weight(size)
            for part in ("gate", "up") if gated else ("up",):
                weights[f"{block}ffn_{part}.weight"] = weight(n_ff, size)
            # Small: llama.cpp looks GELU up in a float16 table, which is the largest difference to torch.
            weights[f"{block}ffn_down.weight"] = weight(size, n_ff) / 4
        weights[f"{side}.blk.0.attn_rel_b.weight"] = weight(T5_BUCKETS, n_head)
        weights[f"{side}.output_norm.weight"] = 1 + weight(size)
    return weights


T5_KEY_SIZE, T5_BUCKETS = 16, 32


def t5_vocabulary() -> list[str]:
    """Specials, then "▁" and the printable ASCII characters; every text is spelled character by character."""
    return [*T5_SPECIALS, "\u2581", *(chr(code) for code in range(ord("!"), ord("~") + 1)), *("\u2581[", "in")]


def write_t5(path: Path, gated: bool = True, rng_seed: int = 0, n_ctx: int = 512) -> Path:
    """A random two-layer T5: v1.1 (gated GELU, as Flan-T5 and T0) or, without ``gated``, v1.0 (ReLU)."""
    tokens = t5_vocabulary()
    weights = t5_weights(gated, rng_seed, n_vocab=len(tokens))
    writer = gguf.GGUFWriter(str(path), "t5")
    writer.add_context_length(n_ctx)
    writer.add_embedding_length(32)
    writer.add_feed_forward_length(48)
    writer.add_block_count(2)
    writer.add_head_count(4)
    writer.add_key_length(T5_KEY_SIZE)
    writer.add_value_length(T5_KEY_SIZE)
    writer.add_relative_attn_buckets_count(T5_BUCKETS)
    writer.add_layer_norm_eps(1e-6)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_decoder_start_token_id(0)
    writer.add_tokenizer_model("t5")
    writer.add_tokenizer_pre("default")
    writer.add_token_list(tokens)
    writer.add_token_scores([0.0] * 3 + [-2.0] * (len(tokens) - 5) + [-1.0] * 2)
    kinds = [gguf.TokenType.CONTROL, gguf.TokenType.CONTROL, gguf.TokenType.UNKNOWN]
    writer.add_token_types([int(kind) for kind in kinds] + [int(gguf.TokenType.NORMAL)] * (len(tokens) - 3))
    writer.add_add_space_prefix(True)
    writer.add_remove_extra_whitespaces(True)
    writer.add_pad_token_id(0)
    writer.add_eos_token_id(1)
    writer.add_unk_token_id(2)
    writer.add_add_bos_token(False)
    writer.add_add_eos_token(True)
    for name, values in weights.items():
        writer.add_tensor(name, values)
    _finish(writer)
    return path


def write_header_only(path: Path, architecture: str) -> Path:
    """A file that says it is of an architecture, with a vocabulary and one tensor."""
    writer = gguf.GGUFWriter(str(path), architecture)
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list(byte_vocabulary())
    writer.add_tensor("token_embd.weight", np.zeros((256, 32), np.float32))
    _finish(writer)
    return path


def _finish(writer: gguf.GGUFWriter) -> None:
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
