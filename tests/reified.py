"""The test oracle: the differentiable KG as three sparse maps (Cohen et al. 2020).

One hop is (x S^T * r R^T) O, with S [N, T], R [2R, T], O [N, T] binary maps
from subjects, directed relations and objects to triples; each stored triple
stands twice, forward and inverse.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse


class ReifiedKB:
    def __init__(self, triples: np.ndarray, n_entities: int, n_relations: int) -> None:
        subjects, relations, objects = triples.T
        left = np.concatenate([subjects, objects])
        right = np.concatenate([objects, subjects])
        directed = np.concatenate([relations, relations + n_relations])
        columns, ones = np.arange(len(left)), np.ones(len(left))
        self.left = sparse.csr_matrix((ones, (left, columns)), (n_entities, len(left)))
        self.relation = sparse.csr_matrix((ones, (directed, columns)), (2 * n_relations, len(left)))
        self.right = sparse.csr_matrix((ones, (right, columns)), (n_entities, len(left)))

    def follow(self, entity_weights: np.ndarray, relation_probs: np.ndarray) -> np.ndarray:
        """Weights [N] after one hop from weights [N] under relation probabilities [2R]."""
        triple_weights = (self.left.T @ entity_weights) * (self.relation.T @ relation_probs)
        return self.right @ triple_weights
