"""Hits@1 of a planner on a pack, topic given: what training runs are judged by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kgask.corpus.questions import GraphQuestion
from kgask.pack.store import Pack
from kgask.plan.rigel_onnx import RigelPlanner
from kgask.retrieve.follow import relations_of
from kgask.retrieve.walk import routes, walks
from kgask.train.planner.torch_planner import TorchPlanner
from kgask.types import Branch

BATCH = 64
MAX_HOPS = 3


@dataclass(frozen=True, slots=True)
class Validation:
    """Shares of the questions, all of them in the denominator."""

    n: int
    hits_at_1: float
    exact_set: float
    right: tuple[bool, ...]  # per question: the best route's first end is right


def validate(planner: TorchPlanner | RigelPlanner, pack: Pack, questions: Sequence[GraphQuestion]) -> Validation:
    """Plan in batches, follow in the graph, compare with the gold answers.

    A hit counts the first end of the best route in pack order, as an answer
    that is printed first.
    """
    found = planned(planner, pack, questions)
    right = tuple(bool(ends) and ends[0] in one.answers for one, ends in zip(questions, found, strict=True))
    exact = sum(set(ends) == one.answers for one, ends in zip(questions, found, strict=True))
    n = max(1, len(questions))
    return Validation(len(questions), sum(right) / n, exact / n, right)


def planned(
    planner: TorchPlanner | RigelPlanner, pack: Pack, questions: Sequence[GraphQuestion]
) -> list[tuple[int, ...]]:
    """Of each question the ends of its best route, in pack order; none where no route leads anywhere."""
    directed = planner.relation_matrix(pack.relations())
    found: list[tuple[int, ...]] = [()] * len(questions)
    by_length = sorted(range(len(questions)), key=lambda index: len(questions[index].text))
    for start in range(0, len(questions), BATCH):
        rows = by_length[start : start + BATCH]
        batch = [questions[row] for row in rows]
        first_mask = np.stack([relations_of(pack, np.array([question.topic])) for question in batch])
        plan = planner.plan([question.text for question in batch], directed, first_mask)
        for row, question, probs, stops in zip(rows, batch, plan.relation_probs, plan.stop_probs, strict=True):
            best = routes(walks(pack, Branch((), probs, stops), [question.topic], MAX_HOPS))
            found[row] = tuple(best[0].answers.tolist()) if best else ()
    return found
