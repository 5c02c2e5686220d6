"""What the reader adds to the plan: a run with it beside a run without it, over the same questions."""

from __future__ import annotations

from typing import Any

from kgask.eval.compare import Comparison
from kgask.eval.folder import Saved
from kgask.eval.summary import per_question, threshold_figures

MOST_LOST = 0.005  # of Hits@1 and of F1: the bar


def figures(found: Comparison, plan: Saved, reader: Saved) -> dict[str, Any]:
    """Shares of the questions, and whether the reader loses nothing that counts; ``found`` compares plan and reader.

    Hits@1 and F1 count every question, without a threshold; a refusal is a miss.
    """
    hits, sets = found.differences["hits_at_1"], found.differences["f1"]
    gains = per_question(reader.predictions, ["f1"])["f1"] - per_question(plan.predictions, ["f1"])["f1"]
    ways = [
        (way, {name: value and round(value, 4) for name, value in threshold_figures(saved).items()})
        for way, saved in (("reader", reader), ("plan", plan))
    ]
    return {
        "questions": found.n,
        **{f"hits_at_1_{way}": round(value, 4) for way, value in (("reader", hits[1]), ("plan", hits[0]))},
        **{f"f1_{way}": round(value, 4) for way, value in (("reader", sets[1]), ("plan", sets[0]))},
        "repaired": found.only_second,
        "spoiled": found.only_first,
        "better_sets": int((gains > 0).sum()),
        "worse_sets": int((gains < 0).sum()),
        **{f"answered_{way}": one["coverage"] for way, one in ways},
        **{f"right_of_answered_{way}": one["accuracy_of_answered"] for way, one in ways},
        "holds": min(hits[2].mean, sets[2].mean) >= -MOST_LOST,
    }
