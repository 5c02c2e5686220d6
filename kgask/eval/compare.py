"""Two runs over the same questions: what changed, and whether that is more than chance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kgask.errors import UsageError
from kgask.eval import metrics
from kgask.eval.folder import Saved
from kgask.eval.records import Prediction
from kgask.eval.resample import RESAMPLES, Difference, mcnemar, paired_bootstrap
from kgask.eval.summary import per_question

COMPARED = ("hits_at_1", "f1", "answer_hit", "claim_right", "rkm", "relation_recall", "support_recall", "abstained")


@dataclass(frozen=True, slots=True)
class Changed:
    """A question that only one of the runs has right."""

    first: Prediction
    second: Prediction

    @property
    def gained(self) -> bool:
        return metrics.right(self.second)


@dataclass(frozen=True, slots=True)
class Comparison:
    n: int
    only_first: int  # right in the first run only
    only_second: int
    p_value: float  # McNemar, exact
    differences: dict[str, tuple[float, float, Difference]]  # figure -> mean of first, of second, and what differs
    changed: tuple[Changed, ...]  # losses first, in the order of the set
    unlike: dict[str, tuple[Any, Any]]  # settings in which the runs differ

    def rows(self) -> list[tuple[str, str, str, str, str]]:
        """(figure, of the first run, of the second, difference with its interval, p-value), McNemar's test last."""
        found = [
            (
                name, f"{first:.4f}", f"{second:.4f}", f"{gain.mean:+.4f} [{gain.low:+.4f}, {gain.high:+.4f}]",
                f"{gain.p_value:.3g}",
            )
            for name, (first, second, gain) in self.differences.items()
        ]  # fmt: skip
        tally = f"-{self.only_first} +{self.only_second}"
        return [*found, ("right, McNemar", str(self.n), str(self.n), tally, f"{self.p_value:.3g}")]

    def as_json(self, n_changed: int) -> dict[str, Any]:
        """Plain values; the first ``n_changed`` questions."""
        return {
            "questions": self.n,
            "only_first_right": self.only_first,
            "only_second_right": self.only_second,
            "mcnemar_p": self.p_value,
            "settings": {name: list(pair) for name, pair in self.unlike.items()},
            "figures": {
                name: {"first": round(first, 4), "second": round(second, 4), **gain.rounded()}
                for name, (first, second, gain) in self.differences.items()
            },
            "changed": [
                {
                    "id": one.first.id,
                    "question": one.first.question,
                    "right_in": "second" if one.gained else "first",
                    "first": one.first.answer,
                    "second": one.second.answer,
                    "lost_at": metrics.lost(one.first if one.gained else one.second),
                }
                for one in self.changed[:n_changed]
            ],
        }


def compare(first: Saved, second: Saved, resamples: int = RESAMPLES) -> Comparison:
    """Pairs by question id. Raises :class:`UsageError` for runs that are unfinished or of other questions."""
    pairs = _paired(first, second)
    befores, afters = [before for before, _ in pairs], [after for _, after in pairs]
    was = np.array([metrics.right(one) for one in befores], bool)
    now = np.array([metrics.right(one) for one in afters], bool)
    changed = [Changed(*pair) for pair, a, b in zip(pairs, was, now, strict=True) if a != b]
    unlike = {
        name: (first.decides.get(name), second.decides.get(name))
        for name in sorted(first.decides.keys() | second.decides.keys())
        if first.decides.get(name) != second.decides.get(name)
    }
    return Comparison(
        len(pairs),
        int((was & ~now).sum()),
        int((now & ~was).sum()),
        mcnemar(was, now),
        _differences(befores, afters, resamples),
        tuple(sorted(changed, key=lambda one: one.gained)),
        unlike,
    )


def _paired(first: Saved, second: Saved) -> list[tuple[Prediction, Prediction]]:
    for saved in (first, second):
        if not saved.finished:
            raise UsageError(saved.unfinished_note)
    others = {(one.id, one.question): one for one in second.predictions}
    if others.keys() != {(one.id, one.question) for one in first.predictions}:
        raise UsageError(
            f"{first.path} and {second.path} are runs of other questions; run both over one set with the same --limit"
        )
    return [(one, others[one.id, one.question]) for one in first.predictions]


def _differences(
    befores: list[Prediction], afters: list[Prediction], resamples: int
) -> dict[str, tuple[float, float, Difference]]:
    found = {}
    olds, news = per_question(befores, COMPARED), per_question(afters, COMPARED)
    for name in COMPARED:
        both = ~np.isnan(olds[name]) & ~np.isnan(news[name])
        if both.any():
            old, new = olds[name][both], news[name][both]
            found[name] = (float(old.mean()), float(new.mean()), paired_bootstrap(old, new, resamples))
    return found
