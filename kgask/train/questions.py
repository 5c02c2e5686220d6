"""Questions about one pack, by ids: what graph-supervised training and validation use."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class GraphQuestion:
    """A question with its topic masked; the ids are those of one pack."""

    text: str  # with [MASK] for the topic
    topic: int
    answers: frozenset[int]
    path: tuple[int, ...] | None = None  # directed relations from the topic to the answers, where known
