"""Planning alone: milliseconds a question, questions a second in batches, and what int8 costs.

The questions are made from the pack's own relation labels, one to three hops,
so that any pack can be measured; their texts are about as long as people's
(with the demo pack 11 tokens on average, special ones included).
"""

from __future__ import annotations

import random
import statistics
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from kgask import config
from kgask.pack.labels import relation_phrase
from kgask.pack.store import Pack
from kgask.plan.rigel_onnx import MASK, HopDistributions, RigelPlanner
from kgask.retrieve.follow import relations_of
from kgask.types import Branch

BATCH = 64
OPENERS = ("what is the {}", "who is the {}", "name the {}", "which {}", "{}", "tell me the {}", "what was the {}")


@dataclass(slots=True)
class _Timed:
    """A planner, its relation matrix, and seconds spent."""

    planner: RigelPlanner
    directed: np.ndarray
    single_s: list[float] = field(default_factory=list)
    batch_s: list[float] = field(default_factory=list)


def masked_questions(labels: list[str], n: int, rng_seed: int = 0) -> list[str]:
    """``n`` questions of one, two and three relations in turn, the topic masked."""
    rng = random.Random(rng_seed)
    names = [relation_phrase(label) for label in labels]
    chains = (" of the ".join(rng.choice(names) for _ in range(number % 3 + 1)) for number in range(n))
    return [rng.choice(OPENERS).format(f"{chain} of {MASK}") for chain in chains]


def measure(
    pack: str | None, model: str | None, full: Path | None, n_questions: int, n_runs: int
) -> dict[str, float | str]:
    """Named figures; with ``full``, a float32 graph of the same planner, those of int8 against it too.

    The two graphs take turns, so that whatever else the machine does meets both.
    """
    settings = config.load_settings()
    folder = config.find("model", model or str(settings.get("model", config.DEFAULT_MODEL))).path
    with Pack.open(config.find("pack", pack or str(settings.get("pack", config.DEFAULT_PACK))).path) as opened:
        planners = [RigelPlanner.load(folder)] + ([RigelPlanner.load(folder, full)] if full else [])
        timed = [_Timed(p, p.relation_matrix(opened.relations())) for p in planners]
        texts = masked_questions(opened.relation_labels(), n_questions)
        masks = _first_masks(opened, n_questions)
    for run in range(n_runs + 1):
        for one in timed:
            _time(one, texts, masks, counted=run > 0)
    figures: dict[str, float | str] = {"planner": timed[0].planner.note, "questions": n_questions}
    figures |= _speeds(timed[0])
    if full:
        figures |= {f"full_{name}": value for name, value in _speeds(timed[1]).items()}
        figures |= _differences(*timed, texts, masks)
    return figures


def _first_masks(pack: Pack, n: int) -> np.ndarray:
    """bool [n, 2R]: what the pack's own entities have."""
    entities = np.random.default_rng(0).integers(0, pack.n_entities, n)
    return np.stack([relations_of(pack, entities[row : row + 1]) for row in range(n)])


def _time(one: _Timed, texts: list[str], masks: np.ndarray, counted: bool) -> None:
    singles, batches = [], []
    for row, text in enumerate(texts):
        began = time.perf_counter()
        one.planner.plan([text], one.directed, masks[row : row + 1])
        singles.append(time.perf_counter() - began)
    for start in range(0, len(texts), BATCH):
        rows = slice(start, start + BATCH)
        began = time.perf_counter()
        one.planner.plan(texts[rows], one.directed, masks[rows])
        batches.append((time.perf_counter() - began) / len(texts[rows]))
    if counted:
        one.single_s += singles
        one.batch_s += batches


def _speeds(one: _Timed) -> dict[str, float]:
    return {
        "ms_per_question": round(1000 * statistics.median(one.single_s), 3),
        "questions_per_s_in_batches": round(1 / statistics.median(one.batch_s), 1),
    }


def _differences(small: _Timed, full: _Timed, texts: list[str], masks: np.ndarray) -> dict[str, float]:
    """Shares of questions with the same most probable path, and the mean total difference of a distribution."""
    alone = _one_by_one(small, texts, masks)
    exact = _one_by_one(full, texts, masks)
    together = small.planner.plan(texts, small.directed, masks)
    paths = [_paths(plan) for plan in (exact, alone, together)]
    return {
        "same_path_as_full": _share(paths[1], paths[0]),
        "same_path_as_full_in_batches": _share(paths[2], paths[0]),
        "same_path_alone_and_in_batches": _share(paths[1], paths[2]),
        "total_difference_of_relation_probs": round(
            float(np.abs(alone.relation_probs - exact.relation_probs).sum(-1).mean() / 2), 4
        ),
    }


def _one_by_one(one: _Timed, texts: list[str], masks: np.ndarray) -> HopDistributions:
    plans = [one.planner.plan([text], one.directed, masks[row : row + 1]) for row, text in enumerate(texts)]
    names = ("relation_probs", "stop_probs", "branch_scores", "answer_types")
    return HopDistributions(*(np.concatenate([getattr(plan, name) for plan in plans]) for name in names))


def _paths(plan: HopDistributions) -> list[tuple[int, ...]]:
    """The most probable relation at each hop, up to the hop where the answer most probably lies."""
    best = plan.relation_probs.argmax(-1)
    weights = [Branch((), *row).hop_weights for row in zip(plan.relation_probs, plan.stop_probs, strict=True)]
    return [tuple(row[: int(weight.argmax()) + 1].tolist()) for row, weight in zip(best, weights, strict=True)]


def _share(some: list[tuple[int, ...]], others: list[tuple[int, ...]]) -> float:
    return round(sum(a == b for a, b in zip(some, others, strict=True)) / max(1, len(some)), 4)
