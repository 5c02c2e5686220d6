"""Asking the user's language model something other than the question: a task, worked examples, a case, a short reply.

The reply is held to a form by a grammar (:mod:`kgask.read.gguf.grammar`); a model that cannot be (an encoder-decoder)
writes freely, and the caller parses what it wrote. Everything in a case is data: callers make it with
:func:`kgask.read.gguf.neutral.neutral`, and it is tokenised without control tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kgask.errors import MethodError, ModelError
from kgask.read.gguf.grammar import ListForm, Picked, Written
from kgask.read.gguf.model import Filled, LanguageModel
from kgask.read.gguf.neutral import neutral
from kgask.read.gguf.prompts import PromptForm

FREE_TOKENS = 256  # of a reply that no grammar holds: four sub-sentences need half of it
SHOWN_CHARS = 60  # of a reply that could not be used


@dataclass(frozen=True, slots=True)
class Task:
    """What is asked; the same for every question, so that it is evaluated once per model.

    ``shots`` are whole examples in the form of the case, each with its reply.
    """

    name: str
    system: str
    instruction: str
    shots: tuple[str, ...] = ()

    def form(self, n_shots: int, case: str) -> PromptForm:
        """The prompt for one case, static part first."""
        static = "\n\n".join(part for part in (self.instruction, *self.shots[:n_shots]) if part)
        static = f"{static}\n\n" if static else ""
        return PromptForm(self.name, "", self.system, ((static, None), (case, None)))


@dataclass(frozen=True, slots=True)
class Posed:
    """A case as the model's tokens, and what had to go for its context."""

    filled: Filled
    case: int  # which of the cases that were offered
    n_shots: int


class ModelAsker:
    """A loaded model that is asked tasks; the reader's own prompt stays as it is."""

    def __init__(self, model: LanguageModel):
        self._model = model

    @property
    def constrained(self) -> bool:
        """Whether replies are held to their form; else the caller has to parse what comes."""
        return self._model.constrained

    def pose(self, task: Task, cases: Sequence[str], reply_tokens: int) -> Posed:
        """The first of ``cases`` (one case in shorter and shorter forms) that the context takes, with as many
        shots as fit: all of them, half, a quarter and so on. Raises ModelError when not even the last one fits alone.
        """
        n_ctx = self._model.n_ctx
        counts = _halves(len(task.shots))
        for at, case in enumerate(cases):
            for n_shots in counts:
                filled = self._model.fill(task.form(n_shots, case))
                if len(filled.tokens) + reply_tokens <= n_ctx:
                    return Posed(filled, at, n_shots)
        path = self._model.path
        raise ModelError(f"{path}: its context of {n_ctx} tokens is too small for {task.name}; use a larger model")

    def write(self, posed: Posed, gbnf: str | None, max_tokens: int) -> Written:
        """The reply, under the grammar where there is one and the model can be constrained."""
        if self.constrained:
            return self._model.write(posed.filled, max_tokens, gbnf)
        return self._model.write(posed.filled, min(max_tokens, FREE_TOKENS))

    def pick(self, posed: Posed, items: Sequence[str], most: int, form: ListForm) -> Picked:
        """The model's choice among items (:func:`kgask.read.gguf.grammar.pick`); only where it can be constrained."""
        return self._model.pick(posed.filled, items, most, form)

    def unusable(self, what: str, written: str) -> MethodError:
        """One line for a reply that no form could be found in."""
        said = neutral(written, SHOWN_CHARS)
        wrote = f"it wrote {said!r}" if said else "it wrote nothing"
        return MethodError(f"{self._model.path}: {what} ({wrote}); use a larger model, or --method rigel")

    def fewer(self, task: Task, posed: Posed) -> tuple[str, ...]:
        """A note where the context did not take all examples."""
        if posed.n_shots == len(task.shots):
            return ()
        return (f"{task.name}: {posed.n_shots} of {len(task.shots)} examples fit into the model's context",)

    def room(self, wanted: int) -> int:
        """Tokens kept for a reply: ``wanted``, but at most a third of the context."""
        return min(wanted, max(1, self._model.n_ctx // 3))


def _halves(count: int) -> list[int]:
    """12 -> 12, 6, 3, 1, 0."""
    found = [count]
    while found[-1]:
        found.append(found[-1] // 2)
    return found
