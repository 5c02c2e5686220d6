"""Claims against the verdict that is right: by kind, and the two errors that matter most."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from kgask.errors import QueryError, UsageError
from kgask.pack.store import Pack
from kgask.query.own_units import read_query
from kgask.retrieve.run import run
from kgask.sets.claims import GoldClaim
from kgask.verify.verdict import REFUTED, SUPPORTED, UNKNOWN
from kgask.verify.verifier import Verifier

BATCH = 64
EVERY_KIND = "all"
_TRUTHS: dict[str, bool] = {SUPPORTED: True, REFUTED: False}


@dataclass(frozen=True, slots=True)
class ClaimOutcome:
    """One claim and what was said of it."""

    claim: str
    kind: str
    gold: str
    verdict: str
    confidence: float
    rule: str | None
    query: str | None
    reason: str | None

    @property
    def right(self) -> bool:
        return self.verdict == self.gold

    def to_dict(self) -> dict[str, Any]:
        return asdict(self) | {"right": self.right}


def check_golds(claims: Sequence[GoldClaim], pack: Pack) -> None:
    """Raises UsageError for a gold query that is none or does not come to the verdict on this pack."""
    for one in claims:
        if one.gold is None:
            continue
        try:
            truth = run(read_query(one.gold, pack), pack).truth
        except QueryError as error:
            raise UsageError(f"{one.text!r}: {error}") from error
        if truth is not _TRUTHS.get(one.verdict):
            raise UsageError(f"{one.text!r}: the gold comes to {truth}, which is not {one.verdict}")


def judge(
    verifier: Verifier, claims: Sequence[GoldClaim], report: Callable[[int], None] = lambda done: None
) -> Iterator[ClaimOutcome]:
    """The outcome of each claim, in order."""
    for start in range(0, len(claims), BATCH):
        rows = claims[start : start + BATCH]
        for row, found in zip(rows, verifier.verify_many([one.text for one in rows]), strict=True):
            yield ClaimOutcome(
                row.text, row.kind, row.verdict, found.verdict, found.confidence, found.rule, found.query, found.reason
            )
        report(start + len(rows))


def counts(outcomes: Sequence[ClaimOutcome]) -> list[dict[str, Any]]:
    """Claims, right, and wrongly decided ones of each kind (in the order met), then of all."""
    kinds = [*dict.fromkeys(one.kind for one in outcomes), EVERY_KIND]
    return [_counted(kind, [one for one in outcomes if kind in (one.kind, EVERY_KIND)]) for kind in kinds]


def _counted(kind: str, outcomes: Sequence[ClaimOutcome]) -> dict[str, Any]:
    right = sum(one.right for one in outcomes)
    wrong = sum(not one.right and one.verdict != UNKNOWN for one in outcomes)
    share = round(right / len(outcomes), 4)
    return {"kind": kind, "claims": len(outcomes), "right": right, "wrongly_decided": wrong, "right_share": share}


def figures(outcomes: Sequence[ClaimOutcome]) -> dict[str, Any]:
    """Of all claims: shares; None where there is nothing to share."""
    decided = [one for one in outcomes if one.verdict != UNKNOWN]
    return {
        "claims": len(outcomes),
        "right": _share(outcomes, lambda one: one.right),
        "true_refuted": _share(_of(outcomes, SUPPORTED), lambda one: one.verdict == REFUTED),
        "false_supported": _share(_of(outcomes, REFUTED), lambda one: one.verdict == SUPPORTED),
        "unknowable_decided": _share(_of(outcomes, UNKNOWN), lambda one: one.verdict != UNKNOWN),
        "decided": _share(outcomes, lambda one: one.verdict != UNKNOWN),
        "right_of_decided": _share(decided, lambda one: one.right),
    }


def _of(outcomes: Sequence[ClaimOutcome], gold: str) -> list[ClaimOutcome]:
    return [one for one in outcomes if one.gold == gold]


def _share(outcomes: Sequence[ClaimOutcome], counted: Callable[[ClaimOutcome], bool]) -> float | None:
    return round(sum(map(counted, outcomes)) / len(outcomes), 4) if outcomes else None
