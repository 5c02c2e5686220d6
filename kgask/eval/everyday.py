"""Everyday questions against queries: exactly right, printed but wrong, or refused; and what confidence is worth.

A question is right when its answer is what its gold query comes to on the same pack: the whole set of entities, the
value, the truth; of several questions in one, every part. A question that the pack cannot answer is right when it is
refused. Answers are judged by their JSON object (``docs/json.md``), as any program would read them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from kgask.answer.pipeline import Pipeline
from kgask.answer.request import AskOptions
from kgask.errors import QueryError, UsageError
from kgask.eval.metrics import calibration_error
from kgask.pack.quantities import Quantity, quantity
from kgask.pack.store import Pack
from kgask.query.base import TruthNode
from kgask.query.own_units import read_query
from kgask.retrieve.outcome import Result
from kgask.retrieve.run import run
from kgask.sets.everyday import EverydayQuestion
from kgask.sets.said import CLOSE, said_quantity

BATCH = 64
WRONG_SHARE = 0.05  # of what is printed, at the confidence that :func:`at_wrong_share` looks for
EVERY_KIND = "all"
_TRUTHS = {"yes": True, "no": False}


@dataclass(frozen=True, slots=True)
class Gold:
    """What a gold query comes to: the field of its kind is set."""

    ids: frozenset[int] = frozenset()
    quantity: Quantity | None = None  # of a value, and of a set that is one number or date
    truth: bool | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """One question and what became of it."""

    question: str
    kind: str
    answerable: bool
    printed: bool
    right: bool  # as printed or refused
    answer: str | None  # the best there is, printed or not
    confidence: float  # of that answer; 0 where there is none
    answer_right: bool  # whether that answer is right, printed or not
    reason: str | None
    query: str | None

    @property
    def wrong(self) -> bool:
        """Printed, and not what was asked for."""
        return self.printed and not self.right

    def to_dict(self) -> dict[str, Any]:
        return {one.name: getattr(self, one.name) for one in fields(self)}


# --- golds --------------------------------------------------------------------------------------


def golds_of(question: EverydayQuestion, pack: Pack) -> list[Gold]:
    """What the gold queries of a question come to.

    Raises :class:`UsageError` that names the question, for a query that cannot be run, finds nothing or is undecided.
    """
    try:
        return [_gold(run(read_query(text, pack), pack), pack) for text in question.golds]
    except QueryError as error:
        raise UsageError(f"{question.text!r}: {error}") from error


def _gold(found: Result, pack: Pack) -> Gold:
    if isinstance(found.query, TruthNode):
        if found.truth is None:
            raise QueryError("the gold is unknown: the pack does not decide it")
        return Gold(truth=found.truth)
    ids = frozenset(found.certain.tolist())
    if found.members is None and found.quantity is not None:
        return Gold(ids, found.quantity)
    if not ids:
        raise QueryError("the gold is empty")
    return Gold(ids, _only_quantity(ids, pack))


def _only_quantity(ids: frozenset[int], pack: Pack) -> Quantity | None:
    """The number or date that a set of one literal is."""
    literal = pack.literals(ids)[0] if len(ids) == 1 else None
    return None if literal is None else quantity(literal)


# --- judging ------------------------------------------------------------------------------------


def is_right(golds: Sequence[Gold], answer: dict[str, Any]) -> bool:
    """Whether an answer's JSON object says what the golds say: all of it and nothing else."""
    parts = answer.get("parts") or [answer]
    return len(parts) == len(golds) and all(map(_says, golds, parts))


def _says(gold: Gold, answer: dict[str, Any]) -> bool:
    text = (answer.get("answer") or "").strip().lower()
    if gold.truth is not None:
        return _TRUTHS.get(text) is gold.truth
    named = {one["id"] for one in answer.get("entities") or ()}
    if named and named == gold.ids:
        return True
    if gold.quantity is None:
        return False
    said = said_quantity(answer.get("value"), text, gold.quantity.axis)
    return said is not None and _fits(said, gold.quantity, whole=len(gold.ids) > 1)


def _fits(said: Quantity, gold: Quantity, whole: bool) -> bool:
    """Whether a value lies within the gold's interval, which is how far the gold is known.

    ``whole``: the gold is several values, so nothing but all of their interval will do.
    """
    slack = CLOSE * max(1.0, abs(gold.low), abs(gold.high))
    if said.axis != gold.axis or said.low < gold.low - slack or said.high > gold.high + slack:
        return False
    return not whole or (said.low <= gold.low + slack and said.high >= gold.high - slack)


# --- asking -------------------------------------------------------------------------------------


def ask(
    pipeline: Pipeline,
    questions: Sequence[EverydayQuestion],
    options: AskOptions,
    report: Callable[[int], None] = lambda done: None,
) -> Iterator[Outcome]:
    """The outcome of each question, in order.

    A question that is refused is asked once more without a threshold, for what would have been said below it.
    Raises :class:`UsageError` for a gold that is none, before anything is asked.
    """
    every = [golds_of(question, pipeline.pack) for question in questions]
    for start in range(0, len(questions), BATCH):
        rows = questions[start : start + BATCH]
        printed = [one.to_dict() for one in pipeline.ask_many([row.text for row in rows], options)]
        again = [row.text for row, one in zip(rows, printed, strict=True) if one["abstained"]]
        below = iter(pipeline.ask_many(again, replace(options, min_confidence=0.0)) if again else ())
        for row, golds, one in zip(rows, every[start : start + BATCH], printed, strict=True):
            yield outcome_of(row, golds, one, next(below).to_dict() if one["abstained"] else one)
        report(start + len(rows))


def outcome_of(
    question: EverydayQuestion, golds: Sequence[Gold], printed: dict[str, Any], best: dict[str, Any]
) -> Outcome:
    """What became of a question: as ``printed``, and the ``best`` that there is without a threshold."""
    is_printed = not printed["abstained"]
    says_it = bool(golds) and not best["abstained"] and is_right(golds, best)
    return Outcome(
        question=question.text,
        kind=question.kind,
        answerable=bool(golds),
        printed=is_printed,
        right=says_it if golds and is_printed else not golds and not is_printed,
        answer=best["answer"],
        confidence=0.0 if best["abstained"] else float(best["confidence"]),
        answer_right=says_it,
        reason=printed["reason"],
        query=best["query"],
    )


# --- figures ------------------------------------------------------------------------------------


def counts(outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
    """Questions, right, printed but wrong and refused of each kind (in the order met), then of all."""
    kinds = [*dict.fromkeys(one.kind for one in outcomes), EVERY_KIND]
    return [_counted(kind, [one for one in outcomes if kind in (one.kind, EVERY_KIND)]) for kind in kinds]


def _counted(kind: str, outcomes: Sequence[Outcome]) -> dict[str, Any]:
    n, right = len(outcomes), sum(one.right for one in outcomes)
    return {
        "kind": kind,
        "questions": n,
        "right": right,
        "wrong": sum(one.wrong for one in outcomes),
        "refused": sum(not one.printed for one in outcomes),
        "right_share": round(right / n, 4),
    }


def figures(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Of all questions: shares, and how far confidence can be trusted; None where there is nothing to share."""
    answerable = [one for one in outcomes if one.answerable]
    others = [one for one in outcomes if not one.answerable]
    said = [one for one in outcomes if one.answer is not None]
    sure = np.array([one.confidence for one in said])
    right = np.array([one.answer_right for one in said], bool)
    threshold, printed = at_wrong_share(said)
    return {
        "questions": len(outcomes),
        "answerable": len(answerable),
        "answerable_right": _share(sum(one.right for one in answerable), len(answerable)),
        "unanswerable_refused": _share(sum(one.right for one in others), len(others)),
        "printed_and_wrong": _share(sum(one.wrong for one in outcomes), len(outcomes)),
        "answered_at_any_confidence": len(said),
        "calibration_error": round(calibration_error(sure, right), 4) if said else None,
        f"confidence_where_{WRONG_SHARE:.0%}_are_wrong": threshold,
        "answerable_printed_there": _share(sum(one.answerable for one in printed), len(answerable)),
    }


def at_wrong_share(said: Sequence[Outcome], share: float = WRONG_SHARE) -> tuple[float | None, list[Outcome]]:
    """The lowest confidence from which at most ``share`` of the answers are wrong, and those answers.

    Equal confidences are printed together. None where even the surest are wrong more often.
    """
    found: tuple[float | None, list[Outcome]] = (None, [])
    for threshold in sorted({one.confidence for one in said}, reverse=True):
        printed = [one for one in said if one.confidence >= threshold]
        if sum(not one.answer_right for one in printed) <= share * len(printed):
            found = threshold, printed
    return found


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None
