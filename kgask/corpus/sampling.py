"""Questions about random entities of a pack: a topic that has the path, and where the path leads."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np

from kgask.corpus.examples import MASK, PathExample
from kgask.corpus.questions import GraphQuestion
from kgask.pack.graph import Graph
from kgask.pack.store import Pack
from kgask.retrieve.follow import reached_by
from kgask.types import directed

TRIES = 40  # draws a wanted probe before giving up


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
        path = tuple(directed(by_key[key], inverse, pack.n_relations) for key, inverse in example.path or ())
        topic = random_topic(pack, path[0], rng)
        answers = follow_path(pack, topic, path) if topic is not None else frozenset()
        if topic is not None and answers:
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


def follow_path(pack: Graph, topic: int, path: Sequence[int]) -> frozenset[int]:
    """Where a path of directed relations leads; it does not come back to its topic."""
    frontier = np.array([topic])
    for relation in path:
        targets = reached_by(pack, frontier, relation)
        frontier = targets[targets != topic]
    return frozenset(frontier.tolist())
