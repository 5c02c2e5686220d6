"""Conversations against gold queries: each turn right, printed but wrong, or refused, by what it refers by."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any

from kgask.answer.pipeline import Pipeline
from kgask.answer.request import AskOptions
from kgask.chat.changes import entities_of
from kgask.chat.session import Chat
from kgask.chat.turns import Turn
from kgask.eval.everyday import Outcome, golds_of, outcome_of
from kgask.pack.store import Pack
from kgask.query.text import parse
from kgask.sets.conversations import FIRST, PRONOUN
from kgask.sets.everyday import EverydayQuestion


@dataclass(frozen=True, slots=True)
class TurnOutcome(Outcome):
    """What became of a turn."""

    names_right: bool | None  # whether it was understood of all that the gold names; None where that names nothing


def talk(
    pipeline: Pipeline,
    conversations: Sequence[Sequence[EverydayQuestion]],
    options: AskOptions,
    report: Callable[[int], None] = lambda done: None,
) -> Iterator[TurnOutcome]:
    """The outcome of each turn, in order; turns see what came of the ones before them, right or wrong.

    Raises :class:`UsageError` for a gold that is none, before anything is asked.
    """
    every = [[golds_of(turn, pipeline.pack) for turn in turns] for turns in conversations]
    for number, (turns, golds) in enumerate(zip(conversations, every, strict=True), 1):
        chat = Chat(pipeline, options)
        for turn, gold in zip(turns, golds, strict=True):
            said = chat.ask(turn.text)
            outcome = outcome_of(turn, gold, said.to_dict(), said.to_dict())
            known = {one.name: getattr(outcome, one.name) for one in fields(Outcome)}
            yield TurnOutcome(**known, names_right=_names_right(turn, said, pipeline.pack))
        report(number)


def _names_right(turn: EverydayQuestion, said: Turn, pack: Pack) -> bool | None:
    named = {entity for gold in turn.golds for node in parse(gold, pack).walk() for entity in entities_of(node)}
    return named <= {*said.topics} if named else None


def figures(outcomes: Sequence[TurnOutcome]) -> dict[str, Any]:
    """Of all turns but the first ones: how many are right, and printed but wrong; what pronouns were taken to mean."""
    later = [one for one in outcomes if one.kind != FIRST]
    pronouns = [one.names_right for one in later if one.kind == PRONOUN and one.names_right is not None]
    n = max(1, len(later))
    return {
        "turns": len(outcomes),
        "follow_ups": len(later),
        "follow_ups_right": round(sum(one.right for one in later) / n, 4),
        "follow_ups_printed_and_wrong": round(sum(one.wrong for one in later) / n, 4),
        "pronouns_understood": round(sum(pronouns) / len(pronouns), 4) if pronouns else None,
    }
