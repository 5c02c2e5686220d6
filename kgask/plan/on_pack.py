"""A planner over the relations of one pack: a relation that only qualifiers have is no step of a path."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from kgask.pack.store import Pack
from kgask.plan.protocol import Planner
from kgask.plan.query_onnx import Sense, Written
from kgask.plan.rigel_onnx import HopDistributions
from kgask.query.postfix import Pick


@dataclass(frozen=True, slots=True, eq=False)
class PackPlanner:
    """``matrix`` float32 [2R', D] holds the directed relations ``columns`` (int64 [2R']) of the pack's [2R]."""

    planner: Planner
    matrix: np.ndarray
    columns: np.ndarray
    every: np.ndarray  # float32 [2R, D], of all relations, for queries

    @classmethod
    def of(cls, planner: Planner, pack: Pack) -> PackPlanner:
        relations, used = pack.relations(), pack.path_relations
        keep = not pack.is_renamed
        matrix = planner.relation_matrix([relations[relation] for relation in used], keep)
        every = matrix if len(used) == len(relations) else planner.relation_matrix(relations, keep)
        return cls(planner, matrix, np.concatenate([used, used + pack.n_relations]), every)

    def plan(self, texts: list[str], first_mask: np.ndarray) -> HopDistributions:
        """Distributions [B, H, 2R] for masked questions; ``first_mask`` [B, 2R] tells what each topic has.

        Relations that no triple has are left out of the softmax, so their probability is 0.
        """
        if len(self.columns) == first_mask.shape[1]:
            return self.planner.plan(texts, self.matrix, first_mask)
        found = self.planner.plan(texts, self.matrix, first_mask[:, self.columns])
        probs = np.zeros((*found.relation_probs.shape[:2], first_mask.shape[1]), np.float32)
        probs[:, :, self.columns] = found.relation_probs
        return replace(found, relation_probs=probs)

    def write(
        self, text: str, places: Sequence[tuple[int, int]], kinds: Sequence[str], pick: Pick, sense: Sense
    ) -> tuple[list[Written], np.ndarray]:
        """The likeliest queries of a masked question, best first, and what kind it is, float32 [K].

        ``places`` and ``kinds`` are those of its operands: see :class:`kgask.plan.query_onnx.QueryWriter`.
        """
        return self.planner.write(text, places, kinds, self.every, pick, sense)
