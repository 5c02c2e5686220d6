"""Decoder models with random weights, as GGUF files: what any claim about "any reader" is tried on.

The vocabulary is real (byte-level BPE, learnt from the given texts), so prompts have
the length that they have with a trained model; the weights are noise. Needs the package ``gguf``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from kgask.errors import ModelError

if TYPE_CHECKING:
    import gguf

END = "<|endoftext|>"
N_CTX = 8192
Weight = Callable[..., np.ndarray]
Tensors = Iterator[tuple[str, np.ndarray]]


def write_random(
    path: Path,
    architecture: str,
    texts: Sequence[str],
    *,
    width: int = 192,
    layers: int = 4,
    heads: int = 4,
    n_vocab: int = 6144,
    rng_seed: int = 0,
) -> Path:
    """A random model of one of :data:`ARCHITECTURES`; about 3 million parameters by default."""
    try:
        import gguf
    except ModuleNotFoundError:
        raise ModelError("random models need gguf; install it with: pip install gguf") from None
    tokens, merges = _vocabulary(texts, n_vocab)
    rng = np.random.default_rng(rng_seed)

    def weight(*shape: int) -> np.ndarray:
        return rng.normal(0, 0.2, shape).astype(np.float32)

    writer = gguf.GGUFWriter(str(path), architecture)
    writer.add_context_length(N_CTX)
    writer.add_embedding_length(width)
    writer.add_block_count(layers)
    writer.add_feed_forward_length(4 * width)
    writer.add_head_count(heads)
    _add_vocabulary(writer, tokens, merges)
    writer.add_tensor("token_embd.weight", weight(len(tokens), width))
    writer.add_tensor("output_norm.weight", np.ones(width, np.float32))
    for name, values in ARCHITECTURES[architecture](writer, weight, width, layers, heads):
        writer.add_tensor(name, values)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _vocabulary(texts: Sequence[str], n_vocab: int) -> tuple[list[str], list[str]]:
    """Tokens by id and merges, in GPT-2's spelling of bytes."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=n_vocab - 1, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator(texts, trainer)
    model = json.loads(tokenizer.to_str())["model"]
    merges = [merge if isinstance(merge, str) else " ".join(merge) for merge in model["merges"]]
    return [*sorted(model["vocab"], key=model["vocab"].__getitem__), END], merges


def _add_vocabulary(writer: gguf.GGUFWriter, tokens: list[str], merges: list[str]) -> None:
    import gguf

    normal, control = int(gguf.TokenType.NORMAL), int(gguf.TokenType.CONTROL)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(tokens)
    writer.add_token_types([normal] * (len(tokens) - 1) + [control])
    writer.add_token_merges(merges)
    writer.add_bos_token_id(len(tokens) - 1)
    writer.add_eos_token_id(len(tokens) - 1)
    writer.add_add_bos_token(False)


# --- architectures ------------------------------------------------------------------------------


def _norm(name: str, width: int, bias: bool) -> Tensors:
    yield f"{name}.weight", np.ones(width, np.float32)
    if bias:
        yield f"{name}.bias", np.zeros(width, np.float32)


def _gated(writer: gguf.GGUFWriter, weight: Weight, width: int, layers: int, heads: int, biased: bool) -> Tensors:
    """Llama's block, with grouped key and value heads; qwen2 has biases besides."""
    key_width = width // heads * (heads // 2)
    writer.add_head_count_kv(heads // 2)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_rope_dimension_count(width // heads)
    for layer in range(layers):
        block = f"blk.{layer}."
        for name, rows in (("attn_q", width), ("attn_k", key_width), ("attn_v", key_width)):
            yield f"{block}{name}.weight", weight(rows, width)
            if biased:
                yield f"{block}{name}.bias", weight(rows)
        yield f"{block}attn_output.weight", weight(width, width)
        yield f"{block}ffn_gate.weight", weight(4 * width, width)
        yield f"{block}ffn_up.weight", weight(4 * width, width)
        yield f"{block}ffn_down.weight", weight(width, 4 * width)
        yield from _norm(f"{block}attn_norm", width, bias=False)
        yield from _norm(f"{block}ffn_norm", width, bias=False)


def _llama(writer: gguf.GGUFWriter, weight: Weight, width: int, layers: int, heads: int) -> Tensors:
    return _gated(writer, weight, width, layers, heads, biased=False)


def _qwen2(writer: gguf.GGUFWriter, weight: Weight, width: int, layers: int, heads: int) -> Tensors:
    return _gated(writer, weight, width, layers, heads, biased=True)


def _gpt2(writer: gguf.GGUFWriter, weight: Weight, width: int, layers: int, heads: int) -> Tensors:
    writer.add_layer_norm_eps(1e-5)
    yield "position_embd.weight", weight(N_CTX, width)
    yield "output_norm.bias", np.zeros(width, np.float32)
    for layer in range(layers):
        block = f"blk.{layer}."
        for name, rows, columns in (
            ("attn_qkv", 3 * width, width), ("attn_output", width, width),
            ("ffn_up", 4 * width, width), ("ffn_down", width, 4 * width),
        ):  # fmt: skip
            yield f"{block}{name}.weight", weight(rows, columns)
            yield f"{block}{name}.bias", weight(rows)
        yield from _norm(f"{block}attn_norm", width, bias=True)
        yield from _norm(f"{block}ffn_norm", width, bias=True)


def _falcon(writer: gguf.GGUFWriter, weight: Weight, width: int, layers: int, heads: int) -> Tensors:
    """One key and value head for all; attention and feed-forward side by side."""
    writer.add_head_count_kv(1)
    writer.add_layer_norm_eps(1e-5)
    yield "output_norm.bias", np.zeros(width, np.float32)
    for layer in range(layers):
        block = f"blk.{layer}."
        yield f"{block}attn_qkv.weight", weight(width + 2 * (width // heads), width)
        yield f"{block}attn_output.weight", weight(width, width)
        yield f"{block}ffn_up.weight", weight(4 * width, width)
        yield f"{block}ffn_down.weight", weight(width, 4 * width)
        yield from _norm(f"{block}attn_norm", width, bias=True)


ARCHITECTURES = {"gpt2": _gpt2, "qwen2": _qwen2, "falcon": _falcon, "llama": _llama}
