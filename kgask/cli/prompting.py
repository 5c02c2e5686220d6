"""Line editing for ``kgask chat``, by prompt_toolkit: history, and names of the pack to complete."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.history import FileHistory, InMemoryHistory

from kgask.cli import interrupt
from kgask.cli.render import clean
from kgask.pack.store import Pack

LEAST, MOST = 3, 8  # letters that are completed, and names that are offered
MOST_WORDS = 6  # of a name that is begun
LOOKED_AT = 50  # names that have all these words, of which those are offered that begin with them


class NameCompleter(Completer):
    """Names of a pack's entities that the words before the cursor begin: as many of them as any name does."""

    def __init__(self, pack: Pack) -> None:
        self._pack = pack

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterator[Completion]:
        for begun in _begun(document.text_before_cursor):
            names = dict.fromkeys(clean(hit.name) for hit in self._pack.search(begun, LOOKED_AT))
            fitting = [name for name in names if name.lower().startswith(begun.lower())]
            if fitting:
                yield from (Completion(name, start_position=-len(begun)) for name in fitting[:MOST])
                return


def _begun(text: str) -> Iterator[str]:
    """The names that may be being written: the last words, the most of them first."""
    words = text.split(" ")
    for n in range(min(MOST_WORDS, len(words)), 0, -1):
        begun = " ".join(words[-n:])
        if words[-n] and len(begun) >= LEAST:
            yield begun


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
            interrupt.taken()
        except EOFError:
            return
