"""Line editing for ``kgask chat``, by prompt_toolkit: history, and names of the pack to complete."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.history import FileHistory, InMemoryHistory

from kgask.cli.render import clean
from kgask.pack.store import Pack

LEAST, MOST = 3, 8  # letters that are completed, and names that are offered


class NameCompleter(Completer):
    """Names of a pack's entities that the capitalised words before the cursor begin."""

    def __init__(self, pack: Pack) -> None:
        self._pack = pack

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterator[Completion]:
        begun = _begun(document.text_before_cursor)
        if len(begun) < LEAST:
            return
        for hit in self._pack.search(begun, MOST):
            name = clean(hit.name)
            if name.lower().startswith(begun.lower()):
                yield Completion(name, start_position=-len(begun))


def _begun(text: str) -> str:
    """The name that is being written: from the last capitalised word that follows another word in lower case."""
    words = text.split(" ")
    kept: list[str] = []
    for word in reversed(words):
        if not word[:1].isupper() and kept:
            break
        kept.insert(0, word)
    return " ".join(kept) if kept and kept[0][:1].isupper() else ""


def lines(pack: Pack, session: Path | None) -> Iterator[str]:
    """What a person types, until Ctrl-D; Ctrl-C gives up a line."""
    history = FileHistory(f"{session}.history") if session is not None else InMemoryHistory()
    prompt: PromptSession[str] = PromptSession(
        history=history, completer=NameCompleter(pack), complete_while_typing=False, enable_open_in_editor=False
    )
    while True:
        try:
            yield prompt.prompt("> ")
        except KeyboardInterrupt:
            continue
        except EOFError:
            return
