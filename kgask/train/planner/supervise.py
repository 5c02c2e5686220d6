"""What teaches a model of one graph: paths, answers alone, or paths that were found by search.

"weak" is the supervision of Rigel + LM, section 3.2: binary cross-entropy on the
answer entities, which the differentiable KG reaches, weighed over the hops by
the hop attention. "search" marginalises over the paths that a search has found.

Shapes: B questions, R relations, H hops, N' entities of a neighbourhood.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from kgask.corpus.questions import GraphQuestion
from kgask.corpus.search_paths import RelationPath
from kgask.pack.store import Pack
from kgask.retrieve.follow import all_edges, relations_of
from kgask.train.planner.diff_kg import Neighbourhood
from kgask.train.planner.model import MAX_HOPS, RigelOutput
from kgask.train.planner.targets import FEED_GOLD, Targets

LEAST_PROB = 1e-6  # what a wrong zero costs at most: 14 nats


class Frontiers:
    """Which directed relations a question's gold path may choose from, hop by hop; remembered."""

    def __init__(self, pack: Pack) -> None:
        self._pack = pack
        self._known: dict[tuple[int, RelationPath], np.ndarray] = {}

    def present(self, topic: int, path: RelationPath) -> np.ndarray:
        """bool [hops, 2R]: the relations of each frontier along the path."""
        key = (topic, path)
        if key not in self._known:
            self._known[key] = self._walk(topic, path)
        return self._known[key]

    def _walk(self, topic: int, path: RelationPath) -> np.ndarray:
        frontier, rows = np.array([topic], np.int64), []
        for relation in path:
            present = np.zeros(2 * self._pack.n_relations, bool)
            reached = []
            for inverse in (False, True):
                edges = all_edges(self._pack, frontier, inverse)
                edges = edges.where(edges.targets != topic)
                present[edges.relations] = True
                reached.append(edges.targets[edges.relations == relation])
            rows.append(present)
            frontier = np.unique(np.concatenate(reached))
        return np.stack(rows)


def graph_targets(
    pack: Pack,
    questions: Sequence[GraphQuestion],
    paths: Sequence[RelationPath | None],
    frontiers: Frontiers,
    masked: float,
    rng: random.Random,
) -> Targets:
    """Targets of a batch over all relations of a pack.

    For a share ``masked`` of the questions only relations that the path's own
    frontier has compete, as at answer time; for the others all do, which is
    harder and keeps the probabilities of different path lengths comparable.
    """
    targets = Targets.unknown(len(questions), pack.n_relations)
    for row, (question, path) in enumerate(zip(questions, paths, strict=True)):
        has = relations_of(pack, np.array([question.topic]))
        targets.first_mask[row] = torch.from_numpy(has.astype(np.float32))
        targets.branch[row] = torch.tensor([1, 0])
        if path is None or len(path) > MAX_HOPS:
            continue
        targets.set_path(row, list(path))
        for hop, relation in enumerate(path):
            if rng.random() < FEED_GOLD:
                targets.followed[row, hop] = relation
        if rng.random() < masked:
            away = ~torch.from_numpy(frontiers.present(question.topic, path))
            away[torch.arange(len(path)), torch.tensor(path)] = False
            targets.taken_away[row, : len(path), :-1] = away
    return targets


def weak_loss(output: RigelOutput, near: Neighbourhood, questions: Sequence[GraphQuestion], masked: Tensor) -> Tensor:
    """The paper's: binary cross-entropy on the answer entities alone, mean over the questions.

    An entity's probability is its membership after each hop, weighed by where
    the hop weights say that the answer lies. The sum over entities is divided
    by the number of answers, so that long lists do not drown short ones. For
    the questions of ``masked`` [B] only relations of the frontier compete.
    """
    device = output.relation_log_probs.device
    topics = near.rows([[question.topic] for question in questions]).to(device)
    gold = near.rows([question.answers for question in questions]).to(device)
    hop_weights = output.hop_weights.float()
    hops = near.masked_hops(topics, output.relation_log_probs.float(), masked.to(device))
    memberships = sum(members * hop_weights[:, hop : hop + 1] for hop, members in enumerate(hops))
    probs = memberships.clamp(LEAST_PROB, 1.0 - LEAST_PROB)
    losses = -(gold * probs.log() + (1.0 - gold) * (1.0 - probs).log()).sum(1)
    n_answers = torch.tensor([len(question.answers) for question in questions], device=device)
    inside = gold.sum(1) >= n_answers  # a question whose answers a bound has cut away teaches nothing
    return (losses / n_answers * inside).sum() / inside.sum().clamp(min=1)


def search_loss(output: RigelOutput, candidates: Sequence[dict[RelationPath, float]]) -> Tensor:
    """Minus the log of the probability of the paths found, each by its weight (marginal likelihood).

    The gradient goes to a path by its weight *and* by what the model thinks of
    it, as in EM: what votes and model agree on wins. Questions without a found
    path teach nothing.
    """
    log_hops = output.hop_log_weights.float()
    log_probs = output.relation_log_probs.float()
    losses = []
    for row, paths in enumerate(candidates):
        scores = []
        for path, weight in paths.items():
            steps = sum(log_probs[row, hop, relation] for hop, relation in enumerate(path))
            scores.append(steps + log_hops[row, len(path) - 1] + float(np.log(weight)))
        if scores:
            losses.append(-torch.logsumexp(torch.stack(scores), 0))
    return torch.stack(losses).mean() if losses else log_hops.sum() * 0
