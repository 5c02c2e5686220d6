"""Figures over many answers."""

from __future__ import annotations

import numpy as np


def auroc(scores: np.ndarray, right: np.ndarray) -> float | None:
    """Chance that a right answer has a higher score than a wrong one, ties half; None without both kinds.

    Mann-Whitney's U over ranks; ``scores`` float [n], ``right`` bool [n].
    """
    n_right = int(right.sum())
    n_wrong = len(right) - n_right
    if n_right == 0 or n_wrong == 0:
        return None
    _, place, counts = np.unique(scores, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    ranks = (last - (counts - 1) / 2)[place]  # mean rank of equal scores, from 1
    return float((ranks[right].sum() - n_right * (n_right + 1) / 2) / (n_right * n_wrong))


def macro(right: np.ndarray, groups: list[str]) -> float:
    """Mean over groups of the share that is right; ``right`` bool [n]."""
    names = np.asarray(groups)
    return float(np.mean([right[names == name].mean() for name in sorted(set(groups))]))
