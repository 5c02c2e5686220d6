"""What a reader would get, for ``kgask prompt``."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Preview:
    """A whole prompt, and what of it did not fit."""

    prompt: str  # its name
    text: str  # the chat format too: the model's tokens turned back into text
    n_tokens: int  # in the model's own tokens
    n_static_tokens: int  # at its start, the same for every question
    n_ctx: int  # tokens that the model was trained for
    shown: tuple[str, ...]  # facts in the prompt, in their order
    cut: tuple[str, ...]  # facts that the context has no room for
    note: str  # where the chat format comes from
