"""A planner over the relations of one pack: a relation that only qualifiers have is no step of a path."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kgask.pack.store import Pack
from kgask.plan.protocol import Planner
from kgask.plan.rigel_onnx import HopDistributions


@dataclass(frozen=True, slots=True, eq=False)
class PackPlanner:
    """``matrix`` float32 [2R', D] holds the directed relations ``columns`` (int64 [2R']) of the pack's [2R]."""

    planner: Planner
    matrix: np.ndarray
    columns: np.ndarray

    @classmethod
    def of(cls, planner: Planner, pack: Pack) -> PackPlanner:
        relations, used = pack.relations(), pack.path_relations
        matrix = planner.relation_matrix([relations[relation] for relation in used])
        return cls(planner, matrix, np.concatenate([used, used + pack.n_relations]))

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
