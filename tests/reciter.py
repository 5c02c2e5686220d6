"""Models that write what a test wants, whatever they are asked: real GGUF files, read by the real llama.cpp."""

from __future__ import annotations

from pathlib import Path

import gguf
import numpy as np
from tiny_gguf import byte_vocabulary

TEMPLATE = "{{ messages[0]['content'] }}{{ eos_token }}"


def write_reciter(path: Path, pieces: list[str], chat: bool = True) -> Path:
    """A real model that recites ``pieces``, each a token of its own, whatever it is asked.

    Attention and feed-forward write nothing, so the output sees the last token's embedding alone: one
    direction a token, and the row of the next piece looks for it. A prompt ends with the end token or a blank.
    """
    spelled = byte_vocabulary()
    assert all(len(piece.encode()) > 1 for piece in pieces), "a single byte is a token already"
    words = ["".join(spelled[byte] for byte in piece.encode()) for piece in pieces]
    tokens = [*spelled, *words, "<|end|>"]
    end, size = len(tokens) - 1, 512
    ids = [*range(256, end), end]
    output = np.zeros((len(tokens), size), np.float32)
    output[ids[0], [end, ord(" ")]] = 10.0
    for before, after in zip(ids, ids[1:], strict=False):
        output[after, before] = 10.0
    _write(path, tokens, end, size, np.eye(len(tokens), size, dtype=np.float32), output, TEMPLATE if chat else None)
    return path


def _write(
    path: Path, tokens: list[str], end: int, size: int, embedding: np.ndarray, output: np.ndarray, template: str | None
) -> None:
    writer = gguf.GGUFWriter(str(path), "llama")
    for add, value in (
        (writer.add_context_length, 2048), (writer.add_embedding_length, size), (writer.add_block_count, 1),
        (writer.add_feed_forward_length, 32), (writer.add_head_count, 8), (writer.add_head_count_kv, 8),
        (writer.add_layer_norm_rms_eps, 1e-6), (writer.add_rope_dimension_count, size // 8),
        (writer.add_tokenizer_model, "gpt2"), (writer.add_tokenizer_pre, "qwen2"), (writer.add_token_list, tokens),
        (writer.add_eos_token_id, end), (writer.add_bos_token_id, end), (writer.add_add_bos_token, False),
        (writer.add_token_merges, ["Ġ ["]),
        (writer.add_token_types, [int(gguf.TokenType.NORMAL)] * end + [int(gguf.TokenType.CONTROL)]),
    ):  # fmt: skip
        add(value)
    if template is not None:
        writer.add_chat_template(template)
    writer.add_tensor("token_embd.weight", embedding)
    writer.add_tensor("output_norm.weight", np.ones(size, np.float32))
    writer.add_tensor("output.weight", output)
    shapes = {"attn_q": (size, size), "attn_k": (size, size), "attn_v": (size, size), "attn_output": (size, size)}
    shapes |= {"ffn_gate": (32, size), "ffn_up": (32, size), "ffn_down": (size, 32)}
    for name, shape in shapes.items():
        writer.add_tensor(f"blk.0.{name}.weight", np.zeros(shape, np.float32))
    for norm in ("attn_norm", "ffn_norm"):
        writer.add_tensor(f"blk.0.{norm}.weight", np.ones(size, np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
