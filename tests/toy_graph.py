"""A graph in memory behind the protocol, for tests that need no pack."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from kgask.pack.graph import AllHere
from kgask.pack.normalise import normalise
from kgask.pack.qualifiers import Qualifiers
from kgask.pack.records import NameHit, RelationText
from kgask.types import Candidate, Evidence, ScoredTriple

Named = tuple[str, str, str]


class ToyGraph(Qualifiers, AllHere):
    """Built from named triples; entity and relation ids in order of appearance."""

    def __init__(self, triples: Sequence[Named]):
        super().__init__()
        self.names = list(dict.fromkeys(name for subject, _, obj in triples for name in (subject, obj)))
        self.relation_names = list(dict.fromkeys(relation for _, relation, _ in triples))
        rows = sorted(
            (self.entity(subject), self.relation_names.index(relation), self.entity(obj))
            for subject, relation, obj in triples
        )
        self.rows = rows
        table = np.array(rows, dtype=np.int64).reshape(-1, 3)
        self.n_entities, self.n_relations, self.n_triples = (
            len(self.names),
            len(self.relation_names),
            len(rows),
        )
        everyone = np.arange(self.n_entities + 1)
        self.out_indptr = np.searchsorted(table[:, 0], everyone)
        self.out_relation, self.out_object = table[:, 1], table[:, 2]
        back = table[np.lexsort((table[:, 0], table[:, 1], table[:, 2]))]
        self.in_indptr = np.searchsorted(back[:, 2], everyone)
        self.in_relation, self.in_subject = back[:, 1], back[:, 0]

    def entity(self, name: str) -> int:
        return self.names.index(name)

    def triple(self, subject: str, relation: str, obj: str) -> int:
        return self.rows.index((self.entity(subject), self.relation_names.index(relation), self.entity(obj)))

    def labels(self, entities: Iterable[int]) -> list[str]:
        return [self.names[entity] for entity in entities]

    def relations(self) -> list[RelationText]:
        return [RelationText(name, name) for name in self.relation_names]

    def relation_labels(self) -> list[str]:
        return self.relation_names

    def damaged(self, error: Exception) -> Exception:
        return error

    def exact(self, norms: Iterable[str]) -> dict[str, list[NameHit]]:
        """Entities by their labels; there are no aliases here."""
        called = [(normalise(name), NameHit(entity, name, False)) for entity, name in enumerate(self.names)]
        return {norm: hits for norm in norms if (hits := [hit for name, hit in called if name == norm])}


Step = tuple[Named, int, float, bool]  # a triple, its hop, its score, walked from the object?


def evidence_of(graph: ToyGraph, steps: Sequence[Step], answers: dict[str, float]) -> Evidence:
    """Evidence with these lines and answers, answers best first."""
    triples = tuple(ScoredTriple(graph.triple(*named), hop, score, inverse) for named, hop, score, inverse in steps)
    ranked = sorted(answers.items(), key=lambda item: -item[1])
    return Evidence(triples, tuple(Candidate(graph.entity(name), score) for name, score in ranked), False)
