"""Questions that teach a relation path, as queries; and questions of which only the kind is known."""

from __future__ import annotations

import zlib
from pathlib import Path

from kgask.corpus.drafts import Span, values_in
from kgask.corpus.examples import MASK, PathExample, Step, tidy
from kgask.corpus.mentions import nouns_in
from kgask.corpus.query_examples import Operand, QueryExample
from kgask.sets import mintaka, registry
from kgask.sets.rows import in_data

_LISTED = 2  # of three class words, so many are known to the graph that is asked
_MINTAKA_KINDS = {
    "generic": "path", "multihop": "path", "intersection": "intersection", "difference": "difference",
    "count": "count", "superlative": "superlative", "ordinal": "ordinal", "comparative": "comparison", "yesno": "yesno",
}  # fmt: skip


def path_example(example: PathExample) -> QueryExample | None:
    """A relation path as a query; None where it is not known, its topic is not masked once, or it says less than the
    question: a further name narrows the answers, or a number or date.

    Class words and ranks are operands that no step uses: a path needs them no more ("which films did ... direct").
    """
    if example.path is None or example.constrained or (example.path and example.text.count(MASK) != 1):
        return None
    text = example.text
    at = text.find(MASK)
    spans: list[Span] = [(at, at + len(MASK), "entity")] if at >= 0 else []
    for span in (*values_in(text), *(noun for noun in nouns_in(text) if _is_listed(text, noun))):
        if all(span[1] <= start or end <= span[0] for start, end, _ in spans):
            spans.append(span)
    if example.path and any(kind in ("number", "date") for _, _, kind in spans):
        return None
    operands = tuple(Operand(*span) for span in sorted(spans))
    topic = next((place for place, operand in enumerate(operands) if operand.kind == "entity"), 0)
    steps: tuple[str | Step | int, ...] = (topic, *example.path, "END") if example.path else ("NONE",)
    return QueryExample(text, operands, steps, "path", example.source, example.vocabulary)


def _is_listed(text: str, noun: Span) -> bool:
    """Not every graph has every class: always the same choice for a question."""
    return zlib.crc32(f"{noun[0]} {text}".encode()) % 3 < _LISTED


def mintaka_kinds(data: Path) -> list[tuple[str, str]]:
    """Mintaka's training part: (question with every entity masked, kind of query)."""
    found = []
    for gold in registry.load("mintaka", in_data(data, mintaka.TRAINING)):
        text, at = "", 0
        for start, end in sorted({topic.span for topic in gold.topics if topic.span}):
            if start >= at:
                text, at = f"{text}{gold.text[at:start]} {MASK} ", end
        found.append((tidy(text + gold.text[at:]), _MINTAKA_KINDS[gold.kind]))
    return found
