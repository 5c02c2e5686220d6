"""Claims with the verdict that is right: YAML, a list of ``{claim, kind, verdict, gold}``.

``verdict`` is ``supported``, ``refuted`` or ``nei`` (not enough information), ``gold`` a query over the pack
(``docs/query.md``) whose truth is the verdict, ``null`` where none is known::

    - {claim: "Osaka is the capital of Japan.", kind: one-hop, verdict: refuted, gold: "holds(<Q17>, <P36>, <Q35765>)"}
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kgask.errors import UsageError
from kgask.sets.everyday import yaml_rows

VERDICTS = {"supported": "supported", "refuted": "refuted", "nei": "not enough information"}
_FIELDS = {"claim", "kind", "verdict", "gold"}


@dataclass(frozen=True, slots=True)
class GoldClaim:
    """A claim, what kind it is of, and the verdict that is right."""

    text: str
    kind: str
    verdict: str  # as :mod:`kgask.verify.verdict` says it
    gold: str | None  # a query in its text form


def load_claims(path: Path) -> list[GoldClaim]:
    """The claims in the order of the file. Raises as :func:`kgask.sets.everyday.load` does."""
    return [_claim(row, f"{path}: claim {number}") for number, row in enumerate(yaml_rows(path), 1)]


def _claim(row: Any, place: str) -> GoldClaim:
    if not isinstance(row, dict) or set(row) != _FIELDS:
        raise UsageError(f"{place}: expected {', '.join(sorted(_FIELDS))}")
    if not all(isinstance(row[name], str) and row[name].strip() for name in ("claim", "kind")):
        raise UsageError(f"{place}: claim and kind are texts")
    if row["verdict"] not in VERDICTS or not isinstance(row["gold"], str | None):
        raise UsageError(f"{place}: verdict is one of {', '.join(VERDICTS)}, gold a query or null")
    return GoldClaim(row["claim"], row["kind"], VERDICTS[row["verdict"]], row["gold"])
