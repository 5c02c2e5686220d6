"""Reading with any GGUF model that is not ours; see :class:`kgask.read.protocol.Reader`."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from pathlib import Path

from kgask.errors import ModelError, UsageError
from kgask.pack.graph import Graph
from kgask.read.files.prefix_cache import PrefixCache
from kgask.read.gguf.engine import Engine
from kgask.read.gguf.grammar import ListForm, Picked, Written, can_constrain, pick, write
from kgask.read.gguf.neutral import neutral
from kgask.read.gguf.prompts import PromptForm
from kgask.read.gguf.replies import MAX_LINES
from kgask.read.gguf.style import Filled, ForeignStyle
from kgask.read.protocol import Capabilities, Preview
from kgask.read.reply import NO_ANSWER_LINE, NO_LINES, Reply, abstain, answer_reading, citable_lines
from kgask.types import Evidence, Question, Reading
from kgask.verbalise import Line, relation_words, verbalise

DRAFT_RATIO = 0.9  # lines whose answer scores this share of the best one are what the plan would cite
PASSAGE_CHARS = 1200  # a hundred words of any language
WARMED_TOKENS = 256  # room beside a prompt's static part when its state is read; the context grows where more is needed
MAX_REPLY_TOKENS = 256  # kept free for a constrained reply; a longer one goes beyond the trained context


@dataclass(frozen=True, slots=True)
class Shown:
    """A prompt with the lines that it shows."""

    filled: Filled
    lines: list[Line]
    numbers: list[int]  # the number of each in the evidence, 1-based, ascending
    cut: list[Line]


class ForeignReader:
    """A loaded model with the prompt that it gets; a :class:`kgask.read.protocol.LanguageModel` too."""

    capabilities = Capabilities(promptable=True, reads_passages=True)
    card = None

    def __init__(
        self, engine: Engine, style: ForeignStyle, file_hash: str, cache: PrefixCache | None = None, tried: str = ""
    ):
        self.engine, self.style, self.hash = engine, style, file_hash
        self._cache, self._tried = cache, tried
        self._words: tuple[Graph, list[tuple[str, str]]] | None = None

    @property
    def note(self) -> str:
        """Which chat format is used, and what was tried, for --verbose."""
        return "; ".join(filter(None, (self.style.note, self._tried)))

    @property
    def runs_on(self) -> str:
        """Threads and layers on a GPU."""
        return self.engine.note

    @property
    def form(self) -> PromptForm:
        """The prompt that it gets."""
        return self.style.form

    @property
    def language_model(self) -> ForeignReader:
        """Itself."""
        return self

    def close(self) -> None:
        """Free the model."""
        self.engine.close()

    def use_prompt(self, form: PromptForm) -> None:
        """Ask in this form from now on."""
        self.style.use(form)

    def read(self, question: Question, evidence: Evidence, graph: Graph) -> Reading:
        """Answer from the evidence's lines, or abstain with the reason as the text."""
        form = self.style.form
        if not form.has_facts:
            raise UsageError(f"prompt {form.name!r} shows no facts, so nothing could be checked; add --free")
        lines = self.lines(evidence, graph)
        if not lines:
            return abstain(NO_LINES)
        if not citable_lines(evidence, lines):
            return abstain(NO_ANSWER_LINE)
        shown = self.fit(question, evidence, lines, self._reply_room(evidence))
        citable = citable_lines(evidence, shown.lines)
        if not citable:
            return abstain(NO_ANSWER_LINE)
        self.warm(shown.filled, self.style.reply_room(shown.lines, citable))
        reply = self.style.reply(shown.filled.tokens, shown.lines, citable, planned_ends(evidence, shown.lines))
        cited = [shown.numbers[line - 1] for line in reply.lines]
        return answer_reading(cited, math.exp(reply.log_prob), evidence, lines, graph)

    def score(
        self, tokens: Sequence[int], lines: Sequence[Line], citable: Sequence[int], cited: Sequence[int]
    ) -> Reply:
        """The reply to a prompt that cites these lines (none: "I don't know"); over all sets the
        probabilities sum to 1, over all sets of names where lines end in the same one."""
        return self.style.score(tokens, lines, citable, cited)

    def preview(self, question: Question, evidence: Evidence, graph: Graph, reply_tokens: int | None = None) -> Preview:
        """The prompt for this evidence; ``reply_tokens`` is the room kept for a free reply."""
        room = self._reply_room(evidence) if reply_tokens is None else lambda _lines: reply_tokens
        shown = self.fit(question, evidence, self.lines(evidence, graph), room)
        filled, n_ctx = shown.filled, self.engine.n_ctx_train
        facts = tuple(line.text() for line in shown.lines)
        cut = tuple(line.text() for line in shown.cut)
        return Preview(
            self.style.form.name, self.engine.text(filled.tokens), len(filled.tokens), filled.n_static, n_ctx, facts,
            cut, self.note,
        )  # fmt: skip

    # --- asked other things, see kgask.read.protocol.LanguageModel ------------------------------

    @property
    def path(self) -> Path:
        return self.engine.path

    @property
    def n_ctx(self) -> int:
        return max(1, self.engine.n_ctx_train)

    @property
    def constrained(self) -> bool:
        """Whether a grammar can hold its replies to a form."""
        return can_constrain(self.engine)

    def fill(self, form: PromptForm) -> Filled:
        """A prompt without fields in the model's chat format; the reader's own stays."""
        style = copy(self.style)
        style.use(form)
        return style.prompt("", [])

    def write(self, filled: Filled, max_tokens: int, gbnf: str | None = None) -> Written:
        """The greedy reply; the prompt's static part is evaluated once per model."""
        self.warm(filled, min(max_tokens, WARMED_TOKENS))
        return write(self.engine, filled.tokens, max_tokens, gbnf)

    def pick(self, filled: Filled, items: Sequence[str], most: int, form: ListForm) -> Picked:
        """At most ``most`` of the items, in the model's order; only where it can be constrained."""
        self.warm(filled, WARMED_TOKENS)
        return pick(self.engine, filled.tokens, items, most, form)

    def complete(self, prompt: str, max_tokens: int) -> str:
        """The first line of the greedy reply to a text of the caller's own; names in it are his to neutralise."""
        filled = self.fill(PromptForm("own", "", "", ((prompt, None),)))
        written = write(self.engine, filled.tokens, max_tokens).text.strip()
        return written.splitlines()[0] if written else ""

    # --- steps ----------------------------------------------------------------------------------

    def lines(self, evidence: Evidence, graph: Graph) -> list[Line]:
        """The evidence as neutral text, at most 60 lines; none where the prompt shows no facts."""
        if not self.style.form.has_facts:
            return []
        if self._words is None or self._words[0] is not graph:
            words = [(neutral(forward), neutral(inverse)) for forward, inverse in relation_words(graph)]
            self._words = (graph, words)
        return verbalise(evidence.triples[:MAX_LINES], graph, self._words[1], neutral)

    def fit(
        self, question: Question, evidence: Evidence, lines: list[Line], room: Callable[[list[Line]], int]
    ) -> Shown:
        """The prompt with as many lines as the model's context takes, the plan's best ones, in plan order.

        Passages give way first, the worst of them: the lines are what answers are made of.
        """
        texts = [neutral(one.text, PASSAGE_CHARS) for one in evidence.passages] if self.style.form.has_passages else []
        found = None
        while found is None:
            found = self._fit_lines(question, evidence, lines, room, texts)
            if found is None and not texts:
                what = "one fact" if lines else "the question"
                n_ctx = self.engine.n_ctx_train
                raise ModelError(f"{self.engine.path}: its context of {n_ctx} tokens is too small for {what}")
            texts = texts[: len(texts) * 3 // 4]
        return found

    def _fit_lines(
        self,
        question: Question,
        evidence: Evidence,
        lines: list[Line],
        room: Callable[[list[Line]], int],
        passages: Sequence[str],
    ) -> Shown | None:
        """None where not even one line (or the question, where there is none) fits beside the passages."""
        n_ctx = max(1, self.engine.n_ctx_train)
        by_score = sorted(range(len(lines)), key=lambda index: -evidence.triples[index].score)

        def shown(count: int) -> Shown | None:
            kept = sorted(by_score[:count])
            chosen = [lines[index] for index in kept]
            filled = self.style.prompt(question.text, chosen, passages)
            if len(filled.tokens) + room(chosen) > n_ctx:
                return None
            cut = [lines[index] for index in sorted(by_score[count:])]
            return Shown(filled, chosen, [index + 1 for index in kept], cut)

        best = shown(len(lines))
        if best is not None:
            return best
        fits, too_many = 0, len(lines)
        while too_many - fits > 1:
            middle = (fits + too_many) // 2
            tried = shown(middle)
            if tried is None:
                too_many = middle
            else:
                fits, best = middle, tried
        return best

    def warm(self, filled: Filled, reply_tokens: int) -> None:
        """Have the static part of the prompt evaluated or read from the cache."""
        if self._cache is not None:
            self._cache.warm(filled.tokens[: filled.n_static], len(filled.tokens) + reply_tokens)

    def _reply_room(self, evidence: Evidence) -> Callable[[list[Line]], int]:
        def room(lines: list[Line]) -> int:
            return min(MAX_REPLY_TOKENS, self.style.reply_room(lines, citable_lines(evidence, lines)))

        return room


def planned_ends(evidence: Evidence, lines: Sequence[Line]) -> list[int]:
    """1-based numbers of the lines that the plan itself would cite: those that end in its best answers."""
    scores = {candidate.entity: candidate.score for candidate in evidence.candidates}
    least = DRAFT_RATIO * max(scores.values(), default=0.0)
    return [number for number, line in enumerate(lines, start=1) if scores.get(line.end_id, -1.0) >= least]
