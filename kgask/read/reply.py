"""The decoded lines -> a :class:`Reading` that has been checked against the graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from kgask.pack.graph import Graph
from kgask.pack.labels import clean_label
from kgask.types import Evidence, Reading
from kgask.verbalise import Line, relation_words, verbalise, walked_ends

MAX_LINES = 60  # that a reader is shown
NO_LINES = "no facts were found"
NO_ANSWER_LINE = "no fact leads to one of the plan's answers"
NONE_ANSWERS = "none of the facts answers the question"


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply over numbered lines: those that it cites, ascending; none means "I don't know"."""

    lines: tuple[int, ...]
    log_prob: float
    n_decisions: int
    line_probs: Mapping[int, float] = field(default_factory=dict)  # of a reader that judges every line


class Verbaliser:
    """Evidence as lines; the words of a graph's relations are made once. ``clean`` makes any text one harmless line."""

    def __init__(self, clean: Callable[[str], str] | None = None):
        self._clean = clean
        self._graph: Graph | None = None

    def lines(self, evidence: Evidence, graph: Graph) -> list[Line]:
        """At most :data:`MAX_LINES`, the first ones."""
        if self._graph is not graph:
            words, clean = relation_words(graph), self._clean
            self._words = [(clean(forward), clean(inverse)) for forward, inverse in words] if clean else words
            self._graph = graph
        return verbalise(evidence.triples[:MAX_LINES], graph, self._words, self._clean or clean_label)


def abstain(reason: str, prob: float = 1.0) -> Reading:
    """ "I don't know", with the reason as its text."""
    return Reading(text=reason, cited_lines=(), abstained=True, prob=prob)


def citable_lines(evidence: Evidence, lines: Sequence[Line]) -> list[int]:
    """1-based numbers of the lines whose end is one of the plan's answers."""
    answers = {candidate.entity for candidate in evidence.candidates}
    return [number for number, line in enumerate(lines, start=1) if line.end_id in answers]


def answer_reading(
    cited: Sequence[int], prob: float, evidence: Evidence, lines: Sequence[Line], graph: Graph
) -> Reading:
    """The reading that rests on the cited lines, or an abstention when a citation does not hold.

    The answers are the ends of the cited lines, in their order and without repeats.
    """
    if not cited:
        return abstain(NONE_ANSWERS, prob)
    if not all(1 <= number <= len(lines) for number in cited):
        return abstain(f"the reader cited line {max(cited)} of {len(lines)}", prob)
    ends = dict.fromkeys(lines[number - 1].end_id for number in cited)
    labels = dict.fromkeys(lines[number - 1].end for number in cited)
    reading = Reading(" | ".join(labels), tuple(cited), False, tuple(ends), prob)
    reason = broken_citation(reading, evidence, graph)
    return reading if reason is None else abstain(reason, prob)


def broken_citation(reading: Reading, evidence: Evidence, graph: Graph) -> str | None:
    """Why a reading's citations do not hold; None when they do.

    Looks only at triple ids and the graph's arrays, not at the lines that the reader saw: every answer is
    one of the plan's, every answer is the end of a cited triple, and every cited triple leads to an answer.
    """
    if any(not 1 <= number <= len(evidence.triples) for number in reading.cited_lines):
        return "a cited line does not exist"
    answers = {candidate.entity for candidate in evidence.candidates}
    if not set(reading.entities) <= answers:
        return "an answer is not one that was retrieved"
    cited = [evidence.triples[number - 1] for number in reading.cited_lines]
    try:
        _, _, ends = walked_ends(cited, graph)
    except ValueError as error:
        return f"a cited triple does not exist: {error}"
    if set(ends.tolist()) != set(reading.entities):
        return "an answer is not at the end of a cited line"
    return None
