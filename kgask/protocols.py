"""What each room promises to the pipeline; any object with these methods fits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol, runtime_checkable

import numpy as np

from kgask.types import EntityId, HopPlan, Mention, Question, Statement, TripleId


@runtime_checkable
class Graph(Protocol):
    """A read-only knowledge graph: CSR in both directions, and names.

    Arrays are sorted so that row ``i`` of ``out_*`` lists subject ``i``'s
    triples by (relation, object), and row ``i`` of ``in_*`` lists the triples
    whose object is ``i`` by (relation, subject).
    """

    n_entities: int
    n_relations: int
    n_triples: int
    out_indptr: np.ndarray  # [N+1]
    out_relation: np.ndarray  # [T]
    out_object: np.ndarray  # [T]
    in_indptr: np.ndarray  # [N+1]
    in_relation: np.ndarray  # [T]
    in_subject: np.ndarray  # [T]

    def labels(self, entities: Iterable[EntityId]) -> list[str]: ...

    def relation_labels(self) -> Sequence[str]: ...

    def statements(self, triple_ids: Iterable[TripleId]) -> dict[TripleId, tuple[Statement, ...]]: ...


class Linker(Protocol):
    def link(self, question: Question) -> Sequence[Mention]: ...


class Planner(Protocol):
    def plan(self, question: Question, mentions: Sequence[Mention]) -> Sequence[HopPlan]: ...
