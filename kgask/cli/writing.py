"""A language model of the user that writes short texts: questions, and turns as questions."""

from __future__ import annotations

from collections.abc import Callable

from kgask import config
from kgask.errors import UsageError

MOST_TOKENS = 64  # of a question


def writing_with(name: str, option: str) -> Callable[[str], str]:
    """A prompt in, the first line of the reply out; UsageError for kgask's own reader, which only reads."""
    from kgask.read.load import load_reader

    model = load_reader(config.find("model", name).path).language_model
    if model is None:
        raise UsageError(f"{option} {name}: it reads and cannot write; name a language model: {option} FILE.gguf")
    return lambda prompt: model.complete(prompt, MOST_TOKENS)
