"""Turns written out as questions of their own, against what people wrote: token F1, as SQuAD has it (Rajpurkar 2016).

What a turn was understood as is compared, and beside it the turn as it stands, which is what doing nothing gets.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from kgask.answer.pipeline import Pipeline
from kgask.answer.request import MAX_QUESTION_CHARS, AskOptions
from kgask.chat.session import Chat
from kgask.errors import UsageError
from kgask.pack.normalise import normalise
from kgask.sets.rewriting import RewritingPair


@dataclass(frozen=True, slots=True)
class Rewritten:
    """One turn."""

    turn: str
    understood: str
    f1: float  # of what it was understood as
    f1_as_it_stands: float

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def token_f1(text: str, references: Sequence[str]) -> float:
    """Of the reference that it is most like.

    >>> round(token_f1("When was Ada Lovelace born?", ["When was she born?", "when was Ada born"]), 3)
    0.889
    """
    return max(_f1(normalise(text).split(), normalise(one).split()) for one in references)


def _f1(one: Sequence[str], other: Sequence[str]) -> float:
    shared = (Counter(one) & Counter(other)).total()
    return 2 * shared / (len(one) + len(other)) if shared else 0.0


def rewrite(
    pipeline: Pipeline,
    pairs: Sequence[RewritingPair],
    options: AskOptions,
    report: Callable[[int], None] = lambda done: None,
) -> list[Rewritten]:
    """What each turn is understood as after its history."""
    found = []
    for number, pair in enumerate(pairs, 1):
        chat = Chat(pipeline, options)
        for line in pair.history:
            chat.hear(line[:MAX_QUESTION_CHARS])
        understood = _understood(chat, pair.turn)
        scores = (token_f1(text, pair.references) for text in (understood, pair.turn))
        found.append(Rewritten(pair.turn, understood, *scores))
        report(number)
    return found


def _understood(chat: Chat, turn: str) -> str:
    try:
        return chat.ask(turn).understood
    except UsageError:  # it says nothing, or is too long
        return turn


def figures(rewritten: Sequence[Rewritten]) -> dict[str, Any]:
    """Means over the turns."""
    n = max(1, len(rewritten))
    return {
        "turns": len(rewritten),
        "changed": sum(one.understood != one.turn for one in rewritten),
        "token_f1": round(sum(one.f1 for one in rewritten) / n, 4),
        "token_f1_as_it_stands": round(sum(one.f1_as_it_stands for one in rewritten) / n, 4),
    }
