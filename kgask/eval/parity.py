"""Whether the planner's graph for CUDA decides as its graph for the CPU does.

Both answer the same questions from the plan alone. Where there is no GPU, the graph for CUDA runs on the CPU: what
differs then is the graph, not the arithmetic of a device.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from kgask import config
from kgask.answer.pipeline import Pipeline
from kgask.answer.result import Answer
from kgask.errors import ModelError, UsageError
from kgask.pack.store import Pack
from kgask.plan.providers import CUDA_GRAPH
from kgask.plan.rigel_onnx import RigelPlanner
from kgask.sets.rows import lines_of

TOGETHER = 256  # questions asked at once, as a GPU likes it


def measure(
    pack: str | None, model: str | None, questions: Sequence[str], report: Callable[[int], None]
) -> dict[str, float | str]:
    """Named figures; ``report`` hears how many questions are done.

    A decision is the answers that are printed, in order, or that none is. Raises :class:`ModelError` for a planner
    without a graph for CUDA, and for a GPU that fails: its answers would be the CPU's.
    """
    folder = config.chosen("model", model).path
    if not (folder / CUDA_GRAPH).is_file():
        raise ModelError(f"{folder}: has no {CUDA_GRAPH}; make it: kgask train requantise {folder} -o OUT")
    with Pack.open(config.chosen("pack", pack).path) as opened:
        planners = RigelPlanner.load(folder, on_cpu=True), RigelPlanner.load(folder, folder / CUDA_GRAPH)
        device = planners[1].note
        pairs: list[tuple[Answer, Answer]] = []
        for pair in answered(opened, planners, questions):
            pairs.append(pair)
            report(len(pairs))
        if planners[1].note != device:
            raise ModelError(planners[1].note)
    return {"graph for CUDA": device} | figures(pairs)


def answered(pack: Pack, planners: Sequence[RigelPlanner], questions: Sequence[str]) -> Iterator[tuple[Answer, Answer]]:
    """Each question's answers by either planner; ``[...]`` in it marks its topic, otherwise it is linked."""
    pipelines = [Pipeline(pack, planner, None) for planner in planners]
    for start in range(0, len(questions), TOGETHER):
        texts = questions[start : start + TOGETHER]
        yield from zip(*(pipeline.ask_many(texts) for pipeline in pipelines), strict=True)


def figures(pairs: Sequence[tuple[Answer, Answer]]) -> dict[str, float]:
    """Of those that either graph had a plan for: the others are no evidence."""
    planned = [pair for pair in pairs if max(answer.confidence for answer in pair) > 0.0]
    differ = sum(decision(one) != decision(other) for one, other in planned)
    return {
        "questions": len(pairs),
        "with a plan": len(planned),
        "answered": sum(not one.abstained for one, _ in planned),
        "decisions that differ": differ,
        "share that differs": round(differ / max(1, len(planned)), 5),
        "largest difference of confidence": round(
            max((abs(one.confidence - other.confidence) for one, other in planned), default=0.0), 6
        ),
    }


def decision(answer: Answer) -> tuple[int, ...]:
    return () if answer.abstained else tuple(entity.id for entity in answer.entities)


def read_questions(files: Sequence[Path], limit: int | None) -> list[str]:
    """The first column of each file's lines, the first ``limit`` of each file. UsageError where there is none."""
    found: list[str] = []
    for file in files:
        texts = [text for _, line in lines_of(file) if (text := line.split("\t")[0].strip())]
        if not texts:
            raise UsageError(f"{file}: no questions in it")
        found += texts[:limit]
    return found
