"""A sentence-transformers model -> the encoder folder of the similarity method: ONNX, int8, checked against torch."""

from __future__ import annotations

import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from kgask.cards import write_card
from kgask.errors import ModelError
from kgask.methods.text_encoder import FORMAT, GRAPH, INPUTS, OUTPUT, TOKENIZER
from kgask.train.onnx.export import checked, run_graph, write_graph, write_tokenizer
from kgask.train.onnx.quantise import quantise

MAX_TOKENS = 64  # a question or a triple; longer ones are cut
LEAST_COSINE = 0.97  # least mean cosine of int8 vectors and torch's that is written
PROBES = (
    "who wrote Lady Susan?", "Lady Susan author Jane Austen", "which films did the director of Alien make?",
    "Kenya capital Nairobi", "Marie Curie award received Nobel Prize in Physics", "x",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class EncoderParity:
    """How far the exported graphs are from torch, on a few texts."""

    fp32: float  # largest difference of a number
    int8_cosine: float  # mean cosine of the int8 vectors and torch's


class _Pooled(nn.Module):
    """The sentence-transformers model as a function of two arrays."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        features = {"input_ids": input_ids, "attention_mask": attention_mask}
        vectors = self.model(features)["sentence_embedding"]
        return nn.functional.normalize(vectors, dim=-1)


def export_encoder(source: Path, out: Path, about: dict[str, Any], max_tokens: int = MAX_TOKENS) -> EncoderParity:
    """Write ``out``: graph, tokenizer and card; ``about`` goes into the card (licence, where it comes from).

    The card is written last. Raises ModelError for a folder that is no such model, or one that ONNX or int8
    changes too much.
    """
    model = _load(source)
    tokenizer = model.tokenizer
    encoder = _Pooled(model).eval()
    batch = tokenizer(list(PROBES), padding=True, return_tensors="pt", truncation=True, max_length=max_tokens)
    inputs = (batch["input_ids"], batch["attention_mask"])
    out.mkdir(parents=True, exist_ok=True)
    with torch.no_grad(), tempfile.TemporaryDirectory() as folder:
        full, small = Path(folder) / "fp32.onnx", Path(folder) / "int8.onnx"
        expected = encoder(*inputs).numpy()
        n_heads = model[0].auto_model.config.to_dict().get("num_attention_heads", 0)
        write_graph(encoder, inputs, full, (INPUTS, [OUTPUT]), [{0: "batch", 1: "length"}] * 2, n_heads)
        quantise(full, small)
        feeds = dict(zip(INPUTS, (tensor.numpy() for tensor in inputs), strict=True))
        (whole,), (rounded,) = (run_graph(path, [feeds], [OUTPUT]) for path in (full, small))
        cosines = (rounded * expected).sum(-1) / np.linalg.norm(rounded, axis=-1)
        parity = EncoderParity(checked([whole], [expected]), float(cosines.mean()))
        if not parity.int8_cosine >= LEAST_COSINE:  # NaN too
            raise ModelError(f"{source}: int8 changes its vectors too much (to a cosine of {parity.int8_cosine:.3f})")
        shutil.copyfile(small, out / GRAPH)
    write_tokenizer(source, out / TOKENIZER)
    prompts = model.prompts or {}
    about = {
        "name": out.name, "max_tokens": max_tokens, "pad_token": tokenizer.pad_token, "width": int(expected.shape[1]),
        "prefixes": {"question": prompts.get("query", ""), "text": prompts.get("document", "")},
        "parity": {"fp32": parity.fp32, "int8_cosine": round(parity.int8_cosine, 4)}, **about,
    }  # fmt: skip
    write_card(out, FORMAT.card(out, (GRAPH, TOKENIZER), **about))
    return parity


def _load(source: Path) -> Any:
    """The model, never fetched: ``source`` is a folder on this machine."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    if not (source / TOKENIZER).is_file():
        raise ModelError(f"{source}: no {TOKENIZER}; name the folder of a sentence-transformers model")
    try:
        from sentence_transformers import SentenceTransformer

        return SentenceTransformer(str(source), device="cpu", local_files_only=True)
    except Exception as error:  # noqa: BLE001 - whatever a foreign folder makes the library raise
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise ModelError(f"{source}: not a usable sentence-transformers model ({reason[:160]})") from error
