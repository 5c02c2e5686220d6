"""What confidence in a query is calibrated on: how surely it was written, and what speaks against it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from kgask.methods.accounted import HEARD
from kgask.methods.operators import LEAST, MOST_UNREAD, Reading, Understood
from kgask.methods.understand import Understanding
from kgask.plan.query_onnx import KINDS
from kgask.query import nodes
from kgask.query.postfix import Step
from kgask.retrieve.outcome import Result

LEAST_NONE = 1e-3  # probabilities below count as this
FEATURES = tuple(
    "written worst share link kind none void unread steps part typo missing unmet heard sized".split()  # noqa: SIM905
)


def kind_of(steps: Sequence[Step]) -> str:
    """Which of :data:`kgask.corpus.query_examples.KINDS` a query is."""
    ops = {step for step in steps if isinstance(step, str)}
    for kind, marks in _MARKS:
        if ops & marks:
            return kind
    return "path"


_MARKS: tuple[tuple[str, set[str]], ...] = (
    ("count", {"COUNT"}), ("arithmetic", {"SUM", "MEAN", "MIN", "MAX", "DIFF", "AGE"}),
    ("yesno", {"HOLDS", "SOME", "NOT"}), ("superlative", {"MOST", "LEAST"}), ("filter", {"BY"}),
    ("qualifier", {"QUAL", "OF"}), ("comparison", {"GT", "LT", "GE", "LE"}), ("difference", {"MINUS"}),
    ("union", {"OR"}), ("intersection", {"AND"}),
)  # fmt: skip
# A kind that steps may be taken for, as the wordings of kinds overlap.
_ALIKE = {
    "superlative": ("ordinal", "comparison"), "yesno": ("comparison",), "comparison": ("yesno",),
    "path": ("intersection",), "intersection": ("filter", "path"), "filter": ("intersection",),
}  # fmt: skip


def features(understood: Understood) -> dict[str, float]:
    """What confidence is calibrated on; 0 at best and else negative, but for ``steps``, a count."""
    best = understood.readings[0]
    written = best.written
    assert written.query is not None
    same = sum(math.exp(one.worth) for one in understood.readings if one.said == best.said and not one.is_void)
    every = sum(math.exp(one.worth) for one in understood.readings if not one.is_void) + understood.none
    kind = _kind_prob(understood.kind_probs, written.steps)
    missing = _missing(best.outcome)
    return {
        "written": max(written.log_prob, -20.0),
        "worst": min(written.log_probs),
        "share": math.log(max(same, LEAST) / max(every, LEAST)) if same else math.log(LEAST),
        "link": min((math.log(max(seed.score, LEAST)) for seed in best.seeds), default=0.0),
        "kind": math.log(max(kind, 1e-4)),
        "none": math.log(max(1.0 - understood.none, LEAST_NONE)),
        "void": -float(best.is_void),
        "unread": -float(min(len(best.unread), MOST_UNREAD)),
        "steps": float(len(written.steps)),
        "part": -float(any(seed.match == "part" for seed in best.seeds)),
        "typo": -float(any(seed.match == "typo" for seed in best.seeds)),
        "missing": -missing,
        "unmet": -float(min(len(best.unmet), MOST_UNREAD)),
        "heard": _heard(best),
        "sized": -float(any(isinstance(node, nodes.SizeOf) for node in written.query.walk())),
    }


def _kind_prob(kind_probs: np.ndarray, steps: Sequence[Step]) -> float:
    kind = kind_of(steps)
    return float(sum(kind_probs[KINDS.index(name)] for name in {kind, *_ALIKE.get(kind, ())}))


def _missing(outcome: Result | None) -> float:
    """The largest share of members that what they are judged by is not known of."""
    shares = [1.0 - one.known / max(1, one.members) for one in (outcome.coverage if outcome else ())]
    return max(shares, default=0.0)


def _heard(reading: Reading) -> float:
    return math.log(max(reading.left.least_heard, LEAST_NONE) / HEARD)


def path_doubts(understood: Understood, path: Understanding | None) -> dict[str, float]:
    """What the decoder says against a path, as further features of it; 0 where it agrees."""
    said = understood.says(path)
    return {
        "none": math.log(max(1.0 - understood.none, LEAST_NONE)),
        "unread": -float(min(len(understood.readings[0].unread), MOST_UNREAD)) if said else 0.0,
        "heard": _heard(understood.readings[0]) if said else 0.0,
        "decoded": float(said) - 1.0,
    }
