"""Checkpoint -> F16 GGUF (written with ``gguf``) -> quantised GGUF (by llama.cpp itself)."""

from __future__ import annotations

import ctypes
import json
from pathlib import Path

import gguf
import numpy as np
import torch

from kgask.errors import ModelError
from kgask.read.bindings import load_bindings
from kgask.read.llama_reader import FORMAT_KEY
from kgask.read.prompt import END, PAD, PROMPT_FORMAT, VERDICTS
from kgask.train.reader_loop import TOKENIZER, load_checkpoint
from kgask.train.reader_model import ReaderConfig, ReaderModel
from kgask.train.reader_tokens import ReaderTokens

PRE_TOKENIZER = "gpt-2"  # llama.cpp's name of the splitting that tokenizers calls ByteLevel(use_regex=True)
QUANTISATIONS = {"F16": 1, "Q8_0": 7, "Q4_K": 15}  # names of ours -> LLAMA_FTYPE_MOSTLY_*


def export(run: Path, out: Path) -> Path:
    """Write the run's weights as an F16 GGUF; returns ``out``."""
    saved = load_checkpoint(run)
    if saved["prompt_format"] != PROMPT_FORMAT:
        raise ModelError(
            f"{run}: trained for prompt format {saved['prompt_format']}, this is {PROMPT_FORMAT}"
        )
    model = ReaderModel(ReaderConfig(**saved["recipe"]["model"]))
    model.load_state_dict(saved["model"])
    write_gguf(model, ReaderTokens.load(run / TOKENIZER), out)
    return out


def write_gguf(model: ReaderModel, tokens: ReaderTokens, out: Path) -> None:
    """One GGUF of architecture ``llama``.

    The head for verdicts on lines becomes three more tokens, last in the vocabulary: rows of
    the output matrix, which is otherwise the embedding matrix.
    """
    config = model.config
    writer = gguf.GGUFWriter(str(out), "llama")
    writer.add_name("kgask reader")
    writer.add_license("Apache-2.0")
    writer.add_uint32(FORMAT_KEY, PROMPT_FORMAT)
    writer.add_context_length(config.n_ctx)
    writer.add_embedding_length(config.n_embd)
    writer.add_block_count(config.n_layer)
    writer.add_feed_forward_length(config.n_ff)
    writer.add_head_count(config.n_head)
    writer.add_head_count_kv(config.n_head)
    writer.add_rope_dimension_count(config.head_dim)
    writer.add_rope_freq_base(config.rope_base)
    writer.add_layer_norm_rms_eps(config.norm_eps)
    writer.add_vocab_size(config.n_vocab + len(VERDICTS))
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_F16)
    _add_tokenizer(writer, tokens)
    weights = model.state_dict()
    head, embedding = weights.pop("verdict.weight"), weights["token_embd.weight"]
    weights["token_embd.weight"] = torch.cat([embedding, torch.zeros_like(head)])
    weights["output.weight"] = torch.cat([embedding, head])
    for name, weight in weights.items():
        stored = weight.detach().to(torch.float16 if weight.dim() == 2 else torch.float32).numpy()
        writer.add_tensor(name.replace("blocks.", "blk."), np.ascontiguousarray(stored))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _add_tokenizer(writer: gguf.GGUFWriter, tokens: ReaderTokens) -> None:
    texts = [*tokens.token_texts(), *VERDICTS]
    control, normal = int(gguf.TokenType.CONTROL), int(gguf.TokenType.NORMAL)
    merges = json.loads(tokens.bpe.to_str())["model"]["merges"]
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(PRE_TOKENIZER)
    writer.add_token_list(texts)
    writer.add_token_types(
        [normal if tokens.offset <= index < tokens.n_vocab else control for index in range(len(texts))]
    )
    writer.add_token_merges([pair if isinstance(pair, str) else " ".join(pair) for pair in merges])
    for add in (writer.add_bos_token_id, writer.add_eos_token_id):
        add(tokens.controls[END])
    writer.add_pad_token_id(tokens.controls[PAD])
    writer.add_add_bos_token(False)
    writer.add_add_eos_token(False)


def quantise(source: Path, out: Path, kind: str = "Q8_0") -> Path:
    """Quantise through llama.cpp; returns ``out``. Raises ModelError when llama.cpp refuses."""
    llama = load_bindings()
    if kind not in QUANTISATIONS:
        raise ModelError(f"no quantisation {kind!r} (known: {', '.join(QUANTISATIONS)})")
    params = llama.llama_model_quantize_default_params()
    params.ftype = QUANTISATIONS[kind]
    params.nthread = 1
    code = llama.llama_model_quantize(str(source).encode(), str(out).encode(), ctypes.byref(params))
    if code != 0:
        raise ModelError(f"{source}: llama.cpp could not quantise it to {kind} (code {code})")
    return out
