"""What training a reader starts from: an encoder with its tokenizer, an earlier run, or a finished reader."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torch import Tensor, nn

from kgask import config
from kgask.corpus import training_data
from kgask.errors import ModelError
from kgask.methods.query_judge import GRAPH
from kgask.read.files.card import read_card
from kgask.train.encoder import encoder_name, load_encoder
from kgask.train.reader.model import ReaderConfig, ReaderModel
from kgask.train.trainer import CHECKPOINT, load_checkpoint

TOKENIZER = "tokenizer.json"


@dataclass(frozen=True, slots=True)
class Start:
    """What a fresh run starts from: an encoder with its tokenizer, and perhaps a reader's weights."""

    tokenizer: Path
    encoder: nn.Module
    earlier: dict[str, Tensor] | None = None
    recipe: dict[str, Any] | None = None  # that the earlier weights come from
    training_data: tuple[str, ...] = ()  # what those weights, or the encoder's, were trained on

    @classmethod
    def of_run(cls, folder: Path, encoder: nn.Module) -> Start:
        """An earlier run's weights; ``encoder`` gives the architecture."""
        saved = load_checkpoint(folder / CHECKPOINT)
        known = tuple(training_data.of_content(saved, folder.name))
        recipe = saved.get("config", saved.get("recipe"))  # as runs of kgask 0.1 call it
        return cls(folder / TOKENIZER, encoder, saved["model"], recipe, known)

    @classmethod
    def of_reader(cls, folder: Path, tokenizer: Path, encoder: nn.Module) -> Start:
        """A finished reader's weights, as its quantised file holds them; its card keeps their recipe."""
        from kgask.train.reader.export_gguf import load_weights

        card, known = read_card(folder), tuple(training_data.of_folder(folder))
        told = ("recipe", "recipe_note", "steps", "seconds", "earlier_recipe")
        recipe = {key: card.content[key] for key in told if key in card.content}
        return cls(tokenizer, encoder, load_weights(card.file), recipe, known)

    @classmethod
    def of_judge(cls, folder: Path, tokenizer: Path, encoder: nn.Module) -> Start:
        """A finished judge's weights, rounded as its int8 file holds them."""
        from kgask.train.planner.weights import load_state

        card = json.loads((folder / config.MODEL_CARD).read_text(encoding="utf-8"))
        known = tuple(training_data.of_folder(folder))
        told = ("recipe", "recipe_note", "steps", "seconds", "earlier_recipe")
        recipe = {key: card[key] for key in told if key in card}
        return cls(tokenizer, encoder, load_state(folder / GRAPH, str(folder)), recipe, known)

    def model(self, config: ReaderConfig) -> ReaderModel:
        """Raises ModelError where the earlier run's model has another size."""
        model = ReaderModel(self.encoder, config)
        if self.earlier is not None:
            try:
                model.load_state_dict(self.earlier)
            except RuntimeError:
                raise ModelError("the earlier run's weights have another size than the ones to train") from None
        return model

    def weights(self, model: ReaderModel) -> dict[str, Tensor]:
        """What the run's identity depends on: heads of a fresh model are random, but follow the seed."""
        return model.state_dict() if self.earlier is not None else model.encoder.state_dict()


def find_start(encoder: Path | None = None, earlier: Path | None = None) -> Start:
    """The start that ``--encoder`` and ``--start`` name; without them the shipped planner's encoder.

    ``earlier`` is a run's folder or a finished reader's. The planner's encoder knows which words ask for which
    relation. Raises ModelError for a folder that is neither a planner nor a Hugging Face encoder.
    """
    from kgask.train.planner.weights import load_torch

    folder = encoder or config.find("model", config.DEFAULT_MODEL).path
    if (folder / config.MODEL_CARD).is_file():
        found, known = load_torch(folder).encoder, training_data.of_folder(folder)
    else:
        found, known = load_encoder(folder), [training_data.base_encoder(encoder_name(folder))]
    tokenizer = folder / TOKENIZER
    if earlier is None:
        return Start(tokenizer, found, training_data=tuple(known))
    if (earlier / GRAPH).is_file():
        return Start.of_judge(earlier, tokenizer, found)
    if (earlier / config.MODEL_CARD).is_file():
        return Start.of_reader(earlier, tokenizer, found)
    return Start.of_run(earlier, found)
