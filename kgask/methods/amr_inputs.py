"""What the AMR ranker's graph is fed with: frozen vectors of a question, its pairs and its AMR.

The sentence encoder stands for LTGen's BERT and is not trained along, so the pair encoder gets three things: the
vector of the whole pair's text, the relation's own, and the question's, which it compares with the relation's.
Shapes: P pairs of one entity, N nodes, D vector width, R relations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from kgask.methods.amr_graph import AmrGraph
from kgask.methods.text_encoder import TextEncoder
from kgask.plan.matrix_cache import cached_matrix, key_of


@dataclass(frozen=True, slots=True, eq=False)
class AmrInputs:
    """One question and one of its entities; all vectors are unit, float32."""

    pairs: np.ndarray  # [P, D]
    relations: np.ndarray  # [P, D]
    question: np.ndarray  # [1, D]
    nodes: np.ndarray  # [N, D]
    kinds: np.ndarray  # int64 [N]
    links: np.ndarray  # float32 [N, N]: 1 where an edge goes from row to column, and on the diagonal

    def arrays(self) -> dict[str, np.ndarray]:
        return {field.name: getattr(self, field.name) for field in fields(self)}


INPUTS = tuple(field.name for field in fields(AmrInputs))


def pair_text(question: str, entity: str, relation: str) -> str:
    """LTGen, section 4.2.2, Entity-Relation Pairs Encoder."""
    return f"[TEXT] {question} [ENT] {entity} [REL] {relation}"


def amr_inputs(
    encoder: TextEncoder, question: str, entity: str, words: Sequence[str], vectors: np.ndarray, graph: AmrGraph
) -> AmrInputs:
    """``words`` are the pairs' relations and ``vectors`` [P, D] those of the words; raises ModelError."""
    nodes = graph.node_texts()
    texts = [question, *nodes, *(pair_text(question, entity, relation) for relation in words)]
    found = encoder.encode(texts)
    split = 1 + len(nodes)
    return AmrInputs(
        found[split:], np.asarray(vectors, np.float32), found[:1], found[1:split],
        np.array(graph.kinds, np.int64), links_of(graph),
    )  # fmt: skip


def links_of(graph: AmrGraph) -> np.ndarray:
    """float32 [N, N]; every node is linked with itself."""
    links = np.eye(len(graph.texts), dtype=np.float32)
    for source, target in graph.edges:
        links[source, target] = 1.0
    return links


def relation_vectors(encoder: TextEncoder, words: Sequence[str]) -> np.ndarray:
    """Vectors float32 [2R, D] of :func:`kgask.verbalise.directed_words`; kept on disk for the next process."""
    key = key_of("amr", encoder.content(), list(words))
    return cached_matrix(key, (len(words), encoder.width), lambda: encoder.encode(words))
