"""A verdict as it is handed out: what decides, by which rule, in words; as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from kgask.answer.result import SupportTriple, support_dicts
from kgask.verify.decision import Rule

Said = Literal["supported", "refuted", "not enough information"]
SUPPORTED: Said = "supported"
REFUTED: Said = "refuted"
UNKNOWN: Said = "not enough information"
VERDICTS: tuple[Said, ...] = (SUPPORTED, REFUTED, UNKNOWN)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a claim holds; false where it does not, or where the graph does not say."""

    claim: str
    verdict: Said
    confidence: float  # 0..1: probability that the claim is understood right; 0.0 where it is not understood
    support: tuple[SupportTriple, ...] = ()  # the triples that say so
    counter: tuple[SupportTriple, ...] = ()  # what the graph says instead
    query: str | None = None  # what was asked of the graph, in its text form
    understood: str | None = None  # the same in words
    sparql: str | None = None
    rule: Rule | None = None  # that decided
    said: str = ""  # the rule in words
    denies: bool = False  # the claim says that the query does not hold
    reason: str | None = None  # why there is not enough information
    parts: tuple[Verdict, ...] = ()  # of several sub-claims
    hashes: Mapping[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return self.verdict == SUPPORTED

    def to_dict(self) -> dict[str, Any]:
        """The verdict as JSON values: what ``kgask verify --json`` prints, described in ``docs/json.md``."""
        names = ("claim", "verdict", "confidence", "query", "understood", "sparql", "rule", "denies", "reason")
        content: dict[str, Any] = {name: getattr(self, name) for name in names}
        content["support"], content["counter"] = support_dicts(self.support), support_dicts(self.counter)
        content["parts"] = [one.to_dict() for one in self.parts]
        return content | {"hashes": dict(self.hashes)}
