"""A reader by name or path, told what it is to be told; llama.cpp is loaded only here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kgask import config
from kgask.errors import ModelError
from kgask.read.protocol import Reader


def opened_reader(name: str, prompt: str | None, settings: dict[str, Any]) -> tuple[Reader, tuple[str, ...]]:
    """The reader with what --verbose says of it.

    kgask's own has one prompt, so a setting for others leaves it alone.
    """
    name = name or str(settings.get("reader", config.DEFAULT_READER))
    read = load_reader(config.find("model", name).path, config.gpu_layers(settings.get("gpu_layers", config.AUTO)))
    notes = (f"reader {name}: {read.note}, {read.runs_on}",)
    asked = prompt or (settings.get("prompt") if read.capabilities.promptable else None)
    if asked is None:
        return read, notes
    from kgask.read.gguf.prompts import form_of

    form = form_of(str(asked))
    read.use_prompt(form)
    return read, (*notes, f"prompt {form.name}")


def load_reader(path: Path, gpu_layers: int | str = config.AUTO) -> Reader:
    """The reader in a model folder, or any GGUF file."""
    from kgask.read.cross_encoder.reader import (
        LlamaReader,  # llama.cpp is loaded only when something is read
    )

    if not path.exists():
        raise ModelError(f"{path}: no such reader")
    return LlamaReader.load(path, gpu_layers=gpu_layers)
