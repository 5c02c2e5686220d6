"""What was decided about a claim, and by which rule."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from kgask.types import DirectedRelationId, TripleId

Rule = Literal[
    "stated", "within", "single", "complete", "value", "count", "known", "closed world", "silent", "evidence"
]


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether a claim holds (None: the graph does not say), by which rule, and the triples that decide."""

    truth: bool | None
    rule: Rule
    triples: tuple[TripleId, ...] = ()  # that say so; of what does not hold, what the graph says instead
    relation: DirectedRelationId | None = None  # that the rule is about

    @property
    def turned(self) -> Decision:
        """Of the contrary."""
        return replace(self, truth=None if self.truth is None else not self.truth)
