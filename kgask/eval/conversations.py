"""Conversations against gold queries: each turn right, printed but wrong, or refused, by what it refers by."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from kgask.answer.pipeline import Pipeline
from kgask.answer.request import AskOptions
from kgask.chat.session import Chat
from kgask.eval.everyday import Outcome, golds_of, outcome_of
from kgask.sets.conversations import FIRST
from kgask.sets.everyday import EverydayQuestion


def talk(
    pipeline: Pipeline,
    conversations: Sequence[Sequence[EverydayQuestion]],
    options: AskOptions,
    report: Callable[[int], None] = lambda done: None,
) -> Iterator[Outcome]:
    """The outcome of each turn, in order; turns see what came of the ones before them, right or wrong.

    Raises :class:`UsageError` for a gold that is none, before anything is asked.
    """
    every = [[golds_of(turn, pipeline.pack) for turn in turns] for turns in conversations]
    for number, (turns, golds) in enumerate(zip(conversations, every, strict=True), 1):
        chat = Chat(pipeline, options)
        for turn, gold in zip(turns, golds, strict=True):
            said = chat.ask(turn.text).to_dict()
            yield outcome_of(turn, gold, said, said)
        report(number)


def figures(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Of all turns but the first ones: how many are right, and printed but wrong."""
    later = [one for one in outcomes if one.kind != FIRST]
    n = max(1, len(later))
    return {
        "turns": len(outcomes),
        "follow_ups": len(later),
        "follow_ups_right": round(sum(one.right for one in later) / n, 4),
        "follow_ups_printed_and_wrong": round(sum(one.wrong for one in later) / n, 4),
    }
