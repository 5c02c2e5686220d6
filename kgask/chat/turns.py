"""A turn of a conversation, and the ways in which one may be understood."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from kgask.answer.parts import Given
from kgask.answer.result import Answer
from kgask.query.nodes import Query
from kgask.types import EntityId

Change = Callable[[Query], Query | None]


@dataclass(frozen=True, slots=True)
class Turn:
    """What was said, how it was understood, and what came of it; what later turns may speak of."""

    number: int
    line: str
    understood: str
    answer: Answer | None  # None: nothing was asked
    query: Query | None = None
    topics: tuple[EntityId, ...] = ()  # what it named
    ends: tuple[EntityId, ...] = ()  # what answered
    among: str = ""  # the earlier answers that it was asked about
    reading: Answer | None = None  # of what was refused, being not sure enough: what it likely asks, and comes to

    @property
    def is_refused(self) -> bool:
        """Whether something was asked, and not answered; nor is it likely what it would come to."""
        return self.answer is not None and self.answer.abstained and self.reading is None

    @property
    def shown(self) -> str:
        """What a person is told that the turn was understood as."""
        return f"{self.understood} (among {self.among})" if self.among else self.understood

    def to_dict(self) -> dict[str, Any]:
        """The object of ``kgask ask --json`` with ``turn`` and ``understood``."""
        said = {"turn": self.number, "understood": self.shown}
        if self.answer is None:
            return said | {"question": self.line, "answer": None, "reason": "nothing is asked"}
        return {**self.answer.to_dict(), "question": self.line} | said


@dataclass(frozen=True, slots=True)
class Way:
    """One way to understand a turn."""

    text: str  # as a question of its own
    given: tuple[Given, ...] = ()
    change: Change | None = None  # of the query that the text asks
    query: Query | None = None  # asked instead of the text
    confidence: float = 1.0  # of that query
    among: str = ""  # the last answers, about some of which it is
    is_whole: bool = False  # it speaks of nothing that was said before
    doubt: float = 0.0  # that this is meant, beside others
    said: str = ""  # what a person is told that it was understood as, where this is not the text
    meant: tuple[EntityId, str] | None = None  # by a pronoun: whom, and of which sex
