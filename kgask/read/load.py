"""Which reader a file is; a reader by name or path, told what it is to be told. llama.cpp is loaded only here.

kgask's own reader is known by its card (a folder with ``model.json``) or by its metadata; every other GGUF file is a
language model.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from kgask import config
from kgask.errors import ModelError
from kgask.read.protocol import Reader

if TYPE_CHECKING:
    from kgask.read.cross_encoder.reader import CrossEncoder
    from kgask.read.gguf.reader import ConstrainedReader


def opened_reader(name: str, prompt: str | None, settings: dict[str, Any]) -> tuple[Reader, tuple[str, ...]]:
    """The reader with what --verbose says of it.

    kgask's own has one prompt, so a setting for others leaves it alone.
    """
    name = name or str(settings.get("reader", config.DEFAULT_READER))
    path, gpu_layers = config.find("model", name).path, config.gpu_layers(settings.get("gpu_layers", config.AUTO))
    read = load_reader(path, gpu_layers=gpu_layers)
    notes = (f"reader {name}: {read.note}, {read.runs_on}",)
    asked = prompt or (settings.get("prompt") if read.capabilities.promptable else None)
    if asked is None:
        return read, notes
    from kgask.read.gguf.prompts import form_of

    form = form_of(str(asked))
    read.use_prompt(form)
    return read, (*notes, f"prompt {form.name}")


def load_reader(
    path: str | Path, *, n_threads: int | None = None, gpu_layers: int | str = config.AUTO
) -> CrossEncoder | ConstrainedReader:
    """The reader in a model folder, or any GGUF file. Raises ModelError, one line, for whatever cannot be used."""
    from kgask.read.cross_encoder.prompt import PROMPT_FORMAT
    from kgask.read.cross_encoder.reader import CrossEncoder
    from kgask.read.files.card import has_card, read_card
    from kgask.read.files.probe import Run, usable
    from kgask.read.gguf.header import FORMAT_KEY

    path = Path(path)
    if not path.exists():
        raise ModelError(f"{path}: no such reader")
    if has_card(path):
        card = read_card(path)
        run = Run.own(card.file, n_threads, gpu_layers)
        tried = run.trial(card.sha256, card.n_bytes).pass_once()
        return CrossEncoder(run.open_own(), card.sha256, card, tried)
    weights = usable(path, n_threads, gpu_layers)
    own = weights.header.metadata.get(FORMAT_KEY)
    if own is not None and own != PROMPT_FORMAT:
        raise ModelError(f"{path}: a kgask reader of prompt format {own}; this version reads {PROMPT_FORMAT}")
    if own is not None:
        return CrossEncoder(weights.run.open_own(), weights.hash, None, weights.note)
    # Only a file that is not ours needs these: our own reader is loaded for every question.
    from kgask.read.files.prefix_cache import PrefixCache, model_key
    from kgask.read.gguf.model import LanguageModel
    from kgask.read.gguf.reader import ConstrainedReader

    engine = weights.run.open()
    cache = PrefixCache(engine, model_key(weights.file, weights.hash))
    return ConstrainedReader(LanguageModel(engine, weights.header, cache), weights.hash, weights.note)
