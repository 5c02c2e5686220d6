"""What a batch of questions must teach: hop targets, and what kind of question each is."""

from __future__ import annotations

import random
from dataclasses import dataclass, fields
from typing import Self

import torch
from torch import Tensor

from kgask.corpus.examples import ANSWER_TYPES, MASK, WRONG_MASK, PathExample
from kgask.train.planner.model import MAX_HOPS

IGNORE = -100
FEED_GOLD = 0.7  # share of hops fed with the gold relation, the rest with the expected one
DROP_GOLD = 0.12  # share of questions whose first relation is taken away: the answer is "none"
ALL_FIRST = 0.5  # share of questions without a first-hop mask
FIRST_KEPT = 0.3  # share of the other relations that a first-hop mask leaves


@dataclass(frozen=True, slots=True)
class Targets:
    """Of B questions over R relations and H = MAX_HOPS hops; what is not known is IGNORE."""

    relation: Tensor  # [B, H] directed relation, 2R for "none", IGNORE after the path
    stop: Tensor  # [B, H] 1 at the last hop, 0 before, IGNORE after
    hops: Tensor  # [B] the hop, from 0, at which the answer lies
    followed: Tensor  # [B, H] directed relation fed back, -1 for the expected one
    first_mask: Tensor  # [B, 2R] relations that the topic has
    taken_away: Tensor  # bool [B, H, 2R + 1] columns hidden from this question
    branch: Tensor  # [B, 2] 1 or 0: the mask is a topic; a further seed narrows the answers
    answer_type: Tensor  # [B] index into ANSWER_TYPES

    @classmethod
    def unknown(cls, n_questions: int, n_relations: int) -> Self:
        """Targets that teach nothing yet."""
        shape = (n_questions, MAX_HOPS)
        return cls(
            relation=torch.full(shape, IGNORE),
            stop=torch.full(shape, IGNORE),
            hops=torch.full(shape[:1], IGNORE),
            followed=torch.full(shape, -1),
            first_mask=torch.ones(n_questions, 2 * n_relations),
            taken_away=torch.zeros(*shape, 2 * n_relations + 1, dtype=torch.bool),
            branch=torch.full((n_questions, 2), IGNORE),
            answer_type=torch.full(shape[:1], IGNORE),
        )

    def to(self, device: str) -> Self:
        return type(self)(*(getattr(self, field.name).to(device) for field in fields(self)))

    def set_path(self, row: int, path: list[int]) -> None:
        """The directed relations that answer question ``row``; none of them when empty."""
        none = self.taken_away.shape[-1] - 1
        self.relation[row, 0] = none
        for hop, column in enumerate(path):
            self.relation[row, hop] = column
            self.stop[row, hop] = int(hop == len(path) - 1)
        if path:
            self.hops[row] = len(path) - 1

    def set_kind(self, row: int, example: PathExample) -> None:
        """Whether the mask is a topic, whether more narrows the answers, what is asked for."""
        if example.source == WRONG_MASK:
            self.branch[row, 0] = 0
        elif MASK in example.text and example.path != ():
            self.branch[row, 0] = 1
            self.branch[row, 1] = int(example.constrained)
        if example.answer_type is not None:
            self.answer_type[row] = ANSWER_TYPES.index(example.answer_type)


def path_targets(
    batch: list[PathExample], index: dict[str, int], similar: dict[str, list[str]], rng: random.Random
) -> Targets:
    """Targets of a batch over the relations of ``index``; some questions lose theirs and must say "none".

    ``similar`` lists the look-alikes of a relation, which go with it.
    """
    n = len(index)
    targets = Targets.unknown(len(batch), n)
    for row, example in enumerate(batch):
        targets.set_kind(row, example)
        if example.path is None:
            continue
        gold = [index[key] + (n if inverse else 0) for key, inverse in example.path]
        if len(gold) == 1 and rng.random() < DROP_GOLD:
            _take_away(targets, row, example.path[0][0], index, similar)
            continue
        targets.set_path(row, gold)
        for hop, column in enumerate(gold):
            if rng.random() < FEED_GOLD:
                targets.followed[row, hop] = column
        if gold and rng.random() > ALL_FIRST:
            keep = torch.tensor([float(rng.random() < FIRST_KEPT) for _ in range(2 * n)])
            keep[gold[0]] = 1.0
            targets.first_mask[row] = keep
    return targets


def _take_away(targets: Targets, row: int, key: str, index: dict[str, int], similar: dict[str, list[str]]) -> None:
    """Hide a question's relation and its look-alikes: what is left must not be chosen."""
    targets.set_path(row, [])
    for other in [key, *similar.get(key, ())]:
        if other in index:
            targets.taken_away[row, 0, [index[other], index[other] + len(index)]] = True
