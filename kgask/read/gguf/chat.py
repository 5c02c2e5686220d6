"""A turn in the chat format of a model that is not ours.

The template comes from the file's metadata: it is a program, and not ours. So
it is rendered in jinja2's sandbox (llama-cpp-python depends on jinja2) in a
child process with bounds on time, memory and output, once per template: the
result is remembered. The texts are put in after rendering, as plain
tokens, so that no text in a label or question can become a control token.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kgask.machine.child import ChildDied, in_child
from kgask.machine.remembered import recall, remember
from kgask.read.gguf.header import GgufHeader

if TYPE_CHECKING:
    from kgask.read.gguf.engine import Engine

# Private-use characters: they stand for the texts while a template is rendered.
USER, SYSTEM = "\ue000kgask\ue000", "\ue001kgask\ue001"
PLAIN = ("", "\n\nAnswer: ")
MAX_TEMPLATE_CHARS = 200_000
MAX_FRAME_CHARS = 20_000  # of what a template puts around one turn; real ones need some hundred
RENDER_SECONDS, RENDER_CPU_SECONDS, RENDER_BYTES = 10.0, 3, 512 << 20
FRAME_VERSION = 1  # of what is remembered

NO_TEMPLATE = "the file has no chat template: a plain question-and-answer prompt is used"
BROKEN_TEMPLATE = "the file's chat template does not render: a plain prompt is used"
OWN_TEMPLATE = "the file's own chat template"
NO_SYSTEM_ROLE = "; it has no system role, so instructions stand before the question"

# What a template marks turns with: <|im_start|>, <start_of_turn>, [INST], <<SYS>>, </s>, ### User:
_MARKER = re.compile(r"<{1,2}[^<>\n]{1,40}>{1,2}|\[/?[A-Z_]{2,30}\]|#{2,} ?[A-Za-z]{2,20}:?|\b[A-Z]{4,20}: ?")


@dataclass(frozen=True, slots=True)
class ChatFormat:
    """What stands around the texts of one turn, and where that comes from."""

    before: str
    after: str
    origin: str  # for --verbose: "the file's own chat template", or why not
    add_bos: bool
    system: tuple[str, str] | None = None  # before a system text, and between it and the user's; None: no such role

    @property
    def plain(self) -> bool:
        """Whether the file has no chat format, so that nothing marks the end of a reply but the text."""
        return (self.before, self.after) == PLAIN

    def pieces(self, user: str, system: str = "") -> list[tuple[str, bool]]:
        """The turn as (text, whether it comes from the template); only the template's may hold control tokens.

        Where the format has no system role, the system text stands before the user's.
        """
        if not system:
            return [(self.before, True), (user, False), (self.after, True)]
        if self.system is None:
            return [(self.before, True), (f"{system}\n\n{user}", False), (self.after, True)]
        return [(self.system[0], True), (system, False), (self.system[1], True), (user, False), (self.after, True)]

    def markers(self) -> list[str]:
        """Texts with which the template marks turns, the longest first."""
        frame = "\n".join([self.before, self.after, *(self.system or ())])
        return sorted({found.strip() for found in _MARKER.findall(frame)}, key=len, reverse=True)


def data_tokens(engine: Engine, text: str, markers: Sequence[str] = ()) -> list[int]:
    """Tokens of text that is data: none of them marks a turn.

    Without ``special`` llama.cpp makes no control token from text; but a file may call its markers
    user-defined tokens (which are always made), or spell them as plain text: those are broken up.
    """
    for marker in markers:
        text = _broken_up(text, marker)
    tokens = engine.tokenize(text)
    found = {engine.token_text(token) for token in tokens if engine.marks_turns(token)}
    for marker in found:
        text = _broken_up(text, marker.replace("\u2581", " ").strip() or marker)
    return [token for token in engine.tokenize(text) if not engine.marks_turns(token)] if found else tokens


def _broken_up(text: str, marker: str) -> str:
    return re.sub(re.escape(marker), lambda match: " ".join(match.group()), text, flags=re.IGNORECASE)


def chat_format(header: GgufHeader, special: Mapping[str, str]) -> ChatFormat:
    """The file's chat template as a frame around one turn, else a plain question-and-answer frame.

    ``special`` gives the texts of ``bos_token`` and ``eos_token``.
    """
    template = header.chat_template
    if template is None:
        return ChatFormat(*PLAIN, NO_TEMPLATE, True)
    frames = _frames(template, special)
    user = _split(frames.get("user"), (USER,))
    if user is None:
        return ChatFormat(*PLAIN, BROKEN_TEMPLATE, True)
    bos = special["bos_token"]
    starts_with_bos = bool(bos) and user[0].startswith(bos)
    both = _split(frames.get("both"), (SYSTEM, USER))
    system = (both[0], both[1]) if both is not None and both[2] == user[1] else None
    origin = OWN_TEMPLATE if system else OWN_TEMPLATE + NO_SYSTEM_ROLE
    return ChatFormat(user[0], user[1], origin, not starts_with_bos, system)


def _split(rendered: object, places: Sequence[str]) -> list[str] | None:
    """What stands before, between and after the places; None unless each is there once, in order."""
    if not isinstance(rendered, str) or len(rendered) > MAX_FRAME_CHARS:
        return None
    parts, rest = [], rendered
    for place in places:
        part, found, rest = rest.partition(place)
        if not found:
            return None
        parts.append(part)
    parts.append(rest)
    return None if any(place in part for part in parts for place in (USER, SYSTEM)) else parts


def _frames(template: str, special: Mapping[str, str]) -> dict[str, Any]:
    """ "user" and "both" (system and user) as rendered; a turn that does not render is missing."""
    if len(template) > MAX_TEMPLATE_CHARS:
        return {}
    names = "\0".join(f"{name}={special[name]}" for name in sorted(special))
    key = f"chat {FRAME_VERSION}\0{names}\0{template}"
    known = recall(key)
    if isinstance(known, dict):
        return known
    frames: dict[str, Any] = {}
    user = {"role": "user", "content": USER}
    turns = {"user": [user], "both": [{"role": "system", "content": SYSTEM}, user]}
    for name, messages in turns.items():
        payload = {"template": template, "messages": messages, "special": dict(special)}
        try:
            frames[name] = in_child(
                "kgask.read.gguf.chat:render", payload,
                seconds=RENDER_SECONDS, cpu_seconds=RENDER_CPU_SECONDS, memory_bytes=RENDER_BYTES,
            )  # fmt: skip
        except ChildDied:
            break  # what hangs with one turn is not tried with two
    remember(key, frames)
    return frames


def render(payload: Mapping[str, Any]) -> str | None:
    """In the child: the template with the given messages; None where it does not render."""
    from jinja2 import TemplateError
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, autoescape=False, extensions=["jinja2.ext.loopcontrols"]
    )
    environment.globals.update(raise_exception=_refuse, strftime_now=lambda _form: "")
    # Switches off the thinking that some templates offer: the reply is constrained from its first token.
    values = {"add_generation_prompt": True, "tools": None, "enable_thinking": False, **payload["special"]}
    written: list[str] = []
    n_chars = 0
    try:
        for part in environment.from_string(payload["template"]).generate(messages=payload["messages"], **values):
            written.append(part)
            n_chars += len(part)
            if n_chars > MAX_FRAME_CHARS:
                return None
    except (
        TemplateError, TypeError, ValueError, KeyError, AttributeError, ArithmeticError, RecursionError, LookupError,
        MemoryError,
    ):  # fmt: skip
        return None
    return "".join(written)


def _refuse(message: str) -> None:
    raise ValueError(message)
