"""Predictions of one's own choice, for tests of the figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from kgask.eval.records import EvidenceTriple, GoldBlock, GoldEntity, Prediction

NO_GOLD = GoldBlock((), (), (), (), (), None)


def gold_of(*ids: int | Sequence[int], names: Sequence[Sequence[str]] = (), **others: Any) -> GoldBlock:
    """One gold answer for each id, or for each list of ids; ``names`` go to them in order."""
    every = [tuple(one) if isinstance(one, Sequence) else (one,) for one in ids]
    named = [*names, *([()] * len(every))]
    answers = tuple(GoldEntity(ids, None, tuple(words)) for ids, words in zip(every, named, strict=False))
    return replace(NO_GOLD, answers=answers, **others)


def topic(*ids: int) -> GoldEntity:
    return GoldEntity(ids, None, ("topic",))


def evidence(*rows: tuple[int, str]) -> tuple[EvidenceTriple, ...]:
    return tuple(EvidenceTriple(*row) for row in rows)


def predicted(answers: Sequence[int] = (), gold: GoldBlock = NO_GOLD, **others: Any) -> Prediction:
    """What was answered by id (labels are the ids as text), beside its gold."""
    labels = tuple(map(str, answers))
    usual = Prediction(
        id="q", question="who?", kind="", hops=None, band="", gold=gold, answer=" | ".join(labels) or None,
        answer_ids=tuple(answers), answer_keys=labels, answer_labels=labels, support=(), evidence=(),
        gold_in_candidates=tuple(not set(one.ids).isdisjoint(answers) for one in gold.answers),
        gold_in_evidence=(False,) * len(gold.answers), seeds=(), confidence=0.5, abstained=not answers, died_at=None,
        reason=None, written=None, unverified=(), method="rigel", hashes={"pack": "p", "model": "m"},
    )  # fmt: skip
    return replace(usual, **others)
