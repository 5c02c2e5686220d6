"""What confidence in a query is calibrated on: how surely it was written, and what speaks against it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from kgask.methods.accounted import HEARD, is_within_any
from kgask.methods.operators import LEAST
from kgask.methods.query_readings import MOST_UNREAD, Reading, Understood
from kgask.methods.understand import Understanding
from kgask.plan.query_onnx import KINDS, Written
from kgask.query import nodes
from kgask.query.postfix import Step
from kgask.retrieve.outcome import Result

LEAST_NONE = 1e-3  # probabilities below count as this
FEATURES = tuple(
    "written mean relation operator pointer share margin link path kind none void unread heard unmet described idle "
    "bridged operators sets having steps large part typo missing sized".split()  # noqa: SIM905
)
LEAST_STEP = -5.0  # log-probabilities of single steps below count as this
MOST_MARGIN = 5.0  # log-odds before the next answer; more says nothing
LARGE = 100  # members of a set that few people ask for
LEAST_PATH = 1e-3  # confidence in a path; less counts as this


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


def features(understood: Understood, path_confidence: float) -> dict[str, float]:
    """What confidence in the best reading is calibrated on: 0 at best and else negative, but for ``steps``, a count.

    ``path_confidence`` is that in the best relation path: where it is low, names may be linked wrongly.
    """
    best = understood.readings[0]
    written = best.written
    assert written.query is not None
    ops = [step for step in written.steps if isinstance(step, str) and step not in ("END", "NONE")]
    nodes_of = [*written.query.walk()]
    return _of_steps(written) | {
        "share": _share(understood),
        "margin": min(MOST_MARGIN, _margin(understood)) - MOST_MARGIN,
        "link": min((math.log(max(seed.score, LEAST)) for seed in best.seeds), default=0.0),
        "path": math.log(max(path_confidence, LEAST_PATH)),
        "kind": math.log(max(_kind_prob(understood.kind_probs, written.steps), 1e-4)),
        "none": math.log(max(1.0 - understood.none, LEAST_NONE)),
        "void": -float(best.is_void),
        "unread": -float(min(len(best.unread), MOST_UNREAD)),
        "heard": _heard(best),
        "unmet": -float(min(len(best.unmet), MOST_UNREAD)),
        "described": -float(min(len(best.described), MOST_UNREAD)),
        "idle": -float(best.is_idle),
        "bridged": -float(best.is_bridged),
        "operators": -float(len(ops)),
        "sets": -float(sum(step in ("AND", "OR", "MINUS") for step in ops)),
        "having": -float(sum(isinstance(node, nodes.Having) for node in nodes_of)),
        "steps": float(len(written.steps)),
        "large": -float(_n_members(best.outcome) > LARGE),
        "part": -float(any(seed.match == "part" for seed in best.seeds)),
        "typo": -float(any(seed.match == "typo" for seed in best.seeds)),
        "missing": -_missing(best.outcome),
        "sized": -float(any(isinstance(node, nodes.SizeOf) for node in nodes_of)),
    }


def _of_steps(written: Written) -> dict[str, float]:
    """How surely a query was written, and the least sure of its steps by what they are."""
    by_type: dict[type, list[float]] = {str: [], int: [], tuple: []}
    for step, log_prob in zip(written.steps, written.log_probs, strict=True):
        by_type[type(step)].append(log_prob)
    least = {name: min(by_type[of], default=0.0) for name, of in _STEP_TYPES.items()}
    return {
        "written": max(written.log_prob, -20.0),
        "mean": written.log_prob / max(1, len(written.steps)),
        **{name: max(value, LEAST_STEP) for name, value in least.items()},
    }


_STEP_TYPES: dict[str, type] = {"operator": str, "relation": int, "pointer": tuple}


def _share(understood: Understood) -> float:
    """Of all readings, how much of the probability says the same, as a logarithm."""
    best = understood.readings[0]
    told = [one for one in understood.readings if not one.is_void]
    same = sum(math.exp(one.worth) for one in told if one.said == best.said)
    every = sum(math.exp(one.worth) for one in told) + (0.0 if best.is_bridged else understood.none)
    return math.log(max(same, LEAST) / max(every, LEAST)) if same else math.log(LEAST)


def _margin(understood: Understood) -> float:
    """Log-odds between the best reading and the best that says something else."""
    best = understood.readings[0]
    return best.worth - max(
        (one.worth for one in understood.readings if one.said != best.said), default=best.worth - MOST_MARGIN
    )


def _n_members(outcome: Result | None) -> int:
    return len(outcome.members.certain) if outcome is not None and outcome.members is not None else 0


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
    """What the decoder says against a path, as further features of it; 0 where it agrees.

    ``values`` are numbers, dates and ranks of the question: no path does justice to them.
    """
    said = understood.says(path)
    return {
        "none": math.log(max(1.0 - understood.none, LEAST_NONE)),
        "unread": -float(min(len(understood.readings[0].unread), MOST_UNREAD)) if said else 0.0,
        "heard": _heard(understood.readings[0]) if said else 0.0,
        "decoded": float(said) - 1.0,
        "values": -float(min(_n_values(understood, path), MOST_UNREAD)),
    }


def _n_values(understood: Understood, path: Understanding | None) -> int:
    if path is None or not understood.readings:
        return 0
    topics = [part.mention.span for part in path.parts or (path,)]
    values = [one.place for one in understood.readings[0].spans if one.kind in ("number", "date", "rank")]
    return sum(not is_within_any(place, topics) for place in values)
