"""Hits@1 of a planner on a pack, topic given: what training runs are judged by."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kgask.pack.store import Pack
from kgask.plan.rigel_onnx import RigelPlanner
from kgask.retrieve.follow import reached_by, relations_of
from kgask.retrieve.walk import routes
from kgask.train.data import MASK, PathExample
from kgask.train.questions import GraphQuestion
from kgask.train.torch_planner import TorchPlanner
from kgask.types import Branch, directed

BATCH = 64
TRIES = 40  # draws a wanted probe before giving up
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
    found = routes(pack, Branch((), probs, stops), [topic], MAX_HOPS)
    return found[0].answers.tolist() if found else []


def graph_probes(pack: Pack, examples: Sequence[PathExample], n: int, rng: random.Random) -> list[GraphQuestion]:
    """Up to ``n`` questions whose paths this pack has, each about a random entity that has an answer.

    Every text comes up once before any comes again: no wording counts for more than another.
    """
    by_key = {relation.key: index for index, relation in enumerate(pack.relations())}
    usable = [e for e in examples if e.path and MASK in e.text and all(key in by_key for key, _ in e.path)]
    usable = list({example.text: example for example in usable}.values())
    found: list[GraphQuestion] = []
    waiting: list[PathExample] = []
    for _ in range(TRIES * n if usable else 0):
        if len(found) >= n:
            break
        waiting = waiting or rng.sample(usable, len(usable))
        example = waiting.pop()
        path = tuple(directed(by_key[key], inverse, pack.n_relations) for key, inverse in example.path)
        topic = random_topic(pack, path[0], rng)
        answers = follow_path(pack, topic, path) if topic is not None else frozenset()
        if answers:
            found.append(GraphQuestion(example.text, topic, answers, path))
    return found


def random_topic(pack: Pack, relation: int, rng: random.Random) -> int | None:
    """An entity that has the directed relation, drawn by triples; None when no triple does."""
    inverse = relation >= pack.n_relations
    ids = np.flatnonzero(np.asarray(pack.out_relation) == relation % pack.n_relations)
    if not len(ids):
        return None
    subjects, _, objects = pack.triples([int(rng.choice(ids))])
    return int((objects if inverse else subjects)[0])


def follow_path(pack: Pack, topic: int, path: Sequence[int]) -> frozenset[int]:
    """Where a path of directed relations leads; it does not come back to its topic."""
    frontier = np.array([topic])
    for relation in path:
        targets = reached_by(pack, frontier, relation)
        frontier = targets[targets != topic]
    return frozenset(frontier.tolist())
