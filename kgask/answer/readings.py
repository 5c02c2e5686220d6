"""What a question may be as a query, in words: the spans that were found, its kind, and the queries that were written.

Made only where ``--explain`` or ``--verbose`` asks for it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from kgask.answer.derived import TRUTH_WORDS
from kgask.link.spans import CandidateSpan
from kgask.methods.operators import RUN_SECONDS
from kgask.methods.query_readings import Reading, Understood
from kgask.pack.store import Pack
from kgask.plan.query_onnx import KINDS
from kgask.query.nodes import Number
from kgask.query.relation_words import listed
from kgask.query.text import to_text
from kgask.query.words import verbalise
from kgask.retrieve.follow import edges_of
from kgask.retrieve.frontier import Budget
from kgask.retrieve.outcome import Result
from kgask.retrieve.shown import unit_of, value_text
from kgask.types import FoundSpan, QueryReading, QueryReadings

SHOWN_ANSWERS = 3
SHOWN_KINDS = 3
LIKELY_KIND = 0.05  # probability from which a kind is shown
LAST = Number(-1)
NOTHING, NOT_RUN = "nothing", "it cannot be run, or takes too long"


def query_readings(understood: Understood, question: str, pack: Pack) -> QueryReadings:
    """The readings of a question in words, best first."""
    spans = understood.readings[0].spans if understood.readings else ()
    for one in understood.readings[:1]:
        if one.outcome is not None:
            one.outcome.runner.budget = Budget(RUN_SECONDS)  # which all of them share: to tell what they came to
    kinds = sorted(zip(KINDS, understood.kind_probs.tolist(), strict=False), key=lambda kind: -kind[1])
    told: dict[str, QueryReading] = {}
    for one in understood.readings:  # of two segmentations the same query is told once, as the likelier
        reading = _in_words(one, pack)
        told.setdefault(reading.query, reading)
    return QueryReadings(
        tuple(FoundSpan(question[one.start : one.end], one.kind, _meant(one, pack)) for one in spans),
        tuple((name, prob) for name, prob in kinds[:SHOWN_KINDS] if prob >= LIKELY_KIND),
        tuple(told.values()),
        understood.none,
    )


def _in_words(reading: Reading, pack: Pack) -> QueryReading:
    assert reading.written.query is not None
    text = to_text(reading.written.query, pack)
    left_out = tuple(dict.fromkeys((*reading.unread, *reading.unmet)))
    return QueryReading(text, math.exp(min(reading.score, 0.0)), outcome_words(reading.outcome, pack), left_out)


def _meant(span: CandidateSpan, pack: Pack) -> str:
    """What a span is read as first."""
    if span.seeds:
        return pack.labels([span.seeds[0].entity])[0]
    return "the last" if span.kind == "rank" and span.nodes[0] == LAST else verbalise(span.nodes[0], pack)


def outcome_words(outcome: Result | None, pack: Pack) -> str:
    """What a query came to: a truth, a value, or the first of a set."""
    if outcome is None:
        return NOT_RUN
    if outcome.truth is not None:
        return TRUTH_WORDS[outcome.truth] or NOTHING
    if outcome.quantity is not None:
        unit = unit_of(outcome.runner, outcome.query, outcome.quantity.axis)
        return value_text(outcome.quantity, outcome.query, unit)
    return several(outcome.certain, pack)


def answers_in_words(outcome: Result | None, answers: Sequence[int] | np.ndarray, pack: Pack) -> str:
    """The same behind what sort of thing its answers are, where the pack says: "role: Elvira and Madame Arcati".

    ``answers`` are those of a path, which has no outcome.
    """
    is_set = outcome is None or outcome.members is not None
    ids = answers if outcome is None else outcome.certain
    said = several(ids, pack) if outcome is None else outcome_words(outcome, pack)
    kind = _kind_of(np.asarray(ids[:SHOWN_ANSWERS], np.int64), pack) if is_set else None
    return said if kind is None else f"{kind}: {said}"


def _kind_of(ids: np.ndarray, pack: Pack) -> str | None:
    """What most of them are; None where the pack does not say, and of a graph elsewhere, which is not asked for it."""
    if pack.source is not None or not len(ids):
        return None
    kinds = [kind for relation in pack.type_relations for kind in edges_of(pack, ids, relation).targets]
    most = max(dict.fromkeys(kinds), key=kinds.count, default=None)
    return None if most is None or 2 * kinds.count(most) < len(ids) else pack.labels([int(most)])[0]


def several(ids: Sequence[int] | np.ndarray, pack: Pack) -> str:
    """The first of a set by their labels, and how many more there are."""
    labels = pack.labels(ids[:SHOWN_ANSWERS])
    more = [f"{len(ids) - len(labels):,} more"] if len(ids) > len(labels) else []
    return listed([*labels, *more], "and") or NOTHING
