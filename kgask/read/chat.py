"""A user's turn in the chat format of a model that is not ours.

The template comes from the file's metadata and is rendered in jinja2's
sandbox (llama-cpp-python depends on jinja2; it is imported only here). The
user's text is put in after rendering, as plain tokens, so that no text in a
label or question can become a control token of the model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kgask.read.gguf_header import GgufHeader

PLACE = "\ue000kgask\ue000"  # private-use characters: stands for the user's text while a template is rendered
PLAIN = ("", "\n\nAnswer: ")
MAX_TEMPLATE_CHARS = 200_000


@dataclass(frozen=True, slots=True)
class ChatFormat:
    """What stands before and after the user's text, and where that comes from."""

    before: str
    after: str
    origin: str  # for --verbose: "the file's own chat template", or why not
    add_bos: bool


def chat_format(header: GgufHeader, special: Mapping[str, str]) -> ChatFormat:
    """The file's chat template as a frame around one user turn, else a plain question-and-answer frame.

    ``special`` gives the texts of ``bos_token`` and ``eos_token``.
    """
    template = header.chat_template
    if template is None:
        return ChatFormat(
            *PLAIN, "the file has no chat template: a plain question-and-answer prompt is used", True
        )
    rendered = _render(template, special)
    before, place, after = (rendered or "").partition(PLACE)
    if not place or PLACE in after:
        return ChatFormat(*PLAIN, "the file's chat template does not render: a plain prompt is used", True)
    starts_with_bos = bool(special["bos_token"]) and before.startswith(special["bos_token"])
    return ChatFormat(before, after, "the file's own chat template", not starts_with_bos)


def _render(template: str, special: Mapping[str, str]) -> str | None:
    from jinja2 import TemplateError
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    if len(template) > MAX_TEMPLATE_CHARS:
        return None
    environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, autoescape=False)
    environment.globals.update(raise_exception=_refuse, strftime_now=lambda _form: "")
    messages = [{"role": "user", "content": PLACE}]
    values: dict[str, Any] = {"messages": messages, "add_generation_prompt": True, "tools": None, **special}
    try:
        # Switches off the thinking that some templates offer: the reply is constrained from its first
        # token.
        return environment.from_string(template).render(**values, enable_thinking=False)
    except (TemplateError, TypeError, ValueError, KeyError, AttributeError, OverflowError, RecursionError):
        return None


def _refuse(message: str) -> None:
    raise ValueError(message)
