"""How sure a figure is: bootstrap intervals, and tests of two runs over the same questions. All seeded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

RESAMPLES = 1000
LEVEL = 0.95
RNG_SEED = 0


def mean_interval(values: np.ndarray, resamples: int = RESAMPLES, rng_seed: int = RNG_SEED) -> np.ndarray:
    """Percentile bootstrap intervals of column means: float [n, columns] -> [2, columns] (low, high).

    Questions are drawn with replacement, the same draws for every column. NaN is no value: a column's mean is over
    the drawn rows that have one. n > 0.
    """
    rng = np.random.default_rng(rng_seed)
    known = ~np.isnan(values)
    filled = np.where(known, values, 0.0)
    means = np.empty((resamples, values.shape[1]))
    for row in means:
        weights = np.bincount(rng.integers(len(values), size=len(values)), minlength=len(values)).astype(float)
        with np.errstate(invalid="ignore", divide="ignore"):
            row[:] = (weights @ filled) / (weights @ known)
    return _percentiles(means)


def interval_of(
    statistic: Callable[[np.ndarray, np.ndarray], float | None],
    first: np.ndarray,
    second: np.ndarray,
    resamples: int = RESAMPLES,
    rng_seed: int = RNG_SEED,
) -> tuple[float, float] | None:
    """The same for any statistic of paired arrays [n]; draws in which it has no meaning are passed over."""
    rng = np.random.default_rng(rng_seed)
    rows = (rng.integers(len(first), size=len(first)) for _ in range(resamples))
    drawn = [statistic(first[row], second[row]) for row in rows]
    kept = np.array([value for value in drawn if value is not None])
    if not len(kept):
        return None
    low, high = _percentiles(kept[:, None])[:, 0].tolist()
    return low, high


def _percentiles(drawn: np.ndarray) -> np.ndarray:
    tail = 100 * (1 - LEVEL) / 2
    return np.nanpercentile(drawn, [tail, 100 - tail], axis=0)


def mcnemar(first: np.ndarray, second: np.ndarray) -> float:
    """Two-sided exact p-value of McNemar's test: are the questions that only one run has right split evenly?

    ``first`` and ``second`` bool [n]: right in each run. 1 when the runs do not differ.
    """
    only_first, only_second = int((first & ~second).sum()), int((second & ~first).sum())
    n_differ = only_first + only_second
    ways = tail = 1  # n over k, each from the one before: exact, and quick for thousands of questions
    for k in range(min(only_first, only_second)):
        ways = ways * (n_differ - k) // (k + 1)
        tail += ways
    return min(1.0, 2 * tail / 2**n_differ)


@dataclass(frozen=True, slots=True)
class Difference:
    """Second run minus first run, in the mean of a figure."""

    mean: float
    low: float
    high: float
    p_value: float  # two-sided: twice the share of draws on the other side of 0

    def rounded(self) -> dict[str, float]:
        """Plain values."""
        named = zip(("difference", "low", "high", "p"), (self.mean, self.low, self.high, self.p_value), strict=True)
        return {name: round(value, 4) for name, value in named}


def paired_bootstrap(
    first: np.ndarray, second: np.ndarray, resamples: int = RESAMPLES, rng_seed: int = RNG_SEED
) -> Difference:
    """Questions drawn with replacement, each with both its values; float [n], n > 0, NaN only in both or neither."""
    known = ~np.isnan(first) & ~np.isnan(second)
    gains = (second - first)[known]
    rng = np.random.default_rng(rng_seed)
    means = np.array([gains[rng.integers(len(gains), size=len(gains))].mean() for _ in range(resamples)])
    low, high = _percentiles(means[:, None])[:, 0].tolist()
    # The observed sample counts as one draw, so that no p-value is 0.
    beyond = 1 + min(int((means <= 0).sum()), int((means >= 0).sum()))
    return Difference(float(gains.mean()), low, high, min(1.0, 2 * beyond / (resamples + 1)))
