"""A trained reader -> F16 GGUF (by ``gguf``) -> quantised GGUF (by llama.cpp itself), and weights back from it."""

from __future__ import annotations

import ctypes
from pathlib import Path

import gguf
import numpy as np
import torch

from kgask.errors import ModelError
from kgask.read.cross_encoder.engine import HEADS_KEY, Heads
from kgask.read.cross_encoder.prompt import N_VERDICTS, PROMPT_FORMAT
from kgask.read.gguf.bindings import load_bindings
from kgask.read.gguf.header import FORMAT_KEY
from kgask.train.reader.model import ReaderModel
from kgask.train.reader.tokens import ReaderTokens

QUANTISATIONS = {"F16": 1, "Q8_0": 7, "Q5_1": 9, "Q4_K": 15}  # names of ours -> LLAMA_FTYPE_MOSTLY_*
TENSOR_TYPES = {"F16": 1, "Q8_0": 8, "Q5_1": 7, "Q4_0": 2}  # -> ggml_type, of the token embeddings
SPECIAL = ("unk", "sep", "pad", "mask")
NAMES = {
    "embeddings.word_embeddings": "token_embd",
    "embeddings.position_embeddings": "position_embd",
    "embeddings.token_type_embeddings": "token_types",
    "embeddings.LayerNorm": "token_embd_norm",
}
LAYER_NAMES = {
    "attention.self.query": "attn_q",
    "attention.self.key": "attn_k",
    "attention.self.value": "attn_v",
    "attention.output.dense": "attn_output",
    "attention.output.LayerNorm": "attn_output_norm",
    "intermediate.dense": "ffn_up",
    "output.dense": "ffn_down",
    "output.LayerNorm": "layer_output_norm",
}
KINDS = ("weight", "bias")
FLOAT32 = ("position_embd", "token_types")  # llama.cpp adds their rows as they are


def write_gguf(model: ReaderModel, tokens: ReaderTokens, out: Path) -> None:
    """One GGUF of architecture ``bert``; the heads go along as metadata, for llama.cpp has no place for them."""
    settings = model.encoder.config
    writer = gguf.GGUFWriter(str(out), "bert")
    writer.add_name("kgask reader")
    writer.add_license("Apache-2.0")
    writer.add_uint32(FORMAT_KEY, PROMPT_FORMAT)
    writer.add_string(HEADS_KEY, _heads(model).packed())
    writer.add_context_length(model.config.n_ctx)
    writer.add_embedding_length(settings.hidden_size)
    writer.add_block_count(settings.num_hidden_layers)
    writer.add_feed_forward_length(settings.intermediate_size)
    writer.add_head_count(settings.num_attention_heads)
    writer.add_layer_norm_eps(settings.layer_norm_eps)
    writer.add_causal_attention(False)
    writer.add_pooling_type(gguf.PoolingType.NONE)
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_F16)
    _add_tokenizer(writer, tokens)
    for name, weight in model.encoder.state_dict().items():
        stored = gguf_name(name)
        whole = weight.dim() != 2 or stored.startswith(FLOAT32)
        array = weight.detach().to(torch.float32 if whole else torch.float16).numpy()
        writer.add_tensor(stored, np.ascontiguousarray(array))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _heads(model: ReaderModel) -> Heads:
    rows = (model.line_head, model.scene_head)
    weight = torch.cat([head.weight for head in rows]).detach().float().numpy()
    return Heads(weight, torch.cat([head.bias for head in rows]).detach().float().numpy())


def gguf_name(name: str) -> str:
    """llama.cpp's name of a weight of ``transformers.BertModel``."""
    base, _, kind = name.rpartition(".")
    if base in NAMES:
        return f"{NAMES[base]}.{kind}"
    number, _, rest = base.removeprefix("encoder.layer.").partition(".")
    return f"blk.{number}.{LAYER_NAMES[rest]}.{kind}"


def load_weights(path: Path) -> dict[str, torch.Tensor]:
    """The weights of a reader's GGUF by their names in :class:`ReaderModel`, dequantised to float32.

    Raises ModelError for a file that :func:`write_gguf` did not write.
    """
    try:
        reader = gguf.GGUFReader(path)
        arrays = {t.name: gguf.dequantize(t.data, t.tensor_type) for t in reader.tensors}
        found = {
            name: torch.from_numpy(np.array(arrays[gguf_name(name)], np.float32))
            for name in _encoder_names(int(reader.get_field("bert.block_count").contents()))
        }
        heads = Heads.unpacked(reader.get_field(HEADS_KEY).contents(), len(arrays["token_embd_norm.bias"]))
    except (KeyError, AttributeError, ValueError, OSError) as error:
        raise ModelError(f"{path}: not the GGUF of a kgask reader ({error})") from None
    weight, bias = torch.from_numpy(heads.weight), torch.from_numpy(heads.bias)
    lines, scene = slice(0, N_VERDICTS), slice(N_VERDICTS, None)
    return {
        **{f"encoder.{name}": value for name, value in found.items()},
        "line_head.weight": weight[lines], "line_head.bias": bias[lines],
        "scene_head.weight": weight[scene], "scene_head.bias": bias[scene],
    }  # fmt: skip


def _encoder_names(n_layer: int) -> list[str]:
    """The weights of a BERT encoder, as ``transformers`` names them."""
    embedded = [f"{base}.weight" for base in NAMES] + ["embeddings.LayerNorm.bias"]
    layers = [f"encoder.layer.{n}.{base}.{kind}" for n in range(n_layer) for base in LAYER_NAMES for kind in KINDS]
    return embedded + layers


def _add_tokenizer(writer: gguf.GGUFWriter, tokens: ReaderTokens) -> None:
    control, normal = int(gguf.TokenType.CONTROL), int(gguf.TokenType.NORMAL)
    special = {tokens.id_of(f"[{name.upper()}]") for name in SPECIAL} | set(tokens.controls.values())
    texts = tokens.token_texts()
    writer.add_tokenizer_model("bert")
    writer.add_token_list([text if index in special else _spelled(text) for index, text in enumerate(texts)])
    writer.add_token_types([control if index in special else normal for index in range(len(texts))])
    writer.add_token_type_count(2)
    for name in SPECIAL:
        getattr(writer, f"add_{name}_token_id")(tokens.id_of(f"[{name.upper()}]"))
    writer.add_bos_token_id(tokens.id_of("[CLS]"))
    writer.add_eos_token_id(tokens.id_of("[SEP]"))


def _spelled(token: str) -> str:
    """llama.cpp marks where a word begins, word-piece vocabularies mark where it goes on."""
    return token[2:] if token.startswith("##") else f"\u2581{token}"


def quantise(source: Path, out: Path, kind: str = "Q8_0", embeddings: str | None = None) -> Path:
    """Quantise through llama.cpp, token embeddings to a type of their own if one is named; returns ``out``.

    Raises ModelError when llama.cpp refuses.
    """
    llama = load_bindings()
    for name, known in ((kind, QUANTISATIONS), (embeddings or "F16", TENSOR_TYPES)):
        if name not in known:
            raise ModelError(f"no quantisation {name!r} (known: {', '.join(known)})")
    params = llama.llama_model_quantize_default_params()
    params.ftype = QUANTISATIONS[kind]
    params.nthread = 1
    if embeddings is not None:
        params.token_embedding_type = TENSOR_TYPES[embeddings]
    code = llama.llama_model_quantize(str(source).encode(), str(out).encode(), ctypes.byref(params))
    if code != 0:
        raise ModelError(f"{source}: llama.cpp could not quantise it to {kind} (code {code})")
    return out
