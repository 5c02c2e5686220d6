"""Planning alone: milliseconds a question, questions a second in batches, and what int8 costs.

The questions are made from the pack's own relation labels, one to three hops,
so that any pack can be measured; their texts are about as long as people's
(with the demo pack 11 tokens on average, special ones included).
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from kgask import config
from kgask.bench.timing import in_turn, ms_of
from kgask.pack.store import Pack
from kgask.plan.rigel_onnx import HopDistributions, RigelPlanner
from kgask.retrieve.follow import relations_of
from kgask.sets.of_pack import masked_questions
from kgask.types import Branch

BATCH = 64


@dataclass(frozen=True, slots=True)
class _Timed:
    """A planner, its relation matrix, and what it is asked."""

    planner: RigelPlanner
    directed: np.ndarray
    texts: list[str]
    masks: np.ndarray  # bool [n, 2R]

    def plan(self, rows: slice) -> HopDistributions:
        return self.planner.plan(self.texts[rows], self.directed, self.masks[rows])

    def once(self) -> tuple[list[float], list[float]]:
        """Milliseconds a question, asked one by one and in batches."""
        n = len(self.texts)
        singles = [ms_of(partial(self.plan, slice(row, row + 1))) for row in range(n)]
        batches = [slice(start, min(start + BATCH, n)) for start in range(0, n, BATCH)]
        return singles, [ms_of(partial(self.plan, rows)) / (rows.stop - rows.start) for rows in batches]


def measure(
    pack: str | None, model: str | None, full: Path | None, n_questions: int, n_runs: int
) -> dict[str, float | str]:
    """Named figures; with ``full``, a float32 graph of the same planner, those of int8 against it too.

    The two graphs take turns, so that whatever else the machine does meets both.
    """
    folder = config.chosen("model", model).path
    with Pack.open(config.chosen("pack", pack).path) as opened:
        graphs = {"": None} | ({"full_": full} if full else {})
        texts, masks = masked_questions(opened.relation_labels(), n_questions), _first_masks(opened, n_questions)
        timed = {}
        for name, graph in graphs.items():
            planner = RigelPlanner.load(folder, graph)
            timed[name] = _Timed(planner, planner.relation_matrix(opened.relations()), texts, masks)
    spent = in_turn({name: one.once for name, one in timed.items()}, n_runs)
    figures: dict[str, float | str] = {"planner": timed[""].planner.note, "questions": n_questions}
    for name, runs in spent.items():
        singles, batches = (statistics.median(ms for run in runs for ms in run[part]) for part in (0, 1))
        figures[f"{name}ms_per_question"] = round(singles, 3)
        figures[f"{name}questions_per_s_in_batches"] = round(1000 / batches, 1)
    if full:
        figures |= _differences(timed[""], timed["full_"])
    return figures


def _first_masks(pack: Pack, n: int) -> np.ndarray:
    """bool [n, 2R]: what the pack's own entities have."""
    entities = np.random.default_rng(0).integers(0, pack.n_entities, n)
    return np.stack([relations_of(pack, entities[row : row + 1]) for row in range(n)])


def _differences(small: _Timed, full: _Timed) -> dict[str, float]:
    """Shares of questions with the same most probable path, and the mean total difference of a distribution."""
    alone, exact, together = _one_by_one(small), _one_by_one(full), small.plan(slice(None))
    paths = [_paths(plan) for plan in (exact, alone, together)]
    return {
        "same_path_as_full": _share(paths[1], paths[0]),
        "same_path_as_full_in_batches": _share(paths[2], paths[0]),
        "same_path_alone_and_in_batches": _share(paths[1], paths[2]),
        "total_difference_of_relation_probs": round(
            float(np.abs(alone.relation_probs - exact.relation_probs).sum(-1).mean() / 2), 4
        ),
    }


def _one_by_one(one: _Timed) -> HopDistributions:
    plans = [one.plan(slice(row, row + 1)) for row in range(len(one.texts))]
    names = ("relation_probs", "stop_probs", "branch_scores", "answer_types")
    return HopDistributions(*(np.concatenate([getattr(plan, name) for plan in plans]) for name in names))


def _paths(plan: HopDistributions) -> list[tuple[int, ...]]:
    """The most probable relation at each hop, up to the hop where the answer most probably lies."""
    best = plan.relation_probs.argmax(-1)
    weights = [Branch((), *row).hop_weights for row in zip(plan.relation_probs, plan.stop_probs, strict=True)]
    return [tuple(row[: int(weight.argmax()) + 1].tolist()) for row, weight in zip(best, weights, strict=True)]


def _share(some: list[tuple[int, ...]], others: list[tuple[int, ...]]) -> float:
    return round(sum(a == b for a, b in zip(some, others, strict=True)) / max(1, len(some)), 4)
