"""A graph that can be followed, and what is said when its arrays hold what no graph has.

Opening a pack does not read its arrays, so damage shows where they are used. Functions that use an array's values as
places in another are marked with :func:`reads_arrays`; whatever they stumble over is said by the graph itself, with
what to type. A mark costs a tenth of a microsecond a call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Concatenate, ParamSpec, Protocol, TypeVar

import numpy as np

from kgask.pack.records import RelationText
from kgask.types import EntityId, Statement, TripleId

Rest = ParamSpec("Rest")
Given = TypeVar("Given")
_DAMAGE = (IndexError, ValueError, OverflowError, MemoryError)  # what numpy raises for impossible places and sizes


class Damageable(Protocol):
    def damaged(self, error: Exception) -> Exception:
        """What is to be raised where reading an array failed with ``error``."""
        ...


class AllHere:
    """A graph whose arrays hold all of it: nothing has to be fetched before it is read."""

    n_fetches = 0  # how often more of the graph became known

    def need(self, entities: np.ndarray, relations: np.ndarray) -> None:
        """The triples of the entities with the directed relations are about to be read; here they are there already."""

    def need_rows(self, entities: np.ndarray | Sequence[EntityId], inverse: bool) -> None:
        """All triples of the entities in one direction are."""

    def need_statements(self, triples: np.ndarray) -> None:
        """The statements of these triples (TripleIds) are about to be read."""

    def owners(self, relation: int) -> np.ndarray | None:
        """The entities (int64, ascending) that a directed relation leads from; None where the arrays tell."""
        return None

    def counted(self, relation: int) -> tuple[int, int] | None:
        """Triples of a directed relation and how many entities it leads from; None where the arrays tell."""
        return None


class Graph(Damageable, Protocol):
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

    def need(self, entities: np.ndarray, relations: np.ndarray) -> None: ...

    def need_rows(self, entities: np.ndarray | Sequence[EntityId], inverse: bool) -> None: ...

    def labels(self, entities: Iterable[EntityId]) -> list[str]: ...

    def relations(self) -> Sequence[RelationText]: ...

    def relation_labels(self) -> Sequence[str]: ...

    def statements(self, triple_ids: Iterable[TripleId]) -> dict[TripleId, tuple[Statement, ...]]: ...


Arrays = TypeVar("Arrays", bound=Damageable)


def reads_arrays(
    function: Callable[Concatenate[Arrays, Rest], Given],
) -> Callable[Concatenate[Arrays, Rest], Given]:
    """Marks a function whose first argument is the graph that it reads."""

    @wraps(function)
    def guarded(graph: Arrays, /, *args: Rest.args, **named: Rest.kwargs) -> Given:
        try:
            return function(graph, *args, **named)
        except _DAMAGE as error:
            raise graph.damaged(error) from error

    return guarded
