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
    directed = planner.relation_matrix(pack.relations())
    right, exact = [False] * len(questions), 0
    by_length = sorted(range(len(questions)), key=lambda index: len(questions[index].text))
    for start in range(0, len(questions), BATCH):
        rows = by_length[start : start + BATCH]
        batch = [questions[row] for row in rows]
        first_mask = np.stack([relations_of(pack, np.array([question.topic])) for question in batch])
        plan = planner.plan([question.text for question in batch], directed, first_mask)
        for row, question, probs, stops in zip(rows, batch, plan.relation_probs, plan.stop_probs, strict=True):
            ends = _answers(pack, question.topic, probs, stops)
            right[row] = bool(ends) and ends[0] in question.answers
            exact += set(ends) == question.answers
    n = max(1, len(questions))
    return Validation(len(questions), sum(right) / n, exact / n, tuple(right))


def _answers(pack: Pack, topic: int, probs: np.ndarray, stops: np.ndarray) -> list[int]:
    found = routes(walks(pack, Branch((), probs, stops), [topic], MAX_HOPS))
    return found[0].answers.tolist() if found else []
