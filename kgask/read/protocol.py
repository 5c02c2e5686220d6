"""What a reader is, and what it says of itself: callers ask its :class:`Capabilities`, never its attributes.

Three readers fit: kgask's own cross-encoder, which judges every line; a language model whose reply is held to what was
retrieved; the same model writing freely, whose text is matched back to what was retrieved.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from kgask.pack.graph import Graph
from kgask.types import Evidence, Question, Reading

if TYPE_CHECKING:
    from kgask.pack.records import NameHit
    from kgask.read.gguf.model import LanguageModel
    from kgask.read.gguf.prompts import PromptForm


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a reader can do, and what it needs."""

    judges_lines: bool = False  # each line gets a probability that it answers; scores beside a line tell it something
    writes_freely: bool = False  # a reading has the whole text that was written, and what of it stands unverified
    promptable: bool = False  # it is told a prompt, which may be another
    needs_facts: bool = True  # without lines (or passages) there is nothing to read
    reads_passages: bool = False  # a prompt may show it passages beside the lines, or alone


@dataclass(frozen=True, slots=True)
class Preview:
    """A whole prompt as a reader would get it, and what of it did not fit: for ``kgask prompt``."""

    prompt: str  # its name
    text: str  # the chat format too: the model's tokens turned back into text
    n_tokens: int  # in the model's own tokens
    n_static_tokens: int  # at its start, the same for every question
    n_ctx: int  # tokens that the model was trained for
    shown: tuple[str, ...]  # facts in the prompt, in their order
    cut: tuple[str, ...]  # facts that the context has no room for
    note: str  # where the chat format comes from


class NamedGraph(Graph, Protocol):
    """A graph whose entities are found by their names: text that was written freely is matched back to them."""

    def exact(self, norms: Iterable[str]) -> dict[str, list[NameHit]]:
        """Normalised name -> the entities called so, by their label or an alias; absent names are left out."""
        ...


class Reader(Protocol):
    """Reads evidence: which of its lines answer the question, or that none does."""

    @property
    def capabilities(self) -> Capabilities: ...

    @property
    def hash(self) -> str:
        """Which weights these are: SHA-256 of the file, of a large one of its head and size."""
        ...

    @property
    def card(self) -> Mapping[str, Any] | None:
        """The card of a reader that kgask trained; None for a bare file."""
        ...

    @property
    def note(self) -> str:
        """What it was told and what was tried, for --verbose."""
        ...

    @property
    def runs_on(self) -> str:
        """Threads and layers on a GPU, for --verbose."""
        ...

    @property
    def form(self) -> PromptForm | None:
        """The prompt that it is told; None where it has one of its own."""
        ...

    @property
    def language_model(self) -> LanguageModel | None:
        """The model behind a reader that can write; None for kgask's own."""
        ...

    def use_prompt(self, form: PromptForm) -> None:
        """Ask in this form from now on; UsageError for a reader that is not promptable."""
        ...

    def read(self, question: Question, evidence: Evidence, graph: NamedGraph) -> Reading:
        """Answer from the evidence's lines, or abstain with the reason as the text."""
        ...

    def preview(self, question: Question, evidence: Evidence, graph: NamedGraph) -> Preview:
        """The prompt for this evidence; nothing is read."""
        ...

    def close(self) -> None:
        """Free the model."""
        ...
